"""Finds librondo, and turns its statuses into exceptions."""
from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from . import _raw
from ._enums import CONSTANTS, Status
from ._errors import RondoError, error_of

MESSAGE_BYTES = 512

NAMES = {"win32": ["rondo.dll"], "darwin": ["librondo.0.dylib", "librondo.dylib"]}.get(
    sys.platform, ["librondo.so.0", "librondo.so"])


def _places() -> list[str]:
    """RONDO_LIBRARY, else the library inside of this package, else the system's."""
    named = os.environ.get("RONDO_LIBRARY")
    if named:
        return [named]
    folder = os.path.dirname(os.path.abspath(__file__))
    return [path for path in (os.path.join(folder, name) for name in NAMES)
            if os.path.exists(path)] or NAMES


def _load() -> ctypes.CDLL:
    reasons = []
    for place in _places():
        try:
            loaded = ctypes.CDLL(place)
        except OSError as error:
            reasons.append(f"{place}: {error}")
            continue
        _declare(loaded, place)
        return loaded
    raise ImportError(
        f"{NAMES[-1]}, the library of Rondo, cannot be loaded. It was looked for "
        + ("where RONDO_LIBRARY says" if os.environ.get("RONDO_LIBRARY") else
           f"in {os.path.dirname(os.path.abspath(__file__))} and where the system has libraries")
        + f" ({'; '.join(reasons)}). 'pip install rondo' installs a wheel with it inside; or set "
        "RONDO_LIBRARY to the path of one that you built.")


def _declare(loaded: ctypes.CDLL, place: str) -> None:
    try:
        version = loaded.rondo_abi_version
        version.restype, version.argtypes = ctypes.c_uint32, []
        if version() < _raw.ABI_VERSION:
            raise ImportError(f"{place} has ABI {version()}, but this package needs "
                              f"{_raw.ABI_VERSION}: it is older than the package")
        for name, (result, arguments) in _raw.PROTOTYPES.items():
            declared = getattr(loaded, name)
            declared.restype, declared.argtypes = result, arguments
    except AttributeError as error:
        raise ImportError(f"{place} is no library of Rondo that this package knows: {error}") from None


library = _load()

# What the package calls by another name than C does.
_CALLED = {"n_cpus": "cpus", "stop_strings": "stop", "n_stop_strings": "stop", "n_logit_bias": "logit_bias",
           "template_text": "template"}
_NAMES = {**CONSTANTS, **_CALLED}
_WORDS = re.compile(r"\b(RONDO_[A-Z0-9_]+|" + "|".join(_CALLED) + r")\b")


def _said(sentence: str) -> str:
    """A sentence of the library in this package's names."""
    return _WORDS.sub(lambda m: _NAMES.get(m[1], str(m[1])), sentence)


def failure(status: int, message: bytes = b"") -> RondoError:
    sentence = message.decode("utf-8", "replace") or library.rondo_status_string(status).decode()
    return error_of(status)(status, _said(sentence))


def check(status: int) -> None:
    if status != 0:
        raise failure(status)


def check_with_message(call: Callable[..., int],
                       before_raise: Callable[[], None] | None = None) -> None:
    """For calls that end in (message, message_bytes)."""
    message = ctypes.create_string_buffer(MESSAGE_BYTES)
    status = call(message, MESSAGE_BYTES)
    if before_raise:
        before_raise()
    if status != 0:
        raise failure(status, message.value)


def text_output(call: Callable[[Any, int, Any], int]) -> str:
    """For calls that end in (buffer, capacity, length): a text of any length."""
    length, capacity = ctypes.c_size_t(), 256
    while True:
        buffer = ctypes.create_string_buffer(capacity)
        status = call(buffer, capacity, ctypes.byref(length))
        if status != Status.BUFFER_TOO_SMALL:
            check(status)
            return buffer.raw[:length.value].decode("utf-8", "replace")
        capacity = length.value + 1


def text_output_or(call: Callable[[Any, int, Any], int], sentences: Mapping[int, str]) -> str:
    """As text_output, of a call that has no message: what a status means there."""
    try:
        return text_output(call)
    except RondoError as error:
        sentence = sentences.get(error.status)
        if sentence is None:
            raise
        raise type(error)(error.status, sentence) from None


def names_of(function: Any, handle: int) -> list[str]:
    """Of a function that has a text for each index, all of them."""
    names: list[str] = []
    while True:
        needed = ctypes.c_size_t()
        status = function(handle, len(names), None, 0, ctypes.byref(needed))
        if status == Status.INVALID_ARGUMENT:  # behind the last one
            return names
        if status != Status.BUFFER_TOO_SMALL:
            check(status)
        names.append(text_output(lambda *out: function(handle, len(names), *out)))


def structure(raw: Any, call: Callable[[Any], Any]) -> Any:
    """One that the library fills."""
    filled = raw()
    filled.struct_size = ctypes.sizeof(raw)
    check(call(ctypes.byref(filled)))
    return filled
