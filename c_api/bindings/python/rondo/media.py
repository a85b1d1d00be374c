"""Pictures: pixels in, and rows that sessions have among their tokens out."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import byref
from os import PathLike
from typing import Any

from . import _raw
from ._calls import Progress, interruptible
from ._checked import SIZE, UINT32, flag, integer, listed, one_of
from ._core import Core
from ._enums import Pixels, YuvMatrix, YuvRange
from ._handle import Handle
from ._library import check, check_with_message, library
from ._records import ImageFacts
from ._told import record, told

Pixelled = Any
"""A buffer of bytes, a tuple of such, or a PIL image: see Image."""

CHANNELS = {Pixels.RGB8: 3, Pixels.RGBA8: 4, Pixels.BGRA8: 4, Pixels.GRAY8: 1}
OF_CHANNELS = {1: Pixels.GRAY8, 3: Pixels.RGB8, 4: Pixels.RGBA8}


class Image:
    """Pixels of one byte a value, which are read while a picture is encoded.

    pixels: a buffer [height, width, 3 or 4] or [height, width], as numpy arrays of uint8 are, whose
    rows may be apart (what is not of whole rows one below the other is copied); a PIL image; bytes,
    whose width and height are said; or a tuple of the planes of Pixels.NV12, NV21 or I420, which in
    one buffer lie one behind the other. format: one of Pixels; where nothing is said, what the
    number of channels means: gray, RGB or RGBA. strides: of planes of one dimension, bytes from a
    row to the next. rotation: degrees by which it is turned clockwise to be upright; mirror: then
    left and right change places."""

    def __init__(self, pixels: Any, width: int | None = None, height: int | None = None,
                 format: Pixels | None = None, *, strides: Sequence[int] = (), rotation: int = 0,
                 mirror: bool = False, yuv_range: YuvRange = YuvRange.VIDEO,
                 yuv_matrix: YuvMatrix = YuvMatrix.BT601):
        if hasattr(pixels, "mode") and hasattr(pixels, "convert"):  # PIL's
            upright = pixels if pixels.mode in ("L", "RGB", "RGBA") else pixels.convert("RGB")
            pixels, (width, height) = upright.tobytes(), upright.size
        given = pixels if isinstance(pixels, (tuple, list)) else [pixels]
        views = [_bytes_of(plane) for plane in given]
        if not views:
            raise TypeError("pixels have no plane")
        if width is None or height is None:
            if views[0].ndim < 2:
                raise TypeError("pixels have one dimension: width and height say how many they are")
            height, width = _shape(views[0])[:2]
        width, height = integer("width", width, UINT32), integer("height", height, UINT32)
        strides = [integer("strides", stride, SIZE) for stride in listed("strides", strides)]
        if format is None:
            format = _format_of(views, width * height)
        one_of("format", Pixels, format)
        shapes = _shapes(format, width, height)
        if len(strides) > len(shapes) or strides and any(view.ndim > 1 for view in views):
            raise ValueError(f"{len(strides)} strides are given, but there are "
                             f"{sum(view.ndim == 1 for view in views)} planes of one dimension")
        if len(views) == 1 and len(shapes) > 1:
            views = _cut(views[0], shapes, strides)
        if len(views) != len(shapes):
            raise ValueError(f"{len(views)} planes are given, but the format has {len(shapes)}")
        self._raw = _raw.Image(
            format=int(format), width=width, height=height,
            rotation=integer("rotation", rotation, UINT32), mirror=flag("mirror", mirror),
            yuv_range=int(one_of("yuv_range", YuvRange, yuv_range)),
            yuv_matrix=int(one_of("yuv_matrix", YuvMatrix, yuv_matrix)))
        self._raw.struct_size = ctypes.sizeof(self._raw)
        self._planes = []  # they stay where they are as long as their views are there
        for i, (view, shape) in enumerate(zip(views, shapes)):
            plane, stride = _plane(view, *shape, strides[i] if i < len(strides) else 0)
            self._planes.append(plane)
            setattr(self._raw, f"plane{i}", _address(plane))
            setattr(self._raw, f"stride{i}", stride)


def _shape(view: memoryview) -> tuple[int, ...]:
    return view.shape or ()


def _bytes_of(plane: Any) -> memoryview:
    if isinstance(plane, (str, PathLike)):
        raise TypeError(f"pixels are '{plane}': the library reads no files; decode it first, for "
                        "instance by PIL.Image.open()")
    view = memoryview(plane)
    if view.itemsize != 1 or view.format.lstrip("@=<") not in ("B", "c"):
        raise TypeError(f"pixels are of format '{view.format}', not bytes")
    return view


def _format_of(views: list[memoryview], n: int) -> Pixels:
    view = views[0]
    if view.ndim > 1:
        channels = _shape(view)[2] if view.ndim == 3 else int(view.ndim == 2)
    else:
        channels = view.nbytes // n if n > 0 and view.nbytes % n == 0 else 0
    if len(views) == 1 and channels in OF_CHANNELS:
        return OF_CHANNELS[channels]
    if len(views) > 1 or view.ndim == 1:
        raise TypeError("format does not say of what the pixels are")
    turned = view.ndim == 3 and _shape(view)[0] in OF_CHANNELS
    raise TypeError(f"pixels are of the shape {_shape(view)}, not [height, width] or [height, width, "
                    "3 or 4]" + (": transpose(1, 2, 0) makes them so" if turned else
                                 ", of one picture" if view.ndim > 3 else ""))


def _shapes(format: Pixels, width: int, height: int) -> list[tuple[int, int]]:
    """Of each plane the bytes of a row, and how many there are."""
    if format in CHANNELS:
        return [(width * CHANNELS[format], height)]
    pairs, rows = (width + 1) // 2, (height + 1) // 2
    colours = [(pairs, rows)] * 2 if format == Pixels.I420 else [(2 * pairs, rows)]
    return [(width, height), *colours]


def _cut(view: memoryview, shapes: list[tuple[int, int]],
         strides: Sequence[int]) -> list[memoryview]:
    """The planes of one buffer, behind whose last row there need be no gap."""
    whole, planes, begin, gap = _flat(view), [], 0, 0
    for i, (row_bytes, rows) in enumerate(shapes):
        stride = (strides[i] if i < len(strides) else 0) or row_bytes
        planes.append(whole[begin:begin + stride * rows])
        begin, gap = begin + stride * rows, stride - row_bytes
    if not begin - gap <= len(whole) <= begin:
        raise ValueError(f"pixels have {len(whole)} bytes, not the {begin} of their planes: where "
                         "rows lie apart, strides say how")
    return planes


def _flat(view: memoryview) -> memoryview:
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())


def _plane(view: memoryview, row_bytes: int, rows: int, stride: int) -> tuple[memoryview, int]:
    """It, or a copy without gaps, and its stride."""
    if view.ndim > 1:
        inside = view.nbytes // _shape(view)[0] if _shape(view)[0] else 0
        if (_shape(view)[0], inside) != (rows, row_bytes):
            raise ValueError(f"a plane is of the shape {_shape(view)}, but must have {rows} rows of "
                             f"{row_bytes} bytes")
        strides = view.strides or ()
        whole_rows = strides[-1] == 1 and (view.ndim == 2 or strides[1:] == (_shape(view)[2], 1))
        if whole_rows and strides[0] >= row_bytes:
            return view, strides[0]
        return memoryview(view.tobytes()), 0
    if stride == 0 and view.nbytes != row_bytes * rows:
        raise ValueError(f"a plane has {view.nbytes} bytes, not the {row_bytes * rows} of {rows} "
                         f"rows of {row_bytes}: strides say what lies between rows")
    if stride != 0 and rows > 0 and view.nbytes < stride * (rows - 1) + row_bytes:
        raise ValueError(f"a plane has {view.nbytes} bytes, but {rows} rows of {row_bytes} with a "
                         f"stride of {stride} have {stride * (rows - 1) + row_bytes}")
    return (view if view.c_contiguous else memoryview(view.tobytes())), stride


class _Buffer(ctypes.Structure):
    """Py_buffer, of which the first field counts here."""
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_void_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]


def _address(view: memoryview) -> int | None:
    """Where the bytes are, also of what ctypes does not take: read-only, with gaps."""
    buffer, full_read_only = _Buffer(), 0x11c
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), byref(buffer), full_read_only)
    address: int | None = buffer.buf
    ctypes.pythonapi.PyBuffer_Release(byref(buffer))
    return address


class Media(Handle):
    """A picture as an engine's rows. Made by Engine.media(). Its rows lie in the engine as long as
    this is open, or a session that remembers a position of them. From any thread."""

    _made_by = "Engine.media()"

    @classmethod
    def _of(cls, core: Core, engine: int, image: Image | Pixelled, min_tokens: int, max_tokens: int,
            one_tile: bool, progress: Callable[[int, int], object] | None) -> Media:
        pixels = image if isinstance(image, Image) else Image(image)
        options = _options(min_tokens, max_tokens, one_tile)
        reporter = Progress(_raw.ImageOptionsProgress, progress)
        options.progress = reporter.callback
        handle = ctypes.c_void_p()
        interruptible(lambda: check_with_message(
            lambda *message: library.rondo_media_create(
                engine, byref(pixels._raw), byref(options), byref(handle), *message),
            before_raise=reporter.raise_pending), reporter.cancel)
        media = cls.__new__(cls)
        media._open("rondo_media_close", handle.value or 0, core)  # whose arena lives as long
        return media

    @property
    def info(self) -> ImageFacts:
        """What became of the picture."""
        return told(ImageFacts, lambda filled: library.rondo_media_info(self._handle, filled))


def _options(min_tokens: int, max_tokens: int, one_tile: bool) -> Any:
    raw = _raw.ImageOptions()
    check(library.rondo_image_options_init(byref(raw), ctypes.sizeof(raw)))
    raw.min_tokens = integer("min_tokens", min_tokens, UINT32)
    raw.max_tokens = integer("max_tokens", max_tokens, UINT32)
    raw.one_tile = flag("one_tile", one_tile)
    return raw


def image_plan(model: int, width: int, height: int, min_tokens: int, max_tokens: int,
               one_tile: bool) -> ImageFacts:
    """The facts of a picture that is not there yet."""
    options, filled = _options(min_tokens, max_tokens, one_tile), _raw.ImageFacts()
    filled.struct_size = ctypes.sizeof(filled)
    check_with_message(lambda *message: library.rondo_image_plan(
        model, width, height, byref(options), byref(filled), *message))
    facts: ImageFacts = record(ImageFacts, filled)
    return facts
