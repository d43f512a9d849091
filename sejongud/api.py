"""The functions of the library: read, loads, write, analyze; `convert` stands in the pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud import pipeline
from sejongud.errors import FormatError, Report
from sejongud.files import atomic_output
from sejongud.formats import resolve
from sejongud.pipeline import Conversion
from sejongud.sentence import Sentence

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from sejongud import model
    from sejongud.errors import OnError

__all__ = ["analyze", "loads", "read", "write"]


def read(
    path: str | os.PathLike[str],
    *,
    from_: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """Iterate over the sentences of a file.

    Args:
        path: the file; `-` is standard input.
        from_: its format, None to detect it.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        report: what is told of everything that was mended or left out; None counts it only.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: the file cannot be read.
    """
    found = pipeline.read(path, from_=from_, on_error=on_error, rules=rules, report=report)
    return map(Sentence.of, found)


def loads(
    text: str, *, from_: str | None = None, rules: str | os.PathLike[str] | None = None
) -> list[Sentence]:
    """Return the sentences of a text in any format that is read.

    Args:
        text: the text; its lines end in LF.
        from_: its format, None to detect it.
        rules: a directory of tables laid over the built-in ones.

    Raises:
        FormatError: an error in the data.
        UsageError: there is no such format.

    >>> [sentence.text for sentence in loads("나는\\t나/NP+는/JX\\n")]
    ['나는']
    """
    name = resolve(from_, text)
    reader = Conversion(name, rules=None if rules is None else str(rules)).make_reader()
    lines = [text if text.endswith("\n") or not text else f"{text}\n"]
    try:
        sentences = reader.read(reader.frame(lines), "-", "stop", Report())
        return list(map(Sentence.of, sentences))
    except FormatError as error:
        raise error.at(path="-", line=0) from None


def analyze(text: str) -> list[Sentence]:
    """Return the sentences of raw text, a line each, as Kiwi analyses them.

    Args:
        text: the text.

    >>> [word.form for word in analyze("나는 간다")[0]]
    ['나', '는', '가', 'ㄴ다']
    """
    return loads(text, from_="text")


def write(
    sentences: Iterable[model.Sentence],
    path: str | os.PathLike[str],
    *,
    to: str = "conllu",
    level: int | None = None,
) -> int:
    """Write sentences to a file, which appears when all of it is written.

    Args:
        sentences: the sentences.
        path: the file; `-` is standard output.
        to: the format.
        level: of granularity, 1 to 5; None for the own cut of a treebank, and else 5.

    Returns:
        The number of sentences.

    Raises:
        UsageError: there is no such format or level.
        OSError: the file cannot be written.
    """
    if to != "conllu" or level is not None:
        writer = Conversion(to, to, level=5 if level is None else level).make_writer()
        cut: Iterable[model.Sentence] = sentences
    else:
        from sejongud.formats.conllu.write import ConlluWriter

        writer = ConlluWriter()
        cut = (Sentence.of(sentence).cut() for sentence in sentences)
    count = 0
    with atomic_output(path) as out:
        out.write(getattr(writer, "preamble", ""))
        for sentence in cut:
            out.write(writer.sentence(sentence))
            count += 1
    return count
