"""Texts as vectors: with sessions that are opened for them, or given."""
from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _checked, _texts
from ._beside import beside
from ._calls import interruptible
from ._core import Core
from ._enums import Status
from ._errors import Busy, Cancelled, invalid
from ._library import check_with_message, library
from ._session_calls import SessionCalls, call_number, of_sessions, taken
from .session import Session


def wanted(core: Core, dimensions: int) -> int:
    """How many numbers a vector is to have."""
    most = max(core.embedder.dimensions, 2 if core.embedder.scores_pairs else 0)
    number = _checked.integer("dimensions", dimensions, _checked.UINT64)
    if core.embedder.dimensions and number > most:
        raise invalid(f"dimensions is {number}, but must be at most {most}")
    return min(number, most) or core.embedder.dimensions


def embed(engine: int, sessions: Sequence[SessionCalls], texts: Sequence[Any], n: int) -> list[array[float]]:
    """Of texts that are ids as C has them, the vectors of `n` numbers each."""
    ids = (ctypes.c_int32 * sum(map(len, texts)))()
    begin = 0
    for text in texts:
        ctypes.memmove(ctypes.addressof(ids) + 4 * begin, text, 4 * len(text))
        begin += len(text)
    counts = (ctypes.c_size_t * len(texts))(*map(len, texts))
    vectors = (ctypes.c_float * max(n * len(texts), 1))()
    with taken(sessions) as handles:
        check_with_message(lambda *message: library.rondo_engine_embed(
            engine, handles, len(handles), ids, counts, len(texts), vectors, n, *message))
    return [array("f", vectors[i * n:(i + 1) * n]) for i in range(len(texts))]


def embed_ids(core: Core, engine: int, sessions: Sequence[Session], texts: Sequence[Iterable[int]],
              dimensions: int) -> list[array[float]]:
    """With sessions of the caller's."""
    given = of_sessions(sessions)
    ids = [_checked.ids_array("texts", text) for text in _checked.listed("texts", texts)]
    n = wanted(core, dimensions)
    numbers = [(session, call_number(session._handle)) for session in given[:1]]
    return interruptible(lambda: embed(engine, given, ids, n),
                         lambda: _cancel(numbers))


def _cancel(numbers: list[tuple[SessionCalls, int]]) -> None:
    for session, number in numbers:
        library.rondo_session_cancel_call(session._handle, number)


class Embedding:
    """One call of Engine.embed() or score(), which opens the sessions that it needs."""

    def __init__(self, core: Core, opened: Callable[[], tuple[int, Session]], texts: list[str],
                 dimensions: int):
        self._core, self._opened, self._texts = core, opened, texts
        self._n = wanted(core, dimensions)
        self._sessions: list[Session] = []
        self._cancelled = False

    @classmethod
    def of_texts(cls, core: Core, opened: Callable[[], tuple[int, Session]], texts: Sequence[str],
                 prompt: str | None, dimensions: int) -> Embedding:
        return cls(core, opened, [
            _texts.embedding_text(core.model_handle(), text, prompt)
            for text in _checked.listed("texts", texts)], dimensions)

    @classmethod
    def of_pairs(cls, core: Core, opened: Callable[[], tuple[int, Session]], query: str,
                 documents: Sequence[str], instruction: str | None) -> Embedding:
        _checked.text("query", query)  # also where no document is there
        return cls(core, opened, [
            _texts.pair_text(core.model_handle(), query, document, instruction)
            for document in _checked.listed("documents", documents)], 0)

    def run(self) -> list[array[float]]:
        if not self._texts:
            return []
        model = self._core.model_handle()
        ids = [_texts.tokenize(model, text.encode(), True) for text in self._texts]
        with self._core.embedding:  # one at a time has all places that are free
            try:
                engine = self._open_sessions()
                if self._cancelled:
                    raise Cancelled(Status.CANCELLED, "the call was cancelled before it began")
                return embed(engine, self._sessions, ids, self._n)
            finally:
                for session in self._sessions:
                    session.close()

    def _open_sessions(self) -> int:
        engine, first = self._opened()
        self._sessions.append(first)
        try:
            while len(self._sessions) < min(self._core.max_sessions, len(self._texts)):
                self._sessions.append(self._opened()[1])
        except Busy:
            pass  # others have the rest of the places
        return engine

    def cancel(self) -> None:
        self._cancelled = True
        for session in self._sessions[:1]:
            session.cancel()

    async def beside(self) -> list[array[float]]:
        return await beside(self._core.submit(self.run), self.cancel)
