"""Layers that went in, less those that came out, are the lines of the log: in every conversion.

The reader of its format counts the entities, frames and edits of a file before a conversion and of
the file that is written. The difference is the number of incidents with the code of a loss.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cases import cases
from corpora import ASSEMBLER

import sejongud
from sejongud.converters.jobs import Conversion, read
from sejongud.converters.recut import CutWriter
from sejongud.errors import Incident, Report
from sejongud.files import Source
from sejongud.formats import (
    TREES,
    WRITERS,
    corrections_format,
    frame_format,
    label_format,
    recognise,
)
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.conllu.layers import FRAME_COLUMNS
from sejongud.formats.conllu.plus import instance_columns
from sejongud.formats.exports import read_labels
from sejongud.layers.labels import (
    Entity,
    by_eojeol,
    entity_layers,
    find_entities,
    flat_labels,
    layers,
    to_labels,
)
from sejongud.model import LEVELS, FrameInstance, Sentence, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conftest import Cli

CASES = cases("losses")

DATA = Path(__file__).parent / "data"
KLUE = "data/klue-ner/klue-ner-v1.1_dev.first3000.tsv"
ENTITY, HIDDEN, UNMAPPED, FRAME = "W441", "I442", "I443", "W427"
EDIT, AS_TEXT = "W514", "I522"
LOSSES = (ENTITY, HIDDEN, UNMAPPED, FRAME, EDIT, AS_TEXT)

SHAPES = {
    "three in an eojeol": ["한미일이 한/NNP+미/NNP+일/NNP+이/JKS LC:0-1 LC:1-2 LC:2-3"],
    "begun behind another": [
        "김철수(서울 김철수/NNP+(/SS+서울/NNP PS:0-1 CV:2-4",
        "시장)는 시장/NNG+)/SS+는/JX",
    ],
    "of one type behind another": [
        "한국·중국 한국/NNP+·/SP+중국/NNP LC:0-1 LC:2-4",
        "땅에 땅/NNG+에/JKB",
    ],
    "fused": ["누군가 누구/NP+이/VCP+ᆫ가/EC PS:0-1 OG:1-2 LC:2-3"],
    "fused and going on": ["누군가 누구/NP+이/VCP+ᆫ가/EC PS:0-1 OG:1-4", "왔다 오/VV+았/EP+다/EF"],
    "nested": [
        "서울대에 서울/NNP+대/NNG+에/JKB OG:0-2 LC:0-1 AF:0-4 AF:0-4",
        "왔다 오/VV+았/EP+다/EF",
    ],
    "crossing": [
        "남북 남/NNG+북/NNG OG:0-3 PS:1-5 LC:1-2",
        "회담 회담/NNG",
        "본부에 본부/NNG+에/JKB",
    ],
    "deep": ["서울대 서울/NNP+대/NNG " + " ".join([f"A{at}:0-2" for at in range(11)])],
    "odd types": ["서울에 서울/NNP+에/JKB :0-1 LC:2-3", "옷 옷/NNG 곳_이름:2-3"],
    "none": ["나는 나/NP+는/JX", "갔다 가/VV+았/EP+다/EF"],
}
"""Eojeols with their morphemes, and the entities over the morphemes of the sentence."""


def sentences_of_shapes() -> Iterator[Sentence]:
    for name, lines in SHAPES.items():
        cells = [line.split(" ") for line in lines]
        eojeols = tuple([ASSEMBLER[f"{form}\t{analysis}"] for form, analysis, *_ in cells])
        count = sum([len(eojeol.morphemes) for eojeol in eojeols])
        places = [re.split("[:-]", one) for _, _, *own in cells for one in own]
        found = layers([Entity(of, int(begin), int(end)) for of, begin, end in places])
        made = [by_eojeol(eojeols, to_labels(layer, count)) for layer in found]
        yield Sentence(eojeols, name.replace(" ", "-"), entities=tuple(made))


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """CoNLL-U with entities in all the ways in which they stand to each other."""
    path = tmp_path_factory.mktemp("shapes") / "shapes.conllu"
    writer = CutWriter(Conversion("").make_recut(), ConlluWriter())
    path.write_text("".join(map(writer.sentence, sentences_of_shapes())), encoding="utf-8")
    return path


def entities_in(path: Path, form: str | None = None) -> int:
    """Count the entities of a file by the reader of its format."""
    with Source(path) as source:
        found = recognise(form, source.head())
        if not found.is_entities:
            return sum([sum(map(len, entity_layers(one))) for one in read(path, from_=found.name)])
        layout = label_format(*found, path=str(path))
        count = 0
        for block in layout.blocks(source.chunks()):
            labelled = layout.read(block)
            if layout.labels_rows and labelled.morphemes:
                rows = [row for own in labelled.morphemes for row in own]
                flat = zip(*[(row.label, *row.inner) for row in rows], strict=True)
                count += sum([len(find_entities(labels)) for labels in flat])
            else:
                count += len(labelled.all_entities())
    return count


def told(path: Path) -> Counter[str]:
    """Count the codes of a log, in which each loss has a file, a line and a sentence."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    losses = [line for line in lines if line["code"] in LOSSES]
    assert all([line["path"] and line["line"] and line["sent_id"] for line in losses])
    return Counter([line["code"] for line in lines])


def said(stderr: bytes) -> int:
    """The number of entities in the last line about how many there are."""
    sizes = re.findall(r"sentences?, (?:[\d,]+ eojeols?, )?([\d,]+) entit", stderr.decode())
    return int(sizes[-1].replace(",", ""))


# --- entities -------------------------------------------------------------------------------------

TARGETS = CASES["TARGETS"]
"""The formats of entities, and the endings of their files."""


@pytest.mark.parametrize("form", TARGETS)
def test_entities_of_every_shape(cli: Cli, tmp_path: Path, shapes: Path, form: str) -> None:
    out = tmp_path / f"out.{TARGETS[form]}"
    done = cli("ner", "convert", "--from", "conllu", shapes, out, "--to", form, "--log", "log")
    assert done.returncode == 0
    came = entities_in(out, form)
    assert came == entities_in(shapes) - told(tmp_path / "log")[ENTITY]
    if form != "conllu":
        assert said(done.stderr) == came
    # No entity is written without its beginning.
    assert b"ill-formed" not in done.stderr


CORPORA = CASES["CORPORA"]
"""Corpora of tests/data."""


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("to", ["outermost", "nested", "hf-jsonl:spaced syllable", "naver", "kips"])
def test_entities_of_corpora(cli: Cli, tmp_path: Path, name: str, to: str) -> None:
    corpus = DATA / name
    words: tuple[str | Path, ...] = ("convert", corpus, "out", "--to", to)
    if to in ("outermost", "nested"):
        with Source(corpus) as source:
            layout = label_format(*recognise(None, source.head()))
        way = "eoj2morph" if layout.unit == "eojeol" else "syl2morph"
        words = (way, corpus, "out", *["--nested"] * (to == "nested"))
        to = "conllu"
    done = cli("ner", *words, "--log", "log")
    assert done.returncode == 0
    came = entities_in(tmp_path / "out", to)
    lost = entities_in(corpus) - came
    assert (lost, came) == (told(tmp_path / "log")[ENTITY], said(done.stderr))


@pytest.mark.parametrize("on_error", ["keep", "skip"])
@pytest.mark.parametrize("options", [(), ("--nested",)], ids=["outermost", "nested"])
def test_entities_of_a_sentence_that_is_left_out(
    cli: Cli, tmp_path: Path, on_error: str, options: tuple[str, ...]
) -> None:
    """남북/NNG is one morpheme for two entities."""
    corpus, morphemes = (
        DATA / "ner-said" / f"one-morpheme.{end}" for end in ("txt", "morphemes.txt")
    )
    words = ("--from", "klue-ner:none", "--morphemes", morphemes, "--on-error", on_error)
    done = cli("ner", "syl2morph", corpus, "out", *words, *options, "--log", "log")
    came = entities_in(tmp_path / "out")
    assert came == said(done.stderr)
    assert came == entities_in(corpus, "klue-ner:none") - told(tmp_path / "log")[ENTITY]


@pytest.mark.parametrize("level", LEVELS)
def test_labels_of_words_do_not_show_all_entities(
    cli: Cli, tmp_path: Path, shapes: Path, level: int
) -> None:
    """NEMorph= has the entities that begin in a word behind another: our readers find all."""
    cli("ner", "convert", "--from", "conllu", shapes, "in.jsonl", "--to", "konne")
    options = ("--level", str(level), "--log", "log")
    made = cli("ner", "syl2morph", "in.jsonl", "ner.conllu", "--nested", *options)
    logs = [told(tmp_path / "log")]
    cli("convert", shapes, "convert.conllu", *options)
    logs.append(told(tmp_path / "log"))
    cli("ner", "convert", "--from", "conllu", shapes, "ner-convert.conllu", *options)
    logs.append(told(tmp_path / "log"))
    names = ("ner", "convert", "ner-convert")
    for name, log, given in zip(names, logs, (tmp_path / "in.jsonl", shapes, shapes), strict=True):
        path = tmp_path / f"{name}.conllu"
        assert entities_in(path) == entities_in(given)
        assert log[ENTITY] == 0
        begun = len(re.findall(r"\bNE\d*=B\b", path.read_text(encoding="utf-8")))
        assert begun == entities_in(given) - log[HIDDEN]
        if name == "ner":
            assert said(made.stderr) == begun
            more = f"{log[HIDDEN]} more entities are in NEMorph= alone"
            assert (more in made.stderr.decode()) == (log[HIDDEN] > 0)
    assert (logs[0][HIDDEN] > 0) == (level < LEVELS[-1])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("to", sorted({*WRITERS} - {*TREES, "klue-dp"}))
def test_entities_of_convert(cli: Cli, tmp_path: Path, shapes: Path, to: str, level: int) -> None:
    marks = ("--mark",) if to == "tokens" else ()
    assert cli("convert", shapes, "out", "--to", to, *marks, "-l", str(level), "--log", "log")
    came = sum([sum(map(len, entity_layers(one))) for one in read(tmp_path / "out", from_=to)])
    assert came == entities_in(shapes) - told(tmp_path / "log")[ENTITY]


@pytest.mark.parametrize("to", ["treebank", "penn-korean", "brackets"])
def test_entities_in_trees(cli: Cli, tmp_path: Path, shapes: Path, to: str) -> None:
    """No format of trees has entities, nor a sentence without a tree."""
    done = cli("convert", shapes, "out", "--to", to, "--on-error", "skip", "--log", "log")
    assert done.returncode in (0, 1)
    assert told(tmp_path / "log")[ENTITY] == entities_in(shapes)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("nested", [(), ("--nested",)])
def test_entities_in_columns(
    cli: Cli, tmp_path: Path, shapes: Path, level: int, nested: tuple[str, ...]
) -> None:
    """The first layer is the last column; with --nested the first three are the last three."""
    layers = 3 if nested else 1
    words = ("ner", "crf", shapes, "out", "--level", str(level), "--log", "log", "--force")
    for scheme in ("bio", "bioes"):
        done = cli(*words, "--label-scheme", scheme, *nested)
        lines = (tmp_path / "out").read_text(encoding="utf-8").split("\n")
        assert {len(line.split("\t")) for line in lines if line} == {3 + layers}
        came = sum(
            len(find_entities(own)) for run in read_labels(lines, layers) for own in run.layers
        )
        assert came == entities_in(shapes) - told(tmp_path / "log")[ENTITY]
        assert said(done.stderr) == came
    # The labels come back without what the columns do not have, which is told as well.
    back = cli(
        *("ner", "crf", shapes, "back", "--level", str(level), "--labels", "out", "--log", "log"),
        *nested,
    )
    assert back.returncode == 0
    inner = sum([sum(map(len, entity_layers(one)[layers:])) for one in sentences_of_shapes()])
    assert told(tmp_path / "log")[ENTITY] == inner
    if level == LEVELS[-1]:
        kept = [entity_layers(one)[:layers] for one in sentences_of_shapes()]
        assert [entity_layers(one) for one in read(tmp_path / "back")] == kept


def test_entities_that_a_map_deletes(cli: Cli, tmp_path: Path, shapes: Path) -> None:
    (tmp_path / "map").write_text("LC\tO\nPS\tO\n", encoding="utf-8")
    words = ("ner", "convert", "--from", "conllu", shapes, "out.jsonl", "--to", "konne")
    done = cli(*words, "--map", "map", "--log", "log")
    came = entities_in(tmp_path / "out.jsonl")
    log = told(tmp_path / "log")
    assert came == entities_in(shapes) - log[UNMAPPED] - log[ENTITY] == said(done.stderr)
    assert log[UNMAPPED] > 0
    assert done.stderr.count(b"I443") == 1  # the count of incidents
    made = cli("ner", "syl2morph", "out.jsonl", "out.conllu", "--map", "map")
    assert said(made.stderr) == entities_in(tmp_path / "out.conllu")


def test_real_entities_of_characters(cli: Cli, tmp_path: Path, shared: Path) -> None:
    """Entities of KLUE-NER begin in an eojeol behind another: 33 in <김:PS>모(<33:QT>)씨."""
    blocks = (shared / KLUE).read_text(encoding="utf-8").split("\n\n")
    (tmp_path / "in.tsv").write_text("\n\n".join([*blocks[:200], ""]), encoding="utf-8")
    given = entities_in(tmp_path / "in.tsv")
    words = ("ner", "convert", "in.tsv", "out.jsonl", "--to", "hf-jsonl", "-q", "--log", "log")
    assert cli(*words).stderr == b""
    text = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert text.count('"B-') == entities_in(tmp_path / "out.jsonl") == given - len(lines) < given
    assert told(tmp_path / "log") == {ENTITY: len(lines)}


# --- frames ---------------------------------------------------------------------------------------

FRAMES = {
    "two in an eojeol": ["O B-A B-B T I-T", "Motion"],
    "a target beside": ["O B-A I-A B-T B-A", "Motion"],
    "a symbol": ["B-A B-B I-B T O", "Motion"],
    "no target": ["B-A O O O O", ""],
}


def sentences_of_frames() -> Iterator[Sentence]:
    eojeols = (ASSEMBLER["학교에서만\t학교/NNG+에서/JKB+만/JX"], ASSEMBLER["가.\t가/VV+./SF"])
    for name, (labels, frame) in FRAMES.items():
        flat = ["O" if label.endswith("T") else label for label in labels.split()]
        marks = tuple([n for n, label in enumerate(labels.split()[3:]) if label.endswith("T")])
        target = Target("가다.v", frame, marks) if frame else None
        instance = FrameInstance((None, target), by_eojeol(eojeols, flat))
        yield Sentence(eojeols, name.replace(" ", "-"), frames=(instance,) * (1 + (frame != "")))
    yield Sentence(eojeols, "none")


def frames_of(sentences: Iterable[Sentence]) -> list[int]:
    """Count the targets and the frame elements."""
    found = [(one.eojeols, frame) for one in sentences for frame in one.frames]
    elements = [find_entities(flat_labels(eojeols, frame.labels)) for eojeols, frame in found]
    return [sum([any(frame.targets) for _, frame in found]), sum(map(len, elements))]


def frames_in(path: Path) -> list[int]:
    """Count the targets and the frame elements of a corpus."""
    layout = frame_format("framenet")
    with Source(path) as source:
        framed = [layout.read(block) for block in layout.blocks(source.chunks())]
    return [
        sum([any(one.targets) for one in framed]),
        sum([len(find_entities(one.labels)) for one in framed]),
    ]


@pytest.fixture(scope="module")
def framed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """CoNLL-U Plus with frames that eojeols do not hold."""
    path = tmp_path_factory.mktemp("framed") / "framed.conllu"
    writer = CutWriter(
        Conversion("").make_recut(), ConlluWriter(columns=instance_columns(FRAME_COLUMNS, 2))
    )
    lines = "".join(map(writer.sentence, sentences_of_frames()))
    path.write_text(writer.preamble + lines, encoding="utf-8")
    assert frames_of(read(path)) == frames_of(sentences_of_frames())
    return path


@pytest.mark.parametrize("vote", ["first", "last", "any", "head"])
def test_frames_of_eojeols(cli: Cli, tmp_path: Path, framed: Path, vote: str) -> None:
    assert cli("frame", "morph2eoj", framed, "out", "--vote", vote, "--log", "log").returncode == 0
    log = told(tmp_path / "log")
    assert sum(frames_of(sentences_of_frames())) - sum(frames_in(tmp_path / "out")) == log[FRAME]
    assert log[FRAME] > 0
    # The sentence without frames.
    assert log["W301"] == 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("options", [(), ("--merge-instances",)])
def test_frames_of_a_corpus(
    cli: Cli, tmp_path: Path, root: Path, level: int, options: tuple[str, ...]
) -> None:
    corpus, morphemes = (root / "samples" / f"framenet.{end}" for end in ("tsv", "txt"))
    words: tuple[str | Path, ...] = (
        "--morphemes",
        morphemes,
        "--level",
        str(level),
        "--log",
        "log",
        *options,
    )
    assert cli("frame", "eoj2morph", corpus, "made.conllu", *words).returncode == 0
    assert told(tmp_path / "log")[FRAME] == 0
    assert cli("frame", "morph2eoj", "made.conllu", "back", "--log", "log").returncode == 0
    assert told(tmp_path / "log")[FRAME] == 0
    assert frames_in(tmp_path / "back") == frames_in(corpus)
    assert frames_of(read(tmp_path / "made.conllu")) == frames_in(corpus)


@pytest.mark.parametrize("to", sorted({*WRITERS} - {*TREES, "klue-dp"}))
def test_frames_of_convert(cli: Cli, tmp_path: Path, framed: Path, to: str) -> None:
    marks = ("--mark",) if to == "tokens" else ()
    assert cli("convert", framed, "out", "--to", to, *marks, "--level", "2", "--log", "log")
    came = sum([len(one.frames) for one in read(tmp_path / "out", from_=to)])
    given = sum([len(one.frames) for one in read(framed)])
    assert came == given - told(tmp_path / "log")[FRAME]


@pytest.mark.parametrize("to", WRITERS)
def test_ids_and_comments_of_sentences(tmp_path: Path, to: str) -> None:
    """Those that the file does not bring back are told."""
    source = tmp_path / "in.conllup"
    source.write_text(CASES["above"], encoding="utf-8")
    incidents: list[Incident] = []
    sejongud.convert(source, tmp_path / "out", to=to, level=5, report=Report(incidents.append))
    told = "; ".join([incident.message for incident in incidents])
    back = [] if to == "tokens" else [*read(tmp_path / "out", from_=to)]
    ids = [sentence.sent_id for sentence in back]
    comments = [comment for sentence in back for comment in sentence.comments]
    assert ("a-x" in ids) != ("ids" in told)
    assert ("note = 봄" in comments) != ("comments" in told)


@pytest.mark.parametrize("to", ["konne", "naver", "columns"])
def test_layers_that_a_corpus_has_no_place_for(
    cli: Cli, tmp_path: Path, framed: Path, shapes: Path, to: str
) -> None:
    cli("ner", "convert", framed, "out", "--from", "conllu", "--to", to, "--log", "log")
    log = told(tmp_path / "log")
    assert log[FRAME] == sum([len(one.frames) for one in read(framed)])
    text = framed.read_text(encoding="utf-8").replace(
        "NNG\t_\t_\t_\t_\t_", "NNG\t_\t_\t_\t_\tNE=B-LC"
    )
    (tmp_path / "in.conllu").write_text(text, encoding="utf-8")
    cli("frame", "morph2eoj", "in.conllu", "out.tsv", "--log", "log")
    assert told(tmp_path / "log")[ENTITY] == text.count("NE=B-LC") > 0


# --- corrections ----------------------------------------------------------------------------------

M2 = """\
S 나는 학교 에 갓다
A 1 3|||WS|||학교에|||REQUIRED|||-NONE-|||0
A 3 4|||SPELL|||갔다|||REQUIRED|||a comment|||0
A 3 4|||SPELL|||다녔다|||OPTIONAL|||-NONE-|||1

S 그거 를 봐
A -1 -1|||noop||||||REQUIRED|||-NONE-|||0
A 0 1|||UNK|||그거|||REQUIRED|||-NONE-|||1
A 1 2|||DEL||||||REQUIRED|||-NONE-|||1
A 3 3|||INS|||.|||REQUIRED|||-NONE-|||2

S 좋다
A -1 -1|||noop||||||REQUIRED|||-NONE-|||0

"""
BROKEN = """\
S 가 나 다
A 0 2|||X|||라|||REQUIRED|||-NONE-|||0
A 1 3|||Y|||마|||REQUIRED|||-NONE-|||0

"""
"""Two edits that overlap, so that no text is made of them."""


def edits_in(path: Path, form: str) -> int:
    """Count the edits of a file; texts have none."""
    layout = corrections_format(form)
    if not path.exists() or form in ("tsv", "parallel"):
        return 0
    with Source(path) as source:
        items = [layout.edited(item) for _, item in layout.numbered(source, "stop", Report())]
    return sum([len(own) for item in items for own in item.edits.values()])


@pytest.mark.parametrize("given", ["m2", "jsonl", "conllu"])
@pytest.mark.parametrize("to", ["m2", "jsonl", "conllu", "tsv"])
def test_edits_of_formats(cli: Cli, tmp_path: Path, given: str, to: str) -> None:
    (tmp_path / "a.m2").write_text(M2, encoding="utf-8")
    assert cli("gec", "convert", "a.m2", "in", "--to", given).returncode == 0
    message = cli("gec", "convert", "in", "out", "--to", to, "--log", "log").told()
    came = edits_in(tmp_path / "out", {"jsonl": "gec-jsonl"}.get(to, to))
    log = told(tmp_path / "log")
    assert came == edits_in(tmp_path / "a.m2", "m2") - log[EDIT] - log[AS_TEXT]
    assert f"3 sentences, {came} edit" in message
    assert (log[EDIT], log[AS_TEXT]) == ((1, 5) if to == "tsv" else (0, 0))
    assert "I522 the" not in message


def test_edits_of_texts(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.m2").write_text(M2 + BROKEN, encoding="utf-8")
    number = edits_in(tmp_path / "a.m2", "m2")
    # What changes no text is lost, and so are edits of which no text can be made.
    ways = {
        ("apply", "a.m2"): 2,
        ("apply", "a.m2", "--annotator", "1"): 1,
        ("apply", "a.m2", "--uncorrected"): 0,
        ("filter", "native", "a.m2"): 3,
        ("convert", "a.m2", "--to", "tsv"): 3,
    }
    for words, lost in ways.items():
        cli("gec", *words, "-o", "out", "--on-error", "skip", "--log", "log", "--force")
        log = told(tmp_path / "log")
        assert log[EDIT] + log[AS_TEXT] == number
        assert log[EDIT] == lost


def test_edits_that_are_not_found_again(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.m2").write_text(M2, encoding="utf-8")
    for options, lost in (((), 1), (("--keep-edits",), 0)):
        cli("gec", "annotate", "a.m2", "-o", "b.m2", *options, "--log", "log", "--force")
        assert told(tmp_path / "log")[EDIT] == lost
        assert edits_in(tmp_path / "b.m2", "m2") == edits_in(tmp_path / "a.m2", "m2") - lost


def test_edits_that_a_corpus_states(cli: Cli, tmp_path: Path) -> None:
    for name in ("knct.json", "nikl.json"):
        corpus = DATA / "gec" / name
        done = cli("gec", "convert", corpus, "out.m2", "--to", "m2", "--force")
        came = edits_in(tmp_path / "out.m2", "m2")
        if done.returncode == 0:
            assert f", {came} edit" in done.stderr.decode()
            cli("gec", "convert", corpus, "out.tsv", "--to", "tsv", "--log", "log", "--force")
            log = told(tmp_path / "log")
            assert came == log[EDIT] + log[AS_TEXT]
