"""Grammatical error correction: edits, their types and their scores.

A correction is a layer of edits on the tokens of a sentence (`sejongud.gec.edits`). Annotators
make edits of a source and its targets; scorers compare the edits of a system with those of a
reference. The scorers do not import the annotators, and Kiwi is loaded when it is first used.
"""
