"""The commands of `sejongud eval`, apart from `parse`: their options, and the metric they make.

The option `--confusion` of several commands: the labels that a system confuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.commands import say, write_output
from sejongud.commands.eval.base import MetricCommand, read_likeness, read_sides
from sejongud.errors import UsageError
from sejongud.evaluation import make_metric
from sejongud.evaluation.tables import to_text

if TYPE_CHECKING:
    import argparse

    from sejongud.evaluation.base import Metric
    from sejongud.evaluation.scores import Confusion
    from sejongud.evaluation.side import Side
    from sejongud.evaluation.tables import Result


_SHOWN = 20
"""The number of confusions that have an example in the table; --json has all."""
_WIDEST = 12
"""A matrix with more labels is not drawn in text: the examples tell its cells."""


class ConfusionCommand(MetricCommand):
    """The command of a metric that has confusion matrices."""

    def run(self, args: argparse.Namespace) -> int:
        """Measure and print, or show a confusion.

        Raises:
            UsageError: --picture without --confusion, or more than one system with it.
        """
        if args.confusion is not None:
            return self._confuse(args)
        if args.picture:
            raise UsageError("--picture draws a confusion: say which with --confusion")
        return super().run(args)

    def _confuse(self, args: argparse.Namespace) -> int:
        from sejongud.evaluation.scores import draw, matrix_rows, sign
        from sejongud.evaluation.side import alignment_settings
        from sejongud.terminal import data_text

        if args.others or args.to in ("markdown", "latex") or args.html:
            raise UsageError("--confusion is of one system, as text, --json, --csv or --tsv")
        metric, likeness = self.metric(args), read_likeness(args)
        (gold, system), status = read_sides(args, metric, (args.gold, args.system))
        confusion = metric.confuse(gold, system, args.confusion, likeness)
        settings = alignment_settings(gold, system, likeness)
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
    from sejongud.evaluation.scores import matrix_rows
    from sejongud.terminal import table

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


class Tokens(MetricCommand):
    """Tokens and sentence boundaries against gold (jp-preprocessing; memoir, Section 5.1).

    True and false positives and false negatives, precision, recall and F1 of sentences and of
    tokens, words or morphemes. Plain text has a sentence on each line and spaces between tokens. If
    the texts are equal apart from spaces, units are compared by character offset (as udeval does).
    Otherwise sentences and words are aligned first, and the differences are listed.
    """

    name = "tokens"
    options = ("unit", "from_", "rules")


class Pos(ConfusionCommand):
    """Segmentation and tags against gold, at every level of granularity.

    At each of the levels 1 to 5 (memoir, ch. 2): F1 of the words, F1 of the words with their tags,
    and the accuracy of the tags of aligned words. Gold and system may have any level and any
    format: both are compared at every level. Level 1 is the level to which Table 2.2 converts all
    tagging results: the tags of an eojeol's morphemes are its one tag. Analyses are eojeols with
    all morphemes and all tags right.
    """

    name = "pos"
    options = ("from_", "punctuation", "rules")


class Dep(ConfusionCommand):
    """Dependencies against gold: the table of udeval, even if the texts differ.

    Tokens, sentences, words, tags, lemmas, UAS, LAS, CLAS, MLAS and BLEX (Zeman et al. 2018). If
    both files have the same text, words are aligned and counted as by conll18_ud_eval and udeval.
    Otherwise sentences and words are aligned first, and the differences are listed. --confusion
    shows instead the directions or depths of arcs (memoir, Fig. 3.7, 3.8), the tags or relations
    that a system confuses.
    """

    name = "dep"
    options = ("enhanced", "punctuation", "rules")

    def metric(self, args: argparse.Namespace) -> Metric[Any]:
        """Return the metric with the settings of the options."""
        if args.by is None or args.confusion is not None:
            return super().metric(args)
        return make_metric("dep-classes", by=args.by, rules=args.rules)


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

    def advise(self, args: argparse.Namespace, gold: Side[Any], system: Side[Any]) -> None:
        """Name --unit if the files are in two formats, whose tokens differ."""
        if args.unit == "word" and gold.form != system.form and gold.sentences != system.sentences:
            say(
                f"{gold.form} and {system.form} have different tokens: --unit character and"
                " --unit eojeol compare the same tokens of both"
            )

    def to_text(self, args: argparse.Namespace, result: Result) -> str:
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
