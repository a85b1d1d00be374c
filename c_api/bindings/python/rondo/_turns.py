"""Handles that take one call at a time."""
from __future__ import annotations

import threading

from ._enums import Status
from ._errors import Busy, Closed
from ._handle import Handle


class Turns(Handle):
    """_begin() comes before each call and _end() behind it, when what the library points to was copied:
    a close meanwhile waits for that, as it would free it."""

    _lock: threading.Lock
    _closing = False

    def _opened(self, close: str, pointer: int, kept: object) -> None:
        self._lock = threading.Lock()
        self._open(close, pointer, kept)

    def _begin(self) -> int:
        """The handle, of which this call has the turn."""
        handle = self._handle
        if not self._lock.acquire(blocking=False):
            raise Busy(Status.BUSY, f"another call is using this {type(self).__name__}")
        if self._closing:
            self._end()
            raise Closed(Status.INVALID_HANDLE, f"this {type(self).__name__} is closed")
        return handle

    def _end(self) -> None:
        self._lock.release()
        if self._closing:
            self._close_now()

    @property
    def _handle(self) -> int:
        if self._closing:
            raise Closed(Status.INVALID_HANDLE, f"this {type(self).__name__} is closed")
        return super()._handle

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._closing or super().closed

    def close(self) -> None:
        """Gives the handle up; a call that another thread is still in is cancelled. Closing twice does
        nothing."""
        self._closing = True
        reference = self._reference
        if reference is None:
            return
        if self._lock.acquire(blocking=False):
            self._end()
        else:  # the call that has the turn closes when it ends
            self._cut_off(reference.pointer)

    def _cut_off(self, handle: int) -> None:
        """Ends the call that runs."""

    def _close_now(self) -> None:
        super().close()
