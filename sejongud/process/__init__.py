"""The process of a run: its streams, its signals and unfinished files, its worker processes."""
