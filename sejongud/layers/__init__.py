"""What is said of words, and how it moves when they are cut another way."""
