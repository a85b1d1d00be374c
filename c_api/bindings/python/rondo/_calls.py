"""Calls that take long, and what they call back."""
from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from ._checked import function

T = TypeVar("T")


def interruptible(job: Callable[[], T], cancel: Callable[[], Any]) -> T:
    """job(), which Ctrl-C ends by cancel(): Python looks at signals on its main thread alone, and only
    where that is not inside of a library, so another one computes for it."""
    if threading.current_thread() is not threading.main_thread():
        return job()
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(job())
        except BaseException as error:
            future.set_exception(error)
    threading.Thread(target=run, name="rondo", daemon=True).start()
    try:
        return future.result()
    except BaseException:
        if not future.done():
            cancel()
            wait([future])
        raise


class Progress:
    """A progress callback of this type of _raw. What it raises is kept, cancels the call and is raised
    again by raise_pending(); so does cancel()."""

    def __init__(self, kind: Any, told: Callable[[int, int], object] | None):
        if told is not None:
            function("progress", told)
        self._cancelled = False
        self._pending: BaseException | None = None

        def report(_: Any, done: int, total: int) -> int:
            try:
                if told is not None:
                    told(done, total)
            except BaseException as error:  # must not unwind through the library
                self._pending = error
                return 1
            return int(self._cancelled)
        self.callback = kind(report)

    def cancel(self) -> None:
        self._cancelled = True

    def raise_pending(self) -> None:
        if self._pending is not None:
            raise self._pending
