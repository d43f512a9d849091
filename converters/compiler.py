"""The lines of a token of a treebank from its columns, without objects between.

The lines that a level makes of a plain token follow from its columns. The parts of a word (head,
relations, UPOS) are remembered by its tags, and the line of a part by its forms, tags and UPOS;
only a fused form is aligned. Any other token takes the general way, with the same result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sejongud.formats.conllu.write import ARC, TreeTemplate
from sejongud.formats.misc import escape_misc, join_segments, misc_items
from sejongud.memo import Memo, remembered
from sejongud.model import NOTHING, Eojeol, Morpheme, Span, with_items
from sejongud.morphology.eojeol import is_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.converters.relations import PartsByTags
    from sejongud.layers.arcs import Partition

_SPACE = "SpaceAfter=No"
ORIGINAL = "OrigLemma"
_TELLS = re.compile(
    "%|MSeg=|Sense=|OrigXPOS=|Added=|Surface=|Sejongud=|Head|Word|Tokens=|Id=|NE"
).search
"""Find what MISC says of morphemes, words or places, but for the lemma of all morphemes."""
_Tags = tuple[tuple[str, ...], tuple[str, ...]]
"""The tags of a word and its Sejong tags; these are () if forms decide them."""
_Key = tuple[str, str, str, str]
"""FORM and UPOS of a part of a word; the forms of its morphemes, with tabs between; their tags,
with plus signs between."""


class TokenCompiler:
    """Makes the lines of plain tokens.

    Args:
        reader: of CoNLL-U.
        splitter: splits the words at a level (`word2morph.Splitter`).
    """

    def __init__(self, reader: Any, splitter: Any) -> None:
        assembler = reader.assembler
        self._rules = assembler.rules
        is_aligned = reader.is_aligned or splitter.cutter
        self._align = assembler.aligner.align if is_aligned else None
        self._right_tag = assembler.analysis.right_tag
        self._by_form = assembler.analysis.misspelt | assembler.rules.tags_by_form
        self._splitter = splitter
        self._sizes: Memo[Any, tuple[int, ...]] = Memo(splitter.sizes_by_tags)
        # The parts of a word by XPOS, Sejong tags, UPOS and lemmas.
        self._parts: Memo[Any, PartsByTags] = Memo(splitter.parts_by_tags)
        self._lines: Memo[_Key, str] = Memo.of(self, TokenCompiler._line)

    def __call__(self, columns: Any) -> tuple[TreeTemplate, Partition, int, bool] | None:
        """Return the template of a token, the division of its word, 1, and if a space follows.

        Args:
            columns: FORM to FEATS, with tabs between, and MISC; the lines of several tokens.

        Returns:
            None for a token that is not plain, and for several.
        """
        text, misc, *_ = columns
        if not isinstance(text, str):
            return None
        form, lemma, upos, xpos, feats = text.split("\t")
        if (
            ("%" in text or "(" in form or upos == NOTHING)
            or (misc != NOTHING and _TELLS(misc))
            or (feats != NOTHING and "=" not in feats)
        ):
            return None
        ends = _SPACE not in misc
        known = self.tags[xpos]
        if known is None or not (ends or _SPACE in misc.split("|")):
            return None
        tags, sejong = known
        count = len(tags)
        written = form
        if ORIGINAL in misc:
            written = misc_items(misc).get(ORIGINAL, "") if count > 1 else ""
        elif count > 1:
            written = lemma
        forms = tuple(written.split("+")) if count > 1 else (form,)
        if len(forms) != count or "" in forms or not is_plain(written):
            return None
        sejong = sejong or self.sejong_tags(forms, tags)
        is_fused = "".join(forms) != form
        spans = self._spans(form, forms, sejong) if sejong and is_fused else ()
        if not sejong or spans is None:
            return None
        sizes = self._sizes[tags, sejong] if count > 1 and " " not in form else (count,)
        if not sizes:
            return None
        if len(sizes) == 1:
            text = f"%s\t{text}{ARC}{misc}\n"
            # A NamedTuple's own constructor takes twice as long.
            return (
                tuple.__new__(TreeTemplate, (text, 1, ())),
                self._splitter.whole_of(upos, sejong),
                1,
                ends,
            )
        if feats != NOTHING:
            return None
        lemmas = self._splitter.lemmas_of(forms, tags, sejong)
        # LEMMA may be the stem alone.
        stem = lemma if "+" not in lemma else ""
        head = forms.index(stem) if stem in forms else -1
        parts = self._parts[tags, sejong, upos, lemmas, head]
        texts = self._part_lines(form, forms, tags, parts, spans, stem)
        items = parts.items
        if written != lemma:
            items = (*items, f"WordLemma={escape_misc(lemma)}")
        misc = with_items(misc, items)
        rest = f"\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"
        template = "".join(texts), len(texts), ((0, len(texts), rest),)
        return tuple.__new__(TreeTemplate, template), parts.split, 1, ends

    def _part_lines(
        self,
        form: str,
        forms: tuple[str, ...],
        tags: tuple[str, ...],
        parts: PartsByTags,
        spans: tuple[Span, ...],
        stem: str,
    ) -> list[str]:
        """Return the lines of the parts of a word.

        Args:
            form: of the word.
            forms: of its morphemes.
            tags: of its morphemes.
            parts: the division of the word.
            spans: the places of the morphemes in a fused form; () for any other.
            stem: LEMMA of the word, if that is no more than a stem.
        """
        all_upos, runs, own_tags, head, *_ = parts
        splitter = self._splitter
        own: Sequence[str] = forms
        pieces: Sequence[str] = forms
        if len(runs) < len(forms):
            # Joined by a character that no form has.
            pieces = ["\t".join(forms[first:last]) for first, last in runs]
            own = ["".join(forms[first:last]) for first, last in runs]
        if spans and splitter.cutter:
            eojeol = Eojeol(form, tuple(map(_morpheme, forms, tags)), spans)
            form_of = splitter.cutter.granularity.form_of
            own = [form_of(eojeol, (0, len(forms)), run) for run in runs]
        keys = list(zip(own, all_upos, pieces, own_tags))  # noqa: B905
        lemmas: Sequence[str] = ()
        if splitter.uncertain.isdisjoint(forms):
            texts = list(map(self._lines.__getitem__, keys))
        else:
            lemmas = splitter.lemmas_behind(forms, tags)
            texts = [
                self._line(key, lemmas[first:last])
                for key, (first, last) in zip(keys, runs, strict=True)
            ]
        if all_upos[head] in splitter.stems:
            first, last = runs[head]
            texts[head] = self._line(keys[head], lemmas[first:last], stem, is_stem=True)
        return texts

    def _spans(
        self, form: str, forms: tuple[str, ...], tags: tuple[str, ...]
    ) -> tuple[Span, ...] | None:
        """Return the places of morphemes in a fused form; None if the rules do not explain it."""
        if form[-1] in self._rules.final_symbols or not is_plain(form):
            return None
        if self._align is None:
            return ()
        # Sejong tags need no look-up there.
        alignment = self._align(form, tuple(map(_morpheme, forms, tags)))
        return None if alignment.unexplained or alignment.weak else alignment.spans

    @remembered()
    def tags(self, xpos: str) -> _Tags | None:
        """Return the tags of a word; None if one of them is unknown."""
        rules = self._rules
        tags = tuple(xpos.split("+"))
        if not rules.kinds.keys() >= set(tags) or not rules.of_pud.isdisjoint(tags):
            return None
        are_certain = self._by_form.isdisjoint(tags)
        return tags, tuple([rules.sejong_tag("", tag) for tag in tags]) if are_certain else ()

    def sejong_tags(self, forms: tuple[str, ...], tags: tuple[str, ...]) -> tuple[str, ...]:
        """Return the Sejong tags of morphemes; () if one of their own is wrong."""
        if tuple(map(self._right_tag, forms, tags)) != tags:
            return ()
        return tuple(map(self._rules.sejong_tag, forms, tags))

    def _line(
        self, key: _Key, lemmas: Sequence[str] = (), told: str = "", *, is_stem: bool = False
    ) -> str:
        """Return the line of a part of a word.

        Args:
            key: of the part.
            lemmas: of its morphemes, if those before the part decide them.
            told: the stem that the treebank has for the part, "" for none.
            is_stem: whether it is the head part, whose LEMMA may be its stem.
        """
        form, upos, pieces, tags = key
        forms = pieces.split("\t")
        own_tags = tags.split("+")
        lemma = self._splitter.lemma_of(forms, own_tags, upos, lemmas, told, is_head=is_stem)
        misc = NOTHING if forms == [form] else f"MSeg={join_segments(forms)}"
        return f"%s\t{form}\t{lemma}\t{upos}\t{tags}\t_{ARC}{misc}\n"


def _morpheme(form: str, tag: str) -> Morpheme:
    # A NamedTuple's own constructor takes twice as long.
    return tuple.__new__(Morpheme, (form, tag, "", "", "", False))
