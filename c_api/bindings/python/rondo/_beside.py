"""Calls beside an event loop."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def beside(future: Future[T], cancel: Callable[[], Any]) -> T:
    """What a thread computes. Where the task is cancelled so is that, and it has ended before the task
    goes on: what it worked with can be used again."""
    call = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(call)
    except asyncio.CancelledError:
        if not call.done():
            cancel()
        while not call.done():
            with suppress(asyncio.CancelledError):  # one is raised below
                await asyncio.wait([call])
        call.exception()  # taken note of
        raise
