"""Bytes and paths as the library takes them."""
from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any

from ._errors import invalid


def aligned(data: bytes) -> tuple[Any, int, int]:
    """A copy at a multiple of 64: the memory that holds it, where it begins, its length."""
    memory = (ctypes.c_char * (len(data) + 64))()
    start = ctypes.addressof(memory) + -ctypes.addressof(memory) % 64
    ctypes.memmove(start, data, len(data))
    return memory, start, len(data)


class Arena:
    """A buffer of the caller's that one engine has for itself, as long as this is held."""

    _taken: weakref.WeakSet[Arena] = weakref.WeakSet()
    _lock = threading.Lock()

    def __init__(self, buffer: Any):
        self.size = memoryview(buffer).nbytes
        self._memory = (ctypes.c_char * self.size).from_buffer(buffer)
        self.address = ctypes.addressof(self._memory)
        with self._lock:
            for other in self._taken:
                first, second = sorted((self, other), key=lambda one: one.address)
                if first.address + first.size > second.address:
                    raise invalid("arena is another engine's, which is open, or has a session open")
            self._taken.add(self)

    def give_back(self) -> None:
        self._taken.discard(self)


def encoded_path(path: str | os.PathLike[str]) -> bytes:
    encoded = os.fsencode(path)  # a TypeError where it is no path
    if b"\0" in encoded:
        raise invalid("the path has a zero character inside")
    return encoded
