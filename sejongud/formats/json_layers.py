"""Frames, constituents and labels of morphemes in JSON Lines.

{"frames": [{"targets": [null, {"unit": "가다.v", "frame": "Motion"}], "labels": [["B-Goal"], []]}],
"constituents": [{"label": "S", "start": 0, "end": 2, "depth": 0}]}
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sejongud.formats.conllu.layers import FRAME_TARGET
from sejongud.formats.json_text import beginning, get, misfit, texts
from sejongud.layers.labels import split_label
from sejongud.model import NOTHING, Constituent, Eojeol, FrameInstance, Labels, Target
from sejongud.morphology.eojeol import LINE_BREAK

if TYPE_CHECKING:
    from collections.abc import Sequence


_LABEL = re.compile(r"[^\s()]+")


def frame_values(frames: Sequence[FrameInstance]) -> list[dict[str, Any]]:
    """Return instances of frames as objects.

    >>> frame_values([FrameInstance((None, Target("가다.v", "Motion", (0,))), (("O",), ()))])
    [{'targets': [None, {'unit': '가다.v', 'frame': 'Motion', 'at': (0,)}], 'labels': (('O',), ())}]
    """
    values = []
    for instance in frames:
        targets = [
            target and {key: value for key, value in target._asdict().items() if value}
            for target in instance.targets
        ]
        value: dict[str, Any] = {"targets": targets, "labels": instance.labels}
        if instance.comments:
            value["comments"] = instance.comments
        values.append(value)
    return values


def read_frames(item: Any, eojeols: Sequence[Eojeol]) -> tuple[FrameInstance, ...]:
    """Return the instances of frames in the object of a sentence.

    Args:
        item: the object.
        eojeols: of the sentence.

    Raises:
        FormatError: an instance does not fit the eojeols, or a value has the wrong type.
    """
    instances = []
    for value in get(item, "frames", list, []):
        targets = get(value, "targets", list)
        if len(targets) != len(eojeols):
            raise misfit(f"frames: {len(targets)} targets for {len(eojeols)} eojeols")
        labels = read_labels(get(value, "labels", list), eojeols, "labels of a frame")
        if wrong := [label for row in labels for label in row if not _is_element(label)]:
            raise misfit(f"labels of a frame: {beginning(wrong[0])} is no label")
        pairs = zip(targets, eojeols, strict=True)
        units = tuple([None if one is None else _target(one, eojeol) for one, eojeol in pairs])
        instances.append(FrameInstance(units, labels, texts(value, "comments")))
    return tuple(instances)


def _is_element(label: str) -> bool:
    """Return whether a label can stand in a cell: a frame element, or O."""
    if label in ("", NOTHING) or LINE_BREAK.search(label):
        return False
    return split_label(label)[1] != FRAME_TARGET


def _target(value: Any, eojeol: Eojeol) -> Target:
    unit, frame = get(value, "unit", str), get(value, "frame", str)
    if not unit or not frame:
        raise misfit("the target of a frame has an empty unit or frame")
    places = get(value, "at", list, [])
    size = len(eojeol.morphemes)
    if places != sorted({n for n in places if type(n) is int and 0 <= n < size}):
        message = f"the target of a frame has the morphemes {beginning(places)} of {eojeol.form}"
        raise misfit(f"{message}: expected some of 0 to {size - 1}, in order")
    return Target(unit, frame, tuple(places))


def read_labels(value: Any, eojeols: Sequence[Eojeol], name: str) -> Labels:
    """Return the labels of the morphemes of each eojeol.

    Args:
        value: a list of lists, if it is one.
        eojeols: of the sentence.
        name: of the layer, for messages.

    Raises:
        FormatError: the value is no such list, or does not fit the eojeols.
    """
    if not (
        isinstance(value, list)
        and len(value) == len(eojeols)
        and all(
            isinstance(labels, list)
            and len(labels) in (0, len(eojeol.morphemes))
            and all(isinstance(label, str) for label in labels)
            for labels, eojeol in zip(value, eojeols, strict=True)
        )
    ):
        raise misfit(f"{name}: expected a list of the labels of each eojeol's morphemes")
    return tuple([tuple(labels) for labels in value])


def read_constituents(item: Any, eojeols: Sequence[Eojeol]) -> tuple[Constituent, ...]:
    """Return the constituents in the object of a sentence.

    Args:
        item: the object.
        eojeols: of the sentence.

    Raises:
        FormatError: a constituent is not inside of the one around it, or behind the one before it;
            or a value has the wrong type.
    """
    count = sum([len(eojeol.morphemes) for eojeol in eojeols])
    nodes: list[Constituent] = []
    ends = [count]
    """The end of the sentence, and of each constituent that is open."""
    free = [0]
    """Up to where the morphemes are taken, at each depth."""
    for value in get(item, "constituents", list, []):
        start, end, depth = (get(value, key, int) for key in ("start", "end", "depth"))
        node = Constituent(get(value, "label", str), start, end, depth)
        if not _LABEL.fullmatch(node.label):
            shown = beginning(node.label)
            raise misfit(f"constituents: {shown} is no label: no blanks, no brackets")
        if not (0 <= depth < len(ends) and free[depth] <= start <= end <= ends[depth]):
            raise misfit(
                f"constituents: {node.label} from {start} to {end} at depth {depth} is not inside"
                " of the constituent around it, or not behind the one before it"
            )
        free[depth] = end
        ends[depth + 1 :] = [end]
        free[depth + 1 :] = [start]
        nodes.append(node)
    return tuple(nodes)
