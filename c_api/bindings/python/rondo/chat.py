"""Conversations: what they are rendered from, and answers taken apart."""
from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import byref
from datetime import datetime
from typing import Any, NamedTuple, Union

from . import _checked, _raw
from ._checked import Bytes
from ._enums import ChatFlags, ChatPartKind, Reason, Status
from ._errors import invalid
from ._handle import Reference
from ._library import check, check_with_message, library
from ._turns import Turns

Messages = Union[Sequence[Mapping[str, Any]], str]
"""[{"role": "user", "content": "Hello!"}, ...], or the same as JSON."""
Tools = Union[Sequence[Mapping[str, Any]], str]
"""[{"type": "function", "function": {"name": ..., "parameters": ...}}], or the same as JSON."""

EPOCH = datetime(1970, 1, 1)


class ChatPart(NamedTuple):
    """A piece of an answer."""
    kind: ChatPartKind
    """What it is."""
    text: str = ""
    """CONTENT, THINKING, ARGUMENTS: the next piece of it."""
    call: int = 0
    """CALL, ARGUMENTS, CALL_END: the call's number, from 0."""
    name: str = ""
    """CALL and CALL_END: of the function."""
    id: str = ""
    """CALL and CALL_END: that the model gave the call; empty where it writes none."""
    arguments: str = ""
    """CALL_END: all of them, as JSON."""


class Call(NamedTuple):
    """A function that the model calls."""
    name: str
    """Of the function."""
    arguments: str
    """As JSON."""
    id: str = ""
    """That the model gave the call; empty where it writes none."""


class Reply(NamedTuple):
    """An answer to a conversation."""
    text: str
    """Its content."""
    thinking: str
    """What the model thought before."""
    calls: list[Call]
    """Of functions."""
    reason: Reason
    """Why it ended."""


def reply_of(parts: Iterable[ChatPart], reason: Callable[[], Reason]) -> Reply:
    """The answer whose parts these are."""
    told = list(parts)

    def text(kind: ChatPartKind) -> str:
        return "".join(part.text for part in told if part.kind == kind)
    calls = [Call(part.name, part.arguments, part.id) for part in told
             if part.kind == ChatPartKind.CALL_END]
    return Reply(text(ChatPartKind.CONTENT), text(ChatPartKind.THINKING), calls, reason())


class ChatOptions:
    """rondo_chat_options from what Model.render_chat() takes."""

    def __init__(self, messages: Messages, given: Mapping[str, Any]):
        raw = self.raw = _raw.ChatOptions()
        check(library.rondo_chat_options_init(byref(raw), ctypes.sizeof(raw)))
        goes_on = _checked.flag("continue_final", given["continue_final"])
        begins = _checked.flag("add_generation_prompt", given.get("add_generation_prompt", True))
        raw.flags = int(ChatFlags.ADD_GENERATION_PROMPT * (begins and not goes_on)
                        | ChatFlags.CONTINUE_FINAL * goes_on
                        | ChatFlags.PLAIN_CONTENT * _checked.flag("plain_content",
                                                                  given["plain_content"]))
        local_time = given["local_time"]
        if local_time is not None:
            wall = _checked.instance("local_time", datetime, local_time).replace(tzinfo=None)
            raw.local_time = int((wall - EPOCH).total_seconds())
        if given["template_name"] is not None:
            raw.template_name = _checked.word("template_name", given["template_name"])
        self._kept: list[Any] = []
        self._give("messages", "messages_bytes", _json("messages", messages, Sequence))
        for name, kind in (("tools", Sequence), ("variables", Mapping)):
            if given[name] is not None:
                self._give(name, f"{name}_bytes", _json(name, given[name], kind))
        if given["template"] is not None:
            self._give("template_text", "template_bytes", _checked.text("template", given["template"]))

    def _give(self, name: str, size: str, encoded: bytes) -> None:
        self._kept.append(ctypes.create_string_buffer(encoded, max(len(encoded), 1)))
        setattr(self.raw, name, ctypes.addressof(self._kept[-1]))
        setattr(self.raw, size, len(encoded))

    def texts(self, n: int, call: Callable[..., int]) -> list[str]:
        """What a call with `n` text outputs and a message gives."""
        lengths = [ctypes.c_size_t() for _ in range(n)]
        capacities = [1024] * n
        while True:
            buffers = [ctypes.create_string_buffer(capacity) for capacity in capacities]
            outputs = [part for one in zip(buffers, capacities, map(byref, lengths)) for part in one]
            if fits(lambda *message: call(*outputs, *message)):
                return [buffer.raw[:length.value].decode("utf-8", "replace")
                        for buffer, length in zip(buffers, lengths)]
            capacities = [length.value + 1 for length in lengths]


def _json(name: str, value: Any, kind: type) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)) or not isinstance(value, kind):
        raise _checked.wrong_type(name, f"a {'list' if kind is Sequence else 'dict'} or JSON", value)
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid(f"{name} cannot be written as JSON: {error}") from None


def fits(call: Callable[..., int]) -> bool:
    """For calls that end in (message, message_bytes): False: there was no room for an output."""
    status: int = Status.OK

    def called(message: Any, message_bytes: int) -> int:
        nonlocal status
        status = call(message, message_bytes)
        return Status.OK if status == Status.BUFFER_TOO_SMALL else status

    check_with_message(called)
    return status == Status.OK


class ChatParser(Turns):
    """Made by Model.chat_parser(). Takes an answer as it comes, cut anywhere, and hands out its parts.
    One call at a time."""

    _made_by = "Model.chat_parser()"
    _call = ChatPart(ChatPartKind.NONE)  # the one that is being written

    @classmethod
    def _of(cls, model: Reference, options: ChatOptions) -> ChatParser:
        pointer, handle = model.usable("Model"), ctypes.c_void_p()
        check_with_message(lambda *message: library.rondo_chat_parser_create(
            pointer, byref(options.raw), byref(handle), *message))
        parser = cls.__new__(cls)
        parser._opened("rondo_chat_parser_close", handle.value or 0, model)
        return parser

    def push(self, data: Bytes, last: bool = False) -> None:
        """Gives the answer's next bytes, those of events; last: there are no more behind them."""
        given, ends = _checked.data("data", data), _checked.flag("last", last)
        handle = self._begin()
        try:
            check(library.rondo_chat_parser_push(handle, given, len(given), ends))
        finally:
            self._end()

    def parts(self) -> Iterator[ChatPart]:
        """What was not handed out yet, as far as it is known what it is."""
        while True:
            handle, raw = self._begin(), _raw.ChatPart()
            try:
                raw.struct_size = ctypes.sizeof(raw)
                check(library.rondo_chat_parser_next(handle, byref(raw)))
                part = self._told(raw)
            finally:
                self._end()
            if part.kind == ChatPartKind.NONE:
                return
            yield part

    def _told(self, raw: Any) -> ChatPart:
        text, name, id = (ctypes.string_at(start, size).decode("utf-8", "replace")
                          for start, size in ((raw.text, raw.text_bytes), (raw.name, raw.name_bytes),
                                              (raw.id, raw.id_bytes)))
        kind = ChatPartKind(raw.kind)
        if kind == ChatPartKind.CALL:
            self._call = ChatPart(kind, "", raw.call, name, id)
        elif kind == ChatPartKind.ARGUMENTS:
            self._call = self._call._replace(arguments=self._call.arguments + text)
        elif kind == ChatPartKind.CALL_END:
            return self._call._replace(kind=kind)
        return ChatPart(kind, text, raw.call, name, id)

    def reset(self) -> None:
        """As it was made, for another answer."""
        handle = self._begin()
        try:
            check(library.rondo_chat_parser_reset(handle))
        finally:
            self._end()


def render(model: int, options: ChatOptions) -> str:
    """The text of a conversation."""
    return options.texts(1, lambda *out: library.rondo_chat_render(
        model, byref(options.raw), *out[:3], None, 0, None, *out[3:]))[0]


def render_ids(model: int, options: ChatOptions) -> Any:
    """Its token ids, as C has them."""
    count, capacity = ctypes.c_size_t(), 1024
    while True:
        ids = (ctypes.c_int32 * capacity)()
        if fits(lambda *message: library.rondo_chat_render(
                model, byref(options.raw), None, 0, None, ids, capacity, byref(count), *message)):
            return (ctypes.c_int32 * count.value).from_buffer(ids)
        capacity = count.value
