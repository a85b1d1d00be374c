"""How sessions are opened, and how each of their calls crosses."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import byref
from typing import Any, TypeVar

from . import _checked
from ._beside import beside
from ._calls import interruptible
from ._core import Core
from ._enums import Status
from ._errors import Closed
from ._handle import Reference
from ._library import check, check_with_message, failure, library
from ._methods import SessionMethods
from ._options import SessionOptions
from ._turns import Turns
from .adapter import Adapter
from .grammar import Grammar, written

S = TypeVar("S", bound="SessionCalls")
T = TypeVar("T")

LONG = 64  # tokens whose evaluation one may want to interrupt


class SessionCalls(SessionMethods, Turns):
    """What Session is made of."""

    _made_by = "Engine.session()"
    _held: Core | None = None
    _adapter: Reference | None = None

    @classmethod
    def _of(cls: type[S], core: Core, given: Mapping[str, Any], adapter: Adapter | None,
            call: Callable[..., int], inherited: Reference | None = None) -> S:
        """By rondo_session_open or rondo_session_fork."""
        options, handle = SessionOptions(core.recommended, given), ctypes.c_void_p()
        grammar = _grammar(core, given["grammar"], given["json_schema"])
        kept = [core, inherited]
        if grammar is not None:
            options.raw.grammar = grammar._handle
            kept.append(grammar._reference)
        if adapter is not None:
            options.raw.adapter = _checked.instance("adapter", Adapter, adapter)._handle
            inherited = adapter._reference
            kept.append(inherited)
        check_with_message(lambda *message: call(byref(options.raw), byref(handle), *message))
        session = cls.__new__(cls)
        session._opened("rondo_session_close", handle.value or 0, kept)
        session._held, session._adapter = core, inherited
        return session

    def _cut_off(self, handle: int) -> None:
        library.rondo_session_cancel(handle)

    def _close_now(self) -> None:
        super()._close_now()
        self._held = None  # and with it the arena, where the engine is closed

    @property
    def _core(self) -> Core:
        core = self._held
        if core is None:
            raise Closed(Status.INVALID_HANDLE, "this Session is closed")
        return core

    # ---- Calls ----------------------------------------------------------------------------------

    def _check(self, handle: int, status: int) -> None:
        if status != Status.OK:
            text = b"" if status == Status.BUSY else library.rondo_session_last_error(handle)
            raise failure(status, text)

    def _call(self, function: Any, *arguments: Any) -> None:
        handle = self._begin()
        try:
            self._check(handle, function(handle, *arguments))
        finally:
            self._end()

    def _long_call(self, job: Callable[[int], T], tokens: int = LONG) -> T:
        """job(handle), which Ctrl-C ends where it evaluates many tokens."""
        handle = self._begin()
        try:
            if tokens < LONG:
                return job(handle)
            number = call_number(handle)
            return interruptible(lambda: job(handle), lambda: (
                library.rondo_session_cancel_call(handle, number)))
        finally:
            self._end()

    async def _beside(self, job: Callable[[int], T], numbered: bool = True) -> T:
        """job(handle) on a thread of the engine's. numbered: it is one call of the library that has a
        number, by which it is cancelled with the task."""
        handle, core = self._begin(), self._held

        def locked() -> T:
            try:
                return job(handle)
            finally:
                self._end()
        try:
            if core is None:
                raise Closed(Status.INVALID_HANDLE, "this Session is closed")
            number = call_number(handle)
            future = core.submit(locked)
        except BaseException:
            self._end()
            raise
        return await beside(future, lambda: (
            numbered and library.rondo_session_cancel_call(handle, number)))

    def _number(self, function: Any) -> int:
        value = ctypes.c_uint64()
        self._call(function, byref(value))
        return value.value


@contextmanager
def taken(sessions: Sequence[SessionCalls]) -> Iterator[Any]:
    """Their handles, with the turn of each of them."""
    given = of_sessions(sessions)
    handles, begun = (ctypes.c_void_p * len(given))(), list[SessionCalls]()
    try:
        for i, session in enumerate(given):
            if session in begun:  # the library says so
                handles[i] = session._handle
                continue
            handles[i] = session._begin()
            begun.append(session)
        yield handles
    finally:
        for session in begun:
            session._end()


def of_sessions(sessions: Sequence[SessionCalls]) -> list[SessionCalls]:
    given = _checked.listed("sessions", sessions)
    for one in given:
        if not isinstance(one, SessionCalls):
            raise _checked.wrong_type("sessions", "Sessions", one)
    return given


def call_number(handle: int) -> int:
    number = ctypes.c_uint64()
    check(library.rondo_session_call(handle, byref(number)))
    return number.value


def _grammar(core: Core, grammar: Grammar | None, json_schema: Any) -> Grammar | None:
    if grammar is not None:
        if json_schema is not None:
            raise TypeError("of grammar and json_schema one is given")
        return _checked.instance("grammar", Grammar, grammar)
    if json_schema is None:
        return None
    return Grammar._of(core.model, *written(json_schema, one_space=True, named_only=True))
