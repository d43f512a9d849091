"""Reading bracketed trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import FormatError
from sejongud.formats.brackets import Tree, keep_words, parse, read, side_by_side

ATOM = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="()"), min_size=1)

# A node is (label, word) or (label, [nodes]).
Node = tuple[str, "str | list[Node]"]
NODE: st.SearchStrategy[Node] = st.recursive(
    st.tuples(ATOM, ATOM),
    lambda node: st.tuples(ATOM, st.lists(node, min_size=1, max_size=4)),
    max_leaves=20,
)


def bracketed(node: Node, space: str = " ") -> str:
    label, inside = node
    if not isinstance(inside, str):
        inside = space.join(bracketed(child, space) for child in inside)
    return f"({label} {inside})"


def flat(nodes: list[Node]) -> Tree:
    """What `parse` should read, worked out another way."""
    words: list[str] = []
    tags: list[str] = []
    phrases: list[list[object]] = []

    def visit(node: Node) -> None:
        label, inside = node
        if isinstance(inside, str):
            words.append(inside)
            tags.append(label)
            return
        phrase: list[object] = [label, len(words), None]
        phrases.append(phrase)
        for child in inside:
            visit(child)
        phrase[2] = len(words)

    for node in nodes:
        visit(node)
    labels, starts, ends = map(list, zip(*phrases, strict=True)) if phrases else ([], [], [])
    return Tree(words, tags, labels, starts, ends)


@given(st.lists(NODE, min_size=1, max_size=3), st.sampled_from(["", " ", "\n  ", "\t"]))
def test_parse_reads_what_was_bracketed(nodes: list[Node], space: str) -> None:
    assert parse(space.join(bracketed(node, space) for node in nodes)) == flat(nodes)


@given(st.lists(NODE, min_size=1, max_size=5))
def test_trees_over_several_lines(nodes: list[Node]) -> None:
    lines = "\n".join(bracketed(node, "\n\t") for node in nodes).split("\n")
    assert [tree._replace(line=0) for tree in read(lines)] == [flat([node]) for node in nodes]


@given(NODE, st.data())
def test_keep_words(node: Node, data: st.DataObject) -> None:
    tree = flat([node])
    keep = [data.draw(st.booleans()) for _ in tree.words]
    kept = keep_words(tree, keep)
    assert kept.labels == tree.labels
    for start, end, new_start, new_end in zip(
        tree.starts, tree.ends, kept.starts, kept.ends, strict=True
    ):
        covered = [tree.words[i] for i in range(start, end) if keep[i]]
        assert kept.words[new_start:new_end] == covered


def test_side_by_side() -> None:
    trees = [parse("(S (N a))"), parse("(N b)"), parse("(S (N c) (VP (V d)))")]
    tree = side_by_side(trees)
    assert tree.words == ["a", "b", "c", "d"]
    assert list(zip(tree.labels, tree.starts, tree.ends, strict=True)) == [
        ("S", 0, 1),
        ("S", 2, 4),
        ("VP", 3, 4),
    ]


def test_oddities() -> None:
    assert parse("( (S (N a)))").labels == ["", "S"]
    assert parse("(NN )").words == [""]
    assert parse("()").labels == [""]
    assert parse("(N　가\u00a0나)") == Tree([], [], ["N　가\u00a0나"], [0], [0])


def test_no_recursion() -> None:
    depth = 20_000
    tree = parse("(X " * depth + "(N a)" + ")" * depth)
    assert len(tree.labels) == depth
    assert set(tree.ends) == {1}


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("(S (NP (N a))", 7, 1, "1 closing bracket is missing"),
        ("(S (NP (N a)\n (V b)", 7, 4, "2 closing brackets are missing"),
        ("(S (N a)))", 7, 10, "closes nothing"),
        ("(S (N a)\n b)", 8, 2, "b has no tag"),
        ("(S (N a b))", 7, 7, "a has no tag"),
        ("a", 7, 1, "a has no tag"),
    ],
)
def test_errors_have_their_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse(text, line=7)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.text == text.split("\n")[line - 7]


def test_an_error_costs_one_sentence() -> None:
    lines = [
        "(S (N a))",
        "(S (N b)",
        "(S (N c))",
        "(S (N d)))",
        "(S",
        " (N e)",
        "",
        "(S (N f))\r\n",
    ]
    errors: list[FormatError] = []
    trees = list(read(lines, "x.mrg", errors.append))
    assert [(tree.words, tree.line) for tree in trees] == [(["a"], 1), (["c"], 3), (["f"], 8)]
    assert [(error.path, error.line) for error in errors] == [
        ("x.mrg", 2),
        ("x.mrg", 4),
        ("x.mrg", 5),
    ]


def test_errors_are_raised_without_a_handler() -> None:
    with pytest.raises(FormatError, match="closes nothing") as caught:
        list(read(["", "(N a))"], "x.mrg"))
    assert (caught.value.path, caught.value.line) == ("x.mrg", 2)
