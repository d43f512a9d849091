"""eval frame: the figures of nervaluate, in eojeols as in morphemes that are converted back.

`recorded.json` has pairs of tags and the outcomes that nervaluate 1.2.1 gives for them; where
nervaluate is installed, 2,000 pairs are compared with it.
"""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from sejongud.evaluation.ner import Frames
from sejongud.files import Source
from sejongud.formats.base import Block
from sejongud.formats.framenet import FrameNet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from conftest import Cli

    from sejongud.evaluation.scores import Score

NAMES = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
"""Our schemes of SemEval'13, and nervaluate's."""
OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
TARGET = "FrameTarget"
TYPES = ["Theme", "Goal", "Time", "Agent"]
FORMS = ["나는", "집으로", "갔다.", "어제", "“책을”"]
Pair = tuple[list[str], list[str]]


def draw(random: Random, length: int) -> list[str]:
    """Tags of a sentence, some of which begin nothing."""
    tags: list[str] = []
    while len(tags) < length:
        kind = random.random()
        if kind < 0.3:
            tags.append("O")
        elif kind < 0.35:
            tags.append(f"I-{random.choice(TYPES)}")
        else:
            of = TARGET if kind < 0.55 and f"B-{TARGET}" not in tags else random.choice(TYPES)
            tags += [f"B-{of}", *[f"I-{of}"] * random.randrange(3)]
    return tags[:length]


def changed(random: Random, tags: Sequence[str]) -> list[str]:
    """The tags of a system that is mostly right."""
    found = list(tags)
    for at, tag in enumerate(found):
        kind = random.random()
        if kind < 0.15:
            found[at] = "O"
        elif kind < 0.25 and TARGET not in tag:
            found[at] = f"{random.choice('BI')}-{random.choice(TYPES)}"
    for at, tag in enumerate(found):
        # A corpus of frames says which eojeols are the target, not where it begins.
        if tag == f"I-{TARGET}" and not (at and found[at - 1].endswith(TARGET)):
            found[at] = f"B-{TARGET}"
    return found


def pairs(count: int, seed: int = 3) -> list[Pair]:
    random = Random(seed)
    gold = [draw(random, random.randint(1, 12)) for _ in range(count)]
    return [(tags, changed(random, tags)) for tags in gold]


def block(number: int, tags: Sequence[str]) -> str:
    """An instance whose annotation has these tags."""
    forms = [FORMS[at % len(FORMS)] for at in range(number, number + len(tags))]
    # A target that goes on begins anew where its frame is another one.
    frame = 0
    lines = [f"#anno-id:{number}", f"#text:{' '.join(forms)}"]
    for at, (form, tag) in enumerate(zip(forms, tags, strict=True)):
        frame += tag == f"B-{TARGET}"
        is_target = tag.endswith(TARGET)
        cells = ["가다.v", f"Motion{frame}", "O"] if is_target else ["_", "_", tag]
        lines.append("\t".join([str(at), form, *cells]))
    return "\n".join([*lines, "", ""])


def tags_of(path: Path) -> list[list[str]]:
    """The tags of the instances of a corpus: the target hides a frame element."""
    found = []
    for one in path.read_text(encoding="utf-8").split("\n\n")[:-1]:
        framed = FrameNet().read(Block(f"{one}\n\n", 1, 1))
        tags = []
        before = None
        for target, label in zip(framed.targets, framed.labels, strict=True):
            inside = "I" if target == before else "B"
            tags.append(label if target is None else f"{inside}-{TARGET}")
            before = target
        found.append(tags)
    return found


def scores(gold: Path, system: Path, metric: Frames | None = None) -> dict[str, Score]:
    metric = metric or Frames()
    with Source(gold) as one, Source(system) as other:
        [found] = metric.measure(metric.read(one), metric.read(other))
    return {score.name: score for score in found.scores}


def write(folder: Path, some: Sequence[Pair]) -> tuple[Path, Path]:
    paths = folder / "gold.tsv", folder / "system.tsv"
    for path, side in zip(paths, zip(*some, strict=True), strict=True):
        text = "".join([block(number, tags) for number, tags in enumerate(side)])
        path.write_text(text, encoding="utf-8")
    return paths


def nervaluate_of(some: Sequence[Pair]) -> dict[str, Any]:
    """What nervaluate finds: the outcomes by scheme, and strictly by type."""
    nervaluate = pytest.importorskip("nervaluate", reason="nervaluate is not installed")
    gold, system = (list(side) for side in zip(*some, strict=True))
    tags = [*TYPES, TARGET]
    found = nervaluate.Evaluator(gold, system, tags=tags, loader="list").evaluate()
    return {
        "overall": {
            name: [getattr(found["overall"][their], one) for one in OUTCOMES]
            for name, their in NAMES.items()
        },
        "ratios": {
            name: [getattr(found["overall"][NAMES[name]], one) for one in ("precision", "recall")]
            for name in ("exact", "partial")
        },
        "types": {
            of: [one["strict"].correct, one["strict"].actual, one["strict"].possible]
            for of, one in sorted(found["entities"].items())
        },
    }


def assert_equal(found: dict[str, Score], expected: dict[str, Any]) -> None:
    for name, outcomes in expected["overall"].items():
        assert [found[name].counts[one] for one in OUTCOMES] == outcomes, name
    for name, ratios in expected["ratios"].items():
        own = found[name].ratios
        assert [own["precision"], own["recall"]] == pytest.approx(ratios)
    for of, (right, actual, possible) in expected["types"].items():
        counts = found[of].counts
        assert counts["tp"] == right
        assert (counts["tp"] + counts["fp"], counts["tp"] + counts["fn"]) == (actual, possible)
    assert set(found) == {"Tokens", "Entities", *NAMES, *expected["types"]}


@pytest.fixture
def recorded(root: Path) -> list[dict[str, Any]]:
    text = (root / "tests" / "data" / "eval" / "nervaluate.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)
    return found


def test_recorded_outcomes_of_nervaluate(recorded: list[dict[str, Any]], tmp_path: Path) -> None:
    assert len(recorded) == 41
    for case in recorded:
        some = [(gold.split(), system.split()) for gold, system in case["pairs"]]
        assert_equal(scores(*write(tmp_path, some)), case["expected"])


def test_2_000_pairs_are_measured_as_by_nervaluate(tmp_path: Path) -> None:
    some = pairs(2_000)
    gold, system = write(tmp_path, some)
    assert (tags_of(gold), tags_of(system)) == tuple(map(list, zip(*some, strict=True)))
    assert_equal(scores(gold, system), nervaluate_of(some))
    kinds = Counter([tag for tags, _ in some for tag in tags])
    assert min(kinds[f"B-{of}"] for of in (*TYPES, TARGET)) > 500
    # Faults of one pair are not made up for by another.
    for one in some[:150]:
        assert_equal(scores(*write(tmp_path, [one])), nervaluate_of([one]))


def test_instances_of_a_sentence_are_paired_by_their_targets(tmp_path: Path) -> None:
    """A system that lacks one of them, or has them in another order, has the others right."""
    of = [
        [f"B-{TARGET}", "O", "B-Goal"],
        ["B-Theme", f"B-{TARGET}", "O"],
        ["B-Time", "O", f"B-{TARGET}"],
    ]
    paths = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    for numbers, fn in (((1, 2), 2), ((2, 1, 0), 0), ((2,), 4)):
        for path, some in zip(paths, (range(3), numbers), strict=True):
            path.write_text("".join([block(0, of[i]) for i in some]), encoding="utf-8")
        assert scores(*paths)["Entities"].counts == {"tp": 6 - fn, "fp": 0, "fn": fn}
        assert scores(*paths[::-1])["Entities"].counts == {"tp": 6 - fn, "fp": fn, "fn": 0}


def test_instances_with_one_target_are_paired_by_their_labels(tmp_path: Path) -> None:
    """A target that evokes two frames: their order is no error."""
    of = [["B-Theme", f"B-{TARGET}", "O"], ["O", f"B-{TARGET}", "B-Goal"]]
    paths = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    for path, some in zip(paths, (of, of[::-1]), strict=True):
        path.write_text("".join([block(0, labels) for labels in some]), encoding="utf-8")
    assert scores(*paths)["Entities"].counts == {"tp": 4, "fp": 0, "fn": 0}


MORPHEMES = {
    "나는": "나/NP+는/JX",
    "집으로": "집/NNG+으로/JKB",
    "갔다.": "가/VV+았/EP+다/EF+./SF",
    "어제": "어제/MAG",
    "“책을”": "“/SS+책/NNG+을/JKO+”/SS",
}


def test_morphemes_are_converted_back_before_they_are_measured(cli: Cli, tmp_path: Path) -> None:
    random = Random(5)
    some = pairs(300)
    gold, _ = write(tmp_path, some)
    rows = [line.split("\t") for line in gold.read_text(encoding="utf-8").split("\n")]
    lines = [f"{row[1]}\t{MORPHEMES[row[1]]}" if len(row) == 5 else "" for row in rows]
    text = "\n".join([line for line, row in zip(lines, rows, strict=True) if row[0][:1] != "#"])
    (tmp_path / "morphemes.txt").write_text(text, encoding="utf-8")
    made = cli("frame", "eoj2morph", "--morphemes", "morphemes.txt", gold).stdout.decode()
    # A system tags each morpheme for itself: its spans begin and end inside of eojeols.
    system = []
    for line in made.split("\n"):
        cells = line.split("\t")
        if len(cells) == 13 and cells[12] != "_" and TARGET not in cells[12]:
            cells[12] = changed(random, [cells[12]])[0]
        system.append("\t".join(cells))
    (tmp_path / "system.conllu").write_text("\n".join(system), encoding="utf-8")
    back = cli("frame", "morph2eoj", "system.conllu", "back.tsv")
    assert b"eojeols have morphemes with different labels" in back.stderr
    found = scores(gold, tmp_path / "system.conllu")
    assert found == scores(gold, tmp_path / "back.tsv")
    again = list(zip(tags_of(gold), tags_of(tmp_path / "back.tsv"), strict=True))
    assert_equal(found, nervaluate_of(again))


@pytest.mark.parametrize("seed", range(3))
def test_a_text_that_is_cut_otherwise_is_aligned(tmp_path: Path, seed: int) -> None:
    """Eojeols that are cut in two have the label of their whole: nothing changes."""
    some = pairs(60, seed)
    gold, system = write(tmp_path, some)
    whole = scores(gold, system)
    pieces = []
    for number, (_, tags) in enumerate(some):
        rows = [line.split("\t") for line in block(number, tags).split("\n")]
        head = [row[0] for row in rows if len(row) == 1 and row[0]]
        cut = []
        for _, form, unit, frame, label in [row for row in rows if len(row) == 5]:
            inside = f"I-{label[2:]}" if label != "O" else label
            cut += [[form[:1], unit, frame, label], [form[1:], unit, frame, inside]]
        lines = ["\t".join([str(at), *row]) for at, row in enumerate(cut)]
        pieces.append("\n".join([*head, *lines, "", ""]))
    (tmp_path / "cut.tsv").write_text("".join(pieces), encoding="utf-8")
    found = scores(gold, tmp_path / "cut.tsv")
    for name in NAMES:
        assert found[name] == whole[name]
