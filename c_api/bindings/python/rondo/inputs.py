"""Inputs: rows that stand where tokens do."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from . import _raw
from ._checked import INT32, SIZE, flag, ids_array, integer, listed, one_of
from ._enums import Rows


class Input:
    """Rows in place of what the model makes of tokens before its first layer.

    rows: a buffer of float32, or of the upper halves of such (uint16: bfloat16), [count,
    hidden_size], as numpy arrays of two dimensions are; of bytes of one dimension `count` and
    `row_format` say what they are. coordinates: three numbers for each row, which RoPE rotates it
    by, counted from where a token in place of the first row would be; sees_whole: each row sees all
    of them."""

    def __init__(self, rows: Any, *, count: int | None = None, row_format: Rows | None = None,
                 coordinates: Sequence[Sequence[int]] | None = None, sees_whole: bool = False):
        view = memoryview(rows)
        if count is None:
            if view.ndim != 2:
                raise TypeError("rows have one dimension: count says how many they are")
            count = (view.shape or (0,))[0]
        if row_format is None:
            kind = view.format.lstrip("@=<")
            if kind not in ("f", "H"):
                raise TypeError(f"rows are of format '{view.format}', not float32 or uint16: "
                                "row_format says what they are")
            row_format = Rows.FLOAT32 if kind == "f" else Rows.BFLOAT16
        self._rows = view.tobytes()
        self.row_format = one_of("row_format", Rows, row_format)
        self.count = integer("count", count, SIZE)
        self.sees_whole = flag("sees_whole", sees_whole)
        self._coordinates = None
        if coordinates is not None:
            rows_ = [listed("coordinates", row) for row in listed("coordinates", coordinates)]
            flat = [integer("coordinates", number, INT32) for row in rows_ for number in row]
            if len(rows_) != self.count or any(len(row) != 3 for row in rows_):
                raise ValueError(f"coordinates are not three numbers for each of {count} rows")
            self._coordinates = ids_array("coordinates", flat)

    def _fill(self, raw: Any, hidden_size: int) -> None:
        item = 4 if self.row_format == Rows.FLOAT32 else 2
        if len(self._rows) != self.count * hidden_size * item:
            raise ValueError(f"rows have {len(self._rows)} bytes, not those of {self.count} rows of "
                             f"hidden_size {hidden_size}")
        raw.row_format, raw.count = int(self.row_format), self.count
        raw.rows = ctypes.cast(ctypes.c_char_p(self._rows), ctypes.c_void_p)
        if self._coordinates is not None:
            raw.coordinates = self._coordinates
        raw.sees_whole = self.sees_whole


def raw_inputs(inputs: Sequence[Input | Sequence[int]],
               hidden_size: int) -> tuple[Any, list[Any]]:
    """An array of rondo_input, and what must live as long."""
    array = (_raw.Input * len(inputs))()
    kept: list[Any] = []
    for raw, given in zip(array, inputs):
        raw.struct_size = ctypes.sizeof(_raw.Input)
        if isinstance(given, Input):
            given._fill(raw, hidden_size)
        else:
            kept.append(ids_array("inputs", given))
            raw.ids, raw.count = kept[-1], len(kept[-1])
    return array, kept
