"""Build a dataset by a recipe, whole and checked; or verify one that was built.

`release RECIPE.toml [OUT]` reads the inputs that the recipe names, converts them, splits them into
train, dev and test, sees that every conversion comes back, counts what there is, and writes a
folder with data, card, licence, citation, manifest and SHA256SUMS. The same recipe and inputs give
the same bytes. The folder appears when all of it is there. An untouched release of the same recipe
is replaced, any other one with --force; what is no release is never touched.

`release verify DIR` compares every file with SHA256SUMS and the manifest, and names what was
changed, is missing or was added. With --inputs FOLDER, where the recipe stood, it makes again what
it can, and compares. What the recipe decides (rules, encoding, what is done about errors) has no
option here, so that the recipe alone tells how a release was made.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.commands import guard_report, number_of_jobs, reporting, say
from sejongud.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from sejongud.release import Verification

__all__ = ["register", "run"]

_VERIFY = "verify"


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.usage = (
        "sejongud release [options] RECIPE.toml [OUT]\n       sejongud release verify [options] DIR"
    )
    parser.add_argument(
        "recipe", metavar="RECIPE.toml", help="the recipe; or the word verify (a file: ./verify)"
    )
    parser.add_argument(
        "folder",
        metavar="OUT|DIR",
        nargs="?",
        help="the folder of the release; to build: NAME-VERSION in this folder if left out",
    )
    building = parser.add_argument_group("building")
    building.add_argument(
        "--force", action="store_true", help="replace a release of another recipe that is there"
    )
    building.add_argument(
        "--report", metavar="FILE", help="write all incidents to FILE, one JSON object a line"
    )
    verifying = parser.add_argument_group("verifying")
    verifying.add_argument(
        "--inputs", metavar="FOLDER", help="where the recipe stood: make again what can be made"
    )
    verifying.add_argument(
        "--digest", metavar="SHA256", help="the SHA-256 that SHA256SUMS itself should have"
    )
    common = parser.add_argument_group("common options")
    common.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    common.add_argument("-v", "--verbose", action="store_true", help="show every incident")
    common.add_argument(
        "--jobs",
        metavar="N",
        type=number_of_jobs,
        default=1,
        help="processes; auto: one a processor",
    )
    common.add_argument(
        "--no-progress", dest="progress", action="store_false", help="no progress bar"
    )


def run(args: argparse.Namespace) -> int:
    """Build or verify.

    Returns:
        0; 1 if there were errors in the data, or the folder is not the release that it should be.
    """
    return _verify(args) if args.recipe == _VERIFY else _build(args)


def _build(args: argparse.Namespace) -> int:
    from sejongud.release import build, load_recipe

    _only(args, ("inputs", "digest"), "release verify DIR")
    if args.report:
        recipe = load_recipe(args.recipe)
        guard_report(args, map(recipe.resolve, recipe.files))
        target = Path(args.folder or recipe.release_name)
        if target.resolve() in Path(args.report).resolve().parents:
            raise UsageError(f"--report {args.report} would be a file of the release: name another")
    with reporting(args) as report:
        release = build(
            args.recipe,
            args.folder,
            jobs=args.jobs,
            force=args.force,
            report=report,
            progress=args.progress and not args.quiet,
            say=None if args.quiet else say,
        )
        # As sha256sum prints it: what verify --digest takes.
        sys.stdout.write(f"{release.digest}  {release.folder}/SHA256SUMS\n")
        return 1 if report.errors else 0


def _verify(args: argparse.Namespace) -> int:
    from sejongud.release import verify

    if args.folder is None:
        raise UsageError("which release? sejongud release verify DIR")
    _only(args, ("force", "report"), "release RECIPE.toml")
    found = verify(
        args.folder,
        inputs=args.inputs,
        digest=args.digest,
        jobs=args.jobs,
        say=None if args.quiet else say,
    )
    sys.stdout.writelines([f"{finding}\n" for finding in found.findings])
    sys.stdout.flush()
    if not args.quiet:
        _sum_up(found)
    return 0 if found.ok else 1


def _only(args: argparse.Namespace, names: tuple[str, ...], where: str) -> None:
    """See that options of the other half of this command are not given."""
    for name in names:
        if getattr(args, name):
            raise UsageError(f"--{name} goes with sejongud {where}")


def _sum_up(found: Verification) -> None:
    for note in found.notes:
        say(note)
    if found.rebuilt:
        say(f"made again and compared: {', '.join(found.rebuilt)}; {found.compared:,} files")
    if found.digest:
        say(f"SHA-256 of SHA256SUMS: {found.digest}")
    what = "whole" if found.ok else f"not whole: {len(found.findings):,} findings"
    say(f"{found.folder}: {found.files:,} files, {what}")
