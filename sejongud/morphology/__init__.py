"""From the notation of an analysis, `프랑스/NNP+의/JKG`, to an eojeol aligned with its surface."""
