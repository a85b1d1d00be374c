"""Arguments before they cross: ctypes would cut numbers and take addresses for texts."""
from __future__ import annotations

import ctypes
import enum
import math
import numbers
import operator
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, SupportsIndex, TypeVar, Union

from ._errors import invalid

E = TypeVar("E", bound=enum.Enum)
T = TypeVar("T")
Bytes = Union[bytes, bytearray, memoryview]

INT32 = (-2**31, 2**31 - 1)
UINT32 = (0, 2**32 - 1)
UINT64 = (0, 2**64 - 1)
INT64 = (-2**63, 2**63 - 1)
SIZE = (0, 2**(8 * ctypes.sizeof(ctypes.c_size_t)) - 1)
FLOAT_MAX = 3.4028234663852886e38


BOOLS = ("bool", "bool_")  # NumPy's, too


def wrong_type(name: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def integer(name: str, value: SupportsIndex, limits: tuple[int, int]) -> int:
    if type(value).__name__ in BOOLS or not hasattr(type(value), "__index__"):
        raise wrong_type(name, "an int", value)
    number = operator.index(value)
    if not limits[0] <= number <= limits[1]:
        raise invalid(f"{name} is {_short(number)}, but must be {limits[0]} to {limits[1]}")
    return number


def _short(number: int) -> str:
    return str(number) if abs(number) < 10**40 else "far too large"


def real(name: str, value: float, infinite: bool = False) -> float:
    """What a float of 32 bits can hold; infinite: also what has no end."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise wrong_type(name, "a float", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if infinite and math.isinf(number):
        return number
    if not abs(number) <= FLOAT_MAX:
        raise invalid(f"{name} is {number}, but must be a number of 32 bits")
    return number


def flag(name: str, value: bool) -> bool:
    if not isinstance(value, bool):
        raise wrong_type(name, "a bool", value)
    return value


def one_of(name: str, kind: type[E], value: E) -> E:
    if not isinstance(value, kind):
        raise wrong_type(name, f"a {kind.__name__}", value)
    return value


def instance(name: str, kind: type[T], value: T) -> T:
    if not isinstance(value, kind):
        raise wrong_type(name, f"a {kind.__name__}", value)
    return value


def function(name: str, value: Callable[..., object]) -> None:
    if not callable(value):
        raise wrong_type(name, "callable", value)


def text(name: str, value: str) -> bytes:
    """In UTF-8, which goes with its length."""
    if not isinstance(value, str):
        raise wrong_type(name, "a str", value)
    return value.encode()


def word(name: str, value: str) -> bytes:
    """In UTF-8, which ends with a zero."""
    encoded = text(name, value)
    if b"\0" in encoded:
        raise invalid(f"{name} has a zero character inside")
    return encoded


def data(name: str, value: Bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return memoryview(value).tobytes()
    except TypeError:
        raise wrong_type(name, "bytes", value) from None


def ids_array(name: str, ids: Iterable[int]) -> Any:
    """Token ids as C has them."""
    wanted = "a str or a list of token ids" if name == "prompt" else "a list of token ids"
    others = (str, bytes, bytearray, memoryview, Mapping, Set)
    if isinstance(ids, others) or not isinstance(ids, Iterable):
        raise wrong_type(name, wanted, ids)
    if isinstance(ids, array) and ids.typecode == "i":
        numbers_ = ids
    else:
        given = list(ids)
        if any(type(one).__name__ in BOOLS for one in given):
            raise TypeError(f"{name} must be {wanted}, which are ints, not bools")
        try:
            numbers_ = array("i", given)
        except OverflowError:
            raise invalid(f"{name} has a number that is no token id") from None
        except TypeError:
            raise TypeError(f"{name} must be {wanted}, which are ints") from None
    return (ctypes.c_int32 * len(numbers_)).from_buffer_copy(numbers_)


def listed(name: str, values: Sequence[T]) -> list[T]:
    """What is meant as several: a text or bytes are not."""
    if isinstance(values, (str, bytes, bytearray, memoryview, Mapping)):
        raise wrong_type(name, "a list", values)
    try:
        return list(values)
    except TypeError:
        raise wrong_type(name, "a list", values) from None
