"""The functions of the library: read, loads, analyze, write, convert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.converters import jobs as conversions
from sejongud.converters.jobs import Conversion, columns_of
from sejongud.errors import FormatError, Report
from sejongud.files import Source, atomic_output
from sejongud.formats import resolve
from sejongud.pipeline import convert_stream
from sejongud.sentence import Sentence

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from sejongud import model
    from sejongud.errors import OnError
    from sejongud.pipeline import Totals

__all__ = ["analyze", "convert", "loads", "read", "write"]


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
    found = conversions.read(path, from_=from_, on_error=on_error, rules=rules, report=report)
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


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    from_: str | None = None,
    to: str = "conllu",
    level: int = 5,
    upos: str | None = None,
    lemmas: str | None = None,
    feats: str = "",
    translit: bool = False,
    gloss: bool = False,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    report: Report | None = None,
) -> Totals:
    """Convert a file.

    Args:
        source: the file; `-` is standard input.
        target: the file to write, whole or not at all; `-` is standard output.
        from_: the format of the source, None to detect it.
        to: the format of the target.
        level: of granularity, 1 to 5.
        upos: UPOS scheme, see `sejongud rules show upos`; None for what a treebank says of its
            words, and else "sejong".
        lemmas: lemma scheme; None likewise, and else "normalised".
        feats: "ud" or "full" for FEATS of words that have none; "" for none.
        translit: whether to write romanised forms and lemmas.
        gloss: whether to write glosses of particles, endings and affixes.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        jobs: how many processes; with more than one a script has to call this under
            `if __name__ == "__main__":`, as for everything that starts processes.
        report: what is told of everything that was mended or left out; None counts it only.

    Returns:
        How many sentences and eojeols were converted.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: a file cannot be read or written.
    """
    with Source(source) as opened, atomic_output(target) as out:
        name = resolve(from_, opened.head())
        conversion = Conversion(
            name,
            to,
            level=level,
            upos=upos,
            lemmas=lemmas,
            feats=feats,
            translit=translit,
            gloss=gloss,
            on_error=on_error,
            rules=None if rules is None else str(rules),
            path=opened.path,
            columns=columns_of(name, opened.head()) if to == "conllu" else (),
        )
        return convert_stream(conversion, opened, out, report or Report(), jobs=jobs)
