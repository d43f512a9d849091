"""Entity corpora to CoNLL-U and back: each format, and each fault that its files may have.

The files in data/ner/ are made up; they are named by their format and what is special about them.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from cases import cases
from corpora import ASSEMBLER, RULES, read_corpus, read_text
from portions import ALL, SOME, some

from sejongud import api as conversion
from sejongud.converters.entities_back import CorpusWriter
from sejongud.converters.eoj2morph import Borders, Eoj2Morph, Exclusion
from sejongud.converters.recut import CutWriter, Recut
from sejongud.converters.syl2morph import cut, without_edge_spaces
from sejongud.errors import FormatError, Incident, OnError, Report
from sejongud.files import Source
from sejongud.formats import ENTITY_FORMATS, label_format, sniff
from sejongud.formats.conllu import NE_PLACES, ConlluReader, ConlluWriter, NePlace
from sejongud.formats.labelled import LabelFormat, Labelled
from sejongud.layers.labels import Entity, find_entities, flat_labels, ill_formed, to_text
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS, Morpheme, Sentence
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.converters.entities import CorpusReader

CASES = cases("entities")

DATA = Path(__file__).parent / "data" / "ner"


def brat(name: str) -> str:
    """How a `.ann` is read: the text has its name, or is that of all."""
    own = DATA / name.replace(".ann", ".txt")
    return str(own if own.exists() else DATA / "brat.txt")


CLEAN = CASES["CLEAN"]
"""Files that nothing is wrong with, and what they are found to be."""

ODD = CASES["ODD"]
"""Files with one thing in them that is damaged or unusual; all can be read."""

BROKEN = {
    "klue-ner-no-label.txt": ("klue-ner", "E403", 4),
    "klue-ner-nfd.txt": ("klue-ner none", "E403", 1),
    "klue-ner-space-no-label.txt": ("klue-ner", "E403", 6),
    "klue-ner-space-alone.txt": ("klue-ner", "E403", 6),
    "naver-no-tag.txt": ("naver", "E401", 2),
    "naver-too-few-tags.txt": ("naver lines", "E402", 2),
    "columns-no-label.txt": ("columns", "E404", 2),
    "kmou-three-columns.txt": ("kmou", "E407", 5),
    "kips-no-label.txt": ("kips", "E416", 6),
    "kips-no-text.txt": ("kips", "E416", 9),
    "kips-no-labels.txt": ("kips", "E417", 9),
    "modu-ne-wrong-place.json": ("modu-ne 2", "E408", 14),
    "modu-ne-negative.json": ("modu-ne 2", "E408", 5),
    "modu-ne-no-list.json": ("modu-ne 2", "E322", 5),
    "modu-ne-two-objects.json": ("modu-ne 2", "E322", 11),
    "modu-ne-cut.json": ("modu-ne 2", "E322", 67),
    "konne-too-long.jsonl": ("konne", "E406", 1),
    "konne-no-json.jsonl": ("konne", "E405", 2),
    "konne-tab-in-label.jsonl": ("konne", "E406", 1),
    "hf-numbers.jsonl": ("hf-jsonl", "E406", 1),
    "hf-no-name.jsonl": ("hf-jsonl spaced eojeol O,B-LC", "E406", 2),
    "hf-empty-token.jsonl": ("hf-jsonl", "E406", 1),
    "brat-wrong-text.ann": (f"brat {DATA / 'brat.txt'}", "E408", 2),
    "brat-other-word.ann": (f"brat {DATA / 'brat.txt'}", "E408", 2),
    "brat-no-offset.ann": (f"brat {DATA / 'brat.txt'}", "E418", 2),
    "brat-no-text.ann": (f"brat {DATA / 'brat.txt'}", "E418", 2),
}
"""Files that cannot be read whole: the format, the code and the line."""

REPORTED = {
    "brat-pieces.ann": ["W516"],
    "kips-broken-marks.txt": ["W433"],
    "kmou-lost-morpheme.txt": ["W425"],
    "kips-other-marks.txt": ["W424"],
    "kips-lost-morpheme.txt": ["W425"],
    "kips-lost-eojeol.txt": ["W425"],
}
"""What the reading of a file reports, if anything."""


def found(name: str) -> tuple[LabelFormat, str]:
    """The format of a file, and its text."""
    with Source(DATA / name) as source:
        text = source.text()
    if name in BROKEN:
        named, _, settings = BROKEN[name][0].partition(" ")
        return label_format(named, settings), text
    guess = sniff(text, ENTITY_FORMATS)
    assert guess is not None
    return label_format(*(("brat", brat(name)) if guess[0] == "brat" else guess)), text


def forth(
    name: str, incidents: list[Incident] | None = None, **options: Any
) -> tuple[CorpusReader, list[Sentence]]:
    layout, text = found(name)
    sink = [] if incidents is None else incidents
    given = cast("Iterator[Sentence] | None", options.pop("given", None))
    return read_corpus([text], layout, report=Report(sink.append), given=given, **options)


def conllu(sentences: Iterable[Sentence], level: int = 5, ne: NePlace = "misc") -> str:
    writer = CutWriter(Recut(Granularity(RULES, level)), ConlluWriter(ne=ne))
    return writer.preamble + "".join([writer.sentence(sentence) for sentence in sentences])


def read(text: str) -> list[Sentence]:
    return read_text(ConlluReader(ASSEMBLER), text)


def back(text: str, **options: Any) -> str:
    backward = CorpusWriter(None, "naver", **options)
    return "".join([*[backward.sentence(sentence) for sentence in read(text)], backward.end()])


def rows(sentence: Sentence) -> list[str]:
    """Each morpheme with its label."""
    return [
        f"{morpheme.form} {label}"
        for eojeol, own in zip(sentence.eojeols, sentence.entities[0], strict=True)
        for morpheme, label in zip(
            eojeol.morphemes, own or ("O",) * len(eojeol.morphemes), strict=True
        )
    ]


def in_text(sentence: Sentence) -> tuple[list[tuple[int, int]], list[Entity]]:
    """Where the morphemes stand in the text, and the entities over them."""
    spans: list[tuple[int, int]] = []
    offset = 0
    for eojeol in sentence.eojeols:
        spans += [(offset + begin, offset + end) for begin, end in eojeol.spans]
        offset += len(eojeol.form) + 1
    labels = [row.rpartition(" ")[2] for row in rows(sentence)] if sentence.entities else []
    return spans, find_entities(labels)


@pytest.mark.parametrize("name", [*CLEAN, *ODD])
def test_the_format_is_found(name: str) -> None:
    layout, _ = found(name)
    assert f"{layout.name} {layout.settings}".strip() == (CLEAN | ODD)[name]


@pytest.mark.parametrize("name", CLEAN)
def test_a_format_writes_what_it_reads(name: str) -> None:
    layout, text = found(name)
    blocks = list(layout.blocks([text]))
    assert "".join([block.text for block in blocks]) == text
    labelled = [(block, layout.read(block)) for block in blocks]
    assert any(one.all_entities() for _, one in labelled)
    for block, one in labelled:
        # E and S are beyond a block of their own.
        if one.tokens and name != "columns-bioes.txt":
            assert layout.write(one) == block.text
        assert not ill_formed(one.layers[0] if one.layers and name != "naver.txt" else ())


@pytest.mark.parametrize("name", [*CLEAN, *ODD])
def test_there_and_back(name: str) -> None:
    _, text = found(name)
    for nested in (False, True):
        incidents: list[Incident] = []
        forward, sentences = forth(name, incidents, nested=nested)
        codes = [incident.code for incident in incidents]
        # Without --nested, inner entities are left out.
        assert [code for code in codes if nested or code != "W441"] == REPORTED.get(name, [])
        for level in LEVELS if nested else (5,):
            assert back(conllu(sentences, level)) == text
        assert_counted(forward, conllu(sentences))


def assert_counted(forward: CorpusReader, written: str) -> None:
    """The entities that are counted are those that were written."""
    summary = forward.summary(Counter())[0]
    labels = re.findall(r"\bNE\d*=([^\s|]+)", written)
    begun = len([label for label in labels if label == "B" or label.startswith("B-")])
    whole = counted(begun + forward.counts["begun otherwise"], "entit[y|ies]")
    assert f" {whole}" in summary
    layers = [(one.eojeols, layer) for one in read(written) for layer in one.entities]
    entities = sum([len(find_entities(flat_labels(*layer))) for layer in layers])
    assert forward.counts["entities"] == entities
    assert forward.counts["begun otherwise"] == entities - begun


@pytest.mark.parametrize("on_error", ["keep", "skip"])
def test_what_is_left_out_is_counted(shared: Path, on_error: OnError) -> None:
    """With the morphemes of Kiwi, which need not end where entities do."""
    with Source(shared / "data" / "klue-ner" / "klue-ner-v1.1_dev.first3000.tsv") as source:
        text = source.text()
    layout = label_format("klue-ner", "marked")
    blocks = list(islice(layout.blocks([text]), 1968, 2048))
    labelled = [layout.read(block) for block in blocks]
    given = conversion.analyze("\n".join(["".join(one.tokens) for one in labelled]))
    corpus = ["".join([block.text for block in blocks])]
    forward, sentences = read_corpus(corpus, layout, on_error=on_error, given=iter(given))
    assert_counted(forward, conllu(sentences))
    entities = sum([len(one.entities()) for one in labelled])
    left = forward.counts["skipped"] + forward.counts["shared morphemes"]
    assert 0 < left == entities - forward.counts["entities"]


OF_RELEASES = ("klue-trailing.tsv", "morpheme-columns.txt", "spans.jsonl", "word-pieces.tsv")


def test_every_file_in_data_is_read_by_a_test() -> None:
    tested = {*CLEAN, *ODD, *BROKEN, *OF_RELEASES}
    texts = {path.name for path in DATA.glob("brat*.txt")}
    assert {path.name for path in DATA.iterdir()} - texts == tested


@pytest.mark.parametrize("ne", NE_PLACES)
@pytest.mark.parametrize("name", ["naver.txt", "konne.jsonl"])
def test_there_and_back_with_labels_elsewhere(name: str, ne: NePlace) -> None:
    _, text = found(name)
    _, sentences = forth(name, nested=True)
    written = conllu(sentences, ne=ne)
    assert back(written) == text
    assert ("SEJONGUD:NE" in written) == (ne == "column")
    assert ("NE=B-" in written) == (ne == "misc")


@pytest.mark.parametrize("name", [*CLEAN, *ODD])
def test_entities_are_spans_of_morphemes(name: str) -> None:
    layout, text = found(name)
    wanted = []
    for block in layout.blocks([text]):
        one = layout.read(block)
        if one.layers and layout.unit == "syllable":
            whole = "".join(one.tokens)
            wanted += [whole[e.begin : e.end].strip(" ") for e in one.entities()]
    _, sentences = forth(name)
    made = []
    for sentence in read(conllu(sentences)):
        spans, entities = in_text(sentence)
        for _, begin, end in entities:
            made.append(sentence.text[spans[begin][0] : spans[end - 1][1]])
    if layout.unit == "syllable":
        # The rows are trusted, of which there is one entity more.
        wanted += {"kips-other-marks.txt": ["낙동강"], "kips-broken-marks.txt": ["낙동강"]}.get(
            name, []
        )
        assert [one.replace("  ", " ") for one in wanted] == made


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read(name: str) -> None:
    _, code, line = BROKEN[name]
    with pytest.raises(FormatError) as raised:
        forth(name)
    assert (raised.value.code, raised.value.line) == (code, line)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("klue-ner-space-no-label.txt", 1),
        ("naver-no-tag.txt", 1),
        ("naver-too-few-tags.txt", 1),
        ("konne-no-json.jsonl", 1),
        ("hf-no-name.jsonl", 1),
        ("hf-empty-token.jsonl", 1),
        ("modu-ne-two-objects.json", 1),
        ("modu-ne-cut.json", 2),
    ],
)
@pytest.mark.parametrize("on_error", ["skip", "keep"])
def test_what_cannot_be_read_is_skipped_or_rides_along(
    name: str, count: int, on_error: OnError
) -> None:
    _, text = found(name)
    incidents: list[Incident] = []
    _, sentences = forth(name, incidents, on_error=on_error)
    assert [incident.code for incident in incidents] == [BROKEN[name][1]]
    assert len(sentences) == count
    assert (back(conllu(sentences)) == text) == (on_error == "keep")


def test_json_that_ends_too_early() -> None:
    with pytest.raises(FormatError, match="a part of it is missing") as raised:
        list(conversion.read(DATA / "modu-ne-cut.json"))
    assert raised.value.path == str(DATA / "modu-ne-cut.json")


def test_the_examples_of_the_paper() -> None:
    _, (first, second) = forth("naver.txt")
    assert rows(first)[:2] == ["프랑스 B-LOC", "의 O"]
    assert rows(first)[3:13] == [
        *("엠마누엘 B-PER", "웅가로 I-PER", "가 O"),
        *("‘ O", "프로페셔널 B-AFW", "의 I-AFW", "원칙 I-AFW", "’ O", "은 O", "- O"),
    ]
    # I- without B-: the first one stays as it is.
    assert rows(second)[:2] == ["지나 I-DAT", "ㄴ I-DAT"]


@pytest.mark.parametrize("name", ["konne-line-end.jsonl", "modu-ne-line-end.json"])
def test_a_line_end_in_a_text_comes_back_with_other_labels(name: str) -> None:
    _, text = found(name)
    _, [sentence] = forth(name)
    assert "엠마누엘 웅가로" in sentence.text
    assert back(conllu([sentence]).replace("-PS", "-OG")) == text.replace("PS", "OG")


def test_a_tab_in_inline_text() -> None:
    text = "<엠마누엘\t웅가로:PS>가\t왔다\n"
    _, sentences = read_corpus([text], label_format("inline"))
    assert [eojeol.form for eojeol in sentences[0].eojeols] == ["엠마누엘", "웅가로가", "왔다"]
    assert back(conllu(sentences)) == text


def test_figure_3_4(root: Path) -> None:
    """Labels in FEATS, as the figure has them, on the sentence of the samples."""
    sentence = next(conversion.read(root / "samples" / "sejong.txt"))
    labels = {"프랑스의": "LOC_B", "엠마누엘": "PER_B", "웅가로가": "PER_I"}
    lines = [
        f"{number}\t{eojeol.form}\t{labels.get(eojeol.form, '-')}\n"
        for number, eojeol in enumerate(sentence.eojeols, 1)
    ]
    text = "".join([*lines, "\n"])
    _, sentences = read_corpus([text], label_format("naver"), given=iter([sentence]))
    written = conllu(sentences)
    feats = {"1": "B-LOC", "9": "B-PER", "10": "I-PER"}
    moved = []
    for line in written.split("\n"):
        cells = line.split("\t")
        if label := feats.get(cells[0]):
            assert cells[5] == "_"
            cells[5] = label
            cells[9] = re.sub(r"(^|\|)NE=[^|]*", "", cells[9]).strip("|") or "_"
        moved.append("\t".join(cells))
    assert "NE=" not in "".join(moved)
    assert conllu(read("\n".join(moved))) == written


def test_the_syllables_of_the_paper() -> None:
    _, (sentence, _) = forth("klue-ner.txt")
    assert rows(sentence)[:2] == ["프랑스 B-LC", "의 O"]


def test_given_morphemes_are_those_of_the_sentence() -> None:
    lines = [
        "프랑스의\t프랑스/NNP+의/JKG",
        "디자이너\t디자이너/NNG",
        "엠마누엘\t엠마누엘/NNP",
        "웅가로가\t웅가로/NNP+가/JKS",
        "왔다.\t오/VV+았/EP+다/EF+./SF",
    ]
    text = ("프랑스의 디자이너 엠마누엘 웅가로가 왔다 .", "LOC-B CVL-B PER-B PER-I O O")
    layout = label_format("naver", "lines PER-B")
    given = Sentence(tuple(ASSEMBLER[line] for line in lines), "a-1", comments=("note = x",))
    # The full stop stands apart in the corpus.
    _, [sentence] = read_corpus(["\t".join(text) + "\n"], layout, given=iter([given]))
    assert [eojeol.form for eojeol in sentence.eojeols][-2:] == ["왔다", "."]
    assert sentence.sent_id == "a-1"
    assert "note = x" in sentence.comments
    assert rows(sentence)[4:6] == ["웅가로 I-PER", "가 O"]
    assert back(conllu([sentence])) == "\t".join(text) + "\n"


def test_given_morphemes_of_another_text() -> None:
    given = [Sentence((ASSEMBLER["독일의\t독일/NNP+의/JKG"],))]
    with pytest.raises(FormatError, match="another text") as raised:
        forth("naver.txt", given=iter(given))
    assert raised.value.line == 1


def test_fewer_given_sentences() -> None:
    with pytest.raises(FormatError, match="fewer sentences"):
        forth("naver.txt", given=iter(()))


INSIDE = "## a\t<한강:LC>물\n한\tB-LC\n강\tI-LC\n물\tO\n\n## b\t옷\n옷\tO\n\n"


@pytest.mark.parametrize("on_error", ["stop", "skip", "keep"])
def test_an_entity_that_ends_inside_a_given_morpheme(on_error: OnError) -> None:
    layout = label_format("klue-ner")
    given = [Sentence((ASSEMBLER[line],)) for line in ("한강물\t한강물/NNG", "옷\t옷/NNG")]
    incidents: list[Incident] = []
    report = Report(incidents.append)
    if on_error == "stop":
        with pytest.raises(FormatError, match="inside a morpheme"):
            read_corpus([INSIDE], layout, given=iter(given))
        return
    _, kept = read_corpus([INSIDE], layout, report=report, on_error=on_error, given=iter(given))
    # The entity goes with its sentence.
    assert [one.code for one in incidents] == ["E414", *["W441"] * (on_error == "skip")]
    assert len(kept) == (1 if on_error == "skip" else 2)
    if on_error == "keep":
        assert rows(kept[0]) == ["한강물 B-LC"]
        assert back(conllu(kept)) == INSIDE


@pytest.mark.parametrize(("text", "names"), CASES["test_a_name_of_a_person_is_one_proper_noun"])
def test_a_name_of_a_person_is_one_proper_noun(text: str, names: list[str]) -> None:
    layout = label_format("inline")
    _, [sentence] = read_corpus([f"{text}\n"], layout)
    named = [
        "+".join([f"{m.form}/{m.tag}" for m in eojeol.morphemes])
        for eojeol, own in zip(sentence.eojeols, sentence.entities[0], strict=True)
        if own and not any([label.endswith("LC") for label in own])
    ]
    assert named == names
    assert back(conllu([sentence])) == f"{text}\n"


def test_a_system_is_not_told_what_is_right() -> None:
    """Comments that were made for the labels of gold do not help others."""
    _, sentences = forth("klue-ner-broken-mark.txt")
    written = conllu(sentences)
    assert "<1:QT>, 2편:QT>을" in back(written)
    labelled_anew = written.replace("NE=B-QT", "NE=B-LC", 1)
    assert "<1:LC>, <2편:QT>을" in back(labelled_anew)


SYSTEM = """# sent_id = 1
# text = 엠마누엘 웅가로가 프랑스의 옷
# ner_format = naver lines PER-B
1\t엠마누엘\t_\tPROPN\tNNP\t_\t_\t_\t_\tNE=I-PER
2-3\t웅가로가\t_\t_\t_\t_\t_\t_\t_\t_
2\t웅가로\t_\tPROPN\tNNP\t_\t_\t_\t_\tNE=I-LOC
3\t가\t_\tADP\tJKS\t_\t_\t_\t_\tNE=B-PER
4\t옷\t_\tNOUN\tNNG\t_\t_\t_\t_\tNE=I-PER

"""


def test_ill_formed_labels_of_a_system() -> None:
    text = "엠마누엘 웅가로가 프랑스의 옷\t"
    assert back(SYSTEM) == f"{text}PER-I LOC-I O PER-I\n"
    assert back(SYSTEM, mend=True) == f"{text}PER-B LOC-B O PER-B\n"


def test_ill_formed_labels_of_a_system_by_the_character() -> None:
    labelled = SYSTEM.replace("naver lines PER-B", "klue-ner none")
    assert back(labelled).split("\n")[:10] == [
        *("엠\tI-PER", "마\tI-PER", "누\tI-PER", "엘\tI-PER", " \tO"),
        *("웅\tI-LOC", "가\tI-LOC", "로\tI-LOC", "가\tB-PER", " \tO"),
    ]


def of_system(text: str, *words: tuple[str, str]) -> str:
    """What a system makes of a text: words without ranges, each with its label."""
    lines = [
        f"{n}\t{form}\t{form}\tPROPN\tNNP\t_\t_\t_\t_\t{f'NE={label}' if label != 'O' else '_'}"
        for n, (form, label) in enumerate(words, 1)
    ]
    return "\n".join([f"# text = {text}", *lines, "", ""])


@pytest.mark.parametrize(
    ("text", "words", "tags"),
    [
        (
            "김 철수 서울 부산",
            [("김철수", "B-PER"), ("서울", "B-LOC"), ("부산", "B-LOC")],
            "PER_B PER_I LOC_B LOC_B",
        ),
        ("김철수 서울", [("김", "B-PER"), ("철수", "I-PER"), ("서울", "B-LOC")], "PER_B LOC_B"),
        ("김철수 서울 부산", [("서울", "B-LOC"), ("부산", "I-LOC")], "- LOC_B LOC_I"),
        ("김철수 서울 부산", [("김칠수", "B-PER"), ("부산", "B-LOC")], "PER_B - LOC_B"),
    ],
    ids=["joined", "split", "lost", "changed and lost"],
)
def test_a_system_has_other_eojeols(text: str, words: list[tuple[str, str]], tags: str) -> None:
    rows = zip(text.split(" "), tags.split(" "), strict=True)
    wanted = [f"{n}\t{form}\t{tag}\n" for n, (form, tag) in enumerate(rows, 1)]
    assert back(of_system(text, *words)) == "".join([*wanted, "\n"])


def test_a_system_has_joined_eojeols_by_the_character() -> None:
    written = of_system("김 철수 갔", ("김철수", "B-PER"), ("갔", "O"))
    rows = back("# ner_format = klue-ner none\n" + written).split("\n")
    assert rows[:6] == ["김\tB-PER", " \tI-PER", "철\tI-PER", "수\tI-PER", " \tO", "갔\tO"]


def test_an_empty_label_is_none() -> None:
    written = of_system("서울", ("서울", "O")).replace("_\n", "NE=\n")
    assert back(written) == "1\t서울\t-\n\n"
    assert "NE=\n" in conllu(read(written))


def test_labels_of_rows_are_mended_as_well() -> None:
    """They came back from a comment as they were."""
    layout = label_format("klue-ner", "none")
    rows = "프\tI-LC\n랑\tI-LC\n스\tI-LC\n의\tO\n\n"
    written = conllu(read_corpus([rows], layout)[1])
    assert back(written) == rows
    backward = CorpusWriter(None, "naver", mend=True)
    assert backward.sentence(read(written)[0]) == rows.replace("I", "B", 1)
    assert backward.counts["mended"] == 1


@pytest.mark.parametrize("ne", NE_PLACES)
@pytest.mark.parametrize("level", LEVELS)
def test_entities_are_the_same_at_every_level(level: int, ne: NePlace) -> None:
    _, sentences = forth("konne.jsonl", nested=True)
    assert len(sentences[0].entities) == 3
    for sentence, again in zip(sentences, read(conllu(sentences, level, ne)), strict=True):
        assert again.entities == sentence.entities
        assert not again.is_treebank and again.arcs is None


def test_columns_of_the_source_and_entities_together() -> None:
    _, [sentence, _] = forth("klue-ner.txt")
    lines = conllu([sentence]).split("\n")
    at = next(n for n, line in enumerate(lines) if "NE=B-LC" in line)
    lines[at] = (
        lines[at]
        .replace("NE=B-LC", "NE=B-LC|Gloss=100%")
        .replace("\t_\t_\t_\t_\t", "\tA=b\t0\troot\t_\t")
    )
    [again] = read("\n".join(lines))
    assert again.is_treebank and again.entities == sentence.entities
    assert conllu([again]) == "\n".join(lines)


def test_a_label_on_a_range_is_that_of_its_words() -> None:
    text = conllu(forth("naver.txt")[1][:1])
    moved = text.replace(
        "1-2\t프랑스의\t_\t_\t_\t_\t_\t_\t_\t_", "1-2\t프랑스의\t_\t_\t_\t_\t_\t_\t_\tNE=B-LOC"
    )
    moved = moved.replace("NNP\t_\t_\t_\t_\tNE=B-LOC", "NNP\t_\t_\t_\t_\t_", 1)
    [sentence] = read(moved)
    assert rows(sentence)[:2] == ["프랑스 B-LOC", "의 I-LOC"]


def test_columns_that_nobody_knows() -> None:
    text = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC FRAME:B\n"
    with pytest.raises(FormatError, match="SEJONGUD:NE"):
        read(text + "1" + "\t_" * 10 + "\n\n")


def test_labelled_entities() -> None:
    labelled = Labelled(("옷",), (("B-A",), ("B-B",)))
    assert labelled.entities() == [Entity("A", 0, 1)]
    assert labelled.all_entities() == [Entity("A", 0, 1), Entity("B", 0, 1)]


KLUE = "data/klue-ner/klue-ner-v1.1_dev.first3000.tsv"


@pytest.fixture(scope="module")
def klue(shared: Path) -> list[Labelled]:
    layout = label_format("klue-ner")
    with Source(shared / KLUE) as source:
        blocks = layout.blocks([some(source.text())])
        return [layout.read(block) for block in blocks]


@pytest.fixture(scope="module")
def klue_forward(shared: Path, klue: list[Labelled]) -> tuple[CorpusReader, list[Sentence]]:
    """The sentences with morphemes by Kiwi, which takes its time."""
    with Source(shared / KLUE) as source:
        return read_corpus([some(source.text())], label_format("klue-ner"), workers=None)


def test_klue_there_and_back(
    shared: Path, klue: list[Labelled], klue_forward: tuple[CorpusReader, list[Sentence]]
) -> None:
    with Source(shared / KLUE) as source:
        text = some(source.text())
    forward, sentences = klue_forward
    written = conllu(sentences)
    assert back(written) == text
    assert forward.counts["sentences"] == len(klue) == (3000 if ALL else SOME)
    # Two entities have a space at an edge; nothing else is kept in comments.
    assert forward.counts["ner_rows"] == forward.counts["edge spaces"] == (2 if ALL else 0)
    assert forward.counts["ner_lines"] == forward.counts["ner_block"] == 0
    for one, sentence in zip(klue, read(written), strict=True):
        whole = "".join(one.tokens)
        assert whole == sentence.text
        spans, entities = in_text(sentence)
        assert to_text(entities, spans) == without_edge_spaces(whole, one.entities())


def on_eojeols(labelled: Labelled) -> Labelled:
    """Eojeols with the first entity that touches each, B- where it begins there."""
    entities = labelled.entities()
    tokens: list[str] = []
    labels = []
    forms, where, _ = cut("".join(labelled.tokens), ())
    for form, (begin, end) in zip(forms, where, strict=True):
        touching = [e for e in entities if e.begin < end and e.end > begin]
        tokens.append(form)
        if touching:
            first = touching[0]
            labels.append(f"{'B' if first.begin >= begin else 'I'}-{first.type}")
        else:
            labels.append("O")
    return Labelled(tuple(tokens), (tuple(labels),))


@pytest.mark.parametrize(
    ("settings", "exclusion"),
    [
        ("naver rows PER_B", "paper"),
        ("naver lines PER-B", "borders"),
        ("columns tab B-PER bio", "borders"),
    ],
)
def test_klue_on_eojeols_there_and_back(
    klue: list[Labelled],
    klue_forward: tuple[CorpusReader, list[Sentence]],
    settings: str,
    exclusion: Exclusion,
) -> None:
    name, _, rest = settings.partition(" ")
    layout = label_format(name, rest)
    text = "".join([layout.write(on_eojeols(one)) for one in klue])
    given = [Sentence(sentence.eojeols, sentence.sent_id) for sentence in klue_forward[1]]
    forward, sentences = read_corpus([text], layout, given=iter(given), exclusion=exclusion)
    assert back(conllu(sentences)) == text
    assert forward.counts["ill-formed labels"] == (4 if ALL else 0)
    if exclusion != "paper":
        return
    # What carries a label may carry it, and no step was taken that was not needed.
    eoj2morph = Eoj2Morph(RULES, exclusion=exclusion)
    for sentence in sentences:
        if not sentence.entities:
            continue
        flat = [row.rpartition(" ")[2] for row in rows(sentence)]
        steps = [eoj2morph.step(m.tag) for m in sentence.morphemes]
        least = [
            min(eoj2morph.step(m.tag) for m in eojeol.morphemes)
            for eojeol in sentence.eojeols
            for _ in eojeol.morphemes
        ]
        for _, begin, end in find_entities(flat):
            assert steps[begin] == least[begin]
            assert steps[end - 1] == least[end - 1]


@pytest.mark.parametrize(
    ("analysis", "name", "span"),
    [("동/NNG+서울/NNP", "LOC", (0, 2)), ("다/MAG+둘/NR", "NUM", (1, 2))],
)
def test_only_what_is_outside_is_left_out_before_the_anchor(
    analysis: str, name: str, span: tuple[int, int]
) -> None:
    rules = load()
    pairs = [piece.partition("/") for piece in analysis.split("+")]
    borders = Borders(rules, lambda tag: rules.kind(tag) == "particle")
    morphemes = [Morpheme(form, tag) for form, _, tag in pairs]
    found = borders.find(morphemes, name, begins=True, ends=True)
    assert found == span
