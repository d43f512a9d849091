"""Filters of pairs: those of Kor-Lang8 and Kor-Native (Yoon et al. 2023, appendix A.2 and A.3).

A filter is a list of steps. A step takes a pair and returns it, changed or not, or several pairs,
or says why it is dropped. The steps, their order and their thresholds are in rules/gec-lang8.toml
and rules/gec-native.toml. Pairs go through the steps by the batch, so that Kiwi, where a step needs
it, has many texts at a time.

The sources of Kor-Native were written from dictation. A voice reads neither punctuation nor how a
number or a name is spelt, so pairs that differ in these alone are no corrections. Of one target
there may be many sources.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from unicodedata import category

from sejongud.errors import RulesError, UsageError, similar
from sejongud.gec.korean import differ_in_numbers, jamo_distance, normalised
from sejongud.morphology.eojeol import Assembler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.morphology.joining import KiwiJoiner
    from sejongud.rules import Rules

_BATCH = 500
_MOST = 500
"""The most eojeols of texts whose names are compared."""


class TextPair(NamedTuple):
    """A source and one target, from a row of a file."""

    source: str
    target: str
    row: int = 0
    """The number of the line, which the pairs of a row share."""

    @property
    def texts(self) -> tuple[str, str]:
        """Source and target."""
        return self.source, self.target


class FilterOptions(NamedTuple):
    """The choices of a user, as the options of `sejongud gec filter`."""

    without: tuple[str, ...] = ()
    """The steps that are left out."""
    strip_foreign: bool = False
    """Whether letters of other languages are deleted before the pair is looked at."""
    unit: Literal["morphemes", "eojeols"] = "morphemes"
    distance: Literal["raw", "normalised"] = "raw"
    min_length_ratio: float | None = None


@dataclass
class Filter:
    """Send pairs through steps, in order, and count the pairs that each step drops and changes.

    Args:
        steps: name → step, in order.
        tell: called with the name of the step, the pair and the reason if a pair is dropped.
        prepare: called with each batch before a step of that name.

    Raises:
        UsageError: there is no step of a name in `without`.

    >>> def short(pair):
    ...     return [pair] if len(pair.source) > 2 else "too short"
    >>> small = Filter({"short": short}, lambda step, pair, reason: print(reason))
    >>> list(small([TextPair("가", "나"), TextPair("가나다", "나다라")]))
    too short
    [TextPair(source='가나다', target='나다라', row=0)]
    >>> small.dropped["short"], small.left["short"]
    (1, 1)
    """

    steps: Mapping[str, Callable[[TextPair], str | Sequence[TextPair]]]
    tell: Callable[[str, TextPair, str], object]
    prepare: Mapping[str, Callable[[Sequence[TextPair]], None]] = field(default_factory=dict)
    taken: int = field(default=0, init=False)
    """The number of pairs that came in."""
    dropped: Counter[str] = field(default_factory=Counter, init=False)
    """Step → the pairs that it dropped."""
    changed: Counter[str] = field(default_factory=Counter, init=False)
    """Step → the pairs that it changed, or made of others."""
    left: Counter[str] = field(default_factory=Counter, init=False)
    """Step → the pairs that were left behind it."""

    def __call__(self, pairs: Iterable[TextPair]) -> Iterator[TextPair]:
        """Yield the pairs that are kept, in order."""
        remaining = iter(pairs)
        while batch := list(islice(remaining, _BATCH)):
            self.taken += len(batch)
            for name, step in self.steps.items():
                if name in self.prepare:
                    self.prepare[name](batch)
                passing: list[TextPair] = []
                for pair in batch:
                    outcome = step(pair)
                    if isinstance(outcome, str):
                        self.dropped[name] += 1
                        self.tell(name, pair, outcome)
                    else:
                        passing += outcome
                        self.changed[name] += sum([changed != pair for changed in outcome])
                batch = passing
                self.left[name] += len(batch)
            yield from batch


def chosen_steps(
    steps: Mapping[str, Any], order: Sequence[str], without: Sequence[str], name: str
) -> dict[str, Any]:
    """Return the steps in the order of the table, without those that the user leaves out.

    Raises:
        RulesError: the table names a step that there is not.
        UsageError: the user names one.
    """
    for step in order:
        if step not in steps:
            raise RulesError(f"{name}.toml: there is no step {step}: {', '.join(steps)}")
    for step in without:
        if step not in steps:
            raise UsageError(
                f"--without: there is no step {step}{similar(step, steps)}; the steps are"
                f" {', '.join(order)}"
            )
    return {step: steps[step] for step in order if step not in without}


def lang8_steps(
    rules: Rules, options: FilterOptions, analyser: Callable[[], KiwiJoiner]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the steps of the filter of Kor-Lang8 and their preparations; see `Filter`.

    Args:
        rules: the tables.
        options: of the user.
        analyser: makes the analyser; called when morphemes are first counted.
    """
    values = rules.settings("gec-lang8")
    counted = _Counted(options.unit, analyser)
    makers = {
        "languages": _languages(values["languages"], strip=options.strip_foreign),
        "hangul": _each(partial(_without, _letters(values["hangul"]["letters"]))),
        "characters": _each(partial(_short, values["characters"]["least"])),
        "eojeols": _each(partial(_long_eojeol, values["eojeols"]["most"])),
        "noise": _noise(values["noise"]),
        "tokens": _each(partial(_other_size, values["tokens"], counted)),
        "token-ratio": unless(partial(_ratio, values["token-ratio"], counted, options.unit)),
        "length-ratio": unless(partial(_ratio, values["length-ratio"], len, "characters")),
        "subsequence": unless(partial(_unlike, values["subsequence"]["least"])),
        "brackets": _rewriting(lambda text: without_brackets(text, values["brackets"]["pairs"])),
        "marks": _rewriting(_once(values["marks"]["once"])),
        "split": _split(values["split"]["mark"]),
        "distance": unless(partial(_distance, values["distance"]["below"], options.distance)),
        "equal": equal,
        "repeated": repeated(),
    }
    steps = chosen_steps(makers, values["steps"], options.without, "gec-lang8")
    return steps, dict.fromkeys(("tokens", "token-ratio"), counted.prepare)


def native_steps(
    rules: Rules, options: FilterOptions, analyser: Callable[[], KiwiJoiner]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the steps of the filter of Kor-Native; see `Filter`.

    Args:
        rules: the tables.
        options: of the user.
        analyser: makes the analyser; called when a name is first looked for.
    """
    values = rules.settings("gec-native")
    least = options.min_length_ratio
    least = values["length"]["least"] if least is None else least
    steps = {
        "equal": equal,
        "punctuation": unless(_punctuation),
        "numbers": unless(partial(_numbers, rules)),
        "length": unless(partial(_length, least)),
        "names": _names(rules, frozenset(values["names"]["tags"]), analyser),
        "repeated": repeated(),
    }
    return chosen_steps(steps, values["steps"], options.without, "gec-native"), {}


class _Counted:
    """Counts the tokens of texts; morphemes by Kiwi, for a batch at a time."""

    def __init__(self, unit: str, analyser: Callable[[], KiwiJoiner]) -> None:
        self._by_eojeols = unit == "eojeols"
        self._analyser = analyser
        self._counts: dict[str, int] = {}

    def prepare(self, batch: Sequence[TextPair]) -> None:
        """Count the texts of a batch."""
        texts = list(dict.fromkeys([text for pair in batch for text in pair.texts]))
        counts = self._counts
        self._counts = {text: counts[text] for text in texts if text in counts}
        if self._by_eojeols:
            self._counts = {text: len(text.split()) for text in texts}
        elif more := [text for text in texts if text not in counts]:
            for text, analysed in zip(more, self._analyser().analyse(more), strict=True):
                self._counts[text] = sum([len(morphemes) for _, morphemes in analysed])

    def __call__(self, text: str) -> int:
        return self._counts[text]


# --- the steps of Kor-Lang8 -----------------------------------------------------------------------


def _letters(ranges: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of a character in ranges such as `a-z`."""
    parts = []
    for span in ranges:
        first, dash, last = span[:1], span[1:2], span[2:]
        if len(first) != 1 or dash != "-" or len(last) != 1 or first > last:
            raise RulesError(f"{span!r} is no range of characters such as a-z")
        parts.append(f"{re.escape(first)}-{re.escape(last)}")
    return re.compile(f"[{''.join(parts)}]")


def _languages(values: Mapping[str, Any], *, strip: bool) -> Any:
    letters, stripped = _letters(values["letters"]), _letters(values["stripped"])

    def step(pair: TextPair) -> str | list[TextPair]:
        if strip:
            source, target = [stripped.sub("", text).strip() for text in pair.texts]
            pair = pair._replace(source=source, target=target)
        for text in pair.texts:
            for char in text:
                if char.isalpha() and not letters.match(char):
                    return f"the letter {char} is neither Korean nor English"
        return [pair]

    return step


def unless(fault: Callable[[str, str], str]) -> Any:
    """Return a step that drops a pair of texts that have a fault.

    Args:
        fault: (source, target) → the reason to drop the pair, "" for none.
    """
    return lambda pair: fault(*pair.texts) or [pair]


def _each(fault: Callable[[str], str]) -> Any:
    """Return a step that drops a pair with a text that has a fault."""
    return unless(lambda source, target: fault(source) or fault(target))


def _without(letters: re.Pattern[str], text: str) -> str:
    return "" if letters.search(text) else "a text has no Hangul"


def _short(least: int, text: str) -> str:
    return "" if len(text) >= least else f"a text has {len(text)} characters, not {least}"


def _long_eojeol(most: int, text: str) -> str:
    longest = max(map(len, text.split()), default=0)
    return f"an eojeol has {longest} characters, not {most}" if longest > most else ""


def _noise(values: Mapping[str, Any]) -> Any:
    words = "|".join(map(re.escape, values["words"]))
    marks = "|".join(map(re.escape, values["marks"]))
    parts = [rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])"] * bool(words) + [marks] * bool(marks)
    pattern = re.compile("|".join(parts), re.IGNORECASE) if parts else None

    def fault(_: str, target: str) -> str:
        match = pattern.search(target) if pattern else None
        return f"the target has {match[0]}" if match else ""

    return unless(fault)


def _other_size(values: Mapping[str, int], count: Callable[[str], int], text: str) -> str:
    least, size, most = values["least"], count(text), values["most"]
    return "" if least <= size <= most else f"a text has {size} tokens, not {least} to {most}"


def _ratio(
    values: Mapping[str, float], count: Callable[[str], int], unit: str, source: str, target: str
) -> str:
    before, after = count(source), count(target)
    if before * values["above"] < after < before * values["below"]:
        return ""
    return f"the target has {after} {unit}, and the source {before}"


def _unlike(least: int, source: str, target: str) -> str:
    from rapidfuzz.distance import LCSseq

    shared = LCSseq.similarity(source, target)
    return "" if shared >= least else f"the texts share {shared} characters, not {least}"


def _rewriting(rewrite: Callable[[str], str]) -> Any:
    """Return a step that changes both texts, and drops a pair of which one is then empty."""

    def step(pair: TextPair) -> str | list[TextPair]:
        source, target = [" ".join(rewrite(text).split()) for text in pair.texts]
        if not (source and target):
            return "nothing is left of a text"
        return [pair._replace(source=source, target=target)]

    return step


def without_brackets(text: str, pairs: Sequence[str]) -> str:
    """Return a text without brackets and the text inside them.

    Args:
        text: the text.
        pairs: `()`, `[]` …; a bracket without its counterpart stays.

    >>> without_brackets("나는 (저는) 간다 [집에 {가}] :)", ["()", "{}", "[]"])
    '나는  간다  :)'
    """
    closes = {pair[-1]: pair[0] for pair in pairs}
    begun: dict[str, list[int]] = {pair[0]: [] for pair in pairs}
    spans: list[tuple[int, int]] = []
    for position, char in enumerate(text):
        if char in begun:
            begun[char].append(position)
        elif begun.get(closes.get(char, "")):
            spans.append((begun[closes[char]].pop(), position + 1))
    pieces = []
    place = 0
    for start, end in sorted(spans):
        if start >= place:  # a span inside another one is gone with it
            pieces.append(text[place:start])
            place = end
    return "".join([*pieces, text[place:]])


def _once(marks: str) -> Callable[[str], str]:
    pattern = re.compile(f"([{re.escape(marks)}])\\1+") if marks else None
    return lambda text: pattern.sub(r"\1", text) if pattern else text


def _split(mark: str) -> Any:
    escaped = re.escape(mark)
    # A mark before a digit belongs to a number.
    sentence = re.compile(rf".*?(?:{escaped})+(?!\d)|.+", re.DOTALL)

    def step(pair: TextPair) -> list[TextPair]:
        if not mark or pair.source.count(mark) != pair.target.count(mark):
            return [pair]
        sources, targets = [
            [piece.strip() for piece in sentence.findall(text)] for text in pair.texts
        ]
        if len(sources) != len(targets):
            return [pair]
        return [TextPair(*texts, pair.row) for texts in zip(sources, targets, strict=True)]

    return step


def _distance(below: float, kind: str, source: str, target: str) -> str:
    length = min(len(source), len(target))
    unit = 1.0 if kind == "raw" else 1 / (normalised(1.0, length) or 1.0)
    distance = jamo_distance(source, target, limit=below * unit)
    distance = distance if kind == "raw" else normalised(distance, length)
    return "" if distance < below else f"the jamo distance is not below {below:g}"


# --- the steps of Kor-Native ----------------------------------------------------------------------


def _punctuation(source: str, target: str) -> str:
    same = _without_marks(source) == _without_marks(target)
    return "the texts differ in punctuation alone" if same else ""


def _without_marks(text: str) -> str:
    return " ".join("".join([char for char in text if category(char)[0] not in "PS"]).split())


def _numbers(rules: Rules, source: str, target: str) -> str:
    same = differ_in_numbers(source, target, rules)
    return "the texts differ in the spelling of numbers alone" if same else ""


def _length(least: float, source: str, target: str) -> str:
    if len(source) >= least * len(target):
        return ""
    return f"the source has {len(source)} characters, and the target {len(target)}"


def _names(rules: Rules, tags: frozenset[str], analyser: Callable[[], KiwiJoiner]) -> Any:
    """Return the step that drops a pair which differs in names alone.

    Args:
        rules: the tables.
        tags: of names.
        analyser: makes the analyser.
    """
    assembler = Assembler(rules)

    def fault(before: str, after: str) -> str:
        source, target = before.split(), after.split()
        pairs = list(zip(source, target, strict=False))
        differ = [i for i, (ours, theirs) in enumerate(pairs) if ours != theirs]
        if len(source) != len(target) or not differ or len(target) > _MOST:
            return ""
        (analysed,) = analyser().of([" ".join(target)])
        if [form for form, _ in analysed] != target:
            return ""
        for index in differ:
            eojeol = assembler.eojeol(target[index], analysed[index][1])
            changed = list(_changed(source[index], target[index]))
            for (begin, end), morpheme in zip(eojeol.spans, eojeol.morphemes, strict=True):
                touches = any([first < end and begin < last for first, last in changed])
                if touches and morpheme.tag not in tags:
                    return ""
            if any([first == last for first, last in changed]):
                return ""
        return "the texts differ in names alone"

    return unless(fault)


def _changed(source: str, target: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a target that differ from the source; empty ones where it has less."""
    for operation, _, _, begin, end in SequenceMatcher(None, source, target, False).get_opcodes():
        if operation != "equal":
            yield begin, end


# --- steps of both filters ------------------------------------------------------------------------


equal = unless(lambda source, target: "source and target are equal" if source == target else "")
"""The step that drops a pair of equal texts."""


def repeated() -> Any:
    """Return a step that drops a pair that came before: 16 bytes a pair are remembered."""
    seen: set[bytes] = set()

    def step(pair: TextPair) -> str | list[TextPair]:
        digest = blake2b("\t".join(pair.texts).encode("utf-8", "surrogatepass"), digest_size=16)
        key = digest.digest()
        if key in seen:
            return "the pair came before"
        seen.add(key)
        return [pair]

    return step
