"""Texts and tokens, of a model's handle."""
from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any

from ._checked import text, word
from ._enums import Status, TokenizeFlags
from ._library import check, library, text_output_or


def tokenize(model: int, encoded: bytes, add_special: bool) -> Any:
    """The ids, as C has them."""
    flags = int(TokenizeFlags.ADD_SPECIAL) if add_special else 0
    count, capacity = ctypes.c_size_t(), len(encoded) // 2 + 16
    while True:
        ids = (ctypes.c_int32 * capacity)()
        status = library.rondo_tokenize(model, encoded, len(encoded), flags, ids, capacity, byref(count))
        if status != Status.BUFFER_TOO_SMALL:
            check(status)
            return (ctypes.c_int32 * count.value).from_buffer(ids)
        capacity = count.value


def embedding_text(model: int, given: str, prompt: str | None) -> str:
    encoded, name = text("text", given), None if prompt is None else word("prompt", prompt)
    return text_output_or(lambda *out: library.rondo_embedding_text(
        model, name, encoded, len(encoded), *out), {
            Status.UNSUPPORTED: "the model makes no vectors of texts",
            Status.INVALID_ARGUMENT: f"the model has no prompt named {prompt!r}"})


def pair_text(model: int, query: str, document: str, instruction: str | None) -> str:
    asked, found = text("query", query), text("document", document)
    what = None if instruction is None else word("instruction", instruction)
    return text_output_or(lambda *out: library.rondo_pair_text(
        model, what, asked, len(asked), found, len(found), *out), {
            Status.UNSUPPORTED: "the model scores no pairs",
            Status.INVALID_ARGUMENT: "the query has the token that stands between the two texts"})
