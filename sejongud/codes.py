"""The codes of what readers, converters and metrics report: one table for all of them.

A code is a letter and three digits. E: an error, the data could not be used as they are; W: mended
or kept, and worth a look; I: information. The first digit names the area. Codes are stable: one
that is no longer used is not given away again.

The checks of `sejongud validate` have their messages in `sejongud.checks` (those of the heads and
of the end of a file, E206 to E208, are reported elsewhere as well); `validation.codes` has all.
"""

from __future__ import annotations

__all__ = ["AREAS", "CODES"]

AREAS = {
    "0": "files",
    "1": "Sejong text and analyses",
    "2": "CoNLL-U",
    "3": "conversion and other formats",
    "4": "entities and other layers",
    "6": "trees and segmented text",
    "8": "evaluation",
    "9": "the way back",
}
"""First digit of a code → what the code is about."""

CODES = {
    "E000": "the file cannot be read: encoding, compression, a line without an end",
    "E101": "a line without exactly a form and an analysis (and an id before them)",
    "E102": "the form or the analysis is empty",
    "E103": "a morpheme without a tag",
    "E105": "a sentence longer than any sentence: blank lines or an end tag are missing",
    "E106": "comments that no sentence follows",
    "E107": "a file of the corpus without a sentence",
    "E108": "a tab or a line's end inside a form, a morpheme or a tag",
    "E109": "a line too long for an eojeol",
    "W101": "a tag typo, read as the right tag",
    "W102": "an empty item before, between or behind the plus signs, left out",
    "W103": "a morpheme without a form",
    "W104": "a tag that is not in the tag set, kept",
    "W105": "a final symbol that is in the form and not in the analysis, added",
    "W106": "the morphemes do not explain the form, or not all of it",
    "W107": "aligned, but by a weak rule (rules/alignment.tsv): a misspelling, an unlikely tag",
    "I107": "the form was made from the morphemes",
    "W110": "a sentence cut inside a number or an abbreviation, joined again",
    "W111": "text behind the end of the document, read on",
    "W112": "a header that is not closed, or a second one",
    "W113": "markup that is not known, left out",
    "W114": "an element that is not closed",
    "W115": "an end tag that closes nothing",
    "W116": "eojeols outside of any sentence",
    "E201": "a line without exactly ten columns",
    "E202": "an empty column",
    "E203": "an ID out of order, or a range whose words are missing",
    "E204": "a HEAD that is no number",
    "E205": "a HEAD that is no word of the sentence",
    "E209": "the words are not those of the treebank",
    "E210": "not what the published program read: two comments, no ranges",
    "E211": "DEPS that are no relations to words of the sentence",
    "E213": "CoNLL-U Plus: columns that are not the ten and ours",
    "W202": "an empty node, left out",
    "W204": "the last morpheme is not in LEMMA, taken from FORM",
    "W205": "neither MSeg nor LEMMA nor FORM has as many morphemes as XPOS, kept as one",
    "W210": "arcs between morphemes that made no tree of words, mended",
    "W301": "the format, or the level, has no place for something",
    "E311": "KLUE-DP: a row without exactly six columns",
    "E312": "KLUE-DP: an empty column, or an INDEX out of order",
    "E313": "KLUE-DP: not as many morphemes as tags",
    "E314": "KLUE-DP: a HEAD that is no row of the sentence",
    "W311": "KLUE-DP: the form is another one in the sentence above the rows",
    "E321": "NIKL: the JSON is broken here",
    "E322": "NIKL: not what belongs at this place of the JSON",
    "E323": "NIKL: a word that has no morphemes",
    "E324": "NIKL: morphemes and words that do not belong together",
    "W321": "NIKL: a document without sentences, left out",
    "W322": "NIKL: a sentence without a text, left out",
    "W323": "NIKL: a sense that fits no morpheme, left out",
    "E331": "JSON Lines: not what belongs at this place of the JSON",
    "E401": "NAVER NER: a row without number, eojeol and tag",
    "E402": "NAVER NER: not as many tags as eojeols",
    "E403": "KLUE-NER: a row without a character and its label",
    "E404": "a row without a token and its label",
    "E405": "a line that is no JSON object",
    "E406": "an object whose text and entities do not belong together",
    "E407": "KMOU NER: a row without surface, morphemes, tags and label",
    "E408": "NIKL: an entity that is not at its place in the sentence",
    "E411": "fewer sentences with morphemes than with entities",
    "E412": "two files with different texts",
    "E413": "a word that ends inside a morpheme of the other file",
    "E414": "an entity that begins or ends inside a morpheme",
    "E415": "a label file that has not a row for each word",
    "E416": "KIPS NER: a row without eojeol, morpheme, tag and label, or no sentence above it",
    "E417": "KIPS NER: neither the marks nor the rows are of the sentence",
    "W411": "more sentences with morphemes than with entities",
    "W412": "an eojeol that has no morpheme in the other file",
    "W421": "a label that goes on with no entity",
    "W422": "an entity that ends in a particle",
    "W423": "an entity that shares a syllable with a morpheme outside",
    "W424": "morphemes of an entity corpus with other labels than its text",
    "W425": "morphemes of an entity corpus that cannot be used, analysed by Kiwi",
    "E601": "brackets that are not balanced",
    "E603": "a tree in brackets that cannot be read",
    "E801": "nothing that could be scored",
    "E802": "a file without dependencies",
    "E803": "a HEAD that is no word, scored as wrong",
    "W801": "a sentence with several roots, or none",
    "W802": "heads that go round in a circle",
}
"""Code → what it stands for."""
