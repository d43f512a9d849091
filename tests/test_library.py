"""The library as users type it: sentences as sequences, copies, and errors for other values."""

from __future__ import annotations

import copy
import inspect
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sejongud
from sejongud import UsageError, gec, spark
from sejongud.arguments import commands, options_of
from sejongud.converters.jobs import Conversion
from sejongud.evaluation import METRICS, Evaluation, evaluate, evaluate_all, metric_class
from sejongud.gec import scoring

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Cli

    from sejongud import Sentence

TEXT = "나는\t나/NP+는/JX\n간다.\t가/VV+ㄴ다/EF+./SF\n\n너도\t너/NP+도/JX\n"


def first() -> Sentence:
    return sejongud.loads(TEXT)[0]


def test_a_sentence_is_a_sequence_of_words() -> None:
    sentence = first()
    words = list(sentence)
    assert [sentence[0], sentence[-1]] == [words[0], words[-1]]
    assert [word.form for word in sentence[1:4]] == ["는", "가", "ㄴ다"]
    assert list(reversed(sentence)) == words[::-1]
    assert words[2] in sentence
    assert sentence.recut(2)[1].form == "간다"
    with pytest.raises(IndexError):
        sentence[5]


def test_sentences_are_equal_if_all_that_is_said_of_them_is() -> None:
    sentence, other = sejongud.loads(TEXT)
    for same in (first(), copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):
        assert same == sentence
    assert sentence not in (other, sentence.recut(2), None)
    assert sentence.recut(2) == first().recut(2)


@pytest.mark.parametrize("name", ["klue-dp.tsv", "jsonl.jsonl", "ud.conllu", "modu.json"])
def test_every_word_has_its_columns(name: str, root: Path, tmp_path: Path) -> None:
    sentences = list(sejongud.read(root / "samples" / name, on_error="keep"))
    for sentence in sentences:
        assert all([word.form for word in sentence.words])
        assert all([token.form for token in sentence.tokens])
        for word in sentence:
            assert "" not in (word.form, word.lemma, word.upos, word.xpos)
    for to in ("conllu", "jsonl"):
        sejongud.write(sentences, tmp_path / f"a.{to}", to=to)
        again = list(sejongud.read(tmp_path / f"a.{to}"))
        words = [[word[:9] for word in sentence] for sentence in sentences]
        assert [[word[:9] for word in sentence] for sentence in again] == words


def test_a_sentence_is_shown_by_its_id_and_text() -> None:
    assert repr(first()) == "<Sentence 1: 나는 간다.>"
    long = sejongud.loads("나\t나/NP\n" * 50)[0]
    assert len(repr(long)) < 80
    assert repr(long).endswith("…>")


def annotated(texts: Any) -> object:
    return gec.annotate(texts, texts)


def written_to_nowhere(sentences: Any) -> int:
    return sejongud.write(sentences, "never.conllu")


def build_with_id(sent_id: Any) -> object:
    return sejongud.Sentence.build([("봄", "봄/NNG")], sent_id=sent_id)


def analyze_at_level(level: Any) -> object:
    return sejongud.analyze("봄", level=level)


@pytest.mark.parametrize(
    ("function", "value", "message"),
    [
        (sejongud.loads, TEXT.encode(), "a text is a str, not a value of type bytes"),
        (sejongud.analyze, [b"x"], "a text is a str, not a value of type bytes"),
        (sejongud.analyze, Path("a.txt"), r"`sejongud.read` takes the path of a file"),
        (sejongud.loads, __file__, "is a file: `sejongud.read` takes its path"),
        (sejongud.analyze, __file__, "is a file: `sejongud.read` takes its path"),
        (annotated, ["나는 간다."], "a text is a str, not a value of type list"),
        (sejongud.surface, None, "not a value of type NoneType"),
        (sejongud.surface, [3], r"such as \('짓', 'VV'\), not 3"),
        (first().at_level, "3", "there is no level '3': the levels are 1 to 5"),
        (written_to_nowhere, first(), r"put this one into a list, \[sentence\]"),
        (written_to_nowhere, "a.conllu", "not a value of type str"),
        (first().with_comments, "newpar", "put this one into a list"),
        (sejongud.read, "", "the name of a file is empty"),
        (sejongud.to_dataframe, "ud.conllu", "a sentence is a Sentence, not a value of type str"),
        (sejongud.to_dataframe, [3], "a sentence is a Sentence, not a value of type int"),
        (build_with_id, "a\nb", "no id of one line"),
        (analyze_at_level, 0, "there is no level 0: the levels are 1 to 5"),
    ],
)
def test_other_values_are_errors_of_usage(
    function: Callable[[Any], object], value: object, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        list(function(value))  # type: ignore[call-overload]
    assert not Path("never.conllu").exists()


@pytest.mark.parametrize("name", ["deps", "ne", "trees", "profile"])
def test_an_option_of_convert_has_the_values_of_the_command(
    name: str, root: Path, tmp_path: Path
) -> None:
    options: dict[str, Any] = {name: "nothing", "scheme": "ud", "on_error": "keep"}
    with pytest.raises(UsageError, match=f"{name} is nothing; it should be one of: "):
        sejongud.convert(root / "samples" / "klue-dp.tsv", tmp_path / "out.conllu", **options)
    assert not (tmp_path / "out.conllu").exists()


def test_a_source_is_an_eojeol_or_a_pair() -> None:
    eojeol = first().eojeols[1]
    assert sejongud.surface("가/VV+ㄴ다/EF", eojeol) == "간다"
    given: Any = "간다"
    with pytest.raises(UsageError, match="its surface and its morphemes"):
        sejongud.surface("가/VV+ㄴ다/EF", given)
    whole: Any = eojeol
    with pytest.raises(UsageError, match=r"\.morphemes of an eojeol"):
        sejongud.surface(whole)
    for wrong in ([("짓",)], ["짓/VV"]):
        items: Any = wrong
        with pytest.raises(UsageError, match="a morpheme is a form and a tag"):
            sejongud.surface(items)
    with pytest.raises(TypeError, match="given"):
        gec.annotate("나", "너", given=True)


def test_a_file_is_not_converted_onto_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(UsageError, match=r"a\.txt is the source"):
        sejongud.convert(path, tmp_path / "." / "a.txt")
    assert path.read_text(encoding="utf-8") == TEXT


def test_an_evaluation_is_shown_by_its_scores() -> None:
    sentences = sejongud.loads(TEXT)
    shown = repr(evaluate("pos", sentences, sentences))
    assert shown.startswith("<Evaluation pos|align:offset|")
    assert "Words 1 100.00" in shown
    assert len(shown) < 1000


# --- sentences that are made and changed ----------------------------------------------------------


def test_words_have_mappings_places_and_no_head_where_there_is_none() -> None:
    words = list(first())
    assert [word.head for word in words] == [None] * 5
    text = first().text
    # ㄴ다 of 간다 shares its syllable with 가.
    assert [text[word.start : word.end] for word in words] == ["나", "는", "간", "간다", "."]
    row = "1\t{}\t{}\t{}\t{}\tCase=Nom|Number=Plur\t{}\tMine=a=b|Odd\n"
    table = row.format("봄", "봄", "NOUN", "NNG", "0\troot\t_")
    [word] = sejongud.loads(table + "\n")[0]
    assert (word.feats["Case"], dict(word.feats)) == ("Nom", {"Case": "Nom", "Number": "Plur"})
    assert (str(word.feats), str(words[0].feats), dict(words[0].misc)) == (
        *("Case=Nom|Number=Plur", "_"),
        {},
    )
    assert (word.misc["Mine"], str(word.misc), word.head) == ("a=b", "Mine=a=b|Odd", 0)
    assert word.feats == {"Number": "Plur", "Case": "Nom"}
    assert len({word, word}) == 1


def test_places_of_real_sentences(root: Path) -> None:
    for name in ("sejong.txt", "ud.conllu", "corpus-spoken.txt", "klue-dp.tsv"):
        for sentence in sejongud.read(root / "samples" / name, on_error="keep"):
            for word in sentence:
                piece = sentence.text[word.start : word.end]
                assert piece in sentence.eojeols[word.eojeol].form
                assert piece == word.form or not sentence.text.count(word.form) or len(piece) < 9


@pytest.mark.parametrize("name", ["sejong.txt", "ud.conllu", "klue-dp.tsv", "framenet.tsv"])
def test_a_word_is_replaced_and_nothing_else(name: str, root: Path, tmp_path: Path) -> None:
    """Every other column, layer and comment stays, also when the sentences are read back."""
    sentences = list(sejongud.read(root / "samples" / name, on_error="keep"))[:6]
    for sentence in sentences:
        plain = sentence.cut()
        changed = sentence.replace(-1, lemma="다른", upos="X", feats={"Foreign": "Yes"})
        last = changed[-1]
        assert (last.lemma, last.upos, str(last.feats)) == ("다른", "X", "Foreign=Yes")
        assert [word[:9] for word in changed[:-1]] == [word[:9] for word in plain[:-1]]
        assert (changed.frames, changed.comments, changed.sent_id, changed.number) == (
            *(plain.frames, plain.comments, plain.sent_id),
            sentence.number,
        )
        assert (changed.text, changed.entities) == (plain.text, plain.entities)
        sejongud.write([changed], tmp_path / "a.conllu")
        [again] = sejongud.read(tmp_path / "a.conllu")
        assert [word[:10] for word in again] == [word[:10] for word in changed]
    assert sentences == list(sejongud.read(root / "samples" / name, on_error="keep"))[:6]


RAIN = """\
1\t비가\t비+가\tNOUN\tNNG+JKS\t_\t2\tnsubj\t_\t_
2\t온다\t오+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t_\t_

"""


def test_heads_are_replaced() -> None:
    sentence = first().replace(0, head=3, deprel="nsubj").replace(2, head=0, deprel="root")
    assert [word.head for word in sentence] == [3, None, 0, None, None]
    assert sentence[0].deprel == "nsubj"
    with pytest.raises(sejongud.FormatError, match="9"):
        first().replace(0, head=9)
    with pytest.raises(IndexError):
        first().replace(5, lemma="나")
    unknown: Any = {"lema": "나"}
    with pytest.raises(sejongud.UsageError, match="a word has no column lema: form, lemma, upos"):
        first().replace(0, **unknown)
    for value in ("", "a\tb", "a\nb"):
        with pytest.raises(sejongud.FormatError, match="lemma is no cell") as raised:
            first().replace(0, lemma=value)
        assert raised.value.code == "E231"


@pytest.mark.parametrize(
    ("text", "index", "form", "tokens", "said"),
    [
        ("나는\t나/NP+는/JX\n간다.\t가/VV+ㄴ다/EF+./SF\n", 0, "너", "너는", "너는 간다."),
        ("나는\t나/NP+는/JX\n간다.\t가/VV+ㄴ다/EF+./SF\n", 4, "!", "!", "나는 간다!"),
        ("가\t가/VV\n", 0, "와", "와", "와"),
        ("# text = 비가  온다.\n" + RAIN, 1, "왔다", "왔다", "비가  왔다."),
        ("# text = 비 온다.\n" + RAIN, 1, "왔다", "왔다", "비 왔다."),
    ],
    ids=["range", "mark", "word", "spaces of the text", "a text of its own"],
)  # fmt: skip
def test_the_text_follows_a_form(
    text: str, index: int, form: str, tokens: str, said: str, tmp_path: Path
) -> None:
    changed = sejongud.loads(text)[0].replace(index, form=form)
    assert changed[index].form == form
    assert tokens in [token.form for token in changed.tokens]
    assert (changed.text_orig or changed.text) == said
    sejongud.write([changed], tmp_path / "a.conllu")
    [again] = sejongud.read(tmp_path / "a.conllu")
    assert (again.text_orig or again.text) == said


def test_a_form_that_shares_its_syllables_is_not_replaced() -> None:
    sentence = sejongud.loads("갔다\t가/VV+았/EP+다/EF\n")[0]
    with pytest.raises(sejongud.FormatError, match=r"갔다 is not 가 .* Sentence.build"):
        sentence.replace(0, form="오")
    assert sentence.replace(0, lemma="오")[0].lemma == "오"


@pytest.mark.parametrize(
    "name", ["ud.conllu", "klue-ner.tsv", "sejong-senses.txt", "framenet.tsv", "jsonl.jsonl"]
)
def test_an_item_of_misc_is_added_to_those_that_are_shown_elsewhere(name: str, root: Path) -> None:
    """SpaceAfter, the label of an entity, senses and the morphemes stay."""
    for sentence in sejongud.read(root / "samples" / name, on_error="keep"):
        plain = sentence.cut()
        for index, word in enumerate(plain):
            changed = sentence.replace(index, misc={**word.misc, "Mine": "a"})
            assert dict(changed[index].misc) == {**word.misc, "Mine": "a"}
            assert changed.text == sentence.text
            back = changed.replace(index, misc=dict(word.misc))
            assert back.to_conllu() == plain.to_conllu()
    assert str(plain.replace(0, misc="Mine=a")[0].misc) == "Mine=a"


def test_a_column_that_is_none_is_empty() -> None:
    """As the head of a word is None where there is none."""
    sentence = first().replace(0, upos="X", lemma="l", head=2, deprel="dep")
    changed = sentence.replace(0, upos=None, lemma=None, head=None, deprel=None)  # type: ignore[arg-type]
    assert changed[0][2:4] == ("_", "_")
    assert (changed[0].head, changed[0].deprel) == (None, "_")


def test_a_sentence_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    other = sejongud.Sentence.build([("봄", "봄/NNG")], sent_id="a-2")
    with pytest.raises(sejongud.FormatError, match="sentence a-2: KLUE-DP has a head"):
        sejongud.write([other], tmp_path / "a.tsv", to="klue-dp")


def test_layers_that_are_not_written_are_logged(
    root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sentences = list(sejongud.read(root / "samples" / "klue-ner.tsv"))
    caplog.clear()
    sejongud.write(sentences, tmp_path / "a.txt", to="sejong")
    logged = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(logged) == sum(word.entity[:1] == "B" for one in sentences for word in one)
    assert all("W441" in message for message in logged)


def test_a_table_takes_token_lists() -> None:
    sentence = first().cut()
    table = sejongud.to_dataframe([sentence.to_tokenlist()])
    assert table.equals(sejongud.to_dataframe([sentence]))


def test_comments_are_replaced() -> None:
    sentence = sejongud.loads("# a\n" + first().to_conllu())[0]
    changed = sentence.with_comments(["newdoc id = x", "b"])
    assert (sentence.comments, changed.comments) == (("a",), ("newdoc id = x", "b"))
    assert changed.to_conllu().startswith("# newdoc id = x\n# sent_id = 1\n")
    assert "# a\n" not in changed.to_conllu()
    for wrong in ("a\nb", "sent_id = 3", "text = 나"):
        with pytest.raises(UsageError, match="no further comment"):
            sentence.with_comments([wrong])


def test_a_sentence_is_built() -> None:
    built = sejongud.Sentence.build(
        [("나는", [("나", "NP"), ("는", "JX")]), ("갔다.", "가/VV+았/EP+다/EF+./SF")], sent_id="a-1"
    )
    assert [word.form for word in built] == ["나", "는", "가", "았", "다", "."]
    assert built.sent_id == "a-1"
    assert sejongud.loads(built.to_conllu())[0].text == "나는 갔다."
    for form, analysis, why in (
        ("왔다", "가/VV+았/EP+다/EF", "no rule makes 왔"),
        ("갔다", "가/VV+았/EP+다/XYZ", "unknown tag XYZ"),
        ("나 는", "나/NP+는/JX", "has a space"),
        ("갔다", "가+았", "every morpheme needs"),
        ("", "가/VV", "without a form"),
    ):
        with pytest.raises(sejongud.FormatError, match=why):
            sejongud.Sentence.build([(form, analysis)])


def test_token_lists_are_written(tmp_path: Path) -> None:
    sentence = first()
    sejongud.write([sentence.to_tokenlist(), sentence.cut()], tmp_path / "a.conllu")
    assert (tmp_path / "a.conllu").read_text("utf-8") == sentence.to_conllu() * 2
    with pytest.raises(UsageError, match="put this one into a list"):
        written_to_nowhere(sentence.to_tokenlist())


def test_lines_are_analysed_at_a_level() -> None:
    lines = (line for line in ["나는 간다.", "너도 온다.\n"])
    sentences = sejongud.analyze(lines, level=3, feats="ud", translit=True, jobs=1)
    assert [[word.form for word in sentence] for sentence in sentences] == [
        *(["나", "는", "간다", "."], ["너", "도", "온다", "."]),
    ]
    assert "Translit" in sentences[0][0].misc
    assert len(sejongud.analyze("나는 간다. 너도 온다.", split=True)) == 2
    assert sejongud.analyze("나는 간다.\n너도 온다.") == sejongud.analyze(
        ["나는 간다.", "너도 온다."]
    )


def test_a_table_of_sentences() -> None:
    sentences = sejongud.loads(TEXT)
    table = sejongud.to_dataframe(sentences, level=2)
    assert list(table.form) == ["나는", "간다", ".", "너도"]
    assert len(sejongud.to_dataframe(sentences)) == 7
    assert table[:3].equals(sentences[0].to_dataframe(2))
    assert table[:3].equals(sejongud.to_dataframe(sentences[0], level=2))


def test_a_folder_is_read(root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("sejong.txt", "klue-ner.tsv"):
        (tmp_path / name).write_bytes((root / "samples" / name).read_bytes())
    (tmp_path / "README.md").write_text("About it.\n", "utf-8")
    with caplog.at_level("INFO", "sejongud"):
        assert len(list(sejongud.read(tmp_path))) == 30
    assert "README.md: skipped: in no format that is known" in caplog.text


def test_incidents_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.txt"
    path.write_text("나는\t나/NP+은/JX\n\n간다\n\n봄\t봄/NNGG\n", "utf-8")
    found = list(sejongud.read(path, from_="sejong", on_error="skip"))
    sejongud.convert(path, tmp_path / "a.conllu", from_="sejong", on_error="skip")
    assert len(found) == 2
    said = [(one.name, one.levelname, one.getMessage()) for one in caplog.records]
    assert [(name, level) for name, level, _ in said] == [("sejongud", level) for level in
        ("ERROR", "WARNING") * 2]  # fmt: skip
    assert ("a.txt:3: E101" in said[0][2], "W101 tag NNGG" in said[1][2]) == (True, True)
    caplog.clear()
    report = sejongud.Report()
    list(sejongud.read(path, from_="sejong", on_error="skip", report=report))
    assert (report.errors, caplog.records) == (1, [])


# --- the whole library ----------------------------------------------------------------------------

FUNCTIONS: dict[str, list[Any]] = {
    name: [getattr(sejongud, name)] for name in ("analyze", "convert", "draw", "freq", "join")
}
FIGURES = [Evaluation.intervals, Evaluation.compare, Evaluation.to_dataframe]
for name in ("tokens", "parse", "pos", "dep", "ner", "frame", "sighan"):
    kinds = [metric_class(kind) for kind in METRICS if kind.split("-")[0] == name]
    FUNCTIONS[f"eval {name}"] = [evaluate, evaluate_all, *FIGURES, *kinds]
FUNCTIONS["gec score"] = [gec.score, gec.Annotator, *FIGURES]
FUNCTIONS["gec score"] += [metric_class(name, scoring.METRICS) for name in scoring.METRICS]
FUNCTIONS["gec annotate"] = [gec.annotate, gec.Annotator]
FUNCTIONS["spark convert"] = [spark.convert, spark.read_sentences, spark.write_text]
"""Command → the functions of that name, with what their further keywords are those of."""

OTHER_KEYWORDS = {
    "searched": "inputs", "base": "source", "layers": "others",
    "named": "source text",
    "to": "path", "others": "systems", "bootstrap": "samples", "compare": "other",
    "filter": "without", "hypothesis": "hypothesis", "references": "reference",
    "hyp": "hypothesis", "ref": "reference", "texts": "source", "analysis": "analyses",
    "types": "given", "cat": "by", "parameters": "parameters", "cutoff": "parameters",
    "align": "align", "patterns": "path", "output": "target", "shown": "inputs source path",
}  # fmt: skip
"""Option → the keywords that do its work."""

EXCEPTED = {
    "of a run: a function has a report, a logger and a progress bar of the caller's": (
        "quiet verbose log force no-progress jobs on-error master"
    ),
    "of the output: a function returns a table or objects, which the caller writes": (
        "to json csv tsv markdown latex output outputs limit metrics html title target mark"
        " with-tags tags ids noop"
    ),
    "text that another program prints": "conlleval evalb most-errors debug debug-all",
    "tables of several results: each is a call": "systems names folds runs",
    "methods: Evaluation.confusion(kind), and Confusion.draw": "confusion picture",
    "of files: `sejongud.read`, `gec.read_m2` and `gec.Corrections` are their functions": (
        "from encoding field columns spoken clean keep-edits align"
    ),
}
"""Why options have no keyword in some of the functions, and these options."""

WITHOUT_FUNCTION = {
    "a page, a picture, a listing or a folder": (
        "report show serve rules completion release spark+script generate stats grep validate"
    ),
    "conversions: `convert` takes their formats; the classes of sejongud.converters do the rest": (
        "ner dep tree frame gec"
    ),
}
"""Why commands have no function of their name, and these commands."""


def keywords_of(functions: list[Any]) -> set[str]:
    """Return the keywords of functions; those of a conversion are its fields."""
    made = set().union(*[inspect.signature(function).parameters for function in functions])
    return made | (set(Conversion.__annotations__) if spark.convert in functions else set())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_option_of_a_command_is_a_keyword(name: str) -> None:
    keywords = keywords_of(FUNCTIONS[name])
    excepted = {option for options in EXCEPTED.values() for option in options.split()}
    missing = set()
    for option, _ in options_of(name).values():
        own = {option.keyword, *OTHER_KEYWORDS.get(option.name, "").split()}
        if option.type != "gone" and not own & keywords:
            missing.add(option.name)
    assert missing - excepted == set()


OWN_KEYWORDS = {
    sejongud.convert: "source target from_ to jobs field encoding report",
    sejongud.analyze: "text split jobs",
}
"""The keywords that are no field of a conversion; it gets all others by their names."""


@pytest.mark.parametrize("function", OWN_KEYWORDS)
def test_the_other_keywords_are_fields_of_a_conversion(function: Any) -> None:
    keywords = set(inspect.signature(function).parameters)
    assert keywords - Conversion.defaults.keys() == set(OWN_KEYWORDS[function].split())


def test_every_keyword_of_convert_reaches_the_conversion(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "in.txt"
    source.write_text("나는\t나/NP+는/JX\n", "utf-8")
    fields = inspect.signature(sejongud.convert).parameters.keys() & Conversion.defaults.keys()
    given: dict[str, Any] = {name: f"a {name}" for name in fields}
    given |= {"level": 3, "rules": None, "trees": "none", "tags": None, "ids": None}
    made: list[Conversion] = []
    monkeypatch.setattr(Conversion, "__post_init__", lambda conversion: made.append(conversion))
    monkeypatch.setattr("sejongud.api.convert_stream", lambda *_, **__: None)
    sejongud.convert(source, tmp_path / "out.conllu", **given)
    files = {"trees": True, "tags": False, "ids": False}
    assert {name: getattr(made[-1], name) for name in fields} == given | files


def test_every_command_has_a_function_or_a_reason() -> None:
    reasons = {name for names in WITHOUT_FUNCTION.values() for name in names.split()}
    names = [name for name in commands() if name[0] != "+" and name != "sejongud"]
    ends = [name for name in names if not any([one.startswith(f"{name} ") for one in names])]
    without = {name.replace(" ", "+") for name in ends if name not in FUNCTIONS}
    assert {name for name in without if name.split("+")[0] not in reasons} - reasons == set()
    # No row of the tables is left over.
    options = {option for name in FUNCTIONS for option in options_of(name)}
    excepted = {option for row in EXCEPTED.values() for option in row.split()}
    assert (excepted | OTHER_KEYWORDS.keys()) - options == set()


def test_options_of_convert_do_what_those_of_the_command_do(
    cli: Cli, root: Path, tmp_path: Path
) -> None:
    for line, options in (
        ("klue-dp.tsv --scheme ud --explain --on-error skip",
         {"scheme": "ud", "explain": True, "on_error": "skip"}),
        ("ud.conllu --xpos sejong --aux-lemmas bound --repair",
         {"xpos": "sejong", "aux_lemmas": "bound", "repair": True}),
        ("treebank.txt --trees none --deps dummy --on-error skip",
         {"trees": "none", "deps": "dummy", "on_error": "skip"}),
        ("sejong.txt --to tokens --mark --with-tags",
         {"to": "tokens", "mark": True, "with_tags": True}),
        ("sejong.txt --to tokens --ids other.tsv", {"to": "tokens", "ids": tmp_path / "ids.tsv"}),
        ("sejong.txt --to tokens --tags other.txt", {"to": "tokens", "tags": tmp_path / "t.txt"}),
        ("sejong.txt --to sejong --spaced", {"to": "sejong", "spaced": True}),
        ("klue-ner.tsv --ne column", {"ne": "column"}),
    ):  # fmt: skip
        name, *words = line.split()
        path = root / "samples" / name
        assert cli("convert", path, "a", *words, "--force", "-q").returncode == ("skip" in line)
        sejongud.convert(path, tmp_path / "b", **options)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "other.tsv").read_bytes() == (tmp_path / "ids.tsv").read_bytes()
    (tmp_path / "raw.csv").write_text("id,text\n1,나는 간다.\n", encoding="utf-8")
    sejongud.convert(tmp_path / "raw.csv", tmp_path / "b", field="text")
    assert "# text = 나는 간다.\n" in (tmp_path / "b").read_text(encoding="utf-8")


def test_help_reads_as_a_table_of_contents() -> None:
    contents = sejongud.__doc__ or ""
    assert [name for name in sejongud.__all__ if name[0] != "_" and name not in contents] == []


def _a_program_of_a_user() -> None:
    """Use what is public, as `mypy --strict` checks; nobody runs it."""
    total: int = 0
    for sentence in sejongud.read("a.txt"):
        for word in sentence:
            head: int | None = word.head
            case: str | None = word.feats.get("Case")
            total += word.end - word.start + (head or 0) + len(case or "")
    built: sejongud.Sentence = sejongud.Sentence.build([("봄", "봄/NNG")], sent_id="1")
    changed: sejongud.Sentence = built.replace(0, lemma="여름", head=0).with_comments(["x"])
    built.replace(0, lemma=3)  # type: ignore[arg-type]
    count: int = sejongud.write([built, changed, built.to_tokenlist()], "a.conllu")
    analysed: list[sejongud.Sentence] = sejongud.analyze(["나는 간다."], level=3, jobs=count)
    words: list[str] = [word.form for word in changed[0:1]]
    sejongud.convert("a.txt", words[0], scheme="ud")
    picture: str = sejongud.draw(built, to="latex") + sejongud.draw("a.txt", "a.svg", "s1", rows=[])
    sejongud.freq(picture, analysed, of="lemma", where="tag=NN*", window=(2, 3))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("name", ["ud.conllu", "penn-korean.fid", "sejong-ids.txt", "modu.json"])
def test_the_line_ends_of_a_text_say_nothing(name: str, end: str, root: Path) -> None:
    text = (root / "samples" / name).read_text("utf-8")
    assert sejongud.loads("\ufeff" + text.replace("\n", end)) == sejongud.loads(text)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_ends_of_m2_say_nothing(end: str, root: Path) -> None:
    text = (root / "samples" / "learner.m2").read_text("utf-8")
    assert [*gec.read_m2("\ufeff" + text.replace("\n", end))] == [*gec.read_m2(text)]
