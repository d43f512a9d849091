"""`sejongud ner convert`: what it says, and its options together."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sejongud.terminal import counted

if TYPE_CHECKING:
    from conftest import Cli

DATA = Path(__file__).parent / "data" / "ner"
SET = DATA.parent / "ner-formats" / "set.conllu"

# 누구+이+ㄴ가: 이 has no character of its own, and ㄴ가 no token.
FUSED = (
    '{"id": "1", "text": "누군가", "tokens": ["누구", "이", "ㄴ가"], "ner_tags": [%s], "upos":'
    ' ["PRON", "VERB", "PART"], "xpos": ["NP", "VCP", "EF"], "spans": [[0, 2], [1, 2], [1, 3]]}\n'
)


@pytest.mark.parametrize(
    ("tags", "form", "count"),
    [
        ('"B-PS", "B-OG", "O"', "konne", 1),
        ('"B-PS", "B-OG", "O"', "klue", 1),
        ('"B-PS", "B-OG", "O"', "inline", 1),
        ('"B-PS", "B-OG", "O"', "etri", 2),
        ('"B-PS", "B-OG", "O"', "kips", 2),
        ('"B-PS", "B-OG", "O"', "hf-jsonl:compact morpheme", 2),
        ('"B-PS", "O", "B-OG"', "konne", 2),
        ('"B-PS", "O", "B-OG"', "spacy-json", 1),
        ('"B-PS", "O", "B-OG"', "naver", 1),
    ],
)
def test_entities_of_fused_morphemes_are_counted(
    cli: Cli, tags: str, form: str, count: int
) -> None:
    done = cli("ner", "convert", "-", "-", "--to", form, stdin=(FUSED % tags).encode())
    said = done.stderr.decode()
    assert f"\nwritten: 1 sentence, {counted(count, 'entit[y|ies]')}\n" in said
    assert ("1 entity was not written: " in said) == (count == 1)
    assert b"OG" in done.stdout if count == 2 else b"OG" not in done.stdout


def test_a_tab_between_eojeols_is_a_blank_of_klue(cli: Cli) -> None:
    corpus = '{"text": "강릉\\t바다가", "labels": [[0, 2, "LC"]]}\n'.encode()
    rows = cli("ner", "convert", "-q", "-", "-", "--to", "klue-ner", stdin=corpus).stdout
    assert b"\n \tO\n" in rows
    assert cli("ner", "convert", "-q", "-", "-", "--to", "inline", stdin=rows).stdout == (
        "<강릉:LC> 바다가\n".encode()
    )


@pytest.mark.parametrize("to", ["hf-jsonl", "inline"])
@pytest.mark.parametrize("at", [0, 2])
def test_a_record_with_an_empty_text_that_is_not_written_is_told(
    cli: Cli, to: str, at: int
) -> None:
    records = ['{"text": "강릉", "labels": [[0, 2, "LC"]]}', '{"text": "바다", "labels": []}']
    records.insert(at, '{"text": "", "labels": []}')
    done = cli("ner", "convert", "-", "-", "--to", to, stdin="\n".join(records).encode())
    assert done.stderr.decode().count("W301 not written: lines without a sentence") == 1
    same = cli(
        "ner", "convert", "-", "-", "--to", "konne", stdin="\n".join([*records, ""]).encode()
    )
    assert b"W301" not in same.stderr
    assert same.stdout.count(b"\n") == 3


def test_convert_tells_no_comments_that_it_does_not_write(cli: Cli) -> None:
    corpus = (FUSED % '"B-PS", "O", "O"').replace('"VERB"', '"PART"').encode()
    words = ("ner", "convert", "-", "-", "--to")
    assert b" in a comment (ner_lines)" in cli(*words, "conllu", stdin=corpus).stderr
    assert b" in a comment (ner_" not in cli(*words, "konne", stdin=corpus).stderr


@pytest.mark.parametrize("name", ["crossing", "konne"])
def test_convert_of_conllu_has_the_scheme_that_is_asked_for(cli: Cli, name: str) -> None:
    """The comments of the corpus fit the labels in the other scheme as well."""
    corpus = (DATA if name == "konne" else DATA.parent / "ner-said") / f"{name}.jsonl"
    made = cli("ner", "syl2morph", corpus, "--nested").stdout
    words = ("ner", "convert", "-", "-", "--to", "conllu", "--label-scheme")
    other = cli(*words, "bioes", stdin=made).stdout
    assert (
        other
        == cli("ner", "syl2morph", corpus, "--nested", "--label-scheme", "bioes").stdout
        != made
    )
    assert cli("ner", "morph2syl", stdin=other).stdout == corpus.read_bytes()
    assert cli(*words, "bio", stdin=other).stdout == made


def test_convert_maps_types(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "map.tsv").write_text("LC\tLOC\nPS\tO\n", encoding="utf-8")
    corpus = "<서울:LC>에 <철수:PS>가 갔다\n".encode()
    words = ("ner", "convert", "-", "-", "--to", "inline", "--map", "map.tsv")
    done = cli(*words, stdin=corpus)
    assert done.stdout.decode() == "<서울:LOC>에 철수가 갔다\n"
    assert b"\nwritten: 1 sentence, 1 entity\n" in done.stderr


@pytest.mark.parametrize(("mark", "end"), [("", "\r\n"), ("\ufeff", "\n"), ("\ufeff", "\r\n")])
def test_convert_keeps_the_layout_of_a_file(cli: Cli, tmp_path: Path, mark: str, end: str) -> None:
    corpus = (mark + "; 서울에\n$<서울:LC>에\n1\t서울\tNNP\tB_LC\n1\t에\tJKB\tO\n\n").replace(
        "\n", end
    )
    (tmp_path / "a.txt").write_bytes(corpus.encode())
    assert cli("ner", "convert", "a.txt", "b.txt", "--to", "kips").returncode == 0
    assert cli("ner", "convert", "a.txt", "a.conllu").returncode == 0
    assert b"\r" not in (tmp_path / "a.conllu").read_bytes()
    assert cli("ner", "convert", "a.conllu", "c.txt", "--to", "kips").returncode == 0
    assert cli("ner", "convert", "a.conllu", "d.txt", "--to", "klue").returncode == 0
    for name in "bc":
        assert (tmp_path / f"{name}.txt").read_bytes() == corpus.encode()
    assert (tmp_path / "d.txt").read_bytes().startswith(b"## 1\t<")


@pytest.mark.parametrize("words", [(), ("--from", "klue"), ("--from", "conllu")])
def test_convert_of_an_empty_file(cli: Cli, words: tuple[str, ...]) -> None:
    message = cli("ner", "convert", "-", "-", "--to", "klue", *words, stdin=b"\n").told_only(1)
    assert "there is no sentence in the file" in message


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("naver:PER-B", ["a.txt", "b.txt"]),
        ("klue", ["a.txt", "b.txt"]),
        ("modu", ["a.json", "b.json"]),
        ("hf:morpheme", ["a.jsonl", "b.jsonl"]),
        ("brat", ["a.ann", "a.txt", "b.ann", "b.txt"]),
        (None, ["a.conllu", "b.conllu"]),
    ],
)
def test_convert_of_several_files(
    cli: Cli, tmp_path: Path, form: str | None, names: list[str]
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.u").write_bytes(SET.read_bytes())
    to = ("--to", form) if form else ()
    done = cli("ner", "convert", "a.u", "b.u", "-o", "out/", *to)
    nested = "incidents: W441 2\n" if form in ("naver:PER-B", "klue", "hf:morpheme") else ""
    lines = [line for line in done.stderr.decode().splitlines(True) if ".u:20: W441 " not in line]
    assert (done.returncode, "".join(lines)) == (0, f"{nested}2 files written to out/\n")
    found = sorted([path.name for path in (tmp_path / "out").iterdir()])
    assert [name for name in found if not name.startswith(".")] == names


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "all.ann"), "brat has one file for each input: name a folder"),
        (("-o", "all.x", "--to", "etri"), "etri has one file for each input: name a folder"),
        (("-o", "all.x", "--to", "doccano:array"), "doccano:array has one file for each input"),
        (("-o", "d/", "--to", "hf", "--card", "d.md"), "--card names a file that belongs to one"),
        (("-o", "d/", "--to", "non"), "there is no format non"),
        (("-o", "all.conllu"), ""),
    ],
)
def test_several_files_that_are_no_file_together(
    cli: Cli, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.u").write_bytes(SET.read_bytes())
    done = cli("ner", "convert", "a.u", "b.u", *words)
    assert (done.returncode, message in done.stderr.decode()) == (2 if message else 0, True)


@pytest.mark.parametrize("action", ["agree", "check", "eoj2morph", "morph2eoj"])
def test_an_option_that_is_not_shown_is_not_proposed(cli: Cli, action: str) -> None:
    done = cli("ner", action, "a", "b", "--formats", "naver")
    assert (done.returncode, b"did you mean --format?" in done.stderr) == (2, False)
    assert b"--format " not in cli("ner", action, "--help").stdout


def test_kips_is_written_in_its_own_scheme(cli: Cli) -> None:
    corpus = (DATA / "kips.txt").read_bytes()
    made = cli("ner", "syl2morph", "--label-scheme", "bioes", stdin=corpus).stdout
    assert b"NE=S-" in made
    assert b"ner_lines" not in made
    assert cli("ner", "morph2syl", stdin=made).stdout == corpus


NESTED = (
    '{"id": 1, "text": "철수가 서울역에 갔다",'
    ' "label": [[0, 2, "PS"], [4, 7, "LC"], [4, 6, "LC"]]}\n'
    '{"id": 2, "text": "옷", "label": []}\n'
)


def test_spans_there_and_back(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(NESTED, encoding="utf-8")
    assert cli("ner", "convert", "in.jsonl", "out.json", "--to", "spans").returncode == 0
    first, second = (tmp_path / "out.json").read_text(encoding="utf-8").splitlines()
    assert {"start": 4, "end": 7, "label": "LC"} in json.loads(first)["entities"]
    assert json.loads(second) == {"id": 2, "text": "옷", "entities": []}
    back = cli("ner", "convert", "--from", "spans", "out.json", "-", "--to", "konne")
    assert [sorted(json.loads(line)["label"]) for line in back.stdout.splitlines()] == [
        sorted(json.loads(line)["label"]) for line in NESTED.splitlines()
    ]
    (tmp_path / "bad.json").write_text('{"text": "옷"}\n', encoding="utf-8")
    message = cli("ner", "convert", "--from", "spans", "bad.json", "-", "--to", "konne").told(1)
    assert 'File "bad.json", line 1\nentities is missing' in message


def test_spans_are_written_as_their_settings_say(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(NESTED, encoding="utf-8")
    done = cli("ner", "convert", "in.jsonl", "-", "--to", "spans:array-2 spans")
    first, second = json.loads(done.stdout)
    assert {"start": 4, "end": 7, "label": "LC"} in first["spans"] and second["spans"] == []
    assert done.stdout.startswith(b'[\n  {\n    "id": 1')
    assert b"W301" not in done.stderr


def made_tokenizer(path: Path) -> None:
    """Write a tokenizer of characters in pairs, with the special tokens of BERT."""
    tokenizers = pytest.importorskip("tokenizers")
    marks = ["[UNK]", "[CLS]", "[SEP]"]
    model = tokenizers.models.WordPiece(
        {
            piece: n
            for n, piece in enumerate([*marks, "철", "##수", "##가", "서울", "##역에", "옷"])
        },
        unk_token="[UNK]",
    )
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    made.save(str(path))


def test_word_pieces_there_and_back(cli: Cli, tmp_path: Path) -> None:
    made_tokenizer(tmp_path / "tokenizer.json")
    (tmp_path / "in.jsonl").write_text(NESTED, encoding="utf-8")
    command = ("ner", "convert", "in.jsonl", "out.json", "--to", "hf-tokens")
    assert b"--tokenizer" in cli(*command).stderr
    assert cli(*command, "--tokenizer", "tokenizer.json").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "out.json").read_text("utf-8").splitlines()]
    names = rows[-1]["label_names"]
    labels = [names[n] if n >= 0 else n for n in rows[0]["labels"]]
    pieces = list(zip(rows[0]["tokens"], labels, strict=True))
    assert pieces == [
        ("[CLS]", -100),
        ("철", "B-PS"),
        ("##수", "I-PS"),
        ("##가", "O"),
        ("서울", "B-LC"),
        ("##역에", "I-LC"),
        ("[UNK]", "O"),
        ("[SEP]", -100),
    ]
    assert [names[n] for n in rows[0]["inner_labels"][0] if n > 0] == ["B-LC"]
    back = cli("ner", "convert", "--from", "hf-tokens", "out.json", "-", "--to", "konne")
    # 역에 is one piece, which the entity gets whole.
    found = [json.loads(line)["label"] for line in back.stdout.splitlines()]
    assert [sorted(one) for one in found] == [[[0, 2, "PS"], [4, 6, "LC"], [4, 8, "LC"]], []]
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=8, num_labels=len(names),
    )  # fmt: skip
    model = transformers.BertForTokenClassification(config)
    tensors = {key: torch.tensor([rows[0][key]]) for key in ("input_ids", "attention_mask")}
    assert model(**tensors, labels=torch.tensor([rows[0]["labels"]])).loss > 0


@pytest.mark.parametrize("key", ["label", "labels"])
def test_records_of_konne_become_spans(key: str, cli: Cli) -> None:
    """Also those without a text, and blank lines, which stand beside a sentence."""
    records = (f'{{"text": "나는 간다.", "{key}": [[0, 1, "PS"]]}}', f'{{"text": "", "{key}": []}}')
    lines = "\n".join([*records, "", records[0], records[1], ""])
    made = cli("ner", "convert", "--to", "spans", stdin=lines.encode())
    found = '{"text": "나는 간다.", "entities": [{"start": 0, "end": 1, "label": "PS"}]}\n'
    assert made.stdout.decode() == (found + '{"text": "", "entities": []}\n') * 2


@pytest.mark.parametrize("layout", ["konne:array-2", "modu-ne:2", "etri", "spacy-json"])
def test_the_end_of_a_list_of_json_is_no_loss(cli: Cli, layout: str) -> None:
    lines = '{"id": "a", "text": "강릉", "labels": [[0, 2, "LC"]]}\n'.encode()
    listed = cli("ner", "convert", "-q", "-", "-", "--to", layout, stdin=lines).stdout
    done = cli("ner", "convert", "-", "-", "--to", "inline", stdin=listed)
    assert b"W301" not in done.stderr
    assert done.stdout == "<강릉:LC>\n".encode()


def test_records_that_cannot_be_read_become_no_spans_and_are_told(cli: Cli) -> None:
    lines = [
        '{"id": 1, "text": "옷을 샀다", "label": "x"}',
        '{"id": 2, "text": "옷을 샀다", "label": [[0, 1, "AF"]]}',
        '{"id": 3, "text": "옷을 샀다", "label": [[0]]}',
    ]
    text = "".join([f"{line}\n" for line in lines]).encode()
    options = ["--from", "konne", "--to", "spans", "--on-error", "keep"]
    made = cli("ner", "convert", *options, stdin=text)
    assert made.returncode == 1
    assert [json.loads(line)["id"] for line in made.stdout.splitlines()] == [2]
    assert b"W301 not written: lines without a sentence: " in made.stderr


def test_spans_keep_the_members_of_their_entities(cli: Cli, tmp_path: Path) -> None:
    """Whatever --to and --from say, and if the type of an entity becomes another one."""
    item = '{"start": 0, "end": 2, "label": "LC", "score": 0.5}'
    for key, options in product(("entities", "spans"), ([], ["--from", "spans"])):
        text = f'[{{"text": "서울에 간다", "{key}": [{item}]}}]'
        (tmp_path / "in.json").write_text(text, encoding="utf-8")
        made = cli("ner", "convert", "in.json", "-", "--to", "spans", *options)
        line = f'{{"text": "서울에 간다", "entities": [{item}]}}\n'
        assert made.stdout.decode() == line and b"not written" not in made.stderr
        (tmp_path / "map").write_text("LC\tLOC\n", encoding="utf-8")
        named = item.replace("label", "entity_group").replace("LC", "LOC")
        words = ("--to", "spans:compact spans entity_group", "--map", "map", *options)
        made = cli("ner", "convert", "in.json", "-", *words)
        assert json.loads(made.stdout)["spans"] == [json.loads(named)]


def test_notes_of_brat_that_are_not_written_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("서울에 간다\n간다\n", encoding="utf-8")
    entity, note = "T1\tLC 0 2\t서울\n", "A1\tNeg T1\n"
    for ann, lost in ((entity + note, True), (entity, False)):
        (tmp_path / "a.ann").write_text(ann, encoding="utf-8")
        for name, holds in (("spans", False), ("klue-ner", False), ("brat", True)):
            done = cli("ner", "convert", "a.ann", "b.ann", "--to", name, "--force")
            told = "1 sentence has comments, or members" in done.stderr.decode()
            assert told is (lost and not holds), (ann, name)
    assert (tmp_path / "b.ann").read_text("utf-8") == entity


def test_relations_name_the_entities_whose_types_a_map_changes(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "map").write_text("LC\tLOC\n", encoding="utf-8")
    place = '"start_offset": 0, "end_offset": 2'
    doccano = (
        f'{{"text": "서울에 간다", "entities": [{{"id": 7, "label": "LC", {place}}}],'
        ' "relations": [{"id": 1, "from_id": 7, "to_id": 7, "type": "in"}], "Comments": []}\n'
    )
    value = '{"start": 0, "end": 2, "labels": ["LC"]}'
    studio = (
        '{"data": {"text": "서울에 간다"}, "annotations": [{"result":'
        f' [{{"id": "q7", "value": {value}}}, {{"from_id": "q7", "to_id": "q7"}}]}}]}}\n'
    )
    for name, text in (("doccano", doccano), ("label-studio:spaced", studio)):
        made = cli("ner", "convert", "--to", name, "--map", "map", stdin=text.encode())
        assert made.stdout.decode() == text.replace("LC", "LOC")
        (tmp_path / "none").write_text("LC\tO\n", encoding="utf-8")
        made = cli("ner", "convert", "--to", name, "--map", "none", stdin=text.encode())
        assert b"7" not in made.stdout and b"1 relation or note on entities that" in made.stderr


def test_entities_of_a_pipeline_keep_their_scores(cli: Cli, tmp_path: Path) -> None:
    item = '{"entity_group": "LC", "score": 0.99, "word": "서울", "start": 0, "end": 2}'
    text = f'{{"text": "서울에 간다", "entities": [{item}]}}\n'
    (tmp_path / "in.jsonl").write_text(text, encoding="utf-8")
    done = cli("ner", "syl2morph", "in.jsonl")
    assert b"detected format: spans spaced entities entity_group" in done.stderr
    assert b"NE=B-LC" in done.stdout
    assert cli("ner", "morph2syl", stdin=done.stdout).stdout.decode() == text
    lost = cli("ner", "convert", "in.jsonl", "-", "--to", "konne").told(0)
    assert "1 sentence has comments, or members of its own format, that were not written" in lost
