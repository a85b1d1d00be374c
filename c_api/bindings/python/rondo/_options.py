"""Keyword arguments into the library's option structs."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence

from . import _raw
from ._keywords import EngineKeywords, SessionKeywords
from ._library import check, library
from .adapter import Adapter
from .grammar import Grammar

if TYPE_CHECKING:
    from typing_extensions import Unpack


def ids_array(ids: Sequence[int]) -> Any:
    return (ctypes.c_int32 * len(ids))(*ids)


def _set(structure: Any, values: Mapping[str, Any]) -> None:
    known = {name for name, _ in structure._fields_}
    for name, value in values.items():
        if name not in known or name == "struct_size" or name.startswith("reserved"):
            raise TypeError(f"there is no option '{name}'")
        if value is not None:  # that is the library's default
            setattr(structure, name, value.encode() if isinstance(value, str) else value)


class Progress:
    """A progress callback of this type of _raw. What it raises is kept, cancels the call and is
    raised again by raise_pending()."""

    def __init__(self, kind: Any, told: Optional[Callable[[int, int], object]]):
        self._pending: Optional[BaseException] = None
        self.callback = kind()
        if told is None:
            return
        tell = told

        def report(_: Any, done: int, total: int) -> int:
            try:
                tell(done, total)
            except BaseException as error:  # must not unwind through the library
                self._pending = error
                return 1
            return 0
        self.callback = kind(report)

    def raise_pending(self) -> None:
        if self._pending is not None:
            raise self._pending


class EngineOptions:
    """rondo_engine_options from keywords."""

    def __init__(self, progress: Optional[Callable[[int, int], object]] = None,
                 log: Optional[Callable[[int, str], object]] = None, draft: Any = None,
                 cpus: Sequence[int] = (), **values: Unpack[EngineKeywords]):
        self.raw = _raw.EngineOptions()
        check(library.rondo_engine_options_init(ctypes.byref(self.raw), ctypes.sizeof(self.raw)))
        _set(self.raw, values)
        if draft is not None:
            self.raw.draft = draft._handle
        if cpus:
            if values.get("affinity") is None:
                self.raw.affinity = _raw.Affinity.CPUS
            self.raw.cpus = (ctypes.c_uint32 * len(cpus))(*cpus)
            self.raw.n_cpus = len(cpus)
        if log is not None:
            take = log

            def receive(_: Any, level: int, message: bytes) -> None:
                take(level, message.decode("utf-8", "replace"))  # ctypes reports what it raises
            self.raw.log = _raw.EngineOptionsLog(receive)
        self.progress = Progress(_raw.EngineOptionsProgress, progress)
        self.raw.progress = self.progress.callback


def recommended_by(model: Any) -> Any:
    """What the model's makers recommend, copied: it outlives the model."""
    raw = _raw.SessionOptions()
    check(library.rondo_session_options_init(ctypes.byref(raw), ctypes.sizeof(raw)))
    check(library.rondo_model_session_options(model, ctypes.byref(raw)))
    stop = [raw.stop_strings[i] for i in range(raw.n_stop_strings)]
    raw.stop_strings = (ctypes.c_char_p * len(stop))(*stop)
    bias = [raw.logit_bias[i] for i in range(raw.n_logit_bias)]
    raw.logit_bias = (_raw.LogitBias * len(bias))(*bias)
    return raw


class SessionOptions:
    """rondo_session_options from keywords, over those that `recommended` holds. A grammar and an
    adapter live as long as this, at the least."""

    def __init__(self, recommended: Any, stop: Sequence[str] = (),
                 logit_bias: Optional[Mapping[int, float]] = None,
                 grammar: Optional[Grammar] = None, adapter: Optional[Adapter] = None,
                 **values: Unpack[SessionKeywords]):
        self.raw = _raw.SessionOptions()
        check(library.rondo_session_options_init(ctypes.byref(self.raw), ctypes.sizeof(self.raw)))
        if recommended is not None:
            self.raw = _raw.SessionOptions.from_buffer_copy(recommended)
        _set(self.raw, values)
        if stop:
            self.raw.stop_strings = (ctypes.c_char_p * len(stop))(*(s.encode() for s in stop))
            self.raw.n_stop_strings = len(stop)
        if logit_bias:
            self.raw.logit_bias = (_raw.LogitBias * len(logit_bias))(
                *(_raw.LogitBias(token, bias) for token, bias in logit_bias.items()))
            self.raw.n_logit_bias = len(logit_bias)
        self._grammar = grammar
        if grammar is not None:
            self.raw.grammar = grammar._handle
        self._adapter = adapter
        if adapter is not None:
            self.raw.adapter = adapter._handle
