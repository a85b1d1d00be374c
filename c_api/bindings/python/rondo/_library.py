"""Finds librondo, and turns its statuses into exceptions."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
from enum import IntEnum
from typing import Any, Callable, Optional, Type

from . import _raw
from ._raw import Status

MESSAGE_BYTES = 512


def known(kind: Type[IntEnum], value: int) -> int:
    """The constant of this kind; a newer library's, which this version does not know, as an int."""
    try:
        return kind(value)
    except ValueError:
        return value


class RondoError(Exception):
    """A call that failed: `status` is a rondo.Status where this version knows it, else an int."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status: int = known(Status, status)


class InvalidArgument(RondoError, ValueError):
    """A value outside of what the call accepts."""


class ModelError(RondoError):
    """The model file, or a snapshot, cannot be used."""


class OutOfMemory(RondoError, MemoryError):
    """The system refused memory, or an arena does not fit the plan."""


class ContextFull(RondoError):
    """There is no room for these tokens, and the policy is to stop."""


class Cancelled(RondoError):
    """Session.cancel() or a progress callback said so."""


def _load() -> ctypes.CDLL:
    """RONDO_LIBRARY, else the library inside of this package, else the system's."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "librondo.so")
    path = os.environ.get("RONDO_LIBRARY")
    if not path:
        path = inside if os.path.exists(inside) else ctypes.util.find_library("rondo")
    if not path:
        raise ImportError("librondo is not installed: set RONDO_LIBRARY to the path of librondo.so")
    library = ctypes.CDLL(path)
    for name, (result, arguments) in _raw.PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _load()


def failure(status: int, message: str) -> RondoError:
    if not message:
        message = library.rondo_status_string(status).decode()
    kind = {Status.CONTEXT_FULL: ContextFull, Status.CANCELLED: Cancelled}.get(status)  # type: ignore
    if kind is None:
        kind = {1: InvalidArgument, 2: ModelError, 3: OutOfMemory}.get(status >> 4, RondoError)
        if status in (Status.BUSY, Status.VERSION_MISMATCH):
            kind = RondoError
    return kind(status, message)


def check(status: int) -> None:
    if status != Status.OK:
        raise failure(status, "")


def check_with_message(call: Callable[..., int],
                       before_raise: Optional[Callable[[], None]] = None) -> None:
    """For calls that end in (message, message_bytes)."""
    message = ctypes.create_string_buffer(MESSAGE_BYTES)
    status = call(message, MESSAGE_BYTES)
    if before_raise:
        before_raise()
    if status != Status.OK:
        raise failure(status, message.value.decode("utf-8", "replace"))


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


def record(kind: Any, structure: Any) -> Any:
    """A named tuple of _records, from a structure that the library filled."""
    values = (getattr(structure, name) for name in kind._fields)
    return kind._make(v.decode() if isinstance(v, bytes) else v for v in values)


def described(kind: Any, raw: Any, call: Callable[[Any], int]) -> Any:
    structure = raw()
    structure.struct_size = ctypes.sizeof(raw)
    check(call(ctypes.byref(structure)))
    return record(kind, structure)
