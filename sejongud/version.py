"""The versions of the package and of Kiwi, in a module that every other module may import."""

from __future__ import annotations

__version__ = "0.1.0"


def kiwi_versions() -> tuple[str, ...]:
    """Return the versions of Kiwi and of its model, on which every analysis depends.

    Returns:
        `kiwipiepy 0.24.1`, `kiwipiepy_model 0.24.0`.
    """
    from importlib.metadata import version

    return tuple(f"{name} {version(name)}" for name in ("kiwipiepy", "kiwipiepy_model"))
