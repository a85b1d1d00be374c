"""Adapters: what a model was taught beside."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref

from ._checked import Bytes, data
from ._handle import Handle, Reference
from ._library import check_with_message, library
from ._memory import aligned, encoded_path
from ._records import AdapterFacts
from ._told import told


class Adapter(Handle):
    """Made by Model.adapter(). Any number of sessions share it, from any thread; they keep what they
    need of it when it is closed."""

    _made_by = "Model.adapter()"

    @classmethod
    def _of(cls, model: Reference, source: str | os.PathLike[str] | Bytes) -> Adapter:
        handle, kept = ctypes.c_void_p(), None
        pointer = model.usable("Model")
        if isinstance(source, (bytes, bytearray, memoryview)):
            memory, start, length = aligned(data("source", source))
            check_with_message(lambda *message: library.rondo_adapter_open_memory(
                pointer, start, length, byref(handle), *message))
            kept = memory
        else:
            path = encoded_path(source)
            check_with_message(lambda *message: library.rondo_adapter_open_path(
                pointer, path, byref(handle), *message))
        adapter = cls.__new__(cls)
        adapter._open("rondo_adapter_close", handle.value or 0, (model, kept))
        return adapter

    @property
    def info(self) -> AdapterFacts:
        return told(AdapterFacts, lambda filled: library.rondo_adapter_info(self._handle, filled))
