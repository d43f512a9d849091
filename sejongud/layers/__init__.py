"""The annotation of words, and its moves when the words are cut another way."""
