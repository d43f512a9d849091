"""The option `--confusion` of several commands: the labels that a system confuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import write_output
from sejongud.commands.eval.base import MetricCommand, read_likeness, read_sides
from sejongud.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from sejongud.evaluation.confusion import Confusion

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
        from sejongud.evaluation.confusion import draw, matrix_rows
        from sejongud.evaluation.scores import sign
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
    from sejongud.evaluation.confusion import matrix_rows
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
