"""Adapters: what a model was taught beside."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref
from typing import Any, Union

from . import _raw
from ._handle import Handle, new_handle
from ._library import check_with_message, described, library
from ._records import AdapterFacts


class Adapter(Handle):
    """Made by Model.adapter(). Any number of sessions share it, from any thread; they keep what they
    need of it when it is closed."""

    _close_name = "rondo_adapter_close"

    @classmethod
    def _open(cls, model: int, source: Union[str, "os.PathLike[str]", bytes, bytearray,
                                             memoryview]) -> "Adapter":
        handle, memory = new_handle(), None
        if isinstance(source, (bytes, bytearray, memoryview)):
            view = memoryview(source).cast("B")
            memory = (ctypes.c_char * (len(view) + 64))()
            start = ctypes.addressof(memory) + -ctypes.addressof(memory) % 64
            ctypes.memmove(start, bytes(view), len(view))
            check_with_message(lambda *message: library.rondo_adapter_open_memory(
                model, start, len(view), byref(handle), *message))
        else:
            check_with_message(lambda *message: library.rondo_adapter_open_path(
                model, os.fsencode(source), byref(handle), *message))
        adapter = cls(handle)
        adapter._memory = memory  # sessions hold on to this object, and so to its bytes
        return adapter

    _memory: Any = None

    @property
    def info(self) -> AdapterFacts:
        return described(AdapterFacts, _raw.AdapterFacts,
                         lambda facts: library.rondo_adapter_info(self._handle, facts))
