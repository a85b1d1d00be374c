"""Sessions: sequences of tokens."""
from __future__ import annotations

import ctypes
from array import array
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from ctypes import byref
from functools import partial
from typing import Any, NamedTuple, Union

from . import _checked, _raw, _texts
from ._checked import Bytes
from ._enums import Channel, Reason, Status
from ._errors import Busy
from ._library import check, library
from ._records import SessionCounters
from ._session_calls import LONG, SessionCalls, call_number
from ._told import record
from .chat import ChatOptions, ChatParser, ChatPart, Messages, Reply, render_ids, reply_of
from .inputs import Input, raw_inputs
from .media import Media

Prompt = Union[str, Iterable[int]]

NO_LIMIT = 2**64 - 1


class Event(NamedTuple):
    """What one step of a generation brought."""
    token: int
    """-1: no token came."""
    text: str
    """What can be shown now: whole characters; may be empty."""
    bytes: bytes
    """The token's own."""
    reason: Reason
    """Why the generation ended; Reason.NONE: it goes on."""
    logprob: float
    """With the option logprobs."""
    pending: int
    """Tokens of the prompt that still wait for passes."""
    taken_over: int
    """Tokens that the prefix cache had."""
    channel: Channel = Channel.TEXT
    """What the token belongs to, with the option thinking."""


class Session(SessionCalls):
    """Made by Engine.session(). One call at a time: another one meanwhile is Busy. cancel() and
    close() come at any time."""

    _reason = Reason.NONE
    _waiting = 0  # tokens that were queued
    _generation: object = None  # that was begun last

    # ---- Tokens in ------------------------------------------------------------------------------

    def _ids_of(self, handle: int, prompt: Prompt) -> Any:
        if not isinstance(prompt, str):
            return _checked.ids_array("prompt", prompt)
        position = ctypes.c_uint64()
        self._check(handle, library.rondo_session_position(handle, byref(position)))
        return _texts.tokenize(self._core.model_handle(), prompt.encode(), position.value == 0)

    def _begin_generation(self, handle: int, ids: Any, mine: object) -> None:
        if ids is not None:
            self._prefill(handle, ids)
        self._generation = mine

    def _prefill(self, handle: int, ids: Any) -> None:
        self._check(handle, library.rondo_session_prefill(handle, ids, len(ids)))
        self._waiting = 0

    def prefill(self, ids: Iterable[int]) -> None:
        """Appends and evaluates a prompt, or the next turn of a conversation. All or nothing."""
        given = _checked.ids_array("ids", ids)
        self._long_call(lambda handle: self._prefill(handle, given), len(given) + self._waiting)

    def prefill_logits(self, ids: Iterable[int], row: Callable[[int, array[float]], object]) -> None:
        """As prefill(), and calls row(index, logits) after each token, maybe on another thread. What
        it raises is raised here, when the prefill is over."""
        given, pending = _checked.ids_array("ids", ids), list[BaseException]()
        _checked.function("row", row)

        def receive(_: Any, index: int, logits: Any, count: int) -> None:
            try:
                if not pending:
                    row(index, _floats(logits, count))
            except BaseException as error:  # must not unwind through the library
                pending.append(error)
        callback = _raw.LogitsRow(receive)

        def prefill(handle: int) -> None:
            status = library.rondo_session_prefill_logits(handle, given, len(given), callback, None)
            if pending:
                raise pending[0]
            self._check(handle, status)
        self._long_call(prefill)

    def append(self, ids: Iterable[int]) -> None:
        """Queues tokens, which the next steps of the engine evaluate."""
        given = _checked.ids_array("ids", ids)
        self._call(library.rondo_session_append, given, len(given))
        self._waiting += len(given)

    def append_inputs(self, inputs: Sequence[Input | Sequence[int]]) -> None:
        """Queues token ids and rows that stand where tokens do, one behind another, at most 64 of
        them. For engines with the option max_input_rows."""
        given, kept = raw_inputs(_checked.listed("inputs", inputs), self._core.info.hidden_size)
        self._call(library.rondo_session_append_inputs, given, len(given))
        self._waiting += LONG
        del kept

    def append_media(self, ids: Iterable[int], media: Sequence[Media]) -> None:
        """Queues ids of which each that is the model's info.picture_token stands for the next of
        these pictures, as Model.chat_ids() writes it for a part {"type": "image"} of a message."""
        given, pictures = _checked.ids_array("ids", ids), _handles(media)
        self._call(library.rondo_session_append_media, given, len(given), pictures, len(pictures))
        self._waiting += LONG

    def propose(self, ids: Iterable[int]) -> None:
        """Tells tokens that may come next: the next pass verifies them, and no token is another for
        it."""
        given = _checked.ids_array("ids", ids)
        self._call(library.rondo_session_propose, given, len(given))

    def accept(self, token: int) -> None:
        """Appends one token that the caller chose."""
        self._call(library.rondo_session_accept, _checked.integer("token", token, _checked.INT32))

    def embed(self, ids: Iterable[int], *, dimensions: int = 0) -> array[float]:
        """The vector of a text, or the score of a pair: its first `dimensions` numbers; 0: all."""
        from ._embedding import wanted
        given, n = _checked.ids_array("ids", ids), wanted(self._core, dimensions)
        # Never without an address: where the model makes none, the library says so.
        vector = (ctypes.c_float * max(n, 1))()
        self._long_call(lambda handle: self._check(
            handle, library.rondo_session_embed(handle, given, len(given), vector, n)))
        return array("f", vector)

    # ---- Tokens out -----------------------------------------------------------------------------

    def _event_of(self, handle: int, function: Any) -> Event:
        raw = _raw.Event()
        raw.struct_size = ctypes.sizeof(raw)
        self._check(handle, function(handle, byref(raw)))
        self._reason = Reason(raw.reason)
        return Event(raw.token, ctypes.string_at(raw.text, raw.text_bytes).decode("utf-8", "replace"),
                     ctypes.string_at(raw.bytes, raw.bytes_count), self._reason, raw.logprob,
                     raw.pending, raw.taken_over, Channel(raw.channel))

    def _next(self, handle: int, mine: object = None) -> Event:
        if mine is not None and self._generation is not mine:
            raise Busy(Status.BUSY, "another generation of this Session has begun")
        event = self._event_of(handle, library.rondo_session_next)
        self._waiting = 0
        return event

    def next(self) -> Event:
        """Generates one token."""
        return self._long_call(self._next, self._waiting)

    def event(self) -> Event:
        """What the last step of the engine had for this session, once; with drafts, ask until there
        is no token."""
        return self._long_call(
            lambda handle: self._event_of(handle, library.rondo_session_event), tokens=0)

    @property
    def reason(self) -> Reason:
        """Why the last generation ended; Reason.NONE: it goes on."""
        return self._reason

    def generate(self, prompt: Prompt | None = None) -> str:
        """The text of the whole generation behind `prompt`, a text or token ids, or behind what the
        session has. Of a text the first in a session has around it what the model expects, BOS and
        the like; texts of special tokens in it become these tokens, which chat() keeps from
        happening."""
        return "".join(event.text for event in self.stream(prompt))

    def stream(self, prompt: Prompt | None = None) -> Iterator[Event]:
        """As generate(), token by token: each is computed when it is asked for. The prompt is
        evaluated at once. The last event has the reason. Where another generation has begun since,
        this one is Busy."""
        mine, ids, tokens = object(), None, 0
        if prompt is not None:
            ids = self._long_call(partial(self._ids_of, prompt=prompt), tokens=0)
            tokens = len(ids) + self._waiting
        self._long_call(lambda handle: self._begin_generation(handle, ids, mine), tokens)
        return self._events(mine)

    def _events(self, mine: object) -> Iterator[Event]:
        while True:
            event = self._long_call(lambda handle: self._next(handle, mine), self._waiting)
            yield event
            if event.reason != Reason.NONE:
                return

    async def agenerate(self, prompt: Prompt | None = None) -> str:
        """As generate(), beside what the event loop does. Where the task is cancelled, so is the
        call, and the session can be used again; it may then stand some tokens further."""
        return "".join([event.text async for event in self.astream(prompt)])

    def astream(self, prompt: Prompt | None = None) -> AsyncIterator[Event]:
        """As stream(), beside what the event loop does: each token is computed when it is asked
        for. Where the task is cancelled, so is the call, and the session can be used again."""
        self._handle  # told here where it is closed
        given = prompt
        if prompt is not None and not isinstance(prompt, str):
            given = array("i", _checked.ids_array("prompt", prompt))
        return self._astream(given)

    async def _astream(self, prompt: Any) -> AsyncIterator[Event]:
        mine, ids = object(), None
        if prompt is not None:
            ids = await self._beside(partial(self._ids_of, prompt=prompt), numbered=False)
        await self._beside(lambda handle: self._begin_generation(handle, ids, mine), ids is not None)
        async for event in self._aevents(mine):
            yield event

    async def _aevents(self, mine: object) -> AsyncIterator[Event]:
        while True:
            event = await self._beside(partial(self._next, mine=mine))
            yield event
            if event.reason != Reason.NONE:
                return

    # ---- Conversations --------------------------------------------------------------------------

    def _ask(self, handle: int, options: ChatOptions, media: Any, mine: object) -> ChatParser:
        """The session's tokens become the conversation's."""
        model = self._core.model
        parser = ChatParser._of(model, options)
        ids = render_ids(model.usable("Session"), options)
        self._check(handle, library.rondo_session_reset(handle))
        self._check(handle, library.rondo_session_append_media(
            handle, ids, len(ids), media, len(media)))
        self._waiting = len(ids) + LONG * len(media)
        self._generation = mine
        return parser

    def _chat_stream(self, messages: Messages, given: dict[str, Any]) -> Iterator[ChatPart]:
        options, media, mine = ChatOptions(messages, given), _handles(given["media"]), object()
        parser = self._long_call(lambda handle: self._ask(handle, options, media, mine), tokens=0)
        return (part for event in self._events(mine) for part in _parts(parser, event))

    def _chat(self, messages: Messages, given: dict[str, Any]) -> Reply:
        return reply_of(self._chat_stream(messages, given), lambda: self._reason)

    def _achat_stream(self, messages: Messages, given: dict[str, Any]) -> AsyncIterator[ChatPart]:
        options, media, mine = ChatOptions(messages, given), _handles(given["media"]), object()
        self._handle  # told here where it is closed

        async def parts() -> AsyncIterator[ChatPart]:
            parser = await self._beside(
                lambda handle: self._ask(handle, options, media, mine), numbered=False)
            async for event in self._aevents(mine):
                for part in _parts(parser, event):
                    yield part
        return parts()

    async def _achat(self, messages: Messages, given: dict[str, Any]) -> Reply:
        parts = [part async for part in self._achat_stream(messages, given)]
        return reply_of(parts, lambda: self._reason)

    # ---- Logits ---------------------------------------------------------------------------------

    def logits(self) -> array[float]:
        """The logits after the last token, a copy; numpy.asarray() makes an array of it without
        another. With accept(): for callers that sample for themselves."""
        def copied(handle: int) -> array[float]:
            pointer, count = ctypes.POINTER(ctypes.c_float)(), ctypes.c_size_t()
            self._check(handle, library.rondo_session_logits(handle, byref(pointer), byref(count)))
            self._waiting = 0
            return _floats(pointer, count.value)
        return self._long_call(copied, self._waiting)

    # ---- The sequence ---------------------------------------------------------------------------

    def undo(self, n: int) -> None:
        """Takes the last n tokens back."""
        self._call(library.rondo_session_undo, _checked.integer("n", n, _checked.UINT64))

    def reset(self) -> None:
        """Takes all tokens back. The options stay."""
        self._call(library.rondo_session_reset)
        self._waiting = 0

    @property
    def position(self) -> int:
        """How many tokens the sequence has."""
        return self._number(library.rondo_session_position)

    @property
    def remaining(self) -> int | None:
        """How many more tokens fit; None under Policy.SLIDE."""
        tokens = self._number(library.rondo_session_remaining)
        return None if tokens == NO_LIMIT else tokens

    @property
    def evicted(self) -> tuple[int, int]:
        """Under Policy.SLIDE: the positions [begin, end) that are no longer seen."""
        begin, end = ctypes.c_uint64(), ctypes.c_uint64()
        self._call(library.rondo_session_evicted, byref(begin), byref(end))
        return begin.value, end.value

    @property
    def stats(self) -> SessionCounters:
        """What was done for this session so far."""
        filled = _raw.SessionCounters()
        filled.struct_size = ctypes.sizeof(filled)
        self._call(library.rondo_session_stats, byref(filled))
        return record(SessionCounters, filled)

    @property
    def progress(self) -> tuple[int, int]:
        """How far a prompt is: (done, total) tokens. From any thread, also while it is evaluated."""
        done, total = ctypes.c_uint64(), ctypes.c_uint64()
        check(library.rondo_session_progress(self._handle, byref(done), byref(total)))
        return done.value, total.value

    @property
    def tokens(self) -> list[int]:
        """The tokens that the session remembers: the last ones, up to `position`."""
        def remembered(handle: int) -> list[int]:
            begin, count = ctypes.c_uint64(), ctypes.c_size_t()
            for room in (0, 1):
                ids = (ctypes.c_int32 * (count.value * room))()
                status = library.rondo_session_tokens(handle, byref(begin), ids, len(ids), byref(count))
            self._check(handle, status)
            return ids[:]
        return self._long_call(remembered, tokens=0)

    # ---- Cancelling -----------------------------------------------------------------------------

    @property
    def call_number(self) -> int:
        """The number of the call that computes on another thread, or else of the next one. From any
        thread."""
        return call_number(self._handle)

    def cancel_call(self, number: int) -> None:
        """Makes the call of this number raise Cancelled, and no other: nothing where it is over. From
        any thread."""
        check(library.rondo_session_cancel_call(
            self._handle, _checked.integer("number", number, _checked.UINT64)))

    def cancel(self) -> None:
        """Makes the call that runs on another thread, or else the next one that computes, raise
        Cancelled: one that comes late ends a call that it was not meant for, which cancel_call()
        does not. From any thread."""
        check(library.rondo_session_cancel(self._handle))

    # ---- State ----------------------------------------------------------------------------------

    def _fork(self, given: dict[str, Any]) -> Session:
        return self._long_call(lambda handle: Session._of(
            self._core, given, None, lambda options, out, *message: library.rondo_session_fork(
                handle, options, out, *message), self._adapter), tokens=0)

    def save(self) -> bytes:
        """The session as bytes. They hold the conversation: keep them as secret as its text."""
        def saved(handle: int) -> bytes:
            size = ctypes.c_size_t()
            library.rondo_session_save(handle, None, 0, byref(size))
            buffer = ctypes.create_string_buffer(size.value)
            self._check(handle, library.rondo_session_save(handle, buffer, size.value, byref(size)))
            return buffer.raw[:size.value]
        return self._long_call(saved, tokens=0)

    def restore(self, snapshot: Bytes) -> None:
        """Becomes what was saved. On failure the session is as before."""
        given = _checked.data("snapshot", snapshot)
        self._call(library.rondo_session_restore, given, len(given))


def _handles(media: Sequence[Media]) -> Any:
    if isinstance(media, Media):
        raise TypeError("media is one picture, not a list of them: [media]")
    pictures = [_checked.instance("media", Media, one)._handle for one in _checked.listed("media", media)]
    return (ctypes.c_void_p * len(pictures))(*pictures)


def _parts(parser: ChatParser, event: Event) -> Iterator[ChatPart]:
    """Those that an event of the answer brings. What ends it is no part of it: of the token that
    completes a stop string, what is before that."""
    said = event.bytes
    if event.reason in (Reason.EOS, Reason.STOP_STRING):
        before = event.text.encode()
        said = before if said.startswith(before) and event.reason != Reason.EOS else b""
    parser.push(said, event.reason != Reason.NONE)
    return parser.parts()


def _floats(pointer: Any, count: int) -> array[float]:
    numbers = array("f")
    numbers.frombytes(ctypes.string_at(pointer, 4 * count))
    return numbers
