"""`tf.train.Example` and `tf.train.SequenceExample`: features in a table, and the images, audio and texts in them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from octavo._wording import number, plural
from octavo.errors import FormatError
from octavo.viewer.blocks import Block, Decoder, Image, Note, Section, Summary, Table
from octavo.viewer.decoders._bounds import TABLE_ROWS
from octavo.viewer.decoders._embedded import embedded, thumbnail, value_text
from octavo.viewer.decoders._example_outline import Feature, FeatureList, Outline, outline
from octavo.viewer.decoders._wording import float_text

_RECOGNISED_FIELDS = 2_000  # after which what was an example so far is taken for one
_DECODED_FIELDS = 100_000
_SECTIONS = 32
_BLOCKS_EACH = 8
_SUMMARY_LINES = 10
_SUMMARY_VALUES = 4
_STARTS = (b"\x0a", b"\x12")  # features, lists of features


def recognises(record: bytes) -> bool:
    """Whether it is an example with at least one feature; of a long one, the first fields decide."""
    if not record.startswith(_STARTS):
        return False
    try:
        return not outline(record, _RECOGNISED_FIELDS).is_empty
    except FormatError:
        return False


def decode(record: bytes) -> list[Block]:
    """Tables of features and of lists, and a section for each that holds more than fits into a cell."""
    found = outline(record, _DECODED_FIELDS)
    features, lists = list(found.features.values()), list(found.lists.values())
    blocks: list[Block] = []
    if not found.is_whole:
        blocks.append(Note(f"only the first {number(_DECODED_FIELDS)} fields were read", "warning"))
    if features or not lists:
        rows = tuple(map(_row, features[:TABLE_ROWS]))
        title = "context" if lists else plural(len(features), "feature")
        blocks.append(Table(("name", "kind", "count", "values"), rows, title, len(features) - len(rows)))
    if lists:
        rows = tuple(map(_list_row, lists[:TABLE_ROWS]))
        blocks.append(Table(("name", "kind", "steps", "values"), rows, "feature lists", len(lists) - len(rows)))
    blocks.extend(itertools.islice(_sections(found), _SECTIONS))
    return blocks


def _row(feature: Feature) -> tuple[str, str, str, str]:
    return feature.name, _kind(feature), number(feature.count), _values(feature)


def _kind(feature: Feature) -> str:
    return feature.kind if feature.count else "empty"


def _list_row(steps: FeatureList) -> tuple[str, str, str, str]:
    kinds = ", ".join(dict.fromkeys(_kind(step) for step in steps.first))
    texts = [f"[{_values(step)}]" for step in steps.first]
    return steps.name, kinds, number(steps.count), _joined(texts, steps.count)


def _values(feature: Feature, most: int | None = None) -> str:
    return _joined([_value(value) for value in feature.first[:most]], feature.count)


def _value(value: bytes | float) -> str:
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, int):
        return str(value)
    return value_text(value)


def _joined(texts: list[str], count: int) -> str:
    return ", ".join([*texts, f"… {number(count - len(texts))} more"] if count > len(texts) else texts)


def _sections(found: Outline) -> Iterator[Section]:
    for name, values in _byte_values(found):
        blocks = (embedded(value, f"{name} {at}" if at else name) for at, value in enumerate(values))
        shown = tuple(itertools.islice((block for block in blocks if block is not None), _BLOCKS_EACH))
        if shown:
            yield Section(name, shown)


def _byte_values(found: Outline) -> Iterator[tuple[str, list[bytes]]]:
    """Names of features and lists, and their first values, where these are bytes."""
    for feature in found.features.values():
        yield feature.name, [value for value in feature.first if isinstance(value, bytes)]
    for steps in found.lists.values():
        yield steps.name, [value for step in steps.first for value in step.first if isinstance(value, bytes)]


def summarise(record: bytes) -> Summary:
    """Names of the features, the first values, and the first image among them."""
    found = outline(record, _RECOGNISED_FIELDS)
    names = [*found.features, *found.lists]
    lines = [f"{one.name}: {_values(one, _SUMMARY_VALUES)}" for one in _first(found.features)]
    lines += [f"{one.name}: {plural(one.count, 'step')}" for one in _first(found.lists)]
    counted = plural(len(names), "feature") if found.is_whole else f"{number(len(names))} features or more"
    return Summary(f"{counted}: {', '.join(names[:20])}", "\n".join(lines[:_SUMMARY_LINES]), _first_image(found))


def _first(named: dict[str, Any]) -> list[Any]:
    return list(itertools.islice(named.values(), _SUMMARY_LINES))


def _first_image(found: Outline) -> Image | None:
    for _, values in _byte_values(found):
        for value in values[:_BLOCKS_EACH]:
            if image := thumbnail(value):
                return image
    return None


DECODER: Final = Decoder("example", "tf.train.Example", recognises, decode, summarise)
