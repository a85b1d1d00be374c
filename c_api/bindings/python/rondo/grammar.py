"""Grammars: what a generation may say."""
from __future__ import annotations

import ctypes
import json
from ctypes import byref
from typing import Any, Mapping, Optional, Tuple, Union

from . import _raw
from ._handle import Handle, new_handle
from ._library import check, check_with_message, library
from ._raw import GrammarKind, SchemaFlags

Schema = Union[str, bool, Mapping[str, Any]]


def _written(schema: Optional[Schema], pattern: Optional[str], gbnf: Optional[str], no_spaces: bool,
             one_space: bool, any_order: bool, named_only: bool,
             memory_bytes: int) -> Tuple[Any, bytes]:
    """The options and the text of a grammar."""
    if sum(written is not None for written in (schema, pattern, gbnf)) != 1:
        raise TypeError("of schema, pattern and gbnf one is given")
    raw = _raw.GrammarOptions()
    check(library.rondo_grammar_options_init(byref(raw), ctypes.sizeof(raw)))
    raw.flags = (SchemaFlags.NO_SPACES * no_spaces | SchemaFlags.ONE_SPACE * one_space |
                 SchemaFlags.ANY_ORDER * any_order | SchemaFlags.NAMED_ONLY * named_only)
    raw.memory_bytes = memory_bytes
    if pattern is not None:
        raw.kind = GrammarKind.PATTERN
        return raw, pattern.encode()
    if gbnf is not None:
        raw.kind = GrammarKind.GBNF
        return raw, gbnf.encode()
    return raw, (schema if isinstance(schema, str) else json.dumps(schema)).encode()


class Grammar(Handle):
    """Made by Model.grammar(). Any number of sessions share it, from any thread; they keep what they
    need of it when it is closed."""

    _close_name = "rondo_grammar_close"

    @classmethod
    def _create(cls, model: int, schema: Optional[Schema], pattern: Optional[str] = None,
                gbnf: Optional[str] = None, no_spaces: bool = False, one_space: bool = False,
                any_order: bool = False, named_only: bool = False,
                memory_bytes: int = 0) -> "Grammar":
        raw, text = _written(schema, pattern, gbnf, no_spaces, one_space, any_order, named_only,
                             memory_bytes)
        handle = new_handle()
        check_with_message(lambda *message: library.rondo_grammar_create(
            model, byref(raw), text, len(text), None, 0, byref(handle), *message))
        return cls(handle)

    @staticmethod
    def _plan(model: int, schema: Optional[Schema], pattern: Optional[str], gbnf: Optional[str],
              no_spaces: bool, one_space: bool, any_order: bool, named_only: bool,
              memory_bytes: int) -> int:
        raw, text = _written(schema, pattern, gbnf, no_spaces, one_space, any_order, named_only,
                             memory_bytes)
        size = ctypes.c_uint64()
        check_with_message(lambda *message: library.rondo_grammar_plan(
            model, byref(raw), len(text), byref(size), *message))
        return size.value
