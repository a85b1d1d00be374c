"""What models, engines and sessions have in common: a handle that is given up once."""
from __future__ import annotations

import ctypes
from types import TracebackType
from typing import Any, Optional, Type, TypeVar

from ._library import library

Self = TypeVar("Self", bound="Handle")


class Handle:
    """A context manager. The library keeps what a handle's children need, so objects may be closed
    and collected in any order."""

    _close_name = ""

    def __init__(self, handle: ctypes.c_void_p):
        self._pointer = handle.value
        self._close = getattr(library, self._close_name)

    @property
    def _handle(self) -> int:
        if self._pointer is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._pointer

    @property
    def closed(self) -> bool:
        return self._pointer is None

    def close(self) -> None:
        """Gives the handle up. Closing twice does nothing."""
        handle, self._pointer = self._pointer, None
        if handle is not None:
            self._close(handle)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self.close()

    def __repr__(self) -> str:
        return f"<rondo.{type(self).__name__}{' closed' if self.closed else ''}>"


def new_handle() -> Any:
    return ctypes.c_void_p()
