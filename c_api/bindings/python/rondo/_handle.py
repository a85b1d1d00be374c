"""What models, engines and sessions have in common: a handle that is given up once."""
from __future__ import annotations

import inspect
import os
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn, TypeVar

from ._enums import Status
from ._errors import Busy, Closed
from ._library import library

Self = TypeVar("Self", bound="Handle")

_forks = 0


def _forked() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Reference:
    """An open handle, given up by close() or with the last that holds this. `kept`, which the library
    reads or calls as long, goes behind it: what is collected has its finalizers run first. It is not the
    finalizer's, which would hold callbacks for ever that hold this."""

    __slots__ = ("pointer", "forks", "_finalizer", "_kept", "__weakref__")

    def __init__(self, close: Callable[[int], None], pointer: int, kept: object):
        self.pointer, self.forks, self._kept = pointer, _forks, kept
        self._finalizer = weakref.finalize(self, close, pointer)

    @property
    def open(self) -> bool:
        return self._finalizer.alive

    def close(self) -> None:
        self._finalizer()
        self._kept = None

    def usable(self, kind: str) -> int:
        """The handle. A child that forked may close what it inherited, and nothing else."""
        if not self.open:
            raise Closed(Status.INVALID_HANDLE, f"this {kind} is closed")
        if self.forks != _forks:
            raise Busy(Status.BUSY, f"this {kind} was made before fork(): a child may close it, and make "
                                    "its own")
        return self.pointer


class Handle:
    """A context manager. The library keeps what a handle's children need, so objects may be closed and
    collected in any order. Copies are refused: each of them would close."""

    _made_by = ""
    _reference: Reference | None = None

    def __init_subclass__(cls) -> None:
        """Methods of _methods.py are called by their class in errors, too: Engine.session()."""
        if cls.__module__.partition(".")[0] != __package__:
            return
        for base in cls.__mro__[1:]:
            for name, method in vars(base).items():
                if base.__module__.endswith("._methods") and inspect.isfunction(method):
                    method.__qualname__ = f"{cls.__name__}.{name}"

    def __init__(self) -> None:
        raise TypeError(f"a {type(self).__name__} is what {self._made_by} makes")

    def _open(self, close: str, pointer: int, kept: object = None) -> None:
        self._reference = Reference(getattr(library, close), pointer, kept)

    @property
    def _handle(self) -> int:
        reference = self._reference
        if reference is None:
            raise Closed(Status.INVALID_HANDLE, f"this {type(self).__name__} is closed")
        return reference.usable(type(self).__name__)

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._reference is None or not self._reference.open

    def close(self) -> None:
        """Gives the handle up. Closing twice does nothing."""
        if self._reference is not None:
            self._reference.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"a rondo.{type(self).__name__} cannot be copied or pickled")

    def __repr__(self) -> str:
        return f"<rondo.{type(self).__name__}{' closed' if self.closed else ''}>"
