"""Bytes and paths as the library takes them."""
from __future__ import annotations

import ctypes
import os
from typing import Any

from ._errors import invalid


def aligned(data: bytes) -> tuple[Any, int, int]:
    """A copy at a multiple of 64: the memory that holds it, where it begins, its length."""
    memory = (ctypes.c_char * (len(data) + 64))()
    start = ctypes.addressof(memory) + -ctypes.addressof(memory) % 64
    ctypes.memmove(start, data, len(data))
    return memory, start, len(data)


def encoded_path(path: str | os.PathLike[str]) -> bytes:
    encoded = os.fsencode(path)  # a TypeError where it is no path
    if b"\0" in encoded:
        raise invalid("the path has a zero character inside")
    return encoded
