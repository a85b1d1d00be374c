"""Options, once they are checked, in the library's structs."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import _checked, _raw
from ._calls import Progress
from ._enums import Affinity, Log
from ._library import check, library
from ._option_kinds import ENGINE, RECOMMENDED, SESSION

if TYPE_CHECKING:
    from .model import Model


def _set(structure: Any, kinds: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    for name, kind in kinds.items():
        value = given[name]
        if value is None and (kind is str or name in RECOMMENDED):
            continue
        if isinstance(kind, tuple):
            value = _checked.integer(name, value, (kind[0], kind[1]))
        elif kind is float:
            value = _checked.real(name, value)
        elif kind is bool:
            value = _checked.flag(name, value)
        elif kind is str:
            value = _checked.word(name, value)
        else:
            value = int(_checked.one_of(name, kind, value))
        setattr(structure, name, value)


class EngineOptions:
    """rondo_engine_options, with the callbacks that the engine keeps."""

    def __init__(self, given: Mapping[str, Any]):
        self.raw = _raw.EngineOptions()
        check(library.rondo_engine_options_init(ctypes.byref(self.raw), ctypes.sizeof(self.raw)))
        _set(self.raw, ENGINE, given)
        self._set_draft(given["draft"])
        self._set_cpus(given["cpus"])
        self.progress = Progress(_raw.EngineOptionsProgress, given.get("progress"))
        self.raw.progress = self.progress.callback
        log: Callable[[Log, str], object] | None = given.get("log")
        if log is not None:
            tell = log
            _checked.function("log", tell)

            def receive(_: Any, level: int, message: bytes) -> None:
                tell(Log(level), message.decode("utf-8", "replace"))  # ctypes reports what it raises
            self.raw.log = _raw.EngineOptionsLog(receive)

    def _set_draft(self, draft: Model | None) -> None:
        if draft is not None:
            from .model import Model
            self.raw.draft = _checked.instance("draft", Model, draft)._handle

    def _set_cpus(self, given: Any) -> None:
        cpus = [_checked.integer(f"cpus[{i}]", cpu, _checked.UINT32)
                for i, cpu in enumerate(_checked.listed("cpus", given))]
        if not cpus:
            return
        if self.raw.affinity == Affinity.SYSTEM:
            self.raw.affinity = int(Affinity.CPUS)
        self.raw.cpus = (ctypes.c_uint32 * len(cpus))(*cpus)
        self.raw.n_cpus = len(cpus)


def recommended_by(model: int) -> Any:
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
    """rondo_session_options, over those that `recommended` holds."""

    def __init__(self, recommended: Any, given: Mapping[str, Any]):
        self.raw = _raw.SessionOptions()
        check(library.rondo_session_options_init(ctypes.byref(self.raw), ctypes.sizeof(self.raw)))
        if _checked.flag("recommended", given["recommended"]):
            self.raw = _raw.SessionOptions.from_buffer_copy(recommended)
            self._kept = recommended
        _set(self.raw, SESSION, given)
        if given["stop"] is not None:
            self._set_stop(given["stop"])
        if given["logit_bias"] is not None:
            self._set_bias(given["logit_bias"])

    def _set_stop(self, given: Any) -> None:
        texts = [given] if isinstance(given, str) else _checked.listed("stop", given)
        stop = [_checked.word(f"stop[{i}]", text) for i, text in enumerate(texts)]
        self.raw.stop_strings = (ctypes.c_char_p * len(stop))(*stop)
        self.raw.n_stop_strings = len(stop)

    def _set_bias(self, given: Any) -> None:
        if not isinstance(given, Mapping):
            raise _checked.wrong_type("logit_bias", "a dict of tokens and numbers", given)
        bias = []
        for token, added in given.items():
            number = _checked.real(f"logit_bias[{token!r}]", added, infinite=True)
            bias.append(_raw.LogitBias(
                _checked.integer("a token of logit_bias", token, _checked.INT32), number))
        self.raw.logit_bias = (_raw.LogitBias * len(bias))(*bias)
        self.raw.n_logit_bias = len(bias)

