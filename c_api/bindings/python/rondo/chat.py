"""Conversations: what they are rendered from, and answers taken apart."""
from __future__ import annotations

import ctypes
import json
from ctypes import byref
from datetime import datetime
from typing import Any, Callable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _raw
from ._handle import Handle, new_handle
from ._library import check, check_with_message, known, library
from ._raw import ChatFlags, ChatPartKind, Status

Json = Union[str, Sequence[Any], Mapping[str, Any]]
EPOCH = datetime(1970, 1, 1)


class ChatOptions:
    """rondo_chat_options from what Model.render_chat() takes."""

    def __init__(self, messages: Json, *, tools: Optional[Json] = None,
                 variables: Optional[Json] = None, add_generation_prompt: bool = True,
                 continue_final: bool = False, plain_content: bool = True,
                 local_time: Optional[datetime] = None, template_name: Optional[str] = None,
                 template: Optional[str] = None):
        raw = self.raw = _raw.ChatOptions()
        check(library.rondo_chat_options_init(byref(raw), ctypes.sizeof(raw)))
        raw.flags = (ChatFlags.ADD_GENERATION_PROMPT * (add_generation_prompt and not continue_final)
                     | ChatFlags.CONTINUE_FINAL * continue_final
                     | ChatFlags.PLAIN_CONTENT * plain_content)
        if local_time is not None:
            wall = local_time.replace(tzinfo=None)
            raw.local_time = int((wall - EPOCH).total_seconds())
        raw.template_name = template_name.encode() if template_name is not None else None
        self._kept: List[Any] = []
        for name, size, value in (("messages", "messages_bytes", messages),
                                  ("tools", "tools_bytes", tools),
                                  ("variables", "variables_bytes", variables),
                                  ("template_text", "template_bytes", template)):
            if value is None:
                continue
            encoded = (value if isinstance(value, str) else json.dumps(value)).encode()
            self._kept.append(ctypes.create_string_buffer(encoded, max(len(encoded), 1)))
            setattr(raw, name, ctypes.addressof(self._kept[-1]))
            setattr(raw, size, len(encoded))

    def texts(self, n: int, call: Callable[..., int]) -> List[str]:
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


def fits(call: Callable[..., int]) -> bool:
    """For calls that end in (message, message_bytes): False: there was no room for an output."""
    status: int = Status.OK

    def called(message: Any, message_bytes: int) -> int:
        nonlocal status
        status = call(message, message_bytes)
        return Status.OK if status == Status.BUFFER_TOO_SMALL else status

    check_with_message(called)
    return status == Status.OK


class ChatPart(NamedTuple):
    """A piece of an answer."""
    kind: int  # a ChatPartKind
    text: str = ""  # CONTENT, THINKING, ARGUMENTS: the next piece of it
    call: int = 0  # CALL, ARGUMENTS, CALL_END: the call's number, from 0
    name: str = ""  # CALL and CALL_END: of the function
    id: str = ""  # CALL and CALL_END: that the model gave the call; empty where it writes none
    arguments: str = ""  # CALL_END: all of them, as JSON


class ChatParser(Handle):
    """Made by Model.chat_parser(). Takes an answer as it comes, cut anywhere, and hands out its parts.
    One call at a time."""

    _close_name = "rondo_chat_parser_close"

    def __init__(self, handle: ctypes.c_void_p):
        super().__init__(handle)
        self._part = _raw.ChatPart()
        self._call = ChatPart(ChatPartKind.NONE)  # the one that is being written

    @classmethod
    def _create(cls, model: int, options: ChatOptions) -> "ChatParser":
        handle = new_handle()
        check_with_message(lambda *message: library.rondo_chat_parser_create(
            model, byref(options.raw), byref(handle), *message))
        return cls(handle)

    def push(self, data: bytes, last: bool = False) -> None:
        """Gives the answer's next bytes, those of events; last: there are no more behind them."""
        check(library.rondo_chat_parser_push(self._handle, data, len(data), last))

    def parts(self) -> Iterator[ChatPart]:
        """What was not handed out yet, as far as it is known what it is."""
        raw = self._part
        while True:
            raw.struct_size = ctypes.sizeof(raw)
            check(library.rondo_chat_parser_next(self._handle, byref(raw)))
            if raw.kind == ChatPartKind.NONE:
                return
            yield self._told(raw)

    def _told(self, raw: Any) -> ChatPart:
        text, name, id = (ctypes.string_at(start, size).decode("utf-8", "replace")
                          for start, size in ((raw.text, raw.text_bytes), (raw.name, raw.name_bytes),
                                              (raw.id, raw.id_bytes)))
        kind = known(ChatPartKind, raw.kind)
        if kind == ChatPartKind.CALL:
            self._call = ChatPart(kind, "", raw.call, name, id)
        elif kind == ChatPartKind.ARGUMENTS:
            self._call = self._call._replace(arguments=self._call.arguments + text)
        elif kind == ChatPartKind.CALL_END:
            return self._call._replace(kind=kind)
        return ChatPart(kind, text, raw.call, name, id)

    def reset(self) -> None:
        """As it was made, for another answer."""
        check(library.rondo_chat_parser_reset(self._handle))


def render(model: int, options: ChatOptions, want_text: bool) -> Tuple[str, List[int]]:
    """The text of a conversation, or its token ids."""
    if want_text:
        return options.texts(1, lambda *out: library.rondo_chat_render(
            model, byref(options.raw), *out[:3], None, 0, None, *out[3:]))[0], []
    count, capacity = ctypes.c_size_t(), 1024
    while True:
        ids = (ctypes.c_int32 * capacity)()
        if fits(lambda *message: library.rondo_chat_render(
                model, byref(options.raw), None, 0, None, ids, capacity, byref(count), *message)):
            return "", ids[:count.value]
        capacity = count.value
