from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from fnmatch import fnmatch
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sejongud

if TYPE_CHECKING:
    from collections.abc import Collection

    from conftest import Cli

LINKED = ("converters", "rules")


@pytest.fixture(scope="module")
def settings(root: Path) -> dict[str, Any]:
    settings: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    return settings


def module_name(path: Path) -> str:
    """The name of the module of a path in the tree."""
    parts = path.with_suffix("").parts
    parts = parts if parts[0] == "sejongud" else ("sejongud", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, modules: Collection[str]) -> set[str]:
    """The modules of the library that a module imports somewhere."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                names.add(below if below in modules else node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names & set(modules)


def packages(folder: Path, name: str) -> dict[str, Path]:
    """The packages at and below a folder, by name; links are followed."""
    found = {name: folder}
    for below in folder.iterdir():
        if (below / "__init__.py").is_file():
            found |= packages(below, f"{name}.{below.name}")
    return found


def test_every_package_is_listed(root: Path, settings: dict[str, Any]) -> None:
    listed = settings["tool"]["setuptools"]["packages"]
    assert listed == sorted(packages(root / "sejongud", "sejongud"))


def test_every_table_is_shipped(root: Path, settings: dict[str, Any]) -> None:
    shipped = settings["tool"]["setuptools"]["package-data"]
    for name, folder in packages(root / "sejongud", "sejongud").items():
        globs = [*shipped["*"], *shipped.get(name, [])]
        for file in folder.iterdir():
            if file.is_file() and file.suffix != ".py":
                assert any(fnmatch(file.name, glob) for glob in globs), f"{name}: {file.name}"


@pytest.mark.parametrize("name", LINKED)
def test_links(root: Path, settings: dict[str, Any], name: str) -> None:
    link = root / "sejongud" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..", name)
    assert settings["tool"]["setuptools"]["package-dir"][f"sejongud.{name}"] == name
    assert import_module(f"sejongud.{name}").__name__ == f"sejongud.{name}"


def test_the_command_is_there(settings: dict[str, Any]) -> None:
    module, _, name = settings["project"]["scripts"]["sejongud"].partition(":")
    assert callable(getattr(import_module(module), name))


def test_dependencies_are_bounded(settings: dict[str, Any]) -> None:
    project = settings["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    for requirement in chain(project["dependencies"], extras):
        assert re.fullmatch(r"[\w.-]+(\[\w+\])?>=[\d.]+,<[\d.]+", requirement), requirement


def test_extras_that_are_asked_for_exist(root: Path, settings: dict[str, Any]) -> None:
    asked = {
        extra
        for folder in ("sejongud", "converters", "rules")
        for file in (root / folder).rglob("*.py")
        for extra in re.findall(
            r'(?:MissingExtraError|require)\((?:"\w+"|\w+), "(\w+)"\)', file.read_text("utf-8")
        )
    }
    assert asked <= set(settings["project"]["optional-dependencies"])


def test_the_hook_validates(root: Path, tmp_path: Path, cli: Cli) -> None:
    text = (root / ".pre-commit-hooks.yaml").read_text("utf-8")
    hook = dict(line.strip("- ").split(": ", 1) for line in text.splitlines())
    program, *words = hook["entry"].split()
    assert program == "sejongud"
    assert re.search(hook["files"], "ko-ud-dev.conllu")
    good, bad = tmp_path / "good.conllu", tmp_path / "bad.conllu"
    good.write_bytes((root / "samples" / "ud.conllu").read_bytes())
    bad.write_bytes(good.read_bytes().replace(b"\t", b" ", 3))
    assert [cli(*words, good).returncode, cli(*words, good, bad).returncode] == [0, 1]


def test_the_versions_of_python_agree(root: Path, settings: dict[str, Any]) -> None:
    classifiers = settings["project"]["classifiers"]
    versions = [name for name in classifiers if re.search(r":: 3\.\d+$", name)]
    names = [name.rpartition(" ")[2] for name in versions]
    tested = (root / ".ci" / "versions").read_text("utf-8")
    hosted = (root / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert names[0] == settings["project"]["requires-python"].removeprefix(">=")
    assert [name for name in names if name not in tested or f'"{name}"' not in hosted] == []


POSSESSIVE = re.compile(r"(?<!\\)(?:\\\\)*(?:[*+?}]\+|\(\?>)")
SUSPECT = re.compile(r"""[*+?}](?:["'\s]|[fFrR]["'])*\+|\(\?>""")
"""What the source of such a pattern has; few modules have it, and only they are parsed."""
PROSE = re.compile(r"CRF\+\+|as \+\+ and \*\+ do")


def possessive(code: str) -> list[str]:
    """The strings of a module that make a pattern possessive or atomic, with their lines.

    Docstrings are passed over; of an f-string the pieces are looked at.
    """
    nodes = list(ast.walk(ast.parse(code)))
    docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
    return [
        f"{node.lineno}: {node.value}"
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node not in docstrings and POSSESSIVE.search(PROSE.sub("", node.value))
    ]


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        (r"re.compile(r'\s*+a')", True),
        ("pattern = 'a++'", True),
        ("(f'{a}?+',)", True),
        ("'a' + 'b{2}+'", True),
        ("('(?>a)',)", True),
        (r"(r'\\*+',)", True),
        (r"(r'\*+ \++ \(?>',)", False),
        ('"""Say a++."""', False),
        ("say('as CRF++ does')", False),
    ],
)
def test_a_possessive_quantifier_is_seen(code: str, seen: bool) -> None:
    assert bool(possessive(code)) == seen
    assert SUSPECT.search(code) or not seen


def test_no_pattern_is_possessive(root: Path) -> None:
    # Python before 3.11.5 matches such patterns of `re` wrongly.
    folders = ("sejongud", "converters", "rules", "docs", "benchmarks")
    paths = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    assert len(paths) > 200
    assert not [
        f"{path.relative_to(root)}:{found}"
        for path in paths
        if SUSPECT.search(code := path.read_text(encoding="utf-8"))
        for found in possessive(code)
    ]
    for path in (root / "rules").glob("*.toml"):
        assert not POSSESSIVE.search(path.read_text(encoding="utf-8")), path.name


def test_no_two_classes_have_one_name(root: Path) -> None:
    names = Counter(
        name
        for folder in ("sejongud", *LINKED)
        for path in (root / folder).rglob("*.py")
        for name in re.findall(r"(?m)^class (\w+)", path.read_text(encoding="utf-8"))
    )
    assert len(names) > 300
    assert [name for name, count in names.items() if count > 1] == []


def test_no_modules_import_each_other_in_a_circle(root: Path) -> None:
    # Imports in functions and for types are counted as well.
    paths = [path for folder in ("sejongud", *LINKED) for path in (root / folder).rglob("*.py")]
    modules = {module_name(path.relative_to(root)): path for path in paths}
    imports = {name: imported(path, modules) - {name} for name, path in modules.items()}
    for _ in modules:
        leaves = {name for name, others in imports.items() if not others}
        imports = {name: others - leaves for name, others in imports.items() if others}
    assert imports == {}


def test_files_that_name_the_version_agree(root: Path) -> None:
    citation = (root / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {sejongud.__version__}\n" in citation
    assert "\n## [Unreleased]\n" in (root / "CHANGELOG.md").read_text("utf-8")


def test_readme_names_only_what_is_there(root: Path) -> None:
    readme = (root / "README.md").read_text("utf-8")
    places = re.findall(r"\b(?:samples|rules|tests|converters|benchmarks)/[\w./-]*\w", readme)
    places += re.findall(r"\]\(([^)#:]+)\)", readme)
    assert places
    assert [place for place in places if not (root / place).exists()] == []


def test_the_recipe_of_conda_has_the_versions_of_pyproject(
    root: Path, settings: dict[str, Any]
) -> None:
    recipe = (root / "recipe" / "meta.yaml").read_text("utf-8")
    project = settings["project"]
    wanted = {f"python {project['requires-python']}"}
    wanted |= {one.replace(">=", " >=") for one in project["dependencies"]}
    run = recipe.partition("\n  run:\n")[2].partition("\n\n")[0]
    assert {line.strip().removeprefix("- ") for line in run.splitlines()} == wanted
    [build] = settings["build-system"]["requires"]
    assert f"    - {build.replace('>=', ' >=')}\n" in recipe
    assert f'set version = "{sejongud.__version__}"' in recipe
    [(name, module)] = project["scripts"].items()
    assert f"    - {name} = {module}\n" in recipe


def test_the_long_description_has_no_relative_link(root: Path, settings: dict[str, Any]) -> None:
    text = (root / settings["project"]["readme"]).read_text("utf-8")
    assert [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link] == []
    assert "src=" not in text


def test_the_changelog_has_a_section_of_the_version(root: Path) -> None:
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    assert re.search(
        rf"^## \[{re.escape(sejongud.__version__)}\] - \d{{4}}-\d\d-\d\d$", changes, re.M
    )
