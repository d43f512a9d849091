"""Build a dataset from a recipe, verify a dataset that was built, or sketch a recipe.

`release RECIPE.toml [OUT]` converts the inputs that the recipe names, splits them into train, dev
and test, checks that every conversion can be undone, and counts words, entities and relations. It
writes a folder with data, dataset card, licence, citation, manifest and SHA256SUMS. The same recipe
and inputs give the same bytes. The folder appears when it is complete. An untouched release of the
same recipe is replaced, another release only with --force, and any other folder never.

`release verify DIR` compares every file with SHA256SUMS and the manifest, and names each file that
was changed, is missing or was added. Rules, encoding and error handling are set in the recipe, not
by options, so the recipe fully documents the release.

`release init FILE...` writes a recipe for these files, those in folders included, to standard
output, or to the file of -o. The recipe has every key, explained. Files such as x-train.conllu and
x-test.conllu keep their parts.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.commands import guard_files, reporting, say, say_skipped
from sejongud.errors import UsageError
from sejongud.terminal import clean, counted

if TYPE_CHECKING:
    import argparse

    from sejongud.release import Verification

_VERIFY, _INIT = "verify", "init"


_OPTIONS = {_VERIFY: (), _INIT: ("output",), "": ("output", "force", "report", "within")}
"""The options that go with each way to call the command."""


def run(args: argparse.Namespace) -> int:
    """Build, verify or sketch.

    Returns:
        0; 1 if the data has errors, or the folder is not the release that it should be.
    """
    way = args.recipe if args.recipe in _OPTIONS else ""
    for other, names in _OPTIONS.items():
        for name in names if other != way else ():
            if getattr(args, name) and name not in (*_OPTIONS[way], *["force"] * (way == _INIT)):
                shown = {_VERIFY: f"{_VERIFY} DIR", _INIT: f"{_INIT} FILE...", "": "RECIPE.toml"}
                option = "log" if name == "report" else name
                raise UsageError(f"--{option} goes with sejongud release {shown[other]}")
    if way == _INIT:
        return _init(args)
    if args.output is not None:
        args.others.append(args.output)
    if len(args.others) > 1:
        raise UsageError(f"there is one folder too many: {' '.join(args.others[1:])}")
    args.folder = args.others[0] if args.others else None
    return _verify(args) if way == _VERIFY else _build(args)


def _init(args: argparse.Namespace) -> int:
    from sejongud.files import atomic_output
    from sejongud.release import sketch

    folder = Path(args.output).parent if args.output else Path()
    skipped: dict[str, str] = {}
    text = sketch(args.others, folder, skipped)
    if not args.quiet:
        say_skipped(args, skipped)
    if args.output is None:
        sys.stdout.write(clean(text, keep="\n"))
        return 0
    if Path(args.output).exists() and not args.force:
        raise UsageError(f"{args.output} exists: name another file, or replace it with --force")
    with atomic_output(args.output) as out:
        out.write(text)
    return 0


def _build(args: argparse.Namespace) -> int:
    from sejongud.release import build, load_recipe

    if args.report:
        recipe = load_recipe(args.recipe, args.within)
        guard_files(args, map(recipe.resolve, recipe.files))
        target = Path(args.folder or recipe.release_name)
        if target.resolve() in Path(args.report).resolve().parents:
            raise UsageError(f"--log {args.report} would be a file of the release: name another")
    with reporting(args) as report:
        release = build(
            args.recipe,
            args.folder,
            jobs=args.jobs,
            within=args.within,
            force=args.force,
            report=report,
            progress=args.progress and not args.quiet,
            say=None if args.quiet else say,
        )
        # As sha256sum prints it; `verify` prints the digest too.
        sys.stdout.write(clean(f"{release.digest}  {release.folder}/SHA256SUMS") + "\n")
        return 1 if report.errors else 0


def _verify(args: argparse.Namespace) -> int:
    from sejongud.release import verify

    if args.folder is None:
        raise UsageError("which release? sejongud release verify DIR")
    found = verify(args.folder)
    sys.stdout.writelines([clean(str(finding)) + "\n" for finding in found.findings])
    sys.stdout.flush()
    if not args.quiet:
        _sum_up(found)
    return 0 if found.ok else 1


def _sum_up(found: Verification) -> None:
    if found.digest:
        say(f"SHA-256 of SHA256SUMS: {found.digest}")
    what = "whole" if found.ok else f"not whole: {counted(len(found.findings), 'finding[s]')}"
    say(f"{found.folder}: {counted(found.files, 'file[s]')}, {what}")
