"""Models: files, verified and mapped."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple,
                    Union)

from . import _raw
from ._handle import Handle, new_handle
from ._keywords import EngineKeywords
from ._library import check, check_with_message, described, library, record, text_output
from ._options import EngineOptions, ids_array
from ._raw import Calls, DetokenizeFlags, Status, TokenizeFlags
from ._records import EmbedderFacts, ImageFacts, MemoryPlan, MemoryRegion, ModelFacts
from .adapter import Adapter
from .chat import ChatOptions, ChatParser, Json, render
from .engine import Engine
from .grammar import Grammar, Schema
from .media import image_plan

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Model(Handle):
    """A model file. Immutable; may be used from any thread at any time."""

    _close_name = "rondo_model_close"

    def __init__(self, path: Union[str, "os.PathLike[str]"]):
        """Opens the file that `rondo convert` made."""
        handle = new_handle()
        check_with_message(lambda *message: library.rondo_model_open_path(
            _raw.ABI_VERSION, os.fsencode(path), byref(handle), *message))
        super().__init__(handle)

    @classmethod
    def from_fd(cls, fd: int, offset: int = 0, length: Optional[int] = None) -> "Model":
        """A model inside of another file, at a multiple of 64. `fd` may be closed afterwards."""
        handle = new_handle()
        check_with_message(lambda *message: library.rondo_model_open_fd(
            _raw.ABI_VERSION, fd, offset, 2**64 - 1 if length is None else length, byref(handle),
            *message))
        return cls._of(handle, None)

    @classmethod
    def from_bytes(cls, data: Any) -> "Model":
        """A model in memory, of which this makes an aligned copy."""
        view = memoryview(data).cast("B")
        memory = (ctypes.c_char * (len(view) + 64))()
        start = ctypes.addressof(memory) + -ctypes.addressof(memory) % 64
        ctypes.memmove(start, bytes(view), len(view))
        handle = new_handle()
        check_with_message(lambda *message: library.rondo_model_open_memory(
            _raw.ABI_VERSION, start, len(view), byref(handle), *message))
        return cls._of(handle, memory)

    @classmethod
    def _of(cls, handle: ctypes.c_void_p, memory: Any) -> "Model":
        model = cls.__new__(cls)
        Handle.__init__(model, handle)
        model._memory = memory  # engines hold on to this object, and so to its bytes
        return model

    _memory: Any = None

    # ---- Facts ----------------------------------------------------------------------------------

    @property
    def info(self) -> ModelFacts:
        return described(ModelFacts, _raw.ModelFacts,
                         lambda facts: library.rondo_model_info(self._handle, facts))

    @property
    def eos_tokens(self) -> List[int]:
        token, tokens = ctypes.c_int32(), []
        for index in range(self.info.n_eos_tokens):
            check(library.rondo_model_eos_token(self._handle, index, byref(token)))
            tokens.append(token.value)
        return tokens

    @property
    def facts(self) -> Dict[str, str]:
        """What the file's maker wrote about it: name, architecture, producer and others."""
        keys = ["name", "architecture", "producer"]
        keys += self._names(library.rondo_model_fact_key)
        return {key: text_output(lambda *out, key=key: library.rondo_model_fact(
            self._handle, key.encode(), *out)) for key in keys}

    def _names(self, function: Any) -> Iterator[str]:
        index = 0
        while True:
            needed = ctypes.c_size_t()
            status = function(self._handle, index, None, 0, byref(needed))
            if status == Status.INVALID_ARGUMENT:  # behind the last one
                return
            yield text_output(lambda *out: function(self._handle, index, *out))
            index += 1

    # ---- Text -----------------------------------------------------------------------------------

    def tokenize(self, text: str, add_special: bool = True) -> List[int]:
        """Texts of special tokens become these tokens: check what strangers write."""
        encoded = text.encode("utf-8", "replace")
        flags = TokenizeFlags.ADD_SPECIAL if add_special else 0
        count, capacity = ctypes.c_size_t(), len(encoded) // 2 + 16
        while True:
            ids = (ctypes.c_int32 * capacity)()
            status = library.rondo_tokenize(self._handle, encoded, len(encoded), flags, ids,
                                            capacity, byref(count))
            if status != Status.BUFFER_TOO_SMALL:
                check(status)
                return ids[:count.value]
            capacity = count.value

    def detokenize(self, ids: Sequence[int], skip_special: bool = False) -> str:
        flags = DetokenizeFlags.SKIP_SPECIAL if skip_special else 0
        return text_output(lambda *out: library.rondo_detokenize(
            self._handle, ids_array(ids), len(ids), flags, *out))

    # ---- Chat -----------------------------------------------------------------------------------

    @property
    def chat_templates(self) -> Dict[str, str]:
        """The chat templates by name; the first serves where no other is asked for."""
        return {name: text_output(lambda *out, name=name: library.rondo_model_chat_template(
                    self._handle, name.encode(), *out))
                for name in self._names(library.rondo_model_chat_template_name)}

    def render_chat(self, messages: Json, **options: Any) -> str:
        """The text of a conversation: [{"role": "user", "content": "Hello!"}, ...].

        Options: tools, variables (both as Python values or JSON), add_generation_prompt (True),
        continue_final (False), plain_content (True: of the ids only what the template itself wrote
        becomes special tokens, whatever messages say), local_time (a datetime as the clock on the
        wall shows it), template_name, template (Jinja, in place of the model's own).
        """
        return render(self._handle, ChatOptions(messages, **options), True)[0]

    def chat_ids(self, messages: Json, **options: Any) -> List[int]:
        """The token ids of a conversation. Options as those of render_chat()."""
        return render(self._handle, ChatOptions(messages, **options), False)[1]

    def chat_parser(self, messages: Json, **options: Any) -> ChatParser:
        """Takes answers to this conversation apart. Options as those of render_chat(), of which
        tools say what may be called."""
        return ChatParser._create(self._handle, ChatOptions(messages, **options))

    def chat_grammar(self, messages: Json, *, calls: int = Calls.AUTO,
                     function: Optional[str] = None, **options: Any) -> str:
        """The GBNF of answers whose calls parse, for grammar(gbnf=...). calls: of Calls, which there
        may be; function: the only one that may be called. Options as those of chat_parser()."""
        chat, name = ChatOptions(messages, **options), function.encode() if function else None
        return chat.texts(1, lambda *out: library.rondo_chat_grammar(
            self._handle, byref(chat.raw), calls, name, *out))[0]

    def chat_thinking(self, messages: Json, **options: Any) -> Tuple[str, str]:
        """What the template puts around a thought: what begins and what ends it; empty where it has
        none. Options as those of render_chat()."""
        chat = ChatOptions(messages, **options)
        begin, end = chat.texts(2, lambda *out: library.rondo_chat_thinking(
            self._handle, byref(chat.raw), *out))
        return begin, end

    # ---- Embedding ------------------------------------------------------------------------------

    @property
    def embedder(self) -> EmbedderFacts:
        """What the model makes of texts; dimensions 0: it predicts tokens instead."""
        return described(EmbedderFacts, _raw.EmbedderFacts,
                         lambda facts: library.rondo_model_embedder(self._handle, facts))

    @property
    def prompts(self) -> List[str]:
        """The names of the prompts that embedding_text() takes."""
        return list(self._names(library.rondo_model_prompt_name))

    def embedding_text(self, text: str, prompt: Optional[str] = None) -> str:
        """The text behind the prompt of this name; None: the model's usual one; "": none."""
        encoded, name = text.encode(), None if prompt is None else prompt.encode()
        return text_output(lambda *out: library.rondo_embedding_text(
            self._handle, name, encoded, len(encoded), *out))

    def pair_text(self, query: str, document: str, instruction: Optional[str] = None) -> str:
        """What a model that scores pairs reads; instruction None: its usual one."""
        asked, found = query.encode(), document.encode()
        what = None if instruction is None else instruction.encode()
        return text_output(lambda *out: library.rondo_pair_text(
            self._handle, what, asked, len(asked), found, len(found), *out))

    # ---- Adapters -------------------------------------------------------------------------------

    def adapter(self, source: Union[str, "os.PathLike[str]", bytes, bytearray,
                                    memoryview]) -> Adapter:
        """A LoRA adapter that `rondo convert --adapter-for` made for this model: its file, or its
        bytes, which are copied. For Engine.session(adapter=...), of an engine with the option
        adapter_rank."""
        return Adapter._open(self._handle, source)

    # ---- Pictures -------------------------------------------------------------------------------

    def image_plan(self, width: int, height: int, *, min_tokens: int = 0, max_tokens: int = 0,
                   one_tile: bool = False) -> ImageFacts:
        """What becomes of a picture of this size, upright: its rows, which max_media_rows counts,
        and its positions, which the context does. Options as those of Engine.media()."""
        return image_plan(self._handle, width, height, min_tokens, max_tokens, one_tile)

    # ---- Grammars -------------------------------------------------------------------------------

    def grammar(self, schema: Optional[Schema] = None, *, pattern: Optional[str] = None,
                gbnf: Optional[str] = None, no_spaces: bool = False, one_space: bool = False,
                any_order: bool = False, named_only: bool = False, memory_bytes: int = 0) -> Grammar:
        """What sessions may say: JSON that is valid by a schema (JSON, or its Python value), a text
        that is as a whole what a regular expression of ECMA-262 describes, or one by rules in GBNF's
        notation.

        no_spaces: none between the parts of the JSON; one_space: one behind each colon and comma and
        nowhere else, as chat templates write it; any_order: its members come in any order;
        named_only: no members that the schema does not name, unless it says that there may be.
        memory_bytes: for what the grammar is made of; 0: 8 MiB.
        """
        return Grammar._create(self._handle, schema, pattern, gbnf, no_spaces, one_space,
                               any_order, named_only, memory_bytes)

    def plan_grammar(self, schema: Optional[Schema] = None, *, pattern: Optional[str] = None,
                     gbnf: Optional[str] = None, no_spaces: bool = False, one_space: bool = False,
                     any_order: bool = False, named_only: bool = False,
                     memory_bytes: int = 0) -> int:
        """The bytes that grammar() with the same arguments takes."""
        return Grammar._plan(self._handle, schema, pattern, gbnf, no_spaces, one_space,
                             any_order, named_only, memory_bytes)

    # ---- Plans and engines ----------------------------------------------------------------------

    def plan(self, **options: Any) -> MemoryPlan:
        """What an engine with these options will take, to the byte. Options as those of engine()."""
        raw, plan = EngineOptions(**options).raw, _raw.MemoryPlan()
        plan.struct_size = ctypes.sizeof(plan)
        check_with_message(
            lambda *message: library.rondo_plan(self._handle, byref(raw), byref(plan), *message))
        return record(MemoryPlan, plan)

    def plan_regions(self, **options: Any) -> List[MemoryRegion]:
        """The parts of that plan, lowest address first."""
        raw = EngineOptions(**options).raw
        return [described(MemoryRegion, _raw.MemoryRegion, lambda region, i=index:
                          library.rondo_plan_region(self._handle, byref(raw), i, region))
                for index in range(self.plan(**options).n_regions)]

    def plan_fit(self, size: int, **options: Any) -> int:
        """The largest context whose plan fits into `size` bytes."""
        raw, context = EngineOptions(**options).raw, ctypes.c_uint32()
        check_with_message(lambda *message: library.rondo_plan_fit(
            self._handle, byref(raw), size, byref(context), *message))
        return context.value

    def engine(self, *, arena: Any = None, log: Optional[Callable[[int, str], object]] = None,
               draft: Optional["Model"] = None, cpus: Sequence[int] = (),
               progress: Optional[Callable[[int, int], object]] = None,
               **others: Unpack[EngineKeywords]) -> Engine:
        """Makes the model runnable. The options are those of rondo_engine_options in rondo.h, with
        their defaults there: EngineKeywords has the others.

        arena: a writable buffer (mmap, bytearray, NumPy array) of the plan's size and alignment,
        for the engine alone; None: taken from the system. progress(done, total) may raise: that
        cancels, and is raised here. log(level, message) may be called on any thread. draft: a small
        model of the same vocabulary, for sessions of Speculation.DRAFT_MODEL. cpus: those of
        Affinity.CPUS, which is meant where they are given and nothing else is said.
        """
        options = EngineOptions(progress=progress, log=log, draft=draft, cpus=cpus, **others)
        return Engine._create(self, options, arena)
