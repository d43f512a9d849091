"""The tokens that corrections are edits of.

    eojeol   갔어 .                what stands between spaces
    token    갔 어 .               the words of the CoNLL-U that is given
    word     가 았 어 .            the words of a level of granularity
    char     갔 어 ▁ .             characters; a space is ▁

Text is made NFC, and a run of white space is one space. Marks can be split off before, so that
`갔어. → 갔어!` is a change of the mark alone (rules/gec-punctuation.tsv).

Kiwi analyses each eojeol in its sentence. The lemma of a predicate is its stem, as the forms before
its first ending, joined; its kind is A for adjectives and copulas, V for all others. An eojeol
without an ending has no lemma: 먹었어요 is 먹/VV+었/EP+어요/EF, with the lemma 먹 and the kind V;
학생이에요 has the lemma 학생이 and the kind A; 학교에 has no lemma. Alignment compares lemma, kind
and morphemes (`sejongud.gec.alignment`), and the types of KAGAS follow from the morphemes that
differ.

The corrected sentence of a learner corpus, which corrects morphemes (Yoon et al. 2023, A.4).

The annotator of a word says of each of its morphemes whether it is preserved, replaced or removed.
A word of which anything is changed is made anew of its corrected morphemes, also where these are
the learner's: the stem of 어렵어요 is 어렵 in 어려워요 as well. The learner's letters stay for
nominals in front that are preserved, and his own choice between two right surfaces wins (하였, 했).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import filterfalse, takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud.errors import FormatError
from sejongud.gec.edits import SPACE, AnalysedToken, Corrections, Edit, Pair, chars_of
from sejongud.memo import Memo
from sejongud.model import MORPHEMES, NOTHING, Morpheme, Sentence, Word
from sejongud.morphology.hangul import is_syllable
from sejongud.morphology.joining import KiwiJoiner
from sejongud.morphology.kiwi import clean
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.morphology.generation import Generator

UNITS = ("eojeol", "token", "word", "char")
"""The unit of text that is a token."""

PUNCTUATION = ("published", "all")
"""The lists of marks that are split off: that of the KAGAS program, and all symbols beside it."""

_REMEMBERED = 24_000
_JAMO = "jamo"

# The groups of gec-types.tsv that rules name.
NOUN, VERB, ADJECTIVE, ENDING, PARTICLE = "NOUN", "VERB", "ADJECTIVE", "ENDING", "PARTICLE"
UNCLASSIFIED = "UNCLASSIFIED"
PREDICATES = frozenset({VERB, ADJECTIVE})

_MARKS = 30
"""The number of marks on a side of an eojeol among which those of a text are looked for."""


def split_punctuation(
    text: str,
    which: str = "published",
    rules: Rules | None = None,
    whole: frozenset[str] = frozenset(),
) -> str:
    """Put a space on either side of each mark.

    Args:
        text: the text.
        which: one of PUNCTUATION; "" leaves the marks where they are.
        rules: the tables; None for the package's own.
        whole: the eojeols, and the runs of marks, that stay as they are.

    >>> split_punctuation("“갔어.” 3.5%"), split_punctuation("“갔어.”", "all")
    ('“갔어 . ” 3 . 5 %', '“ 갔어 . ”')
    """
    text = clean(text)
    if not which:
        return text
    listed, mark = _marks(which, rules or load(), whole)

    def parted(match: re.Match[str]) -> str:
        is_mark = match[0] in listed or unicodedata.category(match[0][0])[0] in "PS"
        return f" {match[0]} " if is_mark else match[0]

    if not whole:  # Most texts: one call is several times as fast as one for each eojeol.
        return " ".join(mark.sub(parted, text).split())
    eojeols = []
    for word in text.split():
        begin, end = _inside(word, whole)
        before, behind = [mark.sub(parted, part) for part in (word[:begin], word[end:])]
        eojeols.append(f"{before} {word[begin:end]} {behind}")
    return " ".join(" ".join(eojeols).split())


def _inside(word: str, whole: frozenset[str]) -> tuple[int, int]:
    """Return where an eojeol that stays whole stands in a word with further marks around it.

    >>> _inside("“3.5%다.”", frozenset({"3.5%다"})), _inside("“3.5%.”", frozenset({"3.5%다"}))
    ((1, 6), (0, 0))
    """
    if word in whole:
        return 0, len(word)
    letters = [place for place, char in enumerate(word) if char.isalnum()] or [0]
    begins = range(max(letters[0] - _MARKS, 0), letters[0] + 1)
    ends = range(min(letters[-1] + 1 + _MARKS, len(word)), letters[-1], -1)
    return next(((a, b) for a in begins for b in ends if word[a:b] in whole), (0, 0))


def has_hangul(text: str) -> bool:
    """Return whether a text has a syllable of Hangul."""
    return any(map(is_syllable, clean(text)))


def marks_apart(tokens: Iterable[str], rules: Rules | None = None) -> tuple[str, frozenset[str]]:
    """Find which marks stand apart from the words of a reference, whose tokens a text shall have.

    Most marks of a Korean reference decide. In other languages marks belong to many words (don't),
    so that one such word decides.

    Args:
        tokens: of the reference: eojeols, with or without their marks.
        rules: the tables; None for the package's own.

    Returns:
        One of PUNCTUATION, or "" if marks are parts of words; and the words that hold marks all the
        same, and the runs of marks, which stay whole in a text as well. See `split_punctuation`.

    >>> marks_apart(["“갔어", ".", "왔어", "!", "3.5%"]), marks_apart(["갔어."])
    (('published', frozenset({'3.5%'})), ('', frozenset()))
    """
    counts = Counter(tokens)
    is_korean = any(map(has_hangul, counts))
    chosen, whole = "", frozenset[str]()
    separate: set[str] = set()
    for which in PUNCTUATION:
        # A letter in front tells a mark from a word: the two are split.
        marked = {
            token
            for token in counts
            if not token.isalnum() and split_punctuation(f"가{token}", which, rules) != f"가{token}"
        }
        several = {token for token in marked if split_punctuation(token, which, rules) != token}
        words = set(filter(has_letters, several))
        inside = sum([counts[token] for token in words - separate])
        # A picture may stand apart in the text itself: it tells nothing beside one that does not.
        alone = [
            token for token in marked - words - separate if not (inside and _is_picture(token))
        ]
        apart = sum([counts[token] for token in alone])
        if apart <= inside or (inside and not is_korean):
            if not inside and not separate:
                chosen = which  # There are no marks to learn from.
            break
        chosen, whole, separate = which, frozenset(several), marked
    return chosen, whole


@lru_cache(maxsize=8)
def _marks(
    which: str, rules: Rules, whole: frozenset[str]
) -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the marks of the table, and a pattern that finds all that may be marks.

    A picture that is made of several symbols (a flag, a family) is one mark, and so is a run of
    marks that stays whole.
    """
    listed = frozenset([row["char"] for row in rules.table("gec-punctuation")])
    runs = sorted(filterfalse(has_letters, whole), key=len, reverse=True)
    char = f"[{re.escape(''.join(listed))}]" if listed else "(?!)"
    patterns = [*map(re.escape, runs), char]
    if which != PUNCTUATION[0]:
        picture = rf"(?:{char}|[^\w\s]|_)[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]*"
        flag = "[\U0001f1e6-\U0001f1ff]{2}"
        patterns = [*map(re.escape, runs), flag, f"{picture}(?:\u200d{picture})*"]
    return listed, re.compile("|".join(patterns))


def _is_picture(token: str) -> bool:
    return unicodedata.category(token[0]) == "So"


def has_letters(token: str) -> bool:
    """Return whether a token is more than marks.

    >>> has_letters("3.5%"), has_letters("…")
    (True, False)
    """
    return any(map(str.isalnum, token))


def plain_tokens(text: str, unit: str = "eojeol") -> tuple[AnalysedToken, ...]:
    """Return the tokens of a text without an analysis.

    Args:
        text: the text.
        unit: "eojeol" or "char".

    >>> [token.form for token in plain_tokens("나는  간다", "char")]
    ['나', '는', '▁', '간', '다']
    """
    forms = clean(text).split()
    return tuple(map(AnalysedToken, chars_of(forms) if unit == "char" else forms))


def tokens_of(
    sentence: Sentence,
    unit: str = "token",
    *,
    level: int = MORPHEMES,
    korean: bool = False,
    rules: Rules | None = None,
) -> tuple[AnalysedToken, ...]:
    """Return the tokens of an analysed sentence.

    Args:
        sentence: the sentence.
        unit: one of UNITS.
        level: of granularity, for "word".
        korean: whether lemmas and kinds are those that the scheme `kagas` compares: the stem of a
            token with an ending, and else the lemma and the tag of a word that is one morpheme.
            Otherwise they are those of the words; an eojeol is a word of level 1.
        rules: the tables; None for the package's own.

    Raises:
        UsageError: there is no such level.

    >>> import sejongud
    >>> [sentence] = sejongud.loads("갔어\\t가/VV+았/EP+어/EF\\n")
    >>> [(token.form, token.lemma, token.upos) for token in tokens_of(sentence, "word", level=5)]
    [('가', '가', 'VERB'), ('았', '었', 'PART'), ('어', '어', 'PART')]
    >>> [(token.form, token.lemma, token.kind) for token in tokens_of(sentence, korean=True)]
    [('갔어', '가', 'V')]
    """
    if unit == "char":
        return plain_tokens(sentence.text, unit)
    if unit == "eojeol" and korean:
        return tuple([analysed_token(_form(e.form), e.morphemes, rules) for e in sentence.eojeols])
    if unit != "token":
        from sejongud.converters.recut import recut_of

        sentence = recut_of(level if unit == "word" else 1, rules=rules)(sentence)
    return tuple(_tokens(sentence, korean, rules))


def _tokens(sentence: Sentence, korean: bool, rules: Rules | None) -> Iterator[AnalysedToken]:
    """Yield the words of a sentence; a sentence that is not cut into words has its eojeols."""
    for eojeol in sentence.eojeols:
        if not eojeol.tokens:
            yield analysed_token(_form(eojeol.form), eojeol.morphemes, rules)
        for word in eojeol.words:
            yield _korean(word, rules) if korean else _token(word)


def _token(word: Word) -> AnalysedToken:
    """Return a word with its columns; a cell without a value is ""."""
    lemma, upos, xpos = [
        "" if cell == NOTHING else cell for cell in (word.lemma, word.upos, word.xpos)
    ]
    return AnalysedToken(_form(word.form), lemma, upos, xpos, word.morphemes)


def _korean(word: Word, rules: Rules | None) -> AnalysedToken:
    """Return a word with the lemma and kind of its stem; a single morpheme has its own."""
    token = _token(word)
    stem = analysed_token(token.form, word.morphemes, rules)
    if stem.lemma or len(word.morphemes) > 1:
        return token._replace(lemma=stem.lemma, kind=stem.kind)
    return token._replace(kind=token.xpos)


def _form(form: str) -> str:
    """Return a form in NFC; a space inside it is ▁, since spaces part the tokens of an edit."""
    return SPACE.join(clean(form).split()) or NOTHING


# --- analyses -------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def analyser(rules: Rules) -> KiwiJoiner:
    """Return the analyser of these tables; the same object for the same tables."""
    return KiwiJoiner(rules)


@lru_cache(maxsize=4)
def _memo(rules: Rules) -> Memo[tuple[str, tuple[Morpheme, ...]], AnalysedToken]:
    return Memo(lambda key: analysed_token(*key, rules), size=_REMEMBERED)


def analysed(
    texts: Iterable[str], rules: Rules | None = None
) -> Iterator[tuple[AnalysedToken, ...]]:
    """Yield the eojeols of each text, analysed by Kiwi, in order.

    Texts are taken only a few ahead of the results, so that Kiwi's threads have work.

    Args:
        texts: sentences of any length, normalised as `sejongud.morphology.kiwi.clean` does.
        rules: the tables; None for the package's own.

    >>> [tokens] = analysed(["나는 집에서 밥을 먹었어요 ."])
    >>> [(token.form, token.lemma, token.kind) for token in tokens[2:4]]
    [('밥을', '', ''), ('먹었어요', '먹', 'V')]
    """
    rules = rules or load()
    tokens = _memo(rules)
    for eojeols in analyser(rules).of(texts):
        yield tuple([tokens[form, tuple(morphemes)] for form, morphemes in eojeols])


@lru_cache(maxsize=4)
def _groups(rules: Rules) -> dict[tuple[str, str], str]:
    """Return the group of each tag and form of the table `gec-types`."""
    return {(row["tag"], row["form"]): row["group"] for row in rules.table("gec-types")}


def group_of(morpheme: Morpheme, rules: Rules, *, letters: bool = True) -> str:
    """Return the group of a morpheme by the table `gec-types`; UNCLASSIFIED for unknown tags.

    Args:
        morpheme: in the tag set of Sejong or of Kkma.
        rules: the tables.
        letters: whether letters without a syllable have a group of their own.

    >>> from sejongud.model import Morpheme
    >>> group_of(Morpheme("싶", "VX"), load()), group_of(Morpheme("ㅋㅋ", "SW"), load())
    ('ADJECTIVE', 'UNCLASSIFIED')
    """
    groups = _groups(rules)
    form, tag = morpheme[:2]
    group = groups.get((tag, form)) or groups.get((tag, ""), UNCLASSIFIED)
    if letters and (tag, _JAMO) in groups and form and all(["ㄱ" <= char <= "ㆎ" for char in form]):
        group = groups[tag, _JAMO]
    return group


def analysed_token(
    form: str, morphemes: Sequence[Morpheme], rules: Rules | None = None
) -> AnalysedToken:
    """Return an eojeol with its lemma and kind, made of its morphemes.

    Args:
        form: the surface of the eojeol.
        morphemes: its morphemes, in the tag set of Sejong or of Kkma.
        rules: the tables; None for the package's own.

    >>> from sejongud.model import Morpheme
    >>> token = analysed_token("바쁜", [Morpheme("바쁘", "VA"), Morpheme("ㄴ", "ETM")])
    >>> token.lemma, token.kind
    ('바쁘', 'A')
    """
    rules = rules or load()
    stem: list[Morpheme] = []
    for morpheme in morphemes:
        if group_of(morpheme, rules) == ENDING:
            break
        stem.append(morpheme)
    if not stem or len(stem) == len(morphemes):
        return AnalysedToken(form, morphemes=tuple(morphemes))
    kind = "A" if group_of(stem[-1], rules) == ADJECTIVE else "V"
    lemma = "".join([morpheme.form for morpheme in stem])
    return AnalysedToken(form, lemma=lemma, morphemes=tuple(morphemes), kind=kind)


# --- learner corpora ------------------------------------------------------------------------------

_UNUSABLE = frozenset({"ADD", "DELETE"})
"""Texts of a replacement that name an action and are no replacement."""
_OMITTED = "OM"
"""The pattern of a morpheme that the learner left out."""
_INFLECTED = PREDICATES | {ENDING}
_NO_PATTERN = "UNK"
"""The pattern of a change whose annotation has none."""


class Change(NamedTuple):
    """The annotation of a morpheme by an annotator."""

    kind: Literal["Preserved", "Proofread", "Removed"]
    form: str = ""
    """The text that is preserved, or that replaces a morpheme."""
    tag: str = ""
    """The tag of the replacement."""
    pattern: str = ""
    """REP replacement, MIF misformation, ADD addition, OM omission."""


def pair_of(
    eojeols: Sequence[AnalysedToken],
    changes: Mapping[int, Sequence[Change]],
    generator: Generator,
    sent_id: str = "",
) -> Pair:
    """Return a sentence and its correction, with one edit for each annotated word.

    Args:
        eojeols: as the learner wrote them.
        changes: that an annotator makes: eojeol → its morphemes in order.
        generator: makes the surfaces.
        sent_id: of the sentence.

    Returns:
        The pair; the type of an edit in `corrections` is ErrorPattern:pos of each changed morpheme,
        joined by `+`.

    Raises:
        FormatError: a replacement has no text, or says ADD or DELETE.

    >>> from sejongud.morphology.generation import Generator
    >>> from sejongud.rules import load
    >>> word = AnalysedToken("옷어서", morphemes=(Morpheme("옷", "VV"), Morpheme("어서", "EC")))
    >>> changes = Change("Proofread", "웃", "VV", "MIF"), Change("Preserved", "어서")
    >>> pair = pair_of([word], {0: changes}, Generator(load()))
    >>> pair.targets, pair.given.edits[0][0].type
    (('웃어서',), 'MIF:VV')
    """
    tokens = tuple([eojeol.form for eojeol in eojeols])
    target: list[str] = []
    edits = []
    for index, eojeol in enumerate(eojeols):
        begin = len(target)
        own = changes.get(index, ())
        morphemes, of_type = _corrected(eojeol, own, generator) if own else ((), "")
        if not of_type:
            target.append(eojeol.form)
            continue
        source = eojeol.form, eojeol.morphemes
        front = _front(own, morphemes, generator.rules)
        target += generator.surface(morphemes, source, front).split() if morphemes else ()
        correction = " ".join(target[begin:])
        edits.append(Edit(index, index + 1, correction, of_type, c_start=begin, c_end=len(target)))
    corrections = Corrections(tokens, {0: tuple(edits)}, sent_id)
    return Pair(" ".join(tokens), (" ".join(target),), sent_id, given=corrections)


def _corrected(
    eojeol: AnalysedToken, changes: Sequence[Change], generator: Generator
) -> tuple[tuple[Morpheme, ...], str]:
    """Return the corrected morphemes of an eojeol, and the type of its edit; "" without a change.

    A preserved morpheme has the tag of the next morpheme of the eojeol with its form, or of its
    partner, the morpheme in its place; so has a replacement whose tag is not known. Kiwi analyses
    an eojeol without morphemes.
    """
    corrected: list[Morpheme] = []
    types = []
    morphemes = eojeol.morphemes or generator.morphemes(eojeol.form)
    index = 0
    for change in changes:
        morpheme = morphemes[index] if index < len(morphemes) else None
        partner = morpheme.tag if morpheme else ""
        if change.kind == "Preserved":
            rest = [m.form for m in morphemes[index:]]
            ahead = rest.index(change.form) if change.form in rest else 0
            tag = morphemes[index + ahead].tag if rest else ""
            index += ahead + 1
            if change.form:
                corrected.append(Morpheme(change.form, tag))
            continue
        if change.kind == "Proofread":
            if not change.form or change.form in _UNUSABLE:
                shown = f"the text {change.form}" if change.form else "no text"
                raise FormatError(
                    f"{eojeol.form}: a correction has {shown}, and a morpheme is expected:"
                    " write it into Proofread",
                    code="E513",
                )
            is_tag = change.tag in generator.rules.tags
            corrected.append(Morpheme(change.form, change.tag if is_tag else partner))
        index += change.pattern != _OMITTED
        tag = change.tag or (partner if change.pattern != _OMITTED else "")
        types.append(":".join(filter(None, (change.pattern or _NO_PATTERN, tag))))
    return tuple(corrected), "+".join(types)


def _front(changes: Sequence[Change], morphemes: Sequence[Morpheme], rules: Rules) -> int:
    """Return the number of morphemes in front that are preserved and are not inflected."""
    preserved = takewhile(lambda change: change.kind == "Preserved", changes)
    pairs = zip([change for change in preserved if change.form], morphemes, strict=False)
    nominal = takewhile(lambda pair: group_of(pair[1], rules) not in _INFLECTED, pairs)
    return len(list(nominal))
