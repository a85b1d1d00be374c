"""What calls fail with."""
from __future__ import annotations

from ._enums import Status


class RondoError(Exception):
    """A call that failed; `status` says why."""

    def __init__(self, status: Status | int, message: str):
        super().__init__(message)
        self.status = Status(status)

    def __reduce__(self) -> tuple[type[RondoError], tuple[int, str]]:
        return type(self), (int(self.status), str(self))


class InvalidArgument(RondoError, ValueError):
    """A value outside of what the call accepts."""


class Closed(InvalidArgument):
    """A call on what was closed."""


class Busy(RondoError):
    """Another call is using the session, or all places of the engine are taken."""


class ModelError(RondoError):
    """The model file, or a snapshot, cannot be used."""


class OutOfMemory(RondoError, MemoryError):
    """The system refused memory, or an arena does not fit the plan."""


class ContextFull(RondoError):
    """There is no room for these tokens, and the policy is to stop."""


class Cancelled(RondoError):
    """Session.cancel() or a progress callback said so."""


_OF_STATUS: dict[int, type[RondoError]] = {
    Status.BUSY: Busy, Status.VERSION_MISMATCH: RondoError, Status.INVALID_HANDLE: Closed,
    Status.CONTEXT_FULL: ContextFull, Status.CANCELLED: Cancelled}
_OF_GROUP: dict[int, type[RondoError]] = {1: InvalidArgument, 2: ModelError, 3: OutOfMemory}


def error_of(status: int) -> type[RondoError]:
    """An unknown status is what its group is."""
    return _OF_STATUS.get(status, _OF_GROUP.get(status >> 4, RondoError))


def invalid(sentence: str) -> InvalidArgument:
    return InvalidArgument(Status.INVALID_ARGUMENT, sentence)
