"""Engines: models made runnable in one arena."""
from __future__ import annotations

import ctypes
from array import array
from ctypes import byref
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, Optional, Sequence

from . import _raw
from ._handle import Handle, new_handle
from ._keywords import SessionKeywords
from ._library import check, check_with_message, described, library, record
from ._options import EngineOptions, SessionOptions, ids_array, recommended_by
from ._records import EngineCounters, MemoryPlan, MemoryRegion, ProfileEvent
from .adapter import Adapter
from .grammar import Grammar, Schema
from .media import Media
from .session import Session

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .model import Model


class Engine(Handle):
    """Made by Model.engine(). May be used from any thread at any time."""

    _close_name = "rondo_engine_close"

    @classmethod
    def _create(cls, model: "Model", options: EngineOptions, arena: Any) -> "Engine":
        memory, address, size = None, None, 0
        if arena is not None:
            size = memoryview(arena).nbytes
            memory = (ctypes.c_char * size).from_buffer(arena)
            address = ctypes.addressof(memory)
        recommended = recommended_by(model._handle)
        dimensions, hidden_size = model.embedder.dimensions, model.info.hidden_size
        handle = new_handle()
        check_with_message(
            lambda *message: library.rondo_engine_create(
                model._handle, byref(options.raw), address, size, byref(handle), *message),
            before_raise=options.progress.raise_pending)
        engine = cls.__new__(cls)
        Handle.__init__(engine, handle)
        engine._model, engine._arena = model, memory  # sessions hold on to this object
        engine._options = options  # and to its callbacks
        engine._recommended = recommended
        engine._dimensions = dimensions  # of vectors, also when the model is closed
        engine._hidden_size = hidden_size
        engine._cursor = ctypes.c_uint64()
        return engine

    _model: "Model"
    _arena: Any
    _options: EngineOptions
    _recommended: Any
    _dimensions: int
    _hidden_size: int
    _cursor: ctypes.c_uint64

    @property
    def memory(self) -> MemoryPlan:
        """The plan that this engine was made by."""
        return described(MemoryPlan, _raw.MemoryPlan,
                         lambda plan: library.rondo_engine_memory(self._handle, plan))

    @property
    def memory_regions(self) -> List[MemoryRegion]:
        return [described(MemoryRegion, _raw.MemoryRegion, lambda region, i=index:
                          library.rondo_engine_memory_region(self._handle, i, region))
                for index in range(self.memory.n_regions)]

    @property
    def stats(self) -> EngineCounters:
        return described(EngineCounters, _raw.EngineCounters,
                         lambda counters: library.rondo_engine_stats(self._handle, counters))

    def profile(self) -> Iterator[ProfileEvent]:
        """What the engine computed and when since this was last asked, as far as the option
        profile_events lets it remember."""
        while True:
            event = _raw.ProfileEvent()
            event.struct_size = ctypes.sizeof(event)
            check(library.rondo_engine_profile(self._handle, byref(self._cursor), byref(event)))
            if event.name is None:
                return
            yield record(ProfileEvent, event)

    def session(self, *, recommended: bool = True, stop: Sequence[str] = (),
                logit_bias: Optional[Mapping[int, float]] = None,
                grammar: Optional[Grammar] = None, json_schema: Optional[Schema] = None,
                adapter: Optional[Adapter] = None,
                **options: Unpack[SessionKeywords]) -> Session:
        """An empty session in one of the engine's places.

        recommended: begin with what the model's makers recommend for sampling; False: with the
        library's defaults. stop: strings that end a generation. grammar: what each generation must
        be a text of; json_schema: a JSON Schema (JSON, or its Python value), of which the session
        makes a grammar of its own, with one_space and named_only: JSON as people write it. Of the
        whole schema Model.grammar() makes one. adapter: of Model.adapter(), where the engine's
        adapter_rank has room for it. The other options are those of rondo_session_options in
        rondo.h: SessionKeywords has them.
        """
        chosen = self._session_options(recommended, stop, logit_bias, grammar, json_schema, adapter,
                                       options)
        handle = new_handle()
        check_with_message(lambda *message: library.rondo_session_open(
            self._handle, byref(chosen.raw), byref(handle), *message))
        session = Session(handle, self)
        session._adapter = adapter
        return session

    def media(self, image: Any, *, min_tokens: int = 0, max_tokens: int = 0, one_tile: bool = False,
              progress: Optional[Callable[[int, int], object]] = None) -> Media:
        """A picture as rows of an engine with the option max_media_rows: an Image, or what an Image
        is made of: a numpy array, a PIL image. Sessions go on meanwhile.

        min_tokens, max_tokens: about how many rows it has at least and at most, of models whose
        pictures' rows follow from their size; 0: as the model's makers did. one_tile: it is not cut
        into tiles. progress(done, total) may raise: that ends the encoding, and is raised here.
        """
        return Media._create(self, image, min_tokens, max_tokens, one_tile, progress)

    def _session_options(self, recommended: bool, stop: Sequence[str],
                         logit_bias: Optional[Mapping[int, float]], grammar: Optional[Grammar],
                         json_schema: Optional[Schema], adapter: Optional[Adapter],
                         others: SessionKeywords) -> SessionOptions:
        if json_schema is not None:
            if grammar is not None:
                raise TypeError("of grammar and json_schema one is given")
            grammar = Grammar._create(self._model._handle, json_schema, one_space=True,
                                      named_only=True)
        return SessionOptions(self._recommended if recommended else None, stop, logit_bias, grammar,
                              adapter, **others)

    def embed(self, sessions: Sequence[Session], texts: Sequence[Sequence[int]],
              dimensions: int = 0) -> "List[array[float]]":
        """The vectors of texts, given as ids, each the first `dimensions` numbers (0: all). The
        sessions share the work: each takes one text, and the next when it is done. Where a text
        is refused, the message tells which; Status.BUSY: a session is in another call."""
        n = dimensions or self._dimensions
        handles = (ctypes.c_void_p * len(sessions))(*(s._handle for s in sessions))
        ids = ids_array([token for text in texts for token in text])
        counts = (ctypes.c_size_t * len(texts))(*map(len, texts))
        vectors = (ctypes.c_float * max(n * len(texts), 1))()
        check_with_message(lambda *message: library.rondo_engine_embed(
            self._handle, handles, len(sessions), ids, counts, len(texts), vectors, n, *message))
        return [array("f", vectors[i * n:(i + 1) * n]) for i in range(len(texts))]

    def step(self, sessions: Sequence[Session]) -> None:
        """One pass for several sessions of this engine; Session.event() tells what each got."""
        handles = (ctypes.c_void_p * len(sessions))(*(s._handle for s in sessions))
        check_with_message(lambda *message: library.rondo_engine_step(
            self._handle, handles, len(sessions), *message))
