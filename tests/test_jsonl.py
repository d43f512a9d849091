"""JSON Lines: every part of a sentence comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from corpora import ASSEMBLER, read_text
from hypothesis import given
from hypothesis import strategies as st
from portions import ALL, some, some_levels

import sejongud
from sejongud.converters.recut import CutWriter, recut_of
from sejongud.errors import FormatError, OnError
from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.formats.jsonl import JsonlReader, JsonlWriter
from sejongud.model import LEVELS, Arcs, Eojeol, Sentence
from sejongud.morphology.eojeol import MADE

if TYPE_CHECKING:
    from conftest import Cli


def read(text: str, on_error: OnError = "stop") -> list[Sentence]:
    return read_text(JsonlReader(ASSEMBLER, keep=on_error == "keep"), text, on_error)


def write(sentences: list[Sentence], level: int | None = 5) -> str:
    return "".join(map(CutWriter(recut_of(level), JsonlWriter()).sentence, sentences))


def plain(sentence: Sentence) -> tuple[Any, ...]:
    """All of a sentence but its lines of CoNLL-U, with the eojeols spelled out."""
    eojeols = [(e.form, e.morphemes, e.spans, e.notes) for e in sentence.eojeols]
    tokens = [[getattr(t, name) for name in t.__slots__] for t in sentence.tokens]
    return eojeols, tokens, list(vars(sentence.but(header=None)).values())[1:]


@pytest.fixture(scope="module")
def sample(root: Path) -> str:
    return (root / "samples" / "jsonl.jsonl").read_text(encoding="utf-8")


def test_the_sample(sample: str) -> None:
    first, second = read(sample)
    assert first.ids == ("a-1-1", "a-1-2")
    assert first.comments == ("newdoc id = a",)
    assert [m.sense for m in first.eojeols[0].morphemes] == ["01", ""]
    assert first.eojeols[1].morphemes[-1].added
    assert second.eojeols[0].morphemes[1].source == "\u11ab"
    assert second.eojeols[1].morphemes[0].source_tag == "NNGG"
    assert second.eojeols[1].notes[0] == MADE
    assert second.arcs == Arcs((2, 0), ("acl", "root"))
    assert [word.misc for word in second.words] == [
        "MSeg=크-\u11ab|Translit=keun",
        "Surface=Made|OrigXPOS=NNGG+VCP+EF",
    ]
    assert second.entities == (((), ("B-AF", "O", "O")),)


@pytest.mark.parametrize("level", [None, 1, 3, 5])
def test_the_sample_comes_back(sample: str, level: int | None) -> None:
    sentences = read(sample)
    again = read(text := write(sentences, level))
    assert write(again, None) == text
    conllu = CutWriter(recut_of(level), ConlluWriter())
    assert list(map(ConlluWriter().sentence, again)) == list(map(conllu.sentence, sentences))
    for one, other in zip(again, sentences, strict=True):
        assert (one.ids, one.comments, one.entities) == (other.ids, other.comments, other.entities)
        assert [e.morphemes for e in one.eojeols] == [e.morphemes for e in other.eojeols]
        assert [e.notes for e in one.eojeols] == [e.notes for e in other.eojeols]


def with_every_key(value: Any, keys: tuple[str, ...]) -> Any:
    """A value whose objects have all of the keys: null where they had none, as in a table."""
    if isinstance(value, dict):
        return {key: with_every_key(value.get(key), keys) for key in dict.fromkeys((*value, *keys))}
    return [with_every_key(item, keys) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "spelling", [{"separators": (",", ":")}, {"sort_keys": True}, {"indent": None}]
)
def test_lines_that_other_programs_have_written(sample: str, spelling: dict[str, Any]) -> None:
    """`jq -c`, Hugging Face and pandas: no blanks, another order, null where there is no value."""
    keys = ("header", "text_orig", "comments", "id", "sense", "source", "added", "made", "ranges")
    records = [with_every_key(json.loads(line), keys) for line in sample.splitlines()]
    lines = "".join([json.dumps(record, **spelling) + "\n" for record in records])
    sentences = read(lines)
    assert [one.sent_id for one in sentences] == [
        json.loads(x)["sent_id"] for x in sample.splitlines()
    ]
    assert write(sentences, None) == write(read(sample), None)
    [numbered] = read(lines.splitlines()[0].replace(json.dumps(sentences[0].sent_id), "7"))
    assert numbered.sent_id == "7"


def test_what_is_written() -> None:
    line = write([Sentence((ASSEMBLER["샀다.\t사/VV+았/EP+다/EF+./SF"],), "7", ("x",))])
    assert line.count("\n") == 1
    assert json.loads(line) == {
        "sent_id": "7",
        "text": "샀다.",
        "eojeols": [
            {
                "id": "x",
                "form": "샀다.",
                "morphemes": [
                    {"form": "사", "tag": "VV", "span": [0, 1]},
                    {"form": "았", "tag": "EP", "span": [0, 1]},
                    {"form": "다", "tag": "EF", "span": [1, 2]},
                    {"form": ".", "tag": "SF", "span": [2, 3]},
                ],
                "tokens": [
                    {
                        "form": "샀다",
                        "words": [
                            {"form": "사", "lemma": "사", "upos": "VERB", "xpos": "VV"},
                            {"form": "았", "lemma": "었", "upos": "PART", "xpos": "EP"},
                            {"form": "다", "lemma": "다", "upos": "PART", "xpos": "EF"},
                        ],
                    },
                    {
                        "form": ".",
                        "words": [{"form": ".", "lemma": ".", "upos": "PUNCT", "xpos": "SF"}],
                    },
                ],
            }
        ],
    }


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), max_size=5)
ANALYSES = st.sampled_from(
    [
        "나는\t나/NP+는/JX",
        "+\t+/SW",
        '"\\"\t"/SS+\\/SW+"/SS',
        "거야\t거/NNB+(이)/VCP+야/EF",
        "큰\t크/VA+ᆫ/ETM",
    ]
)
EOJEOLS = st.builds(
    lambda line, made: Eojeol(
        (e := ASSEMBLER[line]).form, e.morphemes, e.spans, (MADE, *e.notes) if made else e.notes
    ),
    ANALYSES,
    st.booleans(),
)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    eojeols = tuple(draw(st.lists(EOJEOLS, min_size=1, max_size=3)))
    return Sentence(
        eojeols,
        draw(TEXTS.map(lambda t: "".join(t.split()) or "x")),
        tuple([draw(TEXTS.map(lambda t: t + "i")) for _ in eojeols]) if draw(st.booleans()) else (),
        tuple(draw(st.lists(TEXTS, max_size=2))),
        draw(TEXTS),
        1,
        entities=tuple(
            [
                tuple([tuple([draw(TEXTS) for _ in eojeol.morphemes]) for eojeol in eojeols])
                for _ in range(draw(st.integers(0, 2)))
            ]
        ),
    )


@given(sentences(), st.sampled_from([None, 1, 2, 5]))
def test_what_is_written_is_read(sentence: Sentence, level: int | None) -> None:
    own = recut_of(level)(sentence)
    (again,) = read(write([sentence], level))
    assert plain(again) == plain(own)


CELLS = st.sampled_from(["_", "나", "나+는", "NP+JX", "a|b", '"%\\', "# 1"])
ITEMS = [
    "SpaceAfter=No",
    "MSeg=나-는",
    "MSeg=나",
    "Id=b-1",
    "NE=B-PS",
    "NEMorph=1:B-PS",
    "Sense=01",
]
ITEMS += ["OrigXPOS=NPP+JX", "HeadMorpheme=1", "Gloss=I", "Surface=Made", "Added=Yes"]
MISC = st.lists(st.sampled_from(ITEMS), max_size=3).map(lambda items: "|".join(items) or "_")


@st.composite
def conllu_blocks(draw: st.DrawFn) -> str:
    """A sentence of CoNLL-U with any cells, ranges, empty nodes and comments."""
    count = draw(st.integers(1, 4))
    own = [*draw(st.lists(CELLS, max_size=3)), "sent_id = x", "text = 나는"]
    lines = [f"# {comment}" for comment in draw(st.permutations(own))]
    end = 0
    for number in range(1, count + 1):
        if draw(st.booleans()):
            node = [f"{number - 1}.1", *draw(st.lists(CELLS, min_size=7, max_size=7))]
            lines.append("\t".join([*node, "1:nsubj", draw(MISC)]))
        if number > end and number < count and draw(st.booleans()):
            end = draw(st.integers(number + 1, count))
            blank = ["_"] * 3
            cells = [f"{number}-{end}", "나는", *blank, "Typo=Yes", *blank, draw(MISC)]
            lines.append("\t".join(cells))
        columns = draw(st.lists(CELLS, min_size=5, max_size=5))
        head = draw(st.sampled_from(["_", *map(str, range(count + 1))]))
        relation = draw(st.sampled_from(["_", "root", "dep", "nsubj"]))
        cells = [str(number), *columns, head, relation, draw(st.sampled_from(["_", "0:root"]))]
        lines.append("\t".join([*cells, draw(MISC)]))
    return "\n".join(lines)


@given(conllu_blocks())
def test_json_lines_say_all_that_conllu_says(block: str) -> None:
    reader = ConlluReader(ASSEMBLER)
    [unread] = reader.blocks([f"{block}\n\n"])
    sentence = reader.parse(unread)
    (again,) = read(JsonlWriter().sentence(sentence))
    assert ConlluWriter().sentence(again) == ConlluWriter().sentence(sentence)
    if sentence.arcs is not None:
        # The arc of a single word alone may be of a treebank or not.
        assert again.is_treebank
        again.is_treebank = sentence.is_treebank
    assert plain(again) == plain(sentence)


GOOD = '{"eojeols": [{"form": "가", "morphemes": [{"form": "가", "tag": "VV"}]}]}'


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "5",
        '"eojeols"',
        "{}",
        '{"eojeols": []}',
        '{"eojeols": [5]}',
        '{"eojeols": [{"form": "가"}]}',
        '{"eojeols": [{"form": "가", "morphemes": []}]}',
        '{"eojeols": [{"form": "", "morphemes": [{"form": "가", "tag": "VV"}]}]}',
        '{"eojeols": [{"form": "가", "morphemes": [{"form": "가"}]}]}',
        '{"eojeols": [{"form": "가", "id": 5, "morphemes": [{"form": "가", "tag": "VV"}]}]}',
        GOOD.replace("]}]}", ']}], "comments": [1]}'),
        GOOD.replace("]}]}", ']}], "words": [{"eojeol": 1, "morphemes": [0, 1]}]}'),
        GOOD.replace("]}]}", ']}], "words": [{"eojeol": 0, "morphemes": [0, 2]}]}'),
        GOOD.replace("]}]}", ']}], "entities": [[["B"], []]]}'),
        "[" * 100_000,
    ],
)
def test_lines_that_are_no_sentence(line: str) -> None:
    text = f"{GOOD}\n\n{line}\n{GOOD}\n"
    with pytest.raises(FormatError) as caught:
        read(text)
    assert (caught.value.code, caught.value.line) == ("E331", 3)
    assert [s.sent_id for s in read(text, "skip")] == ["1", "3"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"eojeols": 5}', "eojeols: expected a list, found 5"),
        ('{"eojeols": [{"form": 5}]}', "form: expected a text, found 5"),
        (
            '{"eojeols": [{"form": "눈", "morphemes": [{"form": "눈", "tag": "NNG", "added": 1}'
            "]}]}",
            "added: expected true or false, found 1",
        ),
        (
            '{"eojeols": [{"form": "눈", "morphemes": [{"form": "눈", "tag": "NNG"}]}],'
            ' "words": [{"eojeol": "1"}]}',
            "eojeol: expected a whole number, found '1'",
        ),
    ],
)
def test_what_is_expected_is_said_in_words(line: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(line + "\n")
    assert caught.value.message == message


@pytest.mark.parametrize("more", ['"text_orig": "눈\\n"', '"words": [%s]'])
def test_what_would_break_the_lines_of_others(more: str) -> None:
    word = (
        '{"eojeol": 0, "morphemes": [0, 1], "upos": "NOUN", "lemma": "눈", "xpos": "NNG",'
        ' "feats": "_", "head": 99, "deprel": "obj", "deps": "_", "misc": []}'
    )
    eojeol = '{"form": "눈", "morphemes": [{"form": "눈", "tag": "NNG"}]}'
    line = f'{{"sent_id": "1", "eojeols": [{eojeol}], {more.replace("%s", word)}}}'
    reader = JsonlReader(ASSEMBLER)
    [block] = reader.blocks([line + "\n"])
    with pytest.raises(FormatError, match=r"a line's end|head 99 is no word"):
        reader.parse(block)


def test_the_text_as_it_was_may_have_a_tab() -> None:
    line = GOOD.replace("]}]}", ']}], "text_orig": "가\\t"}')
    assert [sentence.text_orig for sentence in read(line)] == ["가\t"]


# --- words of a treebank --------------------------------------------------------------------------

TREEBANK = """\
# sent_id = a
# text = 나는 나섰다.
1\t나는\t나+는\tPRON\tNP+JX\tCase=Nom\t2\tnsubj\t2:nsubj\tGloss=I
2\t나섰다\t나서+었+다\tVERB\tVV+EP+EF\tTense=Past\t0\troot\t0:root\tSpaceAfter=No|Ref=1
3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t2:punct\t_

"""
ODD = """\
# text = 나는 나섰다
# source = one
# sent_id = odd-1
# newdoc id = d
1-2\t나는\t_\t_\t_\tTypo=Yes\t_\t_\t_\tGloss=I
1\t나\t나\tPRON\tNP\tCase=Nom\t3\tnsubj\t3:nsubj\tNE=B-PS|Ref=1
2\t는\t은\tADP\tJX\t_\t1\tcase\t1:case\t_
2.1\t꼭\t꼭\tADV\tMAG\t_\t_\t_\t3:advmod\tCopy=1
3-4\t나섰다\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\t나섯\t나서+었\tVERB\tVV+EP\tTense=Past\t0\troot\t0:root\tMSeg=나서-었|HeadMorpheme=1
4\t다\t다\tPART\tEF\t_\t3\tdep\t3:dep\tOrigXPOS=EFF
5\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t3:punct\tSpaceAfter=No

# sent_id = d 2
1\t5\t5\tNUM\tSN\t_\t0\troot\t_\tSpaceAfter=No
2\t%\t%\tPUNCT\tSW\t_\t3\tpunct\t_\tSpaceAfter=No
3\t이고\t이+고\tAUX\tVCP+EC\t_\t1\tcop\t_\tMSeg=이다-고-요
4\t나섰다\t나서+었+다\tVERB\tVV+EP+EF\tTense=Past\t1\tconj\t_\t_

# global.columns = ID
# sent_id = d-3
# text = 봄
1\t봄\t봄\tNOUN\tNNG\t_\t0\troot\t_\t_

"""
PLUS = """\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC SEJONGUD:NE FRAME:TARGET \
FRAME:FRAME FRAME:ANNOTATION
# sent_id = p
# text = 철수가 부산에 갔다.
1\t철수가\t철수+가\tPROPN\tNNP+JKS\t_\t3\tnsubj\t_\t_\tB-PS\t_\t_\tB-Theme
2\t부산에\t부산+에\tPROPN\tNNP+JKB\t_\t3\tobl\t_\tRef=1\tB-LC\t_\t_\tB-Goal
3\t갔다\t가+았+다\tVERB\tVV+EP+EF\tTense=Past\t0\troot\t_\tSpaceAfter=No\t_\t가다.v\tMotion\tB-FrameTarget
4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t_\t_\t_\t_\t_\tO

"""
BRACKETS = """\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC FRAME:TARGET FRAME:FRAME \
FRAME:ANNOTATION TREE:OPEN TREE:CLOSE
# sent_id = t
# text = 철수가 부산에 갔다
1\t철수가\t철수+가\tPROPN\tNNP+JKS\t_\t3\tnsubj\t_\tNE=B-PS\t_\t_\tB-Theme\t(S(NP_SBJ\t)
2\t부산에\t부산+에\tPROPN\tNNP+JKB\t_\t3\tobl\t_\t_\t_\t_\tB-Goal\t(VP(NP_AJT\t)
3\t갔다\t가+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\t_\t가다.v\tMotion\tB-FrameTarget\t(VP\t)))

"""
LEARNER = """\
# sent_id = l
# text = 나는 학교에 갔다 .
# m2 = A 1 2|||R:NOUN|||학교를|||REQUIRED|||-NONE-|||0
# m2_level = eojeol
1\t나는\t나+는\tPRON\tNP+JX\t_\t3\tnsubj\t_\t_
2\t학교에\t학교+에\tNOUN\tNNG+JKB\t_\t3\tobl\t_\t_
3\t갔다\t가+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t_\t_

"""


def by_way_of_json(cli: Cli, path: Path, level: int, *options: str) -> tuple[bytes, bytes]:
    """The CoNLL-U of a file at a level, and that of its JSON Lines at this level."""
    made = [
        cli("convert", "--force", "-l", str(level), "--to", to, *options, path, f"a.{to}")
        for to in ("conllu", "jsonl")
    ]
    made.append(cli("convert", "--force", *options, "a.jsonl", "b.conllu"))
    folder = path.parent
    assert [one.returncode for one in made] == [0] * 3, [one.stderr.decode() for one in made]
    assert b"W3" not in made[2].stderr
    return (folder / "a.conllu").read_bytes(), (folder / "b.conllu").read_bytes()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "text",
    [TREEBANK, ODD, PLUS, LEARNER, BRACKETS],
    ids=["treebank", "odd", "plus", "learner", "brackets"],
)
def test_every_layer_comes_back_from_every_level(
    text: str, level: int, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "x.conllu").write_text(text, "utf-8")
    straight, back = by_way_of_json(cli, tmp_path / "x.conllu", level)
    assert back == straight
    for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines():
        assert '"form": ""' not in line
    for sentence in sejongud.read(tmp_path / "a.jsonl"):
        assert all([word.form for word in sentence])
        assert all([token.form for token in sentence.tokens])
    # The words of JSON Lines at this level make those of another level, as those of CoNLL-U do.
    by_json, by_conllu = [
        cli("convert", "--level", str(6 - level), path).stdout for path in ("a.jsonl", "a.conllu")
    ]
    assert by_json == by_conllu


def test_several_processes_write_and_read_the_same(root: Path, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes((root / "samples" / "ud.conllu").read_bytes() + LEARNER.encode())
    straight, back = by_way_of_json(cli, path, 3, "--jobs", "2")
    assert back == straight == by_way_of_json(cli, path, 3)[1]


def test_the_library_keeps_the_words_of_json_lines(root: Path, tmp_path: Path) -> None:
    path, line, back = root / "samples" / "ud.conllu", tmp_path / "a.jsonl", tmp_path / "b.conllu"
    for level in LEVELS:
        sejongud.convert(path, line, to="jsonl", level=level)
        sejongud.convert(line, back)
        sejongud.convert(path, tmp_path / "a.conllu", level=level)
        assert back.read_bytes() == (tmp_path / "a.conllu").read_bytes()
    sejongud.write(sejongud.read(path), line, to="jsonl")
    sejongud.write(sejongud.read(line), back)
    assert back.read_bytes() == path.read_bytes()


def test_a_treebank_in_its_own_words_gets_no_items(cli: Cli) -> None:
    written = cli("convert", "--to", "jsonl", "--level", "2", stdin=TREEBANK.encode())
    assert cli("convert", "--from", "jsonl", stdin=written.stdout).text() == TREEBANK


@pytest.mark.parametrize(
    "options", [("--deps", "none"), ("--deps", "dummy"), ("--feats", "ud", "--gloss", "--translit")]
)
def test_options_hold_for_json_lines(
    options: tuple[str, ...], root: Path, tmp_path: Path, cli: Cli
) -> None:
    for name in ("ud.conllu", "sejong-senses.txt"):
        path = tmp_path / name
        path.write_bytes((root / "samples" / name).read_bytes())
        straight, back = by_way_of_json(cli, path, 3, *options)
        assert back == straight


@pytest.mark.parametrize(
    ("level", "query"), [("2", "form=나섰다"), ("5", "form=나서 next.form=었")]
)
def test_words_are_found_in_json_lines(level: str, query: str, cli: Cli) -> None:
    line = cli("convert", "--to", "jsonl", "--level", level, stdin=TREEBANK.encode()).stdout
    found = cli("grep", query, stdin=line)
    assert "1 match in 1 of 1 sentence" in found.stderr.decode()
    assert "[나섰" in found.stdout.decode()


def test_the_words_of_a_file_have_no_scheme(cli: Cli) -> None:
    line = cli("convert", "--to", "jsonl", stdin=TREEBANK.encode()).stdout
    assert "--level" in cli("convert", "--from", "jsonl", "--upos", "ud", stdin=line).told(2)
    assert cli("convert", "--from", "jsonl", "--upos", "ud", "-l", "3", stdin=line).returncode == 0


@pytest.mark.parametrize(
    "name",
    [
        "ud-korean-gsd/ko_gsd-ud-dev.conllu",
        "ud-korean-kaist/ko_kaist-ud-dev.conllu",
        "ud-korean-ksl/ko_ksl-ud-dev.conllu",
        "ud-korean-pud/ko_pud-ud-test.conllu",
    ],
)
def test_real_treebanks_come_back(name: str, shared: Path, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(some((shared / "data" / name).read_text("utf-8")), "utf-8")
    for level in some_levels():
        for jobs in ((), ("--jobs", "2")) if ALL else ((),):
            straight, back = by_way_of_json(cli, path, level, *jobs)
            assert back == straight, f"level {level} {jobs}"


# --- files that were written by hand or by older versions -----------------------------------------


def test_words_of_older_versions(cli: Cli) -> None:
    path = Path(__file__).parent / "data" / "jsonl-older.jsonl"
    own, tokens, open_ = read(path.read_text("utf-8"))
    # The words of a treebank have their parts of the surface, and those of a level its tokens.
    assert [(t.form, [w.form for w in t.words]) for t in own.tokens] == [
        ("나는", ["나는"]), ("나섰다", ["나섰다"]), (".", ["."]),
    ]  # fmt: skip
    assert [(t.form, [w.form for w in t.words]) for t in tokens.tokens] == [
        ("나는", ["나", "는"]), ("나섰다", ["나서", "었", "다"]), (".", ["."]),
    ]  # fmt: skip
    assert [word.upos for word in open_.words] == ["", ""]
    straight = cli("convert", stdin=TREEBANK.encode()).stdout.decode().split("\n", 1)[1]
    for sentence in cli("convert", "-l", "5", path).stdout.decode().split("\n\n")[:1]:
        assert f"{sentence}\n\n".split("\n", 1)[1] == straight
    text = cli("convert", path).stdout.decode()
    assert "\t\t" not in text
    assert "고양이가\t고양이+가\tNOUN\tNNG+JKS" in text


def test_words_that_share_a_syllable_are_one_token() -> None:
    item = {
        "form": "나섰다.",
        "morphemes": [
            {"form": form, "tag": tag}
            for form, tag in (("나서", "VV"), ("었", "EP"), ("다", "EF"), (".", "SF"))
        ],
    }
    word = {"upos": "X", "lemma": "x", "xpos": "x", "feats": "_", "deps": "_", "misc": []}
    words = [
        {**word, "eojeol": 0, "morphemes": [at, at + 1], "head": at, "deprel": "dep"}
        for at in range(4)
    ]
    line = json.dumps({"sent_id": "1", "eojeols": [item], "words": words})
    (sentence,) = read(line)
    assert [(t.form, [w.form for w in t.words], t.space_after) for t in sentence.tokens] == [
        ("나섰", ["나서", "었"], False), ("다", ["다"], False), (".", ["."], True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("level", "old", "new", "left_out"),
    [
        # Morphemes that were edited beside tokens that were not.
        (3, '"tag": "NP"', '"tag": "NNG"', "나는: the tokens do not fit the morphemes"),
        (5, '"tag": "NP"', '"tag": "NNG"', "나는: the words, which are used, have other morphemes"),
    ],
)
def test_what_does_not_fit_is_told(
    level: int, old: str, new: str, left_out: str, tmp_path: Path, cli: Cli
) -> None:
    text = TREEBANK if level == 5 else "나는\t나/NP+는/JX\n나섰다.\t나서/VV+었/EP+다/EF+./SF\n"
    made = cli("convert", "--to", "jsonl", "-l", str(level), stdin=text.encode())
    line = made.stdout.decode().replace(old, new)
    done = cli("convert", "--from", "jsonl", stdin=line.encode())
    assert f"W331 {left_out}" in done.stderr.decode()
    assert ("나\t나\tNOUN\tNNG" in done.stdout.decode()) == (level == 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"head": 3', '"head": 9'),
        ('"form": "나서", "lemma"', '"form": "나\\t서", "lemma"'),
        ('"first": 1, "last": 2', '"first": 1, "last": 9'),
        (
            '"eojeols": [{',
            '"eojeols": [{"form": "더", "morphemes": [{"form": "더", "tag": "MAG"}]}, {',
        ),
        ('"misc": ["Gloss=I"]', '"misc": "Gloss=I"'),
    ],
)
def test_words_that_are_no_sentence(old: str, new: str) -> None:
    [block] = ConlluReader(ASSEMBLER).blocks([TREEBANK])
    line = write([ConlluReader(ASSEMBLER).parse(block)])
    assert old in line
    with pytest.raises(FormatError) as caught:
        read(line.replace(old, new))
    assert caught.value.code == "E331"


def test_comments_that_were_edited_are_written() -> None:
    [block, *_] = ConlluReader(ASSEMBLER).blocks([ODD])
    line = write([ConlluReader(ASSEMBLER).parse(block)])
    assert '"header": ["# text = ' in line
    assert "# source = one\n" in ConlluWriter().sentence(*read(line))
    text = ConlluWriter().sentence(*read(line.replace('"source = one"', '"source = two"')))
    assert "# source = two\n" in text and "source = one" not in text


def test_deps_of_no_word_are_told(root: Path, cli: Cli) -> None:
    older = (root / "tests" / "data" / "jsonl-older.jsonl").read_text(encoding="utf-8")
    assert '"deps": "_"' in older
    bad = older.replace('"deps": "_"', f'"deps": "{"9" * 5_000}:obj"', 1)
    done = cli("convert", "--from", "jsonl", "-l", "1", stdin=bad.encode())
    assert (done.returncode, b"deps: expected" in done.stderr) == (1, True)
