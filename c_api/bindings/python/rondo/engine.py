"""Engines: models made runnable in one arena."""
from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from ctypes import byref
from typing import TYPE_CHECKING, Any

from . import _raw
from ._calls import interruptible
from ._core import Core
from ._embedding import Embedding, embed_ids
from ._enums import Status
from ._errors import Closed
from ._handle import Reference
from ._library import check_with_message, library, structure
from ._memory import Arena
from ._methods import EngineMethods
from ._options import EngineOptions, recommended_by
from ._records import (EmbedderFacts, EngineCounters, MemoryPlan, MemoryRegion, ModelFacts,
                       ProfileEvent)
from ._told import record, told
from .media import Image, Media
from ._session_calls import taken
from .session import Session

if TYPE_CHECKING:
    from .media import Pixelled


class Engine(EngineMethods):
    """Made by Model.engine(). May be used from any thread at any time."""

    _made_by = "Model.engine()"
    _held: Core | None = None

    @classmethod
    def _of(cls, model: Reference, options: EngineOptions, arena: Any) -> Engine:
        handle, memory = ctypes.c_void_p(), None if arena is None else Arena(arena)
        address, size = (memory.address, memory.size) if memory is not None else (None, 0)
        pointer = model.usable("Model")
        info = told(ModelFacts, lambda facts: library.rondo_model_info(pointer, facts))
        embedder = told(EmbedderFacts, lambda facts: library.rondo_model_embedder(pointer, facts))
        recommended = recommended_by(pointer)
        try:
            interruptible(lambda: check_with_message(
                lambda *message: library.rondo_engine_create(
                    pointer, byref(options.raw), address, size, byref(handle), *message),
                before_raise=options.progress.raise_pending), options.progress.cancel)
        except BaseException:
            if memory is not None:
                memory.give_back()  # the error's traceback holds it longer
            raise
        engine = cls.__new__(cls)
        core = Core(model, info, embedder, options.raw.max_sessions, recommended, (memory, options))
        engine._open("rondo_engine_close", handle.value or 0, core)
        engine._held, engine._cursor = core, ctypes.c_uint64()
        return engine

    _cursor: ctypes.c_uint64

    @property
    def _core(self) -> Core:
        self._handle  # told where it is closed
        core = self._held
        if core is None:
            raise Closed(Status.INVALID_HANDLE, "this Engine is closed")
        return core

    def close(self) -> None:
        """Gives the engine up; open sessions go on. Closing twice does nothing."""
        super().close()
        self._held = None  # and with it the arena, where no session is open

    @property
    def memory(self) -> MemoryPlan:
        """The plan that this engine was made by."""
        return told(MemoryPlan, lambda filled: library.rondo_engine_memory(self._handle, filled))

    @property
    def memory_regions(self) -> list[MemoryRegion]:
        """The parts of that plan, lowest address first."""
        def region(index: int) -> MemoryRegion:
            return told(MemoryRegion, lambda filled: library.rondo_engine_memory_region(
                self._handle, index, filled))
        return [region(index) for index in range(self.memory.n_regions)]

    @property
    def stats(self) -> EngineCounters:
        """What the engine did since it was made."""
        return told(EngineCounters, lambda filled: library.rondo_engine_stats(self._handle, filled))

    def profile(self) -> Iterator[ProfileEvent]:
        """What the engine computed and when since this was last asked, as far as the option
        profile_events lets it remember."""
        while True:
            event = structure(_raw.ProfileEvent, lambda filled: library.rondo_engine_profile(
                self._handle, byref(self._cursor), filled))
            if event.name is None:
                return
            yield record(ProfileEvent, event)

    def _session(self, given: dict[str, Any]) -> Session:
        return Session._of(self._core, given, given["adapter"], lambda options, out, *message: (
            library.rondo_session_open(self._handle, options, out, *message)))

    def step(self, sessions: Sequence[Session]) -> None:
        """One pass for several sessions of this engine; Session.event() tells what each got."""
        with taken(sessions) as handles:
            check_with_message(lambda *message: library.rondo_engine_step(
                self._handle, handles, len(handles), *message))

    def media(self, image: Image | Pixelled, *, min_tokens: int = 0, max_tokens: int = 0,
              one_tile: bool = False, progress: Callable[[int, int], object] | None = None) -> Media:
        """A picture as rows of an engine with the option max_media_rows: an Image, or what an Image
        is made of: a numpy array, a PIL image. Sessions go on meanwhile.

        min_tokens, max_tokens: about how many rows it has at least and at most, of models whose
        pictures' rows follow from their size; 0: as the model's makers did. one_tile: it is not cut
        into tiles. progress(done, total), maybe on another thread, may raise: that ends the
        encoding, and is raised here.
        """
        return Media._of(self._core, self._handle, image, min_tokens, max_tokens, one_tile, progress)

    # ---- Embedding ------------------------------------------------------------------------------

    def embed(self, texts: Sequence[str], *, prompt: str | None = None,
              dimensions: int = 0) -> list[array[float]]:
        """A vector of each text, with as many texts at a time as the engine has sessions free.

        prompt: the name of one of Model.prompts, for what the texts are; None: the model's usual
        one; "": none. dimensions: the first numbers alone; 0: all.
        """
        job = Embedding.of_texts(self._core, self._embedding_session, texts, prompt, dimensions)
        return interruptible(job.run, job.cancel)

    async def aembed(self, texts: Sequence[str], *, prompt: str | None = None,
                     dimensions: int = 0) -> list[array[float]]:
        """As embed(), beside what the event loop does."""
        job = Embedding.of_texts(self._core, self._embedding_session, texts, prompt, dimensions)
        return await job.beside()

    def score(self, query: str, documents: Sequence[str], *,
              instruction: str | None = None) -> list[float]:
        """How well each document fits the query, by a model that scores pairs. instruction: what makes
        one fit, in words; None: the model's usual one."""
        job = Embedding.of_pairs(self._core, self._embedding_session, query, documents, instruction)
        return [vector[0] for vector in interruptible(job.run, job.cancel)]

    async def ascore(self, query: str, documents: Sequence[str], *,
                     instruction: str | None = None) -> list[float]:
        """As score(), beside what the event loop does."""
        job = Embedding.of_pairs(self._core, self._embedding_session, query, documents, instruction)
        return [vector[0] for vector in await job.beside()]

    def embed_ids(self, sessions: Sequence[Session], texts: Sequence[Iterable[int]], *,
                  dimensions: int = 0) -> list[array[float]]:
        """As embed(), of texts that are ids, with these sessions, which share the work."""
        return embed_ids(self._core, self._handle, sessions, texts, dimensions)

    def _embedding_session(self) -> tuple[int, Session]:
        return self._handle, self.session()
