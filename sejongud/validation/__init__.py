"""What is wrong with a file: checks, round trips, entities that look odd."""
