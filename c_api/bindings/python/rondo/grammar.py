"""Grammars: what a generation may say."""
from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from ctypes import byref
from typing import Any, Union

from . import _checked, _raw
from ._enums import GrammarKind, SchemaFlags
from ._handle import Handle, Reference
from ._library import check, check_with_message, library

Schema = Union[str, bool, Mapping[str, Any]]


def written(schema: Schema | None, pattern: str | None = None, gbnf: str | None = None,
            no_spaces: bool = False, one_space: bool = False, any_order: bool = False,
            named_only: bool = False, memory_bytes: int = 0) -> tuple[Any, bytes]:
    """The options and the text of a grammar."""
    if sum(one is not None for one in (schema, pattern, gbnf)) != 1:
        raise TypeError("of schema, pattern and gbnf one is given")
    raw = _raw.GrammarOptions()
    check(library.rondo_grammar_options_init(byref(raw), ctypes.sizeof(raw)))
    raw.flags = int(
        SchemaFlags.NO_SPACES * _checked.flag("no_spaces", no_spaces)
        | SchemaFlags.ONE_SPACE * _checked.flag("one_space", one_space)
        | SchemaFlags.ANY_ORDER * _checked.flag("any_order", any_order)
        | SchemaFlags.NAMED_ONLY * _checked.flag("named_only", named_only))
    raw.memory_bytes = _checked.integer("memory_bytes", memory_bytes, _checked.UINT64)
    if pattern is not None:
        raw.kind = int(GrammarKind.PATTERN)
        return raw, _checked.text("pattern", pattern)
    if gbnf is not None:
        raw.kind = int(GrammarKind.GBNF)
        return raw, _checked.text("gbnf", gbnf)
    return raw, _schema(schema)


def _schema(schema: object) -> bytes:
    if isinstance(schema, str):
        return _checked.text("schema", schema)
    if not isinstance(schema, (bool, Mapping)):
        raise _checked.wrong_type("schema", "a dict, a bool or JSON", schema)
    return json.dumps(schema).encode()


class Grammar(Handle):
    """Made by Model.grammar(). Any number of sessions share it, from any thread; they keep what they
    need of it when it is closed."""

    _made_by = "Model.grammar()"

    @classmethod
    def _of(cls, model: Reference, options: Any, text: bytes) -> Grammar:
        pointer, handle = model.usable("Model"), ctypes.c_void_p()
        check_with_message(lambda *message: library.rondo_grammar_create(
            pointer, byref(options), text, len(text), None, 0, byref(handle), *message))
        grammar = cls.__new__(cls)
        grammar._open("rondo_grammar_close", handle.value or 0, model)
        return grammar


def plan(model: int, options: Any, text: bytes) -> int:
    size = ctypes.c_uint64()
    check_with_message(lambda *message: library.rondo_grammar_plan(
        model, byref(options), len(text), byref(size), *message))
    return size.value
