"""Sessions: sequences of tokens."""
from __future__ import annotations

import asyncio
import ctypes
from array import array
from ctypes import byref
from typing import (TYPE_CHECKING, Any, AsyncIterator, Callable, Iterator, List, Mapping, NamedTuple,
                    Optional, Sequence, Tuple, Union)

from . import _raw
from ._handle import Handle, new_handle
from ._keywords import SessionKeywords
from ._library import check, check_with_message, failure, known, library, record
from ._options import ids_array
from ._raw import Channel, Reason, Status
from ._records import SessionCounters
from .chat import ChatParser, ChatPart, Json
from .inputs import Input, raw_inputs
from .media import Media

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

    from .engine import Engine
    from .grammar import Grammar, Schema

NO_LIMIT = 2**64 - 1


class Event(NamedTuple):
    """What one step of a generation brought."""
    token: int  # -1: no token came
    text: str  # what can be shown now: whole characters; may be empty
    bytes: bytes  # the token's own
    reason: int  # a Reason: why the generation ended; Reason.NONE: it goes on
    logprob: float  # with the option logprobs
    pending: int  # tokens of the prompt that still wait for passes
    taken_over: int  # tokens that the prefix cache had
    channel: int = Channel.TEXT  # a Channel: what the token belongs to, with the option thinking


class Session(Handle):
    """Made by Engine.session(). One call at a time; cancel() and close() come at any time."""

    _close_name = "rondo_session_close"

    def __init__(self, handle: ctypes.c_void_p, engine: "Engine"):
        super().__init__(handle)
        self._engine = engine
        self._adapter: Any = None  # this, and so its bytes, lives as long
        self._event = _raw.Event()

    def _check(self, status: int) -> None:
        if status != Status.OK:
            text = b"" if status == Status.BUSY else library.rondo_session_last_error(self._handle)
            raise failure(status, text.decode("utf-8", "replace"))

    def _number(self, function: Any) -> int:
        value = ctypes.c_uint64()
        self._check(function(self._handle, byref(value)))
        return value.value

    # ---- Tokens in ------------------------------------------------------------------------------

    def prefill(self, ids: Sequence[int]) -> None:
        """Appends and evaluates a prompt, or the next turn of a conversation. All or nothing."""
        self._check(library.rondo_session_prefill(self._handle, ids_array(ids), len(ids)))

    def prefill_logits(self, ids: Sequence[int],
                       row: Callable[[int, memoryview], object]) -> None:
        """As prefill(), and calls row(index, logits) after each token, on this thread. The logits
        are valid during that call. What it raises is raised here, when the prefill is over."""
        pending: List[BaseException] = []

        def receive(_: Any, index: int, logits: Any, count: int) -> None:
            if not pending:
                try:
                    row(index, _floats(logits, count))
                except BaseException as error:  # must not unwind through the library
                    pending.append(error)

        status = library.rondo_session_prefill_logits(
            self._handle, ids_array(ids), len(ids), _raw.LogitsRow(receive), None)
        if pending:
            raise pending[0]
        self._check(status)

    def append(self, ids: Sequence[int]) -> None:
        """Queues tokens, which the next steps of the engine evaluate."""
        self._check(library.rondo_session_append(self._handle, ids_array(ids), len(ids)))

    def append_inputs(self, inputs: Sequence[Union[Input, Sequence[int]]]) -> None:
        """Queues token ids and rows that stand where tokens do, one behind another, at most 64 of
        them. For engines with the option max_input_rows."""
        array, kept = raw_inputs(inputs, self._engine._hidden_size)
        self._check(library.rondo_session_append_inputs(self._handle, array, len(inputs)))
        del kept

    def append_media(self, ids: Sequence[int], media: Sequence[Media]) -> None:
        """Queues ids of which each that is the model's info.picture_token stands for the next of
        these pictures, as Model.chat_ids() writes it for a part {"type": "image"} of a message."""
        if isinstance(media, Media):
            raise TypeError("media is one picture, not a list of them: [media]")
        handles = (ctypes.c_void_p * len(media))(*(one._handle for one in media))
        self._check(library.rondo_session_append_media(
            self._handle, ids_array(ids), len(ids), handles, len(media)))

    def propose(self, ids: Sequence[int]) -> None:
        """Tells tokens that may come next: the next pass verifies them, and no token is another for
        it."""
        self._check(library.rondo_session_propose(self._handle, ids_array(ids), len(ids)))

    def accept(self, token: int) -> None:
        """Appends one token that the caller chose."""
        self._check(library.rondo_session_accept(self._handle, token))

    def embed(self, ids: Sequence[int], dimensions: int = 0) -> "array[float]":
        """The vector of a text, or the score of a pair: its first `dimensions` numbers; 0: all."""
        n = dimensions or self._engine._dimensions
        # Never without an address: where the model makes none, the library says so.
        vector = (ctypes.c_float * max(n, 1))()
        self._check(library.rondo_session_embed(self._handle, ids_array(ids), len(ids), vector, n))
        return array("f", vector)

    # ---- Tokens out -----------------------------------------------------------------------------

    def _read_event(self, function: Any) -> Event:
        raw = self._event
        raw.struct_size = ctypes.sizeof(raw)
        self._check(function(self._handle, byref(raw)))
        return Event(raw.token, ctypes.string_at(raw.text, raw.text_bytes).decode("utf-8", "replace"),
                     ctypes.string_at(raw.bytes, raw.bytes_count), known(Reason, raw.reason), raw.logprob,
                     raw.pending, raw.taken_over, known(Channel, raw.channel))

    def next(self) -> Event:
        """Generates one token."""
        return self._read_event(library.rondo_session_next)

    def event(self) -> Event:
        """What the last step of the engine had for this session, once; with drafts, ask until there
        is no token."""
        return self._read_event(library.rondo_session_event)

    def stream(self) -> Iterator[Event]:
        """Generates until the generation ends; the last event has the reason."""
        while True:
            event = self.next()
            yield event
            if event.reason != Reason.NONE:
                return

    async def astream(self) -> AsyncIterator[Event]:
        """As stream(), computing on another thread. Where the task is cancelled, so is the call,
        and the session can be used again; it may then stand one token further."""
        loop = asyncio.get_running_loop()
        while True:
            number = self.call_number
            call = loop.run_in_executor(None, self.next)
            try:
                event = await asyncio.shield(call)
            except asyncio.CancelledError:
                if not call.done():
                    self.cancel_call(number)
                    await asyncio.wait([call])
                if not call.cancelled():
                    call.exception()  # taken note of
                raise
            yield event
            if event.reason != Reason.NONE:
                return

    def chat(self, messages: Json, **options: Any) -> Iterator[Event]:
        """The answer to a conversation, as stream(); the session's tokens become the conversation's.
        Options as those of Model.render_chat()."""
        self._ask(messages, options)
        return self.stream()

    def achat(self, messages: Json, **options: Any) -> AsyncIterator[Event]:
        """As chat(), by astream()."""
        self._ask(messages, options)
        return self.astream()

    def chat_parts(self, messages: Json, **options: Any) -> Iterator[ChatPart]:
        """As chat(), taken apart: content, thoughts, and calls of the option tools. A stop string is
        part of the content."""
        parser = self._engine._model.chat_parser(messages, **options)
        events = self.chat(messages, **options)
        return (part for event in events for part in _parts(parser, event))

    def achat_parts(self, messages: Json, **options: Any) -> AsyncIterator[ChatPart]:
        """As chat_parts(), by astream()."""
        parser = self._engine._model.chat_parser(messages, **options)
        events = self.achat(messages, **options)

        async def parts() -> AsyncIterator[ChatPart]:
            async for event in events:
                for part in _parts(parser, event):
                    yield part
        return parts()

    def _ask(self, messages: Json, options: Mapping[str, Any]) -> None:
        ids = self._engine._model.chat_ids(messages, **options)
        self.reset()
        self.append_media(ids, [])  # refuses ids in which pictures are missing

    def generate(self, ids: Optional[Sequence[int]] = None) -> str:
        """Prefills `ids`, if given, and returns the text of the whole generation."""
        if ids is not None:
            self.prefill(ids)
        return "".join(event.text for event in self.stream())

    def logits(self) -> memoryview:
        """The logits after the last token, without a copy: valid until the next call on this
        session."""
        pointer, count = ctypes.POINTER(ctypes.c_float)(), ctypes.c_size_t()
        self._check(library.rondo_session_logits(self._handle, byref(pointer), byref(count)))
        return _floats(pointer, count.value, self)

    def logits_array(self) -> "numpy.ndarray[Any, numpy.dtype[numpy.float32]]":
        """As logits(), as a NumPy array over the same memory."""
        import numpy
        return numpy.frombuffer(self.logits(), dtype=numpy.float32)

    # ---- The sequence ---------------------------------------------------------------------------

    def undo(self, n: int) -> None:
        """Takes the last n tokens back."""
        self._check(library.rondo_session_undo(self._handle, n))

    def reset(self) -> None:
        """Takes all tokens back. The options stay."""
        self._check(library.rondo_session_reset(self._handle))

    @property
    def position(self) -> int:
        """How many tokens the sequence has."""
        return self._number(library.rondo_session_position)

    @property
    def remaining(self) -> Optional[int]:
        """How many more tokens fit; None under Policy.SLIDE."""
        tokens = self._number(library.rondo_session_remaining)
        return None if tokens == NO_LIMIT else tokens

    @property
    def evicted(self) -> Tuple[int, int]:
        """Under Policy.SLIDE: the positions [begin, end) that are no longer seen."""
        begin, end = ctypes.c_uint64(), ctypes.c_uint64()
        self._check(library.rondo_session_evicted(self._handle, byref(begin), byref(end)))
        return begin.value, end.value

    @property
    def stats(self) -> SessionCounters:
        """What was done for this session so far."""
        counters = _raw.SessionCounters()
        counters.struct_size = ctypes.sizeof(counters)
        self._check(library.rondo_session_stats(self._handle, byref(counters)))
        return record(SessionCounters, counters)

    @property
    def progress(self) -> Tuple[int, int]:
        """How far a prompt is: (done, total) tokens. From any thread, also while it is evaluated."""
        done, total = ctypes.c_uint64(), ctypes.c_uint64()
        check(library.rondo_session_progress(self._handle, byref(done), byref(total)))
        return done.value, total.value

    @property
    def tokens(self) -> List[int]:
        """The tokens that the session remembers: the last ones, up to `position`."""
        begin, count, capacity = ctypes.c_uint64(), ctypes.c_size_t(), self.position
        ids = (ctypes.c_int32 * capacity)()
        self._check(library.rondo_session_tokens(self._handle, byref(begin), ids, capacity,
                                                 byref(count)))
        return ids[:count.value]

    @property
    def call_number(self) -> int:
        """The number of the call that computes on another thread, or else of the next one. From any
        thread."""
        number = ctypes.c_uint64()
        check(library.rondo_session_call(self._handle, byref(number)))
        return number.value

    def cancel_call(self, number: int) -> None:
        """Makes the call of this number raise Cancelled, and no other: nothing where it is over. From
        any thread."""
        check(library.rondo_session_cancel_call(self._handle, number))

    def cancel(self) -> None:
        """Makes the call that runs on another thread, or else the next one that computes, raise
        Cancelled: one that comes late ends a call that it was not meant for, which cancel_call()
        does not. From any thread."""
        check(library.rondo_session_cancel(self._handle))

    def fork(self, *, recommended: bool = True, stop: Sequence[str] = (),
             logit_bias: Optional[Mapping[int, float]] = None,
             grammar: Optional["Grammar"] = None, json_schema: Optional["Schema"] = None,
             **options: Unpack[SessionKeywords]) -> "Session":
        """A session with the same tokens and options of its own, as those of Engine.session()."""
        chosen = self._engine._session_options(recommended, stop, logit_bias, grammar, json_schema,
                                               None, options)
        handle = new_handle()
        check_with_message(lambda *message: library.rondo_session_fork(
            self._handle, byref(chosen.raw), byref(handle), *message))
        fork = Session(handle, self._engine)
        fork._adapter = self._adapter
        return fork

    def save(self) -> bytes:
        """The session as bytes. They hold the conversation: keep them as secret as its text."""
        size = ctypes.c_size_t()
        status = library.rondo_session_save(self._handle, None, 0, byref(size))
        if status != Status.BUFFER_TOO_SMALL:
            self._check(status)
        buffer = ctypes.create_string_buffer(size.value)
        self._check(library.rondo_session_save(self._handle, buffer, size.value, byref(size)))
        return buffer.raw[:size.value]

    def restore(self, snapshot: bytes) -> None:
        """Becomes what was saved. On failure the session is as before."""
        self._check(library.rondo_session_restore(self._handle, snapshot, len(snapshot)))


def _parts(parser: ChatParser, event: Event) -> Iterator[ChatPart]:
    """Those that an event of the answer brings."""
    said = b"" if event.reason == Reason.EOS else event.bytes
    parser.push(said, event.reason != Reason.NONE)
    return parser.parts()


def _floats(pointer: Any, count: int, owner: Any = None) -> memoryview:
    array: Any = (ctypes.c_float * count).from_address(ctypes.addressof(pointer.contents))
    array._owner = owner  # a view keeps the array alive, and so the session
    return memoryview(array).cast("B").cast("f").toreadonly()
