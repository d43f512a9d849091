"""Lists of frequencies, key words and collocates: the figures, the files, the command.

The figures are compared with SciPy and with plain loops over the words, which share no code with
the library.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter
from itertools import chain
from math import isclose, log2, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from portions import some

import sejongud
from sejongud import UsageError
from sejongud.query import frequencies
from sejongud.query.frequencies import Frequencies
from sejongud.statistics import measures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conftest import Cli

SENTENCES = Path(__file__).parent / "data" / "query" / "sentences.conllu"

Corpus = list[list[str]]
WORDS = st.sampled_from(["봄", "비", "꽃", "=산", "강"])
CORPORA = st.lists(st.lists(WORDS, min_size=1, max_size=12), min_size=1, max_size=6)


def sentences_of(corpus: Corpus) -> list[sejongud.Sentence]:
    """Make sentences of which each word is an eojeol and a noun."""
    text = "\n".join("".join([f"{form}\t{form}/NNG\n" for form in words]) for words in corpus)
    return sejongud.loads(text, from_="sejong")


def g2(table: Sequence[Sequence[int]]) -> float:
    """Return G2 of a table of four cells as SciPy has it."""
    stats = pytest.importorskip("scipy.stats")
    return float(stats.chi2_contingency(table, lambda_="log-likelihood", correction=False)[0])


def close(left: object, right: float) -> bool:
    return isclose(float(left), right, rel_tol=1e-9, abs_tol=1e-9)  # type: ignore[arg-type]


# --- the figures ----------------------------------------------------------------------------------


def test_measures_worked_by_hand() -> None:
    # 50 of 1,000 words beside 10 of 2,000: E1 = 20, E2 = 40.
    # 2 (50 ln 2.5 + 10 ln 0.25) = 2 (45.814537 - 13.862944)
    assert round(measures.log_likelihood(50, 10, 1000, 2000), 4) == 63.9032
    assert measures.percent_difference(50, 10, 1000, 2000) == pytest.approx(900)
    assert measures.percent_difference(0, 10, 1000, 2000) == -100
    assert measures.percent_difference(1, 0, 1000, 2000) is None
    # Four of the eight occurrences stand in windows of 40 of 1,000 words: E = 0.32.
    # 2 (4 ln 12.5 + 36 ln (36/39.68) + 4 ln (4/7.68) + 956 ln (956/952.32)) = 15.3538
    expected, likelihood, mi, t, dice = measures.association(4, 8, 40, 10, 1000)
    assert expected == pytest.approx(0.32)
    assert round(likelihood, 4) == 15.3538
    assert mi == pytest.approx(log2(12.5))
    assert t == pytest.approx(1.84)
    assert dice == pytest.approx(14 + log2(8 / 18))
    # Gries (2008): five parts of 18, 20, 20, 20 and 22 %; one occurrence in the third part alone.
    shares = [0.18, 0.2, 0.2, 0.2, 0.22]
    assert measures.dispersions([(0, 2, 7)], [7], shares) == [pytest.approx(0.8)]


@given(*[st.integers(0, 60)] * 2, *[st.integers(60, 900)] * 2)
def test_keyness_is_that_of_scipy(a: int, b: int, size: int, other: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    rate = (a + b) / (size + other)
    expected = [size * rate, other * rate]
    wanted = stats.power_divergence([a, b], expected, lambda_="log-likelihood")[0] if a + b else 0.0
    assert close(measures.log_likelihood(a, b, size, other), float(wanted))


def dispersion_of(parts: Corpus, word: str) -> float:
    """Return Gries' DP by the words of the definition."""
    size = sum(map(len, parts))
    total = sum([part.count(word) for part in parts])
    return sum([abs(part.count(word) / total - len(part) / size) for part in parts]) / 2


@given(CORPORA, CORPORA)
def test_frequencies_and_keyness_of_any_corpora(corpus: Corpus, reference: Corpus) -> None:
    table = sejongud.freq(
        sentences_of(corpus), of="lemma", parts="sentence", against=sentences_of(reference)
    )
    mine, others = [Counter(chain.from_iterable(words)) for words in (corpus, reference)]
    size, other = mine.total(), others.total()
    rows = table.set_index("lemma").to_dict("index")
    assert set(rows) == {*mine, *others}
    assert list(table["log_likelihood"]) == sorted(table["log_likelihood"], reverse=True)
    for word, row in rows.items():
        a, b = mine[word], others[word]
        assert (row["count"], row["reference_count"]) == (a, b)
        assert row["range"] == sum([word in words for words in corpus])
        assert close(row["per_million"], a * 1_000_000 / size)
        assert close(row["share"], a / size)
        assert close(row["reference_per_million"], b * 1_000_000 / other)
        if b:
            assert close(row["percent_diff"], (a / size - b / other) / (b / other) * 100)
        else:
            assert pd.isna(row["percent_diff"])
        if a and len(corpus) > 1:
            assert close(row["dispersion"], dispersion_of(corpus, word))
        else:
            assert pd.isna(row["dispersion"])


@given(CORPORA, st.integers(0, 3), st.integers(1, 3))
def test_collocates_of_any_corpus(corpus: Corpus, left: int, right: int) -> None:
    table = sejongud.freq(sentences_of(corpus), of="form", around="form=봄", window=(left, right))
    inside, everywhere = Counter[str](), Counter[str]()
    for words in corpus:
        for i, word in enumerate(words):
            if word != "봄":
                around = [*words[max(i - right, 0) : i], *words[i + 1 : i + 1 + left]]
                everywhere[word] += 1
                inside[word] += "봄" in around
    nodes = sum([words.count("봄") for words in corpus])
    size, window = everywhere.total(), inside.total()
    rows = table.set_index("form").to_dict("index")
    assert set(rows) == {word for word in inside if inside[word]}
    for word, row in rows.items():
        o, f = inside[word], everywhere[word]
        expected = window * f / size
        assert (row["count"], row["frequency"]) == (o, f)
        assert close(row["expected"], expected)
        assert close(row["mi"], log2(o / expected))
        assert close(row["t_score"], (o - expected) / sqrt(o))
        assert close(row["log_dice"], 14 + log2(2 * o / (nodes + f)))
        if 0 < window < size and f < size:
            cells = [[o, window - o], [f - o, size - window - f + o]]
            assert close(row["log_likelihood"], g2(cells))


def test_figures_of_a_treebank(shared: Path, tmp_path: Path) -> None:
    """A real treebank beside another, counted again with a plain loop over their lines."""
    dev, test = tmp_path / "gsd.conllu", tmp_path / "kaist.conllu"
    for path, folder in ((dev, "gsd/ko_gsd"), (test, "kaist/ko_kaist")):
        text = (shared / "data" / f"ud-korean-{folder}-ud-dev.conllu").read_text("utf-8")
        path.write_text(some(text), "utf-8")
    counts = []
    for path in (dev, test):
        rows = [line.split("\t") for line in path.read_text("utf-8").splitlines() if "\t" in line]
        counts.append(Counter([(row[2], row[4]) for row in rows if row[0].isdecimal()]))
    table = sejongud.freq(dev, against=test)
    assert dict(zip(zip(table.lemma, table.tag, strict=True), table["count"], strict=True)) == {
        key: counts[0][key] for key in {*counts[0], *counts[1]}
    }
    first = table.iloc[0]
    a, b = [count[first.lemma, first.tag] for count in counts]
    c, d = [count.total() for count in counts]
    stats = pytest.importorskip("scipy.stats")
    expected = [c * (a + b) / (c + d), d * (a + b) / (c + d)]
    wanted = stats.power_divergence([a, b], expected, lambda_="log-likelihood")[0]
    assert close(first.log_likelihood, float(wanted))


def test_n_grams_and_parts() -> None:
    sentences = sentences_of([["봄", "비", "봄", "비"], ["봄", "꽃"], ["비"]])
    table = sejongud.freq(sentences, of="form,tag", ngrams=2)
    assert table[["form", "tag", "count"]].values.tolist() == [
        ["봄 비", "NNG NNG", 2], ["봄 꽃", "NNG NNG", 1], ["비 봄", "NNG NNG", 1],
    ]  # fmt: skip
    few = sejongud.freq(sentences, of="form", ngrams=2, where="form!=꽃")
    assert few[["form", "count", "share"]].values.tolist() == [
        ["봄 비", 2, 2 / 3],
        ["비 봄", 1, 1 / 3],
    ]
    # The words of the corpus are all words, whichever are counted.
    [row] = sejongud.freq(sentences, of="form", where="꽃").to_dict("records")
    assert (row["per_million"], row["share"]) == (pytest.approx(1_000_000 / 7), 1)
    assert sejongud.freq(sentences, sentences, of="form", parts="file")["range"].max() == 2
    assert sejongud.freq(sentences_of([]), of="form").empty


def test_documents_are_parts() -> None:
    text = "".join(
        f"# newdoc id = {name}\n# meta::genre = {genre}\n"
        f"1\t{form}\t{form}\tNOUN\tNNG\t_\t0\troot\t_\t_\n\n"
        for name, genre, form in (("a", "시", "봄"), ("b", "글", "봄"), ("c", "시", "비"))
    )
    sentences = sejongud.loads(text)
    table = sejongud.freq(sentences, of="form")
    assert table[["form", "range"]].values.tolist() == [["봄", 2], ["비", 1]]
    chosen = sejongud.freq(sentences, of="form", doc="genre = 시", against=sentences)
    assert dict(zip(chosen.form, chosen.reference_count, strict=True)) == {"봄": 2, "비": 1}
    assert dict(zip(chosen.form, chosen["count"], strict=True)) == {"봄": 1, "비": 1}


def test_rows_that_are_too_many_are_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequencies, "MOST", 2)
    table = sejongud.freq(sentences_of([["봄", "비", "꽃", "강"], ["봄", "꽃"]]), of="form,tag")
    assert table[["form", "tag", "count"]].values.tolist() == [
        ["(others)", "", 3], ["봄", "NNG", 2], ["비", "NNG", 1],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"of": "lema"}, "lema"),
        ({"of": "form,form"}, "each key is named once"),
        ({"ngrams": 0}, "1 to 10 words"),
        ({"around": "봄", "ngrams": 2}, "collocates are single words"),
        ({"around": "봄", "against": []}, "collocates have no reference"),
        ({"window": "0"}, "0 is no window"),
        ({"window": (1, 2, 3)}, "1,2,3 is no window"),
        ({"parts": "page"}, "there are no parts page"),
        ({"where": "tag="}, "a value must follow"),
        ({"level": 9}, "there is no level 9"),
        ({"doc": "("}, "no regular expression"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sejongud.freq(sentences_of([["봄"]]), **options)


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        (["a.txt"], True),
        (["--against", "a.txt"], True),
        (["a.txt", "--level", "2"], False),
        ([], False),
    ],
)
def test_words_of_treebanks_beside_morphemes_are_told(
    options: list[str], is_told: bool, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("봄이\t봄/NNG+이/JKS\n", "utf-8")
    done = cli("freq", SENTENCES, *options)
    assert (b"words of treebanks are counted beside morphemes" in done.stderr) == is_told


def test_the_table_has_the_form_of_its_ending(cli: Cli, tmp_path: Path) -> None:
    """Excel reads UTF-8 by its byte order mark, and no cell is a formula."""
    rows = [["봄", "=산", "=산"], ["봄", "강"]]
    text = "\n".join("".join([f"{word}\t{word}/NNG\n" for word in words]) for words in rows)
    (tmp_path / "a.txt").write_text(text, "utf-8")
    line = ["freq", "a.txt", "--from", "sejong", "--of", "lemma,tag", "--parts", "sentence"]
    for ending in ("csv", "tsv", "json", "xlsx", "parquet"):
        assert cli(*line, "-o", f"x.{ending}").returncode == 0
    wanted = sejongud.freq(tmp_path / "a.txt", from_="sejong", parts="sentence")
    raw = (tmp_path / "x.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbflemma,tag,count,per_million,share,range,dispersion\n")
    table = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"))))
    assert [row[:3] for row in table[1:]] == [
        ["'=산", "NNG", "2"], ["봄", "NNG", "2"], ["강", "NNG", "1"],
    ]  # fmt: skip
    assert float(table[1][6]) == wanted.dispersion[0]
    assert (
        (tmp_path / "x.tsv").read_text("utf-8").splitlines()[1].startswith("'=산\tNNG\t2\t400000.0")
    )
    assert json.loads((tmp_path / "x.json").read_text("utf-8"))[0]["lemma"] == "=산"
    assert pd.read_parquet(tmp_path / "x.parquet").equals(wanted)
    sheet = pytest.importorskip("openpyxl").load_workbook(tmp_path / "x.xlsx").active
    cells = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert cells[0] == list(wanted)
    assert cells[1][:3] == ["'=산", "NNG", 2]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} == {"s", "n"}
    # A pipe has no mark.
    assert cli(*line, "--to", "csv").stdout.startswith(b"lemma,")


def test_all_rows_are_in_a_file_and_the_first_in_a_terminal(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join([f"{n}\t{n}/SN\n" for n in range(70)]), "utf-8")
    assert len(cli("freq", "a.txt").stdout.splitlines()) == 51
    assert len(cli("freq", "a.txt", "--limit", "0").stdout.splitlines()) == 71
    assert len(cli("freq", "a.txt", "--to", "tsv").stdout.splitlines()) == 71
    assert len(cli("freq", "a.txt", "--to", "tsv", "--limit", "3").stdout.splitlines()) == 4


def test_the_library_counts_what_the_command_counts(cli: Cli, root: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("corpus-written.txt", "corpus-spoken.txt", "klue-ner.tsv", "learner.m2"):
        (tmp_path / "in" / name).write_bytes((root / "samples" / name).read_bytes())
    (tmp_path / "in" / "README.md").write_text("About it.\n", "utf-8")
    reference = root / "samples" / "ud.conllu"
    for words, options in (
        ("--of lemma --where tag=NN* --level 5", {"of": "lemma", "where": "tag=NN*", "level": 5}),
        (f"--against {reference} --level 4", {"against": reference, "level": 4}),
        ("--around tag=NNG --window 1,2", {"around": "tag=NNG", "window": "1,2"}),
        ("--of tag --ngrams 3 --parts file", {"of": ["tag"], "ngrams": 3, "parts": "file"}),
    ):
        done = cli("freq", "in", *words.split(), "-o", "x.parquet", "--force")
        assert (done.returncode, b"in/README.md: skipped" in done.stderr) == (0, True)
        table = sejongud.freq(tmp_path / "in", on_error="keep", **options)
        assert pd.read_parquet(tmp_path / "x.parquet").equals(table)
        assert len(table) > 20


def test_the_command_tells_what_it_has_counted(cli: Cli) -> None:
    done = cli("freq", SENTENCES, "--around", "upos=VERB", "--of", "upos", "--window", "1")
    assert "6 rows" not in done.stderr.decode()
    assert done.stderr.decode().endswith("from 18 words, 1 node\n")
    done = cli("freq", SENTENCES, "--where", "tag=FOO or upos=verb or tag=V*")
    assert "there is no tag" not in done.stderr.decode()
    said = cli("freq", SENTENCES, "--where", "tag=FOO or upos=verb").told_only(0)
    assert "tag=FOO: there is no tag FOO" in said
    assert "upos=verb: there is no tag verb; did you mean VERB?" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "xlsx"], "xlsx is a file of bytes"),
        (["-o", "x.parquet.gz"], "parquet is a file of bytes, not compressed"),
        (["-o", "x.xls"], ".xls cannot be written here"),
        (["--of", "lema"], "lema is no key"),
        (["--window", "x", "--around", "봄"], "x is no window"),
        (["--where", "tag="], "a value must follow the ="),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, cli: Cli, tmp_path: Path) -> None:
    assert message in cli("freq", SENTENCES, *arguments).told_only()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("library", ["openpyxl", "pyarrow"])
def test_a_table_that_cannot_be_written_is_not_counted(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr("sejongud.commands.query._counted", None)
    done = cli("freq", SENTENCES, "-o", "x.xlsx" if library == "openpyxl" else "x.parquet")
    assert (done.returncode, library.encode() in done.stderr) == (1, True)


def test_a_spreadsheet_has_so_many_rows(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sejongud.commands.query._SHEET", 5)
    assert "a spreadsheet has 5 rows" in cli("freq", SENTENCES, "-o", "x.xlsx").told(2)
    assert cli("freq", SENTENCES, "-o", "x.xlsx", "--limit", "4").returncode == 0


def test_counts_of_places_need_no_words() -> None:
    counts = Frequencies("form")
    counts.begin_part()
    assert counts.table().empty


def test_corpora_are_files_folders_or_sentences(root: Path) -> None:
    paths = [root / "samples" / name for name in ("corpus-written.txt", "corpus-spoken.txt")]
    listed = sejongud.freq(paths, parts="file")
    assert listed.equals(sejongud.freq(*map(str, paths), parts="file"))
    assert listed["range"].max() == 2
    for wrong in (3, [3], [sentences_of([["봄"]])[0].to_tokenlist()]):
        given: Any = wrong
        with pytest.raises(UsageError, match="a corpus is a file, a folder or Sentences, not"):
            sejongud.freq(given)
