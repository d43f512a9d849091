"""Build a dataset from a recipe, or verify a dataset that was built.

`release RECIPE.toml [OUT]` converts the inputs that the recipe names, splits them into train, dev
and test, checks that every conversion can be undone, and counts words, entities and relations. It
writes a folder with data, dataset card, licence, citation, manifest and SHA256SUMS. The same recipe
and inputs give the same bytes. The folder appears when it is complete. An untouched release of the
same recipe is replaced, another release only with --force, and any other folder never.

`release verify DIR` compares every file with SHA256SUMS and the manifest, and names each file that
was changed, is missing or was added. With --inputs FOLDER, the folder of the recipe, it builds the
release a second time and compares the two. Rules, encoding and error handling are set in the
recipe, not by options, so the recipe fully documents the release.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, guard_files, reporting, say
from sejongud.errors import UsageError
from sejongud.terminal import clean

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
    what = "the recipe, or the word verify (./verify for a recipe of that name)"
    parser.add_argument("recipe", metavar="RECIPE.toml", help=what)
    what = "the folder of the release; NAME-VERSION in the current folder if left out"
    parser.add_argument("folder", metavar="OUT|DIR", nargs="?", help=what)
    group = parser.add_argument_group("building")
    group.add_argument(
        "--force",
        action="store_true",
        help="replace the release of another recipe, or a corpus by --report",
    )
    group = parser.add_argument_group("verifying")
    what = "the folder of the recipe: build a second time and compare"
    group.add_argument("--inputs", metavar="FOLDER", help=what)
    what = "the SHA-256 that SHA256SUMS itself must have"
    group.add_argument("--digest", metavar="SHA256", help=what)
    add_common_options(parser, "--quiet", "--verbose", "--report", "--jobs", "--no-progress")


def run(args: argparse.Namespace) -> int:
    """Build or verify.

    Returns:
        0; 1 if the data has errors, or the folder is not the release that it should be.
    """
    verifying = args.recipe == _VERIFY
    for name in ("force", "report") if verifying else ("inputs", "digest"):
        if getattr(args, name):
            other = "RECIPE.toml" if verifying else f"{_VERIFY} DIR"
            raise UsageError(f"--{name} goes with sejongud release {other}")
    return _verify(args) if verifying else _build(args)


def _build(args: argparse.Namespace) -> int:
    from sejongud.release import build, load_recipe

    if args.report:
        recipe = load_recipe(args.recipe)
        guard_files(args, map(recipe.resolve, recipe.files))
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
        # The digest that verify --digest takes, in the form of sha256sum.
        sys.stdout.write(clean(f"{release.digest}  {release.folder}/SHA256SUMS") + "\n")
        return 1 if report.errors else 0


def _verify(args: argparse.Namespace) -> int:
    from sejongud.release import verify

    if args.folder is None:
        raise UsageError("which release? sejongud release verify DIR")
    tell = None if args.quiet else say
    found = verify(args.folder, inputs=args.inputs, digest=args.digest, jobs=args.jobs, say=tell)
    sys.stdout.writelines([clean(str(finding)) + "\n" for finding in found.findings])
    sys.stdout.flush()
    if not args.quiet:
        _sum_up(found)
    return 0 if found.ok else 1


def _sum_up(found: Verification) -> None:
    for note in found.notes:
        say(note)
    if found.rebuilt:
        say(f"made again and compared: {', '.join(found.rebuilt)}; {found.compared:,} files")
    if found.digest:
        say(f"SHA-256 of SHA256SUMS: {found.digest}")
    what = "whole" if found.ok else f"not whole: {len(found.findings):,} findings"
    say(f"{found.folder}: {found.files:,} files, {what}")
