"""Metrics: statistics of each sentence, and what they add up to."""
