"""Records out of structures that the library fills."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from . import _raw, _records
from ._library import structure


R = TypeVar("R", bound=NamedTuple)


def record(kind: type[R], filled: Any) -> R:
    """A named tuple of _records."""
    values = []
    for name in kind._fields:
        value = getattr(filled, name)
        constants = _records.CONSTANTS.get((kind.__name__, name))
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        values.append(constants(value) if constants else value)
    return kind(*values)


def told(kind: type[R], call: Callable[[Any], Any]) -> R:
    """The record of what `call` fills a structure with."""
    return record(kind, structure(getattr(_raw, kind.__name__), call))
