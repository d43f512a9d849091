"""The faults of a file: checks, round trips, entities that look odd."""
