"""The functions of the library: read, loads, analyze, write, convert, join, freq, draw and others.

Incidents go to the report that a caller gives, or else to the logger "sejongud" of `logging`:
errors and warnings as such, the others as information.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud import model
from sejongud.converters import jobs as conversions
from sejongud.converters.jobs import Conversion, level_of, tree_settings, with_columns
from sejongud.errors import FormatError, Note, OnError, Report, UsageError, expect_choice
from sejongud.files import Source, atomic_binary, atomic_output
from sejongud.files.layout import with_lf
from sejongud.files.texts import Abreast, divided
from sejongud.formats import ABREAST, WRITERS, output_format, resolve
from sejongud.formats.around import layout_for
from sejongud.formats.conllu.plus import layers_of, needed_columns
from sejongud.interop import as_sentences
from sejongud.pipeline import Totals, convert_stream, lacking
from sejongud.rules import load
from sejongud.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd
    from conllu import TokenList

    from sejongud.formats.conllu.write import Deps, NePlace
    from sejongud.rules.bounded import BoundedPattern

_log = logging.getLogger("sejongud")
_log.addHandler(logging.NullHandler())  # A program that configures no logging stays silent.
_LEVELS = {"E": logging.ERROR, "W": logging.WARNING}

_LOOKED_AT = 1_000
"""The sentences that `write` holds back to see which columns they need."""


def report_of(report: Report | None) -> Report:
    """Return the report that a caller gives, or one that logs."""
    return report or Report(lambda said: _log.log(_LEVELS.get(said.code[0], logging.INFO), said))


def _folder(rules: str | os.PathLike[str] | None) -> str | None:
    """Return the folder of the user's tables as conversions take it."""
    return None if rules is None else str(rules)


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function that are fields of a `Conversion`."""
    # No type checker compares the names; tests/test_library.py does.
    fields = {name: given[name] for name in Conversion.defaults if name in given}
    return fields | {"rules": _folder(given["rules"])}


def read(
    path: str | os.PathLike[str],
    *,
    from_: str | None = None,
    encoding: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """Iterate over the sentences of a file, or of the files of a folder.

    Args:
        path: the file or the folder; `-` is standard input.
        from_: the format, None to detect it.
        encoding: the encoding, None to detect it.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        report: receives an incident for everything that was mended or left out; None logs them.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: the file cannot be read.
    """
    options: dict[str, Any] = {"from_": from_, "encoding": encoding, "rules": rules}
    corpus = _corpus([os.fsdecode(path)], on_error=on_error, report=report_of(report), **options)
    return (Sentence.of(sentence) for _, sentence in corpus)


def loads(
    text: str,
    *,
    from_: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    **options: Any,
) -> list[Sentence]:
    """Return the sentences of a text in any format that is read.

    Args:
        text: the text, with any line ends, as a file has it.
        from_: its format, None to detect it.
        rules: a directory of tables laid over the built-in ones.
        **options: further options of the format's reader.

    Raises:
        FormatError: an error in the data.
        UsageError: there is no such format, or the text is no string, or the path of a file.

    >>> [sentence.text for sentence in loads("나는\\t나/NP+는/JX\\n")]
    ['나는']
    """
    if not isinstance(text, str):
        raise UsageError(
            f"a text is a str, not a value of type {type(text).__name__}: decode bytes, and join"
            " lines; `sejongud.read` takes the path of a file"
        )
    if os.path.isfile(text):  # noqa: PTH113 - a Path raises an error for a long text
        raise UsageError(f"{text} is a file: `sejongud.read` takes its path")
    text = with_lf(text)
    name = resolve(from_, text, rules=_folder(rules))
    reader = Conversion(name, rules=_folder(rules), reader_options=options).make_reader()
    lines = [text if text.endswith("\n") or not text else f"{text}\n"]
    try:
        found = list(reader.read(reader.blocks(lines), "-", "stop", report_of(None)))
        reader.finish("-", report_of(None))
        return list(map(Sentence.of, found))
    except FormatError as error:
        raise error.at(path="-", line=0) from None


def analyze(
    text: str | Iterable[str],
    *,
    level: int | None = None,
    upos: str | None = None,
    lemmas: str | None = None,
    feats: str = "",
    translit: bool = False,
    gloss: bool = False,
    split: bool = False,
    jobs: int | None = None,
    rules: str | os.PathLike[str] | None = None,
) -> list[Sentence]:
    """Return the sentences of raw text, a line each, as Kiwi analyses them.

    Args:
        text: the text, or its lines; an empty line has no sentence.
        level: of granularity, 1 to 5; None for level 5.
        upos: the UPOS scheme.
        lemmas: the lemma scheme.
        feats: "ud" or "full" for FEATS; "" for none.
        translit: whether to romanise forms and lemmas.
        gloss: whether to gloss particles, endings and affixes.
        split: whether a line is a paragraph, whose sentences Kiwi finds.
        jobs: the number of Kiwi's threads; None or 0 for one a processor.
        rules: a directory of tables laid over the built-in ones.

    >>> [word.form for word in analyze("나는 간다")[0]]
    ['나', '는', '가', 'ㄴ다']
    """
    settings = _settings(locals()) | {"level": model.MORPHEMES if level is None else level}
    if not isinstance(text, str) and isinstance(text, Iterable):
        lines = list(text)
        others = [line for line in lines if not isinstance(line, str)]
        text = others[0] if others else "".join([line.rstrip("\n") + "\n" for line in lines])
    sentences = loads(text, from_="text", rules=_folder(rules), workers=jobs, split=split)
    if level is None and not (upos or lemmas or feats or translit or gloss):
        return sentences
    made: Iterable[model.Sentence] = sentences
    for step in Conversion("text", **settings).make_steps():
        made = map(step, made)
    return list(map(Sentence.of, made))


def write(
    sentences: Iterable[model.Sentence | TokenList],
    path: str | os.PathLike[str],
    *,
    to: str | None = None,
    level: int | None = None,
    columns: Sequence[str] | None = None,
    report: Report | None = None,
) -> int:
    """Write sentences to a file, which appears when all of it is written.

    Args:
        sentences: the sentences; a TokenList of the conllu library is one, too.
        path: the file; `-` is standard output.
        to: the format; None for the one that the ending of the path tells, and else "conllu".
        level: of granularity, 1 to 5; None for the own cut of a treebank, and else 5.
        columns: the names of the columns of frames and constituents (`to` "conllu"); None for those
            that the first thousand sentences need.
        report: receives an incident for everything that the format cannot express; None logs them.

    Returns:
        The number of sentences.

    Raises:
        FormatError: without a report, a sentence behind the first thousand has frames or
            constituents for which there are no columns; a constituent ends inside a word.
        UsageError: there is no such format or level, no format with the ending of the path can be
            written, or one of the sentences is no `Sentence`.
        OSError: the file cannot be written.
    """
    to = output_format(os.fspath(path), WRITERS, to, "conllu") or "conllu"
    if isinstance(sentences, model.Sentence) or hasattr(sentences, "serialize"):
        raise UsageError("write takes several sentences: put this one into a list, [sentence]")
    rest = as_sentences(sentences)
    first: list[model.Sentence] = []
    if to == "conllu" and columns is None:
        first = list(islice(rest, _LOOKED_AT))
        columns = needed_columns(map(layers_of, first))
    writer = Conversion(to, to, level=level, columns=tuple(columns or ())).make_writer()
    count = 0
    lacks, parting = "", getattr(writer, "parting", "")
    with atomic_output(path) as out:
        out.write(getattr(writer, "preamble", ""))
        for sentence in chain(first, rest):
            _tell(writer.loses(sentence), sentence, report, is_error=to == "conllu")
            try:
                text = writer.sentence(sentence)
            except FormatError as error:
                error.message = f"sentence {sentence.sent_id}: {error.message}"
                raise
            out.write(lacks + text)
            lacks = lacking(text, parting)
            count += 1
    return count


def _tell(
    notes: Iterable[Note], sentence: model.Sentence, report: Report | None, *, is_error: bool
) -> None:
    """Report the parts of a sentence that are not written, or raise an error without a report."""
    notes = list(notes)
    lost = [message for code, message, _ in notes if code.startswith("W")]
    if report is None and is_error and lost:
        raise FormatError(
            f"sentence {sentence.sent_id}: {'; '.join(lost)}: name the columns (columns=), or give"
            " a report to leave this out",
            code="E213",
        )
    report_of(report).tell(notes, "", sent_id=sentence.sent_id)


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    from_: str | None = None,
    to: str | None = None,
    level: int | None = None,
    upos: str | None = None,
    lemmas: str | None = None,
    feats: str = "",
    translit: bool = False,
    gloss: bool = False,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    deps: Deps = "",
    scheme: str = "",
    profile: str = "ud",
    explain: bool = False,
    xpos: str = "",
    aux_lemmas: str = "",
    repair: bool = False,
    ne: NePlace = "misc",
    spaced: bool = False,
    simplify: bool = False,
    mark: bool = False,
    with_tags: bool = False,
    tags: str | os.PathLike[str] | None = None,
    ids: str | os.PathLike[str] | None = None,
    field: str = "",
    trees: str = "columns",
    encoding: str | None = None,
    report: Report | None = None,
) -> Totals:
    """Convert a file.

    Args:
        source: the file; `-` is standard input.
        target: the file to write, whole or not at all; `-` is standard output.
        from_: the format of the source, None to detect it.
        to: the format of the target; None for the one that the ending of its name tells, and else
            "conllu".
        level: of granularity, 1 to 5; None for the words of JSON Lines, and else 5.
        upos: UPOS scheme, see `sejongud rules show upos`; None for what a treebank says of its
            words, and else "sejong".
        lemmas: lemma scheme; None likewise, and else "normalised".
        feats: "ud" or "full" for FEATS of words that have none; "" for none.
        translit: whether to write romanised forms and lemmas.
        gloss: whether to write glosses of particles, endings and affixes.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        jobs: the number of processes; with more than one a script has to call this under
            `if __name__ == "__main__":`, as for everything that starts processes.
        deps: "none" or "dummy" for HEAD and DEPREL; "" for the source's.
        scheme: "ud" for the heads and relations of UD instead of those of KLUE-DP.
        profile: the conventions of the scheme "ud".
        explain: whether MISC names the row of the tables that made an arc.
        xpos: "sejong" for Sejong tags in XPOS; "" for a treebank's own.
        aux_lemmas: "whole" or "bound" lemmas of auxiliaries; "" for a treebank's own.
        repair: whether relations that UD does not permit are repaired, and told.
        ne: "misc" or "column", the place of entity labels.
        spaced: whether blanks surround the plus (`to` "sejong").
        simplify: whether trees are simplified as for SIGHAN 2012 (`to` "sinica").
        mark: whether ▁ stands before the first word of each eojeol (`to` "tokens").
        with_tags: whether tags stand behind the words (`to` "tokens").
        tags: the file of the tags of the words, line by line: it is written beside tokens, and else
            read beside the source; None for none.
        ids: the file of the ids and comments of sentences; likewise.
        field: the member or the column with raw text, if the source is JSON or CSV.
        trees: "columns" or "none", the place of constituents in CoNLL-U.
        encoding: the encoding of the source, None to detect it.
        report: receives an incident for everything that was mended or left out; None logs them.

    Returns:
        The numbers of sentences and eojeols that were converted.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        UsageError: the target is the source, there is no such format, level or scheme, or no format
            with the ending of the target can be written.
        OSError: a file cannot be read or written.
    """
    settings = _settings(locals())
    if Path(target).is_file() and Path(source).is_file() and Path(target).samefile(source):
        raise UsageError(f"the target {target} is the source, which it would replace")
    to = output_format(os.fspath(target), WRITERS, to, "conllu") or "conllu"
    with ExitStack() as stack:
        beside = [path for path in (tags, ids) if path is not None]
        is_divided = to in ABREAST
        files = () if is_divided else beside
        opened = stack.enter_context(
            Abreast(source, files, encoding=encoding)
            if files
            else Source(source, encoding=encoding)
        )
        name = "records" if field else resolve(from_, opened.head(), opened.path, _folder(rules))
        out = stack.enter_context(atomic_output(target, layout_for(to, opened.head())))
        out = divided(out, beside if is_divided else (), stack)
        whole, columns = stack.enter_context(with_columns(name, to, opened))
        settings |= tree_settings(columns, trees) | {
            "level": level_of(name, level),
            "path": opened.path,
            "tags": is_divided and tags is not None,
            "ids": is_divided and ids is not None,
            "reader_options": {"field": field} if field else {},
        }
        conversion = Conversion(name, to, **settings)
        return convert_stream(conversion, whole, out, report_of(report), jobs=jobs)


def join(
    source: str | os.PathLike[str],
    *others: str | os.PathLike[str],
    target: str | os.PathLike[str],
    to: str | None = None,
    encoding: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> Totals:
    """Write the sentences of a file with the layers of other files that have the same text.

    The words and the dependencies of the source stay. Entities, frames and constituents of the
    others, and dependencies if the source has none, are laid onto its morphemes
    (`sejongud.converters.join`). Sentences are paired by their texts, in order.

    Args:
        source: the file whose words stay.
        others: the files that have further layers, each in any format that is read.
        target: the file to write, whole or not at all; `-` is standard output.
        to: the format of the target; None for the one that the ending of its name tells, and else
            "conllu".
        encoding: the encoding of the sources, None to detect it.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        report: receives an incident for each difference and for everything that was left out.

    Returns:
        The numbers of sentences and eojeols.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        UsageError: the target is one of the sources, or cannot be written in any format.
        OSError: a file cannot be read or written.
    """
    from sejongud.converters.join import join_files

    for path in (source, *others):
        if Path(target).is_file() and Path(path).is_file() and Path(target).samefile(path):
            raise UsageError(f"the target {target} is the source {path}, which it would replace")
    to = output_format(os.fspath(target), WRITERS, to, "conllu") or "conllu"
    with ExitStack() as stack:
        sources = [
            stack.enter_context(Source(path, encoding=encoding)) for path in (source, *others)
        ]
        out = stack.enter_context(atomic_output(target))
        folder = _folder(rules)
        return join_files(sources, out, to, report_of(report), on_error=on_error, rules=folder)


def freq(
    *inputs: str | os.PathLike[str] | Iterable[model.Sentence | str | os.PathLike[str]],
    of: str | Sequence[str] = "lemma,tag",
    where: str | None = None,
    ngrams: int = 1,
    against: str | os.PathLike[str] | Iterable[model.Sentence] | None = None,
    around: str | None = None,
    window: int | str | tuple[int, int] = 5,
    parts: str = "document",
    doc: str | None = None,
    level: int | None = None,
    upos: str | None = None,
    lemmas: str | None = None,
    from_: str | None = None,
    encoding: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> pd.DataFrame:
    """Count words: frequencies, key words beside a reference, or collocates around a word.

    Args:
        *inputs: files, folders of files, or lists of sentences or files.
        of: the keys of the values that are counted together, as in queries: "lemma,tag".
        where: a query; only the words that match it are counted.
        ngrams: the number of words in a row that are counted together.
        against: a reference corpus, which adds the measures of keyness.
        around: a query for the nodes whose collocates are counted.
        window: the words on each side of a node, or (left, right).
        parts: "document", "file" or "sentence", for range and dispersion.
        doc: a regular expression for the comments of the documents that are counted.
        level: of granularity, 1 to 5; None for the own words of a treebank, and else 5.
        upos: the UPOS scheme.
        lemmas: the lemma scheme.
        from_: the format of the files, None to detect it.
        encoding: the encoding of the files, None to detect it.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        report: receives an incident for everything that was mended or left out; None logs them.

    Returns:
        A row for each value; `sejongud.query.frequencies.Frequencies.table` names the columns, and
        `sejongud.statistics.measures` has the formulas.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        UsageError: a query, a key, a level or a number is wrong.
        OSError: a file cannot be read.

    >>> freq(loads("나는\\t나/NP+는/JX\\n너는\\t너/NP+는/JX\\n"), of="tag").tag.to_list()
    ['JX', 'NP']
    """
    from sejongud.query import document_pattern, in_documents, words_at
    from sejongud.query.frequencies import Frequencies, count_corpus

    options: dict[str, Any] = {"from_": from_, "encoding": encoding, "rules": rules}
    words_of = words_at(level, upos, lemmas, load(_folder(rules)))

    def count(corpora: Iterable[Any], documents: BoundedPattern | None = None) -> Frequencies:
        counts = Frequencies(of, where=where, ngrams=ngrams, around=around, window=window)
        corpus = _corpus(corpora, on_error=on_error, report=report_of(report), **options)
        return count_corpus(counts, in_documents(corpus, documents), words_of, parts)

    counts = count(inputs, document_pattern(doc))
    return counts.table(None if against is None else count([against]))


def draw(
    source: str | os.PathLike[str] | model.Sentence,
    target: str | os.PathLike[str] | None = None,
    sent_id: str | None = None,
    *,
    number: int | None = None,
    to: str | None = None,
    levels: Sequence[int] | None = None,
    rows: Sequence[str] | None = None,
    from_: str | None = None,
    upos: str | None = None,
    lemmas: str | None = None,
    encoding: str | None = None,
    on_error: OnError = "keep",
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> str:
    """Draw a sentence as a picture: its levels, dependencies, entities, frames and constituents.

    Args:
        source: the sentence, or a file or a folder that has it.
        target: the file to write; None for no file.
        sent_id: the id of the sentence in the file.
        number: its number in the file, from 1; without both it is the first.
        to: "svg", "png" or "latex"; None for the format that the ending of the target tells, and
            else "svg". PNG needs resvg (the extra `png`).
        levels: the levels that are drawn; None for all.
        rows: those of "lemma", "upos" and "xpos" that stand below the forms; None for all.
        from_: the format of the file, None to detect it.
        upos: the UPOS scheme of the levels.
        lemmas: the lemma scheme of the levels.
        encoding: the encoding of the file, None to detect it.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        report: receives an incident for everything that was mended or left out; None logs them.

    Returns:
        The picture: LaTeX, or SVG, from which a PNG is made as well.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        MissingExtraError: a PNG is wanted, and resvg is not installed.
        UsageError: the file does not have the sentence, or there is no such format, level or row.
        OSError: a file cannot be read or written.

    >>> print(draw(loads("봄\\t봄/NNG\\n")[0], to="latex"))  # doctest: +ELLIPSIS
    %...
    \\begin{exe}
    ...
    """
    from sejongud.report.drawing import ROWS
    from sejongud.report.picture import FORMATS, Picture, latex_of, png_of

    options: dict[str, Any] = {"from_": from_, "encoding": encoding, "rules": rules}
    corpus = _corpus([source], on_error=on_error, report=report_of(report), **options)
    first = 1 if number is None and sent_id is None else number
    wanted = (
        sentence
        for count, (_, sentence) in enumerate(corpus, 1)
        if first in (None, count) and sent_id in (None, sentence.sent_id)
    )
    if (sentence := next(wanted, None)) is None:
        raise UsageError(f"{source} has no sentence {sent_id or f'number {first}'}")
    tables = load(_folder(rules))
    to = output_format(str(target or "-"), FORMATS, to, "svg")
    expect_choice("to", to, FORMATS)
    levels, rows = levels or model.LEVELS, ROWS if rows is None else rows
    if unknown := [name for name in (*levels, *rows) if name not in (*model.LEVELS, *ROWS)]:
        known = f"no level (1 to {model.LEVELS[-1]}) and no row ({', '.join(ROWS)})"
        raise UsageError(f"{unknown[0]} is {known}")
    if to == "latex":
        text = latex_of(sentence, tables, max(levels))
    else:
        picture = Picture(tables, upos=upos, lemmas=lemmas, levels=levels, rows=rows)
        text = picture.svg(sentence, colour="#000")
    if target is not None and to == "png":
        image = png_of(text)
        with atomic_binary(target) as raw:
            raw.write(image)
    elif target is not None:
        with atomic_output(target) as out:
            out.write(text)
    return text


def _corpus(
    inputs: Iterable[Any], label: str = "", **options: Any
) -> Iterator[tuple[str, model.Sentence]]:
    """Yield the sentences of files, of the files in folders, and those that are given.

    Args:
        inputs: names of files and folders, sentences, or lists of these.
        label: stands for the file of sentences that are given.
        **options: those of `sejongud.converters.jobs.read`.
    """
    from sejongud.formats.finding import input_files

    for number, one in enumerate(inputs):
        if isinstance(one, model.Sentence):
            yield label, one
        elif isinstance(one, str | os.PathLike):
            skipped: dict[str, str] = {}
            for path, *_ in input_files([os.fspath(one)], options["from_"], skipped):
                yield from ((path, found) for found in conversions.read(path, **options))
            for path, why in skipped.items():
                _log.warning("%s: skipped: %s", path, why)
        elif isinstance(one, Iterable) and not hasattr(one, "serialize"):
            yield from _corpus(one, f"{label}.{number}", **options)
        else:
            raise UsageError(f"a corpus is a file, a folder or Sentences, not {type(one).__name__}")
