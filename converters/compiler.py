"""The lines of a token of a treebank from its columns, without objects between.

The lines that a level makes of a plain token follow from its columns. The parts of a word (head,
relations, UPOS) are remembered by its tags, and the line of a part by its forms, tags and UPOS;
only a fused form is aligned. Any other token takes the general way, with the same result.
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from sejongud.formats.conllu.write import ARC, TreeTemplate
from sejongud.formats.misc import join_segments
from sejongud.memo import Memo
from sejongud.model import NOTHING, Morpheme, with_items
from sejongud.morphology.notation import spell

if TYPE_CHECKING:
    from sejongud.converters.parts import PartsByTags
    from sejongud.layers.arcs import Split

_REMEMBERED = 48_000
_SPACE = "SpaceAfter=No"
_TELLS = re.compile(
    "%|MSeg=|OrigLemma=|Sense=|OrigXPOS=|Added=|Surface=|Sejongud=|Head|Word|Tokens=|Id=|NE"
).search
"""Find what MISC says of morphemes, words or places."""


class TokenCompiler:
    """Makes the lines of plain tokens.

    Args:
        reader: of CoNLL-U.
        splitter: splits the words at a level (`word2morph.Splitter`).
    """

    def __init__(self, reader: Any, splitter: Any) -> None:
        assembler = reader.assembler
        self._rules = assembler.rules
        self._align = assembler.aligner.align if reader.is_aligned else None
        self._right_tag = assembler.analysis.right_tag
        self._tags = assembler.rules.kinds.keys() - assembler.rules.of_pud
        self._splitter = splitter
        kind = assembler.rules.kind
        self._particles = frozenset([tag for tag in self._tags if kind(tag) == "particle"])
        # The Sejong tag of a form and a tag that are a morpheme as they stand, "" for any other.
        self._sejong: Memo[tuple[str, str], str] = Memo.of(
            self, TokenCompiler._sejong_tag, size=_REMEMBERED
        )
        self._sizes: Memo[Any, tuple[int, ...]] = Memo(splitter.sizes_by_tags, size=_REMEMBERED)
        # The parts of a word by XPOS, Sejong tags, UPOS and lemmas.
        self._parts: Memo[Any, PartsByTags] = Memo(splitter.parts_by_tags, size=_REMEMBERED)
        self._lines: Memo[Any, str] = Memo.of(
            self, lambda compiler, key: compiler._line(*key), size=_REMEMBERED
        )

    def __call__(self, columns: tuple[str, ...]) -> tuple[TreeTemplate, Split, bool] | None:
        """Return the template of a token, the division of its word, and whether a space follows.

        Args:
            columns: FORM, LEMMA, UPOS, XPOS, FEATS and MISC.

        Returns:
            None for a token that is not plain.
        """
        form, lemma, upos, xpos, feats, misc = columns
        if "%" in form or "%" in lemma or "(" in form or upos == NOTHING or _TELLS(misc):
            return None
        if feats != NOTHING and ("=" not in feats or "%" in feats):
            return None
        ends = _SPACE not in misc
        if not ends and _SPACE not in misc.split("|"):
            return None
        tags = tuple(xpos.split("+"))
        forms = tuple(lemma.split("+")) if len(tags) > 1 else (form,)
        if len(forms) != len(tags):
            return None
        sejong = tuple(map(self._sejong.__getitem__, zip(forms, tags)))  # noqa: B905
        is_fused = "".join(forms) != form
        if "" in sejong or (is_fused and not self._explains(form, forms, tags)):
            return None
        count = len(tags)
        sizes = self._sizes[tags, sejong] if count > 1 and " " not in form else (count,)
        if not sizes:
            return None
        if len(sizes) == 1:
            text = f"%s\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}{ARC}{misc}\n"
            # A NamedTuple's own constructor takes twice as long.
            return (
                tuple.__new__(TreeTemplate, (text, 1, ())),
                self._splitter.whole_of(upos, sejong),
                ends,
            )
        if feats != NOTHING:
            return None
        lemmas = self._splitter.lemmas_of(forms, tags, sejong)
        parts = self._parts[tags, sejong, upos, lemmas, -1]
        texts = self._part_lines(forms, tags, parts)
        if is_fused and len(texts) < count:
            return None
        misc = with_items(misc, parts.items)
        rest = f"\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"
        template = "".join(texts), len(texts), ((0, len(texts), rest),)
        return tuple.__new__(TreeTemplate, template), parts.split, ends

    def _part_lines(
        self, forms: tuple[str, ...], tags: tuple[str, ...], parts: PartsByTags
    ) -> list[str]:
        """Return the lines of the parts of a word."""
        all_upos, sizes, head, *_ = parts
        lines = self._lines
        if len(sizes) == len(forms):
            texts = list(map(lines.__getitem__, zip(forms, tags, all_upos)))  # noqa: B905
        else:
            texts = [
                lines[forms[first:last], tags[first:last], upos]
                for (first, last), upos in zip(
                    pairwise(accumulate(sizes, initial=0)), all_upos, strict=True
                )
            ]
        if all_upos[head] in self._splitter.stems:
            first = sum(sizes[:head])
            last = first + sizes[head]
            texts[head] = self._line(forms[first:last], tags[first:last], all_upos[head], stem=True)
        return texts

    def _explains(self, form: str, forms: tuple[str, ...], tags: tuple[str, ...]) -> bool:
        """Whether the rules explain a fused form without a note, and no part has its surface."""
        if form[-1] in self._rules.final_symbols or not form.isprintable():
            return False
        if not self._splitter.is_folded((form, *forms)):
            return False
        if [1 for f, t in zip(forms, tags, strict=True) if t in self._particles and f not in form]:
            return False  # FORM may be another form of the particle.
        if self._align is None:
            return True
        alignment = self._align(form, tuple(map(_morpheme, forms, tags)))
        return not alignment.unexplained and not alignment.weak

    def _sejong_tag(self, pair: tuple[str, str]) -> str:
        """Return the Sejong tag of a plain morpheme, "" for any other."""
        form, tag = pair
        is_plain = (
            form
            and tag in self._tags
            and self._right_tag(form, tag) == tag
            and form not in self._splitter.uncertain
            and form.isprintable()
            and "%" not in form
            and "(" not in form
            and not spell(form, form)[1]
        )
        return self._rules.sejong_tag(form, tag) if is_plain else ""

    def _line(
        self,
        forms: str | tuple[str, ...],
        tags: str | tuple[str, ...],
        upos: str,
        *,
        stem: bool = False,
    ) -> str:
        """Return the line of a part of a word: of a morpheme, or of several.

        Args:
            forms: of the morphemes.
            tags: of the morphemes.
            upos: of the part.
            stem: whether it is the head part, whose LEMMA may be its stem.
        """
        if isinstance(forms, str):
            forms, tags = (forms,), (tags,)  # type: ignore[assignment]
        lemma = self._splitter.lemma_of(tuple(map(_morpheme, forms, tags)), upos, is_head=stem)
        misc = NOTHING if len(forms) == 1 else f"MSeg={join_segments(forms)}"
        return f"%s\t{''.join(forms)}\t{lemma}\t{upos}\t{'+'.join(tags)}\t_{ARC}{misc}\n"


def _morpheme(form: str, tag: str) -> Morpheme:
    # A NamedTuple's own constructor takes twice as long.
    return tuple.__new__(Morpheme, (form, tag, "", "", "", False))
