"""An eojeol at the five levels of granularity: its words, and what each is called."""
