"""Models: files, verified and mapped."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from ctypes import byref
from typing import Any

from . import _checked, _raw, _texts, grammar as grammars
from ._checked import Bytes, UINT32, UINT64
from ._enums import Calls, DetokenizeFlags, Status
from ._handle import Reference
from ._library import check, check_with_message, library, names_of, text_output, text_output_or
from ._memory import aligned, encoded_path
from ._methods import ModelMethods
from ._options import EngineOptions
from ._records import EmbedderFacts, ImageFacts, MemoryPlan, MemoryRegion, ModelFacts
from ._told import record, told
from .adapter import Adapter
from .chat import ChatOptions, ChatParser, Messages, render, render_ids
from .engine import Engine
from .grammar import Grammar, Schema
from .media import image_plan

ALL_THAT_FOLLOWS = 2**64 - 1


class Model(ModelMethods):
    """A model file. Immutable; may be used from any thread at any time."""

    def __init__(self, path: str | os.PathLike[str]):
        """Opens the file that `rondo convert` made."""
        handle, encoded = ctypes.c_void_p(), encoded_path(path)
        check_with_message(lambda *message: library.rondo_model_open_path(
            _raw.ABI_VERSION, encoded, byref(handle), *message))
        self._open("rondo_model_close", handle.value or 0)

    @classmethod
    def from_fd(cls, fd: int, offset: int = 0, length: int | None = None) -> Model:
        """A model inside of another file, at a multiple of 64. `fd` may be closed afterwards."""
        number = _checked.integer("fd", fd, _checked.INT32)
        begin = _checked.integer("offset", offset, UINT64)
        size = ALL_THAT_FOLLOWS if length is None else _checked.integer("length", length, UINT64)
        handle = ctypes.c_void_p()
        check_with_message(lambda *message: library.rondo_model_open_fd(
            _raw.ABI_VERSION, number, begin, size, byref(handle), *message))
        return cls._of(handle, None)

    @classmethod
    def from_bytes(cls, data: Bytes) -> Model:
        """A model in memory, of which this makes an aligned copy."""
        memory, start, length = aligned(_checked.data("data", data))
        handle = ctypes.c_void_p()
        check_with_message(lambda *message: library.rondo_model_open_memory(
            _raw.ABI_VERSION, start, length, byref(handle), *message))
        return cls._of(handle, memory)

    @classmethod
    def _of(cls, handle: ctypes.c_void_p, memory: Any) -> Model:
        model = cls.__new__(cls)
        model._open("rondo_model_close", handle.value or 0, memory)
        model._memory = memory  # which a call that runs reads, also where another thread closes
        return model

    _memory: Any = None

    def close(self) -> None:
        """Gives the model up; what was made of it goes on. Closing twice does nothing."""
        self._reference = None  # engines hold it, for texts that they tokenize

    @property
    def _shared(self) -> Reference:
        self._handle  # told where it is closed
        assert self._reference is not None
        return self._reference

    # ---- Facts ----------------------------------------------------------------------------------

    @property
    def info(self) -> ModelFacts:
        """What the model is."""
        return told(ModelFacts, lambda filled: library.rondo_model_info(self._handle, filled))

    @property
    def eos_tokens(self) -> list[int]:
        """The tokens that end a generation."""
        token, tokens = ctypes.c_int32(), []
        for index in range(self.info.n_eos_tokens):
            check(library.rondo_model_eos_token(self._handle, index, byref(token)))
            tokens.append(token.value)
        return tokens

    @property
    def facts(self) -> dict[str, str]:
        """What the file's maker wrote about it: name, architecture, producer and others."""
        keys = ["name", "architecture", "producer"]
        keys += names_of(library.rondo_model_fact_key, self._handle)
        return {key: text_output(lambda *out, key=key: library.rondo_model_fact(
            self._handle, key.encode(), *out)) for key in keys}

    # ---- Text -----------------------------------------------------------------------------------

    def tokenize(self, text: str, add_special: bool = True) -> list[int]:
        """Texts of special tokens become these tokens: check what strangers write. add_special: with
        what the model expects around a text, BOS and the like."""
        ids: list[int] = _texts.tokenize(self._handle, _checked.text("text", text),
                                         _checked.flag("add_special", add_special))[:]
        return ids

    def detokenize(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """The text of tokens; skip_special: without special ones."""
        flags = int(DetokenizeFlags.SKIP_SPECIAL * _checked.flag("skip_special", skip_special))
        given = _checked.ids_array("ids", ids)
        return text_output_or(lambda *out: library.rondo_detokenize(
            self._handle, given, len(given), flags, *out), {
                Status.INVALID_ARGUMENT: "ids has a number that is no token of the model"})

    # ---- Chat -----------------------------------------------------------------------------------

    @property
    def chat_templates(self) -> dict[str, str]:
        """The chat templates by name; the first serves where no other is asked for."""
        return {name: text_output(lambda *out, name=name: library.rondo_model_chat_template(
                    self._handle, name.encode(), *out))
                for name in names_of(library.rondo_model_chat_template_name, self._handle)}

    def _render_chat(self, messages: Messages, given: dict[str, Any]) -> str:
        return render(self._handle, ChatOptions(messages, given))

    def _chat_ids(self, messages: Messages, given: dict[str, Any]) -> list[int]:
        ids: list[int] = render_ids(self._handle, ChatOptions(messages, given))[:]
        return ids

    def _chat_parser(self, messages: Messages, given: dict[str, Any]) -> ChatParser:
        return ChatParser._of(self._shared, ChatOptions(messages, given))

    def _chat_grammar(self, messages: Messages, given: dict[str, Any]) -> str:
        chat, calls = ChatOptions(messages, given), _checked.one_of("calls", Calls, given["calls"])
        name = None if given["function"] is None else _checked.word("function", given["function"])
        return chat.texts(1, lambda *out: library.rondo_chat_grammar(
            self._handle, byref(chat.raw), int(calls), name, *out))[0]

    def _chat_thinking(self, messages: Messages, given: dict[str, Any]) -> tuple[str, str]:
        chat = ChatOptions(messages, given)
        begin, end = chat.texts(2, lambda *out: library.rondo_chat_thinking(
            self._handle, byref(chat.raw), *out))
        return begin, end

    # ---- Embedding ------------------------------------------------------------------------------

    @property
    def embedder(self) -> EmbedderFacts:
        """What the model makes of texts; dimensions 0: it predicts tokens instead."""
        return told(EmbedderFacts, lambda filled: library.rondo_model_embedder(self._handle, filled))

    @property
    def prompts(self) -> list[str]:
        """The names of the prompts that Engine.embed() and embedding_text() take."""
        return names_of(library.rondo_model_prompt_name, self._handle)

    def embedding_text(self, text: str, prompt: str | None = None) -> str:
        """The text behind the prompt of this name; None: the model's usual one; "": none."""
        return _texts.embedding_text(self._handle, text, prompt)

    def pair_text(self, query: str, document: str, instruction: str | None = None) -> str:
        """What a model that scores pairs reads; instruction None: its usual one."""
        return _texts.pair_text(self._handle, query, document, instruction)

    # ---- What sessions may be given -------------------------------------------------------------

    def adapter(self, source: str | os.PathLike[str] | Bytes) -> Adapter:
        """A LoRA adapter that `rondo convert --adapter-for` made for this model: its file, or its
        bytes, which are copied. For Engine.session(adapter=...), of an engine with the option
        adapter_rank."""
        return Adapter._of(self._shared, source)

    def grammar(self, schema: Schema | None = None, *, pattern: str | None = None,
                gbnf: str | None = None, no_spaces: bool = False, one_space: bool = False,
                any_order: bool = False, named_only: bool = False, memory_bytes: int = 0) -> Grammar:
        """What sessions may say: JSON that is valid by a schema (JSON, or its Python value), a text
        that is as a whole what a regular expression of ECMA-262 describes, or one by rules in GBNF's
        notation.

        no_spaces: none between the parts of the JSON; one_space: one behind each colon and comma and
        nowhere else, as chat templates write it; any_order: its members come in any order;
        named_only: no members that the schema does not name, unless it says that there may be.
        memory_bytes: for what the grammar is made of; 0: 8 MiB.
        """
        options, text = grammars.written(schema, pattern, gbnf, no_spaces, one_space, any_order,
                                         named_only, memory_bytes)
        return Grammar._of(self._shared, options, text)

    def plan_grammar(self, schema: Schema | None = None, *, pattern: str | None = None,
                     gbnf: str | None = None, no_spaces: bool = False, one_space: bool = False,
                     any_order: bool = False, named_only: bool = False,
                     memory_bytes: int = 0) -> int:
        """The bytes that grammar() with the same arguments takes."""
        options, text = grammars.written(schema, pattern, gbnf, no_spaces, one_space, any_order,
                                         named_only, memory_bytes)
        return grammars.plan(self._handle, options, text)

    def image_plan(self, width: int, height: int, *, min_tokens: int = 0, max_tokens: int = 0,
                   one_tile: bool = False) -> ImageFacts:
        """What becomes of a picture of this size, upright: its rows, which max_media_rows counts,
        and its positions, which the context does. Options as those of Engine.media()."""
        return image_plan(self._handle, _checked.integer("width", width, UINT32),
                          _checked.integer("height", height, UINT32), min_tokens, max_tokens, one_tile)

    # ---- Plans and engines ----------------------------------------------------------------------

    def _plan(self, given: dict[str, Any]) -> MemoryPlan:
        raw, filled = EngineOptions(given).raw, _raw.MemoryPlan()
        filled.struct_size = ctypes.sizeof(filled)
        check_with_message(lambda *message: library.rondo_plan(
            self._handle, byref(raw), byref(filled), *message))
        return record(MemoryPlan, filled)

    def _plan_regions(self, given: dict[str, Any]) -> list[MemoryRegion]:
        raw = EngineOptions(given).raw

        def region(index: int) -> MemoryRegion:
            return told(MemoryRegion, lambda filled: library.rondo_plan_region(
                self._handle, byref(raw), index, filled))
        return [region(index) for index in range(self._plan(given).n_regions)]

    def _plan_fit(self, size: int, given: dict[str, Any]) -> int:
        raw, context = EngineOptions(given).raw, ctypes.c_uint32()
        room = _checked.integer("size", size, UINT64)
        check_with_message(lambda *message: library.rondo_plan_fit(
            self._handle, byref(raw), room, byref(context), *message))
        return context.value

    def _engine(self, given: dict[str, Any]) -> Engine:
        return Engine._of(self._shared, EngineOptions(given), given["arena"])
