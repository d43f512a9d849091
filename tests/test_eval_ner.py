from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from sejongud.evaluation.entities import Place, Tagged, read_columns, read_corpus
from sejongud.evaluation.ner import NerMetric, format_conlleval, in_layers
from sejongud.evaluation.side import collect
from sejongud.formats import label_format
from sejongud.layers.labels import Entity, layers, to_labels

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud.evaluation.base import Evaluation
    from sejongud.evaluation.side import Annotation


def evaluate(gold: Annotation[list[Tagged]], system: Annotation[list[Tagged]]) -> Evaluation:
    [found] = NerMetric().measure(gold, system)
    return found


def find_entities(tags: list[str]) -> list[Place]:
    return Tagged([], tags).entities


def labelled(*sentences: str) -> Annotation[list[Tagged]]:
    """Sentences of `word/TAG`, a word without a tag being outside."""
    cut = [[word.partition("/")[::2] for word in sentence.split()] for sentence in sentences]
    words = [[word for word, _ in sentence] for sentence in cut]
    tags = [[tag or "O" for _, tag in sentence] for sentence in cut]
    labels = map(Tagged, words, tags)
    return collect("-", zip(range(1, len(words) + 1), words, labels, strict=False))


def figures(evaluation: Evaluation) -> dict[str, tuple[float, ...]]:
    return {score.name: tuple(score.counts.values()) for score in evaluation.scores}


def test_entities_of_every_scheme() -> None:
    assert find_entities(["I-PS", "I-PS", "B-PS", "I-LC"]) == [
        Place("PS", 0, 2),
        Place("PS", 2, 3),
        Place("LC", 3, 4),
    ]
    assert find_entities(["S-PS", "S-PS", "B-LC", "I-LC", "E-LC", "I-LC", "O"]) == [
        Place("PS", 0, 1),
        Place("PS", 1, 2),
        Place("LC", 2, 5),
        Place("LC", 5, 6),
    ]
    assert find_entities([]) == []


GOLD = (
    "김/B-PS 철수/I-PS 는 서울/B-LC 에",
    "한국/B-OG 은행/I-OG 의 총재/O 이/B-PS 씨",
    "대전/B-LC 과 부산/B-LC",
)
SYSTEM = (
    "김/B-PS 철수/I-PS 는 서울/B-OG 에",
    "한국/B-LC 은행/B-OG 의 총재/B-PS 이/I-PS 씨",
    "대전 과/B-LC 부산/B-LC",
)


def test_conlleval_and_semeval_by_hand() -> None:
    found = evaluate(labelled(*GOLD), labelled(*SYSTEM))
    # Right are 김철수 and 부산. Wrong tags: 서울, 한국, 은행, 총재, 이, 대전, 과.
    assert figures(found) == {
        "Tokens": (7, 7),
        "Entities": (2, 5, 4),
        "LC": (1, 2, 2),
        "OG": (0, 2, 1),
        "PS": (1, 1, 1),
        # correct, incorrect, partial, missed, spurious. 대전 is missed, 과 spurious; 한국 takes
        # 한국 은행, so that 은행 is spurious unless its type makes nobody take it before.
        "strict": (2, 3, 0, 1, 2),
        "exact": (3, 2, 0, 1, 2),
        "partial": (3, 0, 2, 1, 2),
        "type": (3, 2, 0, 1, 2),
    }
    partial = found.scores[-2].ratios
    assert (partial["precision"], partial["recall"]) == (4 / 7, 4 / 6)


def test_the_layout_of_conlleval() -> None:
    assert format_conlleval(evaluate(labelled(*GOLD), labelled(*SYSTEM))) == (
        "processed 14 tokens with 6 phrases; found: 7 phrases; correct: 2.\n"
        "accuracy:  50.00%; precision:  28.57%; recall:  33.33%; FB1:  30.77\n"
        "               LC: precision:  33.33%; recall:  33.33%; FB1:  33.33  3\n"
        "               OG: precision:   0.00%; recall:   0.00%; FB1:   0.00  2\n"
        "               PS: precision:  50.00%; recall:  50.00%; FB1:  50.00  2\n"
    )


def test_ties_are_rounded_as_conlleval_does() -> None:
    # 100 * 2 / 64 is 3.125; by way of precision and recall it is a little more, in Perl too.
    sentence = " ".join(["가/B-A"] * 63)
    system = " ".join(["가/B-A", *["가"] * 62])
    assert "recall:   1.59%; FB1:   3.13\n" in format_conlleval(
        evaluate(labelled(sentence), labelled(system))
    )


def test_type_prefers_the_nearest_of_several() -> None:
    gold = labelled("가/B-A 나/B-A 다/I-A 라")
    system = labelled("가/B-A 나/I-A 다/I-A 라/I-A")
    assert figures(evaluate(gold, system))["type"] == (1, 0, 0, 1, 0)
    assert figures(evaluate(gold, system))["strict"] == (0, 1, 0, 1, 0)


def test_other_tokens_of_the_same_text() -> None:
    gold = labelled("김/B-PS 철수/I-PS 는 서울시/B-LC 에", "한/B-OG")
    system = labelled("김철수/B-PS 는 서울/B-LC 시에", "한/B-OG")
    found = figures(evaluate(gold, system))
    assert found["Entities"] == (2, 1, 1)
    assert found["partial"] == (2, 0, 1, 0, 0)


def test_merged_sentences_do_not_merge_entities() -> None:
    gold = labelled("나 는 철수/B-PS", "영희/I-PS 다")
    system = labelled("나 는 철수/B-PS 영희/I-PS 다")
    assert figures(evaluate(gold, system))["Entities"] == (0, 1, 2)


def test_another_text() -> None:
    gold = labelled("비 가 왔다 오늘 도 많이 왔다", "김/B-PS 철수/I-PS 는 서울/B-LC 로 갔다")
    system = labelled("김/B-PS 철수/I-PS 눈 서울/B-LC 로 갔다 다시")
    assert figures(evaluate(gold, system))["Entities"] == (2, 0, 0)


def test_reading_columns() -> None:
    lines = ["# a comment", "철수 NNP B-PS", "는 JX O", "", "#\tO", "", "철수", "는\tO", "", "가 O"]
    found = read_columns(lines, "file")
    assert found.sentences == [["철수", "는"], ["#"], ["가"]]
    assert [one[:2] for one in found.data] == [
        (["철수", "는"], ["B-PS", "O"]),
        (["#"], ["O"]),
        (["가"], ["O"]),
    ]
    assert found.lines == [2, 5, 10]
    [incident] = found.incidents
    assert str(incident).startswith("file:7: E801 '철수' does not end in a tag")


def test_the_beginning_of_a_document_is_no_token(cli: Cli, tmp_path: Path) -> None:
    lines = ["-DOCSTART- -X- O", "", "철수 NNP B-PS", "", "-DOCSTART-\tO", "서울\tB-LC"]
    assert read_columns(lines, "file").sentences == [["철수"], ["서울"]]
    (tmp_path / "a.txt").write_text("-DOCSTART-\tO\n\n서울에\tB-LC\n갔다\tO\n\n", "utf-8")
    for options in ((), ("--from", "columns:tab")):
        done = cli("eval", "ner", "a.txt", "a.txt", "--json", *options)
        tokens = json.loads(done.stdout)["scores"][0]
        assert (tokens["name"], tokens["tp"]) == ("Tokens", 2)


def test_annotations_find_their_text(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("서울에 갔다\n", "utf-8")
    (tmp_path / "b.ann").write_text("T1\tLC 0 2\t서울\n", "utf-8")
    done = cli("eval", "ner", "b.ann", "b.ann", "--json")
    assert json.loads(done.stdout)["scores"][0]["tp"] == 5


def test_reading_a_corpus() -> None:
    klue = "##\tone\t<한빛:OG> 가\n한\tB-OG\n빛\tI-OG\n \tO\n가\tO\n\n"
    damaged = "##\ttwo\t가\n가\n\n"
    found = read_corpus(label_format("klue-ner"), [klue, damaged, klue], "file")
    assert found.sentences == [["한", "빛", "가"]] * 2
    assert [one.words[:2] for one in found.data] == [
        (["한", "빛", "가"], ("B-OG", "I-OG", "O"))
    ] * 2
    assert found.lines == [1, 10]
    [incident] = found.incidents
    assert (incident.path, incident.line) == ("file", 8)
    assert incident.message.endswith("; the sentence is left out")


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ("1\t철수는\tPER_B\n2\t간다\t-\n\n", "1\t철수는\tLOC_B\n2\t간다\tPER_B\n\n"),
        ("철수는\tPER-B\n간다\tO\n\n", "철수는\tLOC-B\n간다\tPER-B\n\n"),
        ("철수는\tB_PER\n간다\tO\n\n", "철수는\tB-LOC\n간다\tB-PER\n\n"),
        ("<철수는:PER> 간다\n", "철수는\tB-LOC\n간다\tB-PER\n\n"),
    ],
)
def test_corpora_in_the_command(cli: Cli, tmp_path: Path, gold: str, system: str) -> None:
    for name, text in (("gold", gold), ("system", system)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    output = cli("eval", "ner", "--json", "gold", "system").text()
    found = {score.pop("name"): score for score in json.loads(output)["scores"]}
    assert [found["PER"][count] for count in ("tp", "fn", "fp")] == [0, 1, 1]
    assert [found["LOC"][count] for count in ("tp", "fn", "fp")] == [0, 0, 1]


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    row = "{}\t{}\t_\t_\t_\t_\t_\t_\t_\t{}\n"
    gold = row.format(1, "철수", "A=b|NE=B-PS") + row.format(2, "는", "_") + "\n"
    (tmp_path / "gold.conllu").write_text(gold, encoding="utf-8")
    (tmp_path / "system.tsv").write_text("철수\tB-LC\n는\tO\n", encoding="utf-8")
    (tmp_path / "right.tsv").write_text("철수\tB-PS\n는\tO\n", encoding="utf-8")
    result = cli("eval", "ner", "--conlleval", "gold.conllu", "right.tsv")
    assert result.stdout.decode().splitlines()[0].endswith("correct: 1.")
    options = ("--json", "--compare", "right.tsv", "--samples", "10")
    found = json.loads(cli("eval", "ner", "gold.conllu", "system.tsv", *options).text())
    assert [score["name"] for score in found["scores"]][:4] == ["Tokens", "Entities", "LC", "PS"]
    assert found["comparison"][1]["second"] == 1.0


def test_perfect_is_perfect() -> None:
    chance = random.Random(3)
    tags = [chance.choice(["O", "B-A", "I-A", "B-B", "E-B", "S-A"]) for _ in range(200)]
    text = labelled(" ".join(f"w{n}/{tag}" for n, tag in enumerate(tags)))
    scores = {score.name: score for score in evaluate(text, text).scores}
    assert {score.ratios[score.main] for score in scores.values()} == {1.0}
    assert scores["strict"].counts["correct"] == len(find_entities(tags))


def entities(cli: Cli, gold: str, system: str, *options: str) -> list[int]:
    """How many entities are right, missed and wrong."""
    result = cli("eval", "ner", "--json", *options, gold, system)
    found = {score["name"]: score for score in json.loads(result.stdout)["scores"]}
    return [found["Entities"][count] for count in ("tp", "fn", "fp")]


@pytest.mark.parametrize("place", ["misc", "column"])
def test_labels_wherever_ner_writes_them(cli: Cli, tmp_path: Path, place: str) -> None:
    (tmp_path / "c.txt").write_text("1\t서울\tLC_B\n2\t의\t-\n\n", encoding="utf-8")
    (tmp_path / "m.txt").write_text("서울\t서울/NNP\n의\t의/JKG\n\n", encoding="utf-8")
    cli("ner", "eoj2morph", "--morphemes", "m.txt", "--ne", place, "c.txt", "m.conllu")
    assert entities(cli, "c.txt", "m.conllu") == [1, 0, 0]


def test_a_space_may_part_two_entities() -> None:
    rows = "3\tB-DT\n월\tI-DT\n \t{}\n4\tI-DT\n일\tI-DT\n\n"
    layout = label_format("klue-ner", "plain")
    for label, count in (("B-DT", 2), ("O", 2), ("I-DT", 1)):
        found = read_corpus(layout, ["## a\t3월 4일\n" + rows.format(label)])
        assert len(found.data[0].words.entities) == count


def test_rows_count_where_a_corpus_marks_its_text_as_well() -> None:
    rows = "1\t한석규\tNNP\tB_PS\n1\t가\tJKS\tO\n2\t오\tVV\tO\n2\t았다\tEF\tO\n\n"
    found = read_corpus(label_format("kips"), ["; 한석규가 왔다\n$한석규가 왔다\n" + rows])
    [sentence] = found.data
    assert (sentence.words.words[0], sentence.words.tags[0]) == ("한석규", "B-PS")


def test_a_format_that_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("<철수:PS>가 갔다\n", encoding="utf-8")
    (tmp_path / "system").write_text("철수가 갔다\n", encoding="utf-8")
    assert entities(cli, "gold", "system", "--from", "inline") == [0, 1, 0]


def nested_pairs(count: int) -> list[list[Tagged]]:
    """Random sentences of two sides, whose entities lie inside and across each other."""
    draw = random.Random(34)
    sides: list[list[Tagged]] = [[], []]
    for _ in range(count):
        length = draw.randint(4, 12)
        words = [f"w{n}" for n in range(length)]
        gold: set[Entity] = set()
        while len(gold) < draw.randint(0, 5):
            begin = draw.randrange(length)
            end = draw.randint(begin + 1, length)
            gold.add(Entity(draw.choice(["PS", "LC", "OG"]), begin, end))
        system = {one for one in gold if draw.random() < 0.7}
        system |= {one._replace(type="PS") for one in gold if draw.random() < 0.2}
        moved = {one._replace(end=one.end - 1) for one in gold if draw.random() < 0.2}
        system |= {one for one in moved if one.begin < one.end}
        for side, entities in zip(sides, (gold, system), strict=True):
            tags = [to_labels(layer, length) for layer in layers(sorted(entities))]
            first, *inner = tags or [("O",) * length]
            side.append(Tagged(words, first, inner))
    return sides


def sided(sentences: list[Tagged]) -> Annotation[list[Tagged]]:
    return collect("-", [(n, list(s.words), s) for n, s in enumerate(sentences, 1)])


def test_nested_entities_are_those_of_a_set_and_layers_those_of_nervaluate() -> None:
    gold, system = nested_pairs(500)
    [found] = NerMetric(nested=True).measure(sided(gold), sided(system))
    scored = figures(found)

    def of(sentences: list[Tagged]) -> set[tuple[int, str, float, float]]:
        return {(n, *place) for n, sentence in enumerate(sentences) for place in sentence.every}

    ours, theirs = of(gold), of(system)
    right = ours & theirs
    assert len(ours) > 900 and len(right) < len(ours)
    assert scored["Entities"] == (len(right), len(theirs - ours), len(ours - theirs))
    for name in ("PS", "LC", "OG"):
        own = [len({one for one in some if one[1] == name}) for some in (right, ours, theirs)]
        assert scored[name] == (own[0], own[2] - own[0], own[1] - own[0])
    nervaluate = pytest.importorskip("nervaluate")
    depth = max(len(in_layers(one.every)) for one in [*gold, *system])
    totals = {scheme: [0] * 5 for scheme in ("strict", "exact", "partial", "ent_type")}
    for number in range(depth):
        sides = [
            [
                [
                    {"label": place.type, "start": int(place.begin), "end": int(place.end) - 1}
                    for place in dict(enumerate(in_layers(sentence.every))).get(number, [])
                ]
                for sentence in side
            ]
            for side in (gold, system)
        ]
        done = nervaluate.Evaluator(*sides, tags=["PS", "LC", "OG"], loader="dict").evaluate()
        for scheme, own in totals.items():
            result = done["overall"][scheme]
            names = ("correct", "incorrect", "partial", "missed", "spurious")
            own[:] = [
                sum(pair) for pair in zip(own, [getattr(result, n) for n in names], strict=True)
            ]
        strict = done["overall"]["strict"]
        tp, fp, fn = scored[f"Layer {number + 1}"]
        assert (tp, tp + fn, tp + fp) == (strict.correct, strict.possible, strict.actual)
    for scheme, own in totals.items():
        assert scored[scheme.removeprefix("ent_")] == tuple(own), scheme


def test_every_nested_entity_is_in_the_confusion_once() -> None:
    """Also several with the same borders, of which each is compared with its own type first."""
    gold, system = nested_pairs(300)
    [found] = NerMetric(nested=True).measure(sided(gold), sided(system))
    confusion = found.confusion("types")
    right = sum(confusion.counts[i][i] for i in range(len(confusion.labels)))
    absent = confusion.labels.index("-")
    counts = found.scores["Entities"].counts
    spurious = sum(row[absent] for row in confusion.counts)
    assert right == counts["tp"]
    assert sum(map(sum, confusion.counts)) - spurious == counts["tp"] + counts["fn"]
    assert sum(map(sum, confusion.counts)) - sum(confusion.counts[absent]) == sum(
        len(sentence.every) for sentence in system
    )


def test_characters_and_their_morphemes_have_the_same_labels_of_eojeols(
    cli: Cli, tmp_path: Path
) -> None:
    """An entity may begin inside an eojeol that has another, or at the space before its own."""
    date, place = ["B-DT", "I-DT", "O", "B-DT", *["I-DT"] * 5], ["B-LC", "I-LC", "I-LC"]
    labels = [*date, "O", "O", *place, "O", "O", "O"]
    pairs = zip("어제(5월 10일), 서울 왔다", labels, strict=True)
    rows = [f"{character}\t{label}\n" for character, label in pairs]
    (tmp_path / "gold.tsv").write_text("".join(rows) + "\n", encoding="utf-8")
    assert cli("ner", "syl2morph", "gold.tsv", "gold.conllu").returncode == 0
    done = cli("eval", "ner", "--json", "--unit", "eojeol", "gold.tsv", "gold.conllu")
    scores = {score["name"]: score for score in json.loads(done.stdout)["scores"]}
    assert [scores["Entities"][key] for key in ("tp", "fp", "fn")] == [2, 0, 0]


def test_nested_entities_of_corpora_and_of_morphemes(cli: Cli, tmp_path: Path) -> None:
    text = {"text": "서울역장이 왔다", "label": [[0, 3, "LC"], [0, 2, "LC"], [0, 4, "PS"]]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(text) + "\n", encoding="utf-8")
    assert cli("ner", "syl2morph", "--nested", "gold.jsonl", "all.conllu").returncode == 0
    assert cli("ner", "syl2morph", "gold.jsonl", "outer.conllu").returncode == 0
    for name, unit, counts in (
        ("all.conllu", "character", (3, 0, 0)),
        ("outer.conllu", "character", (1, 0, 2)),
        ("outer.conllu", "eojeol", (1, 0, 1)),
        ("gold.jsonl", "word", (3, 0, 0)),
    ):
        done = cli("eval", "ner", "--nested", "--json", "--unit", unit, "gold.jsonl", name)
        scores = {score["name"]: score for score in json.loads(done.stdout)["scores"]}
        entities = scores["Entities"]
        assert (entities["tp"], entities["fp"], entities["fn"]) == counts, (name, unit)
    done = cli("eval", "ner", "--nested", "--json", "all.conllu", "outer.conllu")
    assert b'"fn": 2' in done.stdout
    agreed = cli("ner", "agree", "--nested", "gold.jsonl", "outer.conllu")
    assert b"not compared" not in agreed.stderr
    assert b"not compared" in cli("ner", "agree", "gold.jsonl", "outer.conllu").stderr


def test_types_of_two_tag_sets_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("철수는\tB-PS\n서울에\tB-LC\n간다.\tO\n", "utf-8")
    (tmp_path / "system.txt").write_text("철수는\tB-PER\n서울에\tB-LOC\n간다.\tO\n", "utf-8")
    done = cli("eval", "ner", "gold.txt", "system.txt")
    assert b"gold has LC, PS and the system LOC, PER, no type of which is the same" in done.stderr
    (tmp_path / "types.txt").write_text("PER\tPS\nLOC\tLC\n", "utf-8")
    cli("ner", "convert", "system.txt", "mapped.txt", "--map", "types.txt", "--to", "columns")
    done = cli("eval", "ner", "gold.txt", "mapped.txt")
    assert not done.stderr
    assert b"Entities   2   0   0" in done.stdout


@pytest.mark.parametrize("option", ["--sentences", "--bootstrap"])
def test_conlleval_has_no_more_than_its_table(cli: Cli, root: Path, option: str) -> None:
    gold = root / "samples" / "eval" / "gold.tsv"
    done = cli("eval", "ner", gold, gold, "--conlleval", option)
    assert done.returncode == 2
    assert f"{option} and --conlleval exclude each other" in done.stderr.decode()
