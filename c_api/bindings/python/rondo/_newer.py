"""Constants that may grow."""
from __future__ import annotations

import enum


class NewerIntEnum(enum.IntEnum):
    """An IntEnum that has a member for every number: a newer library may tell what this version of the
    package has no name for. Such a member is called NEWER_ and its number."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self._name_}"  # in every version of Python

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __reduce_ex__(self, protocol: object) -> tuple[type[NewerIntEnum], tuple[int]]:
        return type(self), (int(self),)  # by number: a name may be newer than who reads it

    @classmethod
    def _missing_(cls, value: object) -> NewerIntEnum | None:
        if type(value) is not int:
            return None
        member = int.__new__(cls, value)
        member._name_, member._value_ = f"NEWER_{value}", value
        return member
