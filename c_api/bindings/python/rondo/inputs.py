"""Inputs: rows that stand where tokens do."""
from __future__ import annotations

import ctypes
from typing import Any, List, Optional, Sequence, Tuple, Union

from . import _raw
from ._options import ids_array
from ._raw import Rows


class Input:
    """Rows in place of what the model makes of tokens before its first layer.

    rows: a buffer of float32, or of the upper halves of such (uint16: bfloat16), [count,
    hidden_size], as numpy arrays of two dimensions are; of bytes of one dimension `count` and
    `row_format` say what they are. coordinates: three numbers for each row, which RoPE rotates it
    by, counted from where a token in place of the first row would be; sees_whole: each row sees all
    of them."""

    def __init__(self, rows: Any, *, count: Optional[int] = None, row_format: Optional[int] = None,
                 coordinates: Optional[Sequence[Sequence[int]]] = None, sees_whole: bool = False):
        view = memoryview(rows)
        if count is None:
            if view.ndim != 2:
                raise TypeError("rows have one dimension: count says how many they are")
            count = view.shape[0]
        if row_format is None:
            kind = view.format.lstrip("@=<")
            if kind not in ("f", "H"):
                raise TypeError(f"rows are of format '{view.format}', not float32 or uint16: "
                                "row_format says what they are")
            row_format = Rows.FLOAT32 if kind == "f" else Rows.BFLOAT16
        self._rows = view.tobytes()
        self._coordinates = None
        if coordinates is not None:
            flat = [int(number) for row in coordinates for number in row]
            if len(coordinates) != count or len(flat) != 3 * count:
                raise ValueError(f"coordinates are not three numbers for each of {count} rows")
            self._coordinates = ids_array(flat)
        self.row_format, self.count, self.sees_whole = row_format, count, sees_whole

    def _fill(self, raw: Any, hidden_size: int) -> None:
        item = 4 if self.row_format == Rows.FLOAT32 else 2
        if len(self._rows) != self.count * hidden_size * item:
            raise ValueError(f"rows have {len(self._rows)} bytes, not those of {self.count} rows of "
                             f"hidden_size {hidden_size}")
        raw.row_format, raw.count = self.row_format, self.count
        raw.rows = ctypes.cast(ctypes.c_char_p(self._rows), ctypes.c_void_p)
        if self._coordinates is not None:
            raw.coordinates = self._coordinates
        raw.sees_whole = self.sees_whole


def raw_inputs(inputs: Sequence[Union[Input, Sequence[int]]],
               hidden_size: int) -> Tuple[Any, List[Any]]:
    """An array of rondo_input, and what must live as long."""
    array = (_raw.Input * len(inputs))()
    kept: List[Any] = []
    for raw, given in zip(array, inputs):
        raw.struct_size = ctypes.sizeof(_raw.Input)
        if isinstance(given, Input):
            given._fill(raw, hidden_size)
        else:
            kept.append(ids_array(given))
            raw.ids, raw.count = kept[-1], len(given)
    return array, kept
