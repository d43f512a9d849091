"""Measure a system against gold: tokens, parses, tags, dependencies, entities, frames.

Gold and system may differ in tokens, sentences and even in the text: they are aligned first. If
they do not differ, the figures are those of the standard tools (udeval, EVALB, conlleval,
nervaluate). Every result ends with a signature, the settings that its figures depend on.
"""

from __future__ import annotations

import os
import sys
from argparse import Action, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud.commands import open_output, say, write_output
from sejongud.commands.scoring import MetricCommand, are_of_two_levels, read_likeness, read_sides
from sejongud.errors import UsageError
from sejongud.evaluation import make_metric
from sejongud.evaluation.scores import draw, matrix_rows, sign
from sejongud.evaluation.side import alignment_settings
from sejongud.evaluation.tables import Result, to_text
from sejongud.files import Source
from sejongud.terminal import clean, counted, data_text, table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sejongud.commands.scoring import Sides
    from sejongud.evaluation.base import Metric
    from sejongud.evaluation.evalb import Parameters
    from sejongud.evaluation.scores import Confusion
    from sejongud.evaluation.side import Annotation


_SHOWN = 20
"""The number of confusions that have an example in the table; --json has all."""
_WIDEST = 12
"""A matrix with more labels is not drawn in text: the examples tell its cells."""
_NAMED = 8
"""The number of tags that a message names."""


class ConfusionCommand(MetricCommand):
    """The command of a metric that has confusion matrices."""

    def run(self, args: Namespace) -> int:
        """Measure and print, or show a confusion.

        Raises:
            UsageError: --picture without --confusion, or more than one system with it.
        """
        if args.confusion is None:
            if args.picture:
                raise UsageError("--picture draws a confusion: say which with --confusion")
            return super().run(args)
        if args.others or args.to in ("markdown", "latex") or args.html:
            raise UsageError("--confusion is of one system, as text, --json, --csv or --tsv")
        scores = ("runs", "sentences", "bootstrap", "compare", "metrics", "names", "by", "enhanced")
        for name in scores:
            if getattr(args, name, None):
                raise UsageError(
                    f"--{args.runs or name} is for scores, which --confusion does not show"
                )
        metric, likeness = self.metric(args), read_likeness(args)
        (gold, system), status = read_sides(args, metric, (args.gold, args.system))
        confusion = metric.confuse(gold, system, args.confusion, likeness)
        settings = {**metric.settings, **alignment_settings(gold, system, likeness)}
        signature = sign(f"{self.name} {args.confusion}", settings)
        if args.picture:
            draw(confusion, args.picture)
        if args.to == "json":
            found = {"signature": signature, **confusion._asdict()}
            del found["errors"]
            found["examples"] = [one._asdict() for one in confusion.examples]
            write_output(args, found)
        elif args.to == "text":
            write_output(args, f"{_text(confusion, signature)}\n")
        else:
            write_output(args, data_text(args.to, matrix_rows(confusion)))
        return status


def _text(confusion: Confusion, signature: str) -> str:
    header, *rows = matrix_rows(confusion)
    tables = [table(rows, header=header)] if len(confusion.labels) <= _WIDEST else []
    examples = [
        [one.gold, one.system, str(one.times), one.place, one.text, one.sentence]
        for one in confusion.examples[:_SHOWN]
    ]
    if examples:
        head = ["gold", "system", "times", "first at", "", "sentence"]
        tables.append(table(examples, header=head, align="llrlll"))
    return "\n".join([*tables, signature])


def _named(labels: Collection[str]) -> str:
    return ", ".join(sorted(labels)[:_NAMED]) + ", …" * (len(labels) > _NAMED)


def _advise_level(*sides: tuple[Annotation[Any], int]) -> None:
    """Say what to do with files whose words, of which the numbers are given, are of two levels."""
    if are_of_two_levels(*[(side.sentences, words) for side, words in sides]):
        gold, system = [words for _, words in sides]
        say(
            f"gold has {counted(gold, 'word[s]')} and the system {system:,}, as if they were cut at"
            " two levels: `sejongud convert --level` cuts both at one; `eval pos` compares all"
        )


class Tokens(MetricCommand):
    """Tokens and sentence boundaries against gold (jp-preprocessing; memoir, Section 5.1).

    True and false positives and false negatives, precision, recall and F1 of sentences and of
    tokens, words or morphemes. Plain text has a sentence on each line and spaces between tokens. If
    the texts are equal apart from spaces, units are compared by character offset (as udeval does).
    Otherwise sentences and words are aligned first, and the differences are listed.
    """

    name = "tokens"
    options = ("unit", "from_", "rules")

    def advise(self, args: Namespace, sides: Sides) -> None:
        """Name the way to compare words that are cut at two levels."""
        if args.unit == "word":
            _advise_level(*[(side, sum(map(len, side.data))) for side in sides])


class Pos(ConfusionCommand):
    """Segmentation and tags against gold, at every level of granularity.

    At each of the levels 1 to 5 (memoir, ch. 2): F1 of the words, F1 of the words with their tags,
    and the accuracy of the tags of aligned words. Gold and system may have any level and any
    format: both are compared at every level. Level 1 is the level to which Table 2.2 converts all
    tagging results: the tags of an eojeol's morphemes are its one tag. Analyses are eojeols with
    all morphemes and all tags right.
    """

    name = "pos"
    options = ("from_", "punctuation", "xpos", "rules")

    def advise(self, args: Namespace, sides: Sides) -> None:
        """Name the way to compare the tags of two tag sets."""
        from sejongud.evaluation.pos import other_tags
        from sejongud.rules import load

        ours, theirs = [other_tags(side, load(args.rules)) for side in sides]
        if differing := ours ^ theirs:
            say(
                f"one side alone has the tags {_named(differing)}, which are not Sejong's: --xpos"
                " sejong compares the Sejong tags nearest to those of both"
            )


class Dep(ConfusionCommand):
    """Dependencies against gold: the table of udeval, even if the texts differ.

    Tokens, sentences, words, tags, lemmas, UAS, LAS, CLAS, MLAS and BLEX (Zeman et al. 2018). Files
    are CoNLL-U, JSON Lines, KLUE-DP or NIKL's dependencies, whose words are eojeols. If both files
    have the same text, words are aligned and counted as by conll18_ud_eval and udeval. Otherwise
    sentences and words are aligned first, and the differences are listed. --confusion shows instead
    the directions or depths of arcs (memoir, Fig. 3.7, 3.8), the tags or relations that a system
    confuses.
    """

    name = "dep"
    options = ("enhanced", "punctuation", "rules")

    def metric(self, args: Namespace) -> Metric[Any]:
        """Return the metric with the settings of the options."""
        if args.by is None:
            return super().metric(args)
        if args.enhanced:
            raise UsageError("--by divides LAS, and --enhanced adds other scores: leave one out")
        options = {"punctuation": args.punctuation, "rules": args.rules}
        return make_metric("dep-classes", by=args.by, **options)

    def advise(self, args: Namespace, sides: Sides) -> None:
        """Name the way to compare words that are cut at two levels, and relations of two schemes."""
        _advise_level(*[(side, len(side.data.bank.token_of)) for side in sides])
        every = [{label for label in side.data.deprels if label[:1].isalpha()} for side in sides]
        # Relations of UD are in small letters.
        ours, theirs = [{label for label in labels if label[:1].isupper()} for labels in every]
        if all(every) and bool(ours) != bool(theirs):
            say(
                f"one side alone has {_named(ours | theirs)}, which are no relations of UD:"
                " `convert --scheme ud` (KLUE-DP, NIKL) or `tree dependencies --scheme ud` (CoNLL-U)"
                " makes those of UD"
            )


class Ner(ConfusionCommand):
    """Named entities against gold: the figures of conlleval, and those of SemEval'13.

    An entity is right for conlleval if its type and both its borders are. SemEval'13 (Task 9.1)
    counts strict (type and borders), exact (borders), partial (borders; an overlap counts half) and
    type (an overlap and the type). Files are CoNLL-U with NE= in MISC; columns with the token first
    and the tag last and blank lines between sentences, tags of IOB1, IOB2 or BIOES; or corpora as
    `sejongud ner` reads them (NAVER, KLUE-NER, MODU ...). Of nested entities the outermost count,
    or with --nested all of them: as one set, in each layer, and by SemEval'13 layer by layer. If
    tokens or sentences differ, they are aligned first and borders are compared by their place in
    the text. Morphemes that fuse have no place of their own. To compare a corpus with CoNLL-U, or
    CoNLL-U of two levels, use --unit: it puts the labels of morphemes on characters or eojeols.
    """

    name = "ner"
    options = ("from_", "unit", "nested")

    def advise(self, args: Namespace, sides: Sides) -> None:
        """Name --unit for files of two formats or levels, and --map for those of two tag sets."""
        gold, system = sides
        words = [
            (side.sentences, sum([len(tagged.tags) for tagged in side.data])) for side in sides
        ]
        other_form = gold.form != system.form and gold.sentences != system.sentences
        if args.unit == "word" and (other_form or are_of_two_levels(*words)):
            names = f"{gold.form} and {system.form}" if other_form else "gold and system"
            say(
                f"{names} have different tokens: --unit character and --unit eojeol compare the"
                " same tokens of both"
            )
        ours, theirs = [
            {entity.type for tagged in side.data for entity in tagged.entities} for side in sides
        ]
        if ours and theirs and ours.isdisjoint(theirs):
            say(
                f"gold has {_named(ours)} and the system {_named(theirs)}, no type of which is the"
                " same: `sejongud ner convert --map` gives entities the types of another tag set"
            )

    def run(self, args: Namespace) -> int:
        """Measure and print; conlleval has no more than its table."""
        if args.conlleval and args.to == "text":
            for name in ("sentences", "bootstrap", "compare"):
                if getattr(args, name):
                    raise UsageError(f"--{name} and --conlleval exclude each other")
        return super().run(args)

    def to_text(self, args: Namespace, result: Result) -> str:
        """Return the table, or the layout of conlleval."""
        from sejongud.evaluation.ner import format_conlleval

        return format_conlleval(result.evaluation) if args.conlleval else to_text(result)


class FrameMetric(MetricCommand):
    """Frames against gold: targets and frame elements, by SemEval'13 (memoir, Table 3.12).

    The target (FrameTarget) and the frame elements of each instance are compared as entities are:
    strict (type and borders), exact (borders), partial (borders; an overlap counts half) and type
    (an overlap and the type), and by type as conlleval does. Files are the Korean FrameNet or
    CoNLL-U Plus with frames, as `sejongud frame` reads and writes them. Labels of morphemes are
    converted back to eojeols first; --unit word compares the words of CoNLL-U. A target hides the
    frame element that it carries. If tokens or sentences differ, they are aligned first.
    """

    name = "frame"
    options = ("unit", "rules")


class Sighan(MetricCommand):
    """Chinese constituents and semantic roles, as scored at SIGHAN 2012, Task 4.

    A tree is a line in the format of the Sinica Treebank, `S(agent:NP(Nh:他)|Head:VC:刊登|…)`. A
    constituent is right if its borders and its phrase label are; labels in rules/sighan.toml count.
    A semantic role of the top level is right if its borders and the role are. Borders are places in
    the text, so words may be cut differently. Micro averages are over constituents, macro averages
    over sentences. Lines are paired by their number if they have the same text or the system has
    none; otherwise sentences and words are aligned first.
    """

    name = "sighan"
    options = ("rules",)


_OPTIONS = {"-d": ("debug", 1), "-D": ("debug", 2), "-c": ("cutoff_len", 0), "-e": ("max_error", 0)}
"""Option → the key of the parameters, and the value of an option without an argument."""


_NOT_EVALB = ("sentences", "bootstrap", "compare", "others", "by", "html")
"""The options that EVALB does not have."""


class Parse(MetricCommand):
    """Bracketed trees against gold: PARSEVAL on aligned words (jp-evalb), or EVALB itself.

    Files are brackets, the Sejong, the Penn Korean or the Sinica Treebank, CoNLL-U Plus or JSON
    Lines with constituents. Sentences and words are aligned first, so gold and system may differ in
    both. The words of treebanks are their morphemes. The table has EVALB's columns and a row for
    each aligned group of sentences: Len. is its length in aligned words but for those that
    DELETE_LABEL_FOR_LENGTH takes out, Words and Tags count the words of gold. Every word counts,
    punctuation too. -p takes other parameters, by the name of a set in rules/evalb.toml (COLLINS,
    new, nk, SPMRL) or as a file in EVALB's syntax.

    --evalb prints the output of EVALB, byte for byte. Both files must have the same words on the
    same lines; -p, -d, -D, -c and -e are EVALB's options.
    """

    name = "parse"

    def run(self, args: Namespace) -> int:
        """Measure and print, or run EVALB."""
        return _run_evalb(args) if args.evalb else super().run(args)

    def metric(self, args: Namespace) -> Metric[Any]:
        """Return the metric.

        Raises:
            UsageError: an option needs --evalb.
        """
        from sejongud.evaluation.evalb import Parameters, load_parameters

        given = [option for option, _ in args.settings or ()]
        if foreign := [option for option in given if option in ("-d", "-D", "-e")]:
            raise UsageError(f"{foreign[0]} is an option of EVALB: add --evalb, or leave it out")
        names = [Path(value).name for option, value in args.settings or () if option == "-p"]
        start = Parameters() if names else load_parameters("aligned", directory=args.rules)
        options: dict[str, Any] = {
            "parameters": _parameters(args, start, _text_parse, say),
            "name": "+".join(names) or "aligned",
            "rules": args.rules,
        }
        by = {"by": args.by} if args.by else {}
        return make_metric("parse-labels" if by else "parse", **options, **by)

    def to_text(self, args: Namespace, result: Result) -> str:
        """Return the table of EVALB, whose rows are the sentences, above intervals and test."""
        if args.by:
            return super().to_text(args, result)
        from sejongud.evaluation.parseval import format_rows

        rows = format_rows(result.evaluation)
        return f"{rows}\n{to_text(replace(result, sentences=False), scores_elsewhere=True)}"


class InOrder(Action):
    """Keeps the options of EVALB with their values, in the order in which they are given."""

    def __call__(self, parser: object, args: Namespace, value: Any, option: Any = None) -> None:
        """Add an option."""
        args.settings = [*(args.settings or ()), (option, value or "")]


def _parameters(
    args: Namespace,
    parameters: Parameters,
    read: Callable[[str], Sequence[str]],
    warn: Callable[[str], None],
) -> Parameters:
    """Return the parameters after all options, in their order.

    Args:
        args: the arguments, with `settings` and `rules`.
        parameters: the parameters without any option.
        read: returns the lines of a parameter file.
        warn: see `sejongud.evaluation.evalb.read_parameters`.

    Raises:
        OSError: a parameter file cannot be read, or there is neither such a file nor such a set.
    """
    from sejongud.evaluation.evalb import atoi, load_parameters, read_parameters

    for option, value in args.settings or ():
        if option != "-p":
            name, given = _OPTIONS[option]
            change: dict[str, Any] = {name: given or atoi(value)}
            parameters = replace(parameters, **change)
        elif Path(value).exists() or not value.isidentifier():
            parameters = read_parameters(read(value), parameters, warn)
        else:
            parameters = load_parameters(value, parameters, args.rules)
    return parameters


def _run_evalb(args: Namespace) -> int:
    from sejongud.evaluation.evalb import Parameters, evaluate

    others = [name for name in _NOT_EVALB if getattr(args, name)]
    others += [args.to] if args.to not in (None, "text") else []
    if others:
        raise UsageError(f"--{others[0]} and --evalb exclude each other: EVALB prints one table")

    def warn(message: str) -> None:
        # A character of the message is a byte of its text.
        text = message.encode("latin-1").decode("utf-8", "surrogateescape")
        sys.stderr.buffer.write(f"{clean(text)}\n".encode())
        sys.stderr.flush()

    try:
        file = "parameter"
        parameters = _parameters(args, Parameters(), _lines, warn)
        file = "gold"
        gold = _lines(args.gold)
        file = "test"
        test = _lines(args.system)
    except OSError as error:
        # EVALB prints this message whatever the reason.
        warn(f"Can't open {file} file ({os.fsencode(error.filename).decode('latin-1')})")
        return 1
    with open_output(args) as out:
        return evaluate(gold, test, parameters, out.buffer, sys.stderr.buffer)


def _text_parse(path: str) -> list[str]:
    """Return the lines of a text file in any encoding."""
    with Source(path) as source:
        return list(source.lines())


def _lines(path: str) -> list[str]:
    """Return the lines of a file, a character a byte."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    lines = data.decode("latin-1").split("\n")
    return lines if lines[-1] else lines[:-1]
