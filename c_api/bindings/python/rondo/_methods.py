"""The methods that take options. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."""
from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ._enums import Affinity, Calls, GrammarBegin, Kv, Log, Policy, Speculation
from ._handle import Handle

if TYPE_CHECKING:
    from ._records import MemoryPlan, MemoryRegion
    from .adapter import Adapter
    from .chat import ChatParser, ChatPart, Messages, Reply, Tools
    from .engine import Engine
    from .grammar import Grammar, Schema
    from .media import Media
    from .model import Model
    from .session import Session


class ModelMethods(Handle):

    def engine(
        self,
        *,
        context: int = 0,
        max_sessions: int = 1,
        max_rows: int = 256,
        threads: int = 0,
        context_policy: Policy = Policy.STOP,
        sink_tokens: int = 0,
        kv_format: Kv = Kv.INT8,
        kernels: str | None = None,
        kv_tokens: int = 0,
        rows_per_step: int = 0,
        no_prefix_cache: bool = False,
        profile_events: int = 0,
        log_level: Log = Log.WARNING,
        duty_percent: int = 0,
        draft_head: bool = False,
        affinity: Affinity = Affinity.SYSTEM,
        adapter_rank: int = 0,
        max_input_rows: int = 0,
        max_media_rows: int = 0,
        draft: Model | None = None,
        cpus: Sequence[int] = (),
        arena: Any = None,
        progress: Callable[[int, int], object] | None = None,
        log: Callable[[Log, str], object] | None = None,
    ) -> Engine:
        """Makes the model runnable.

        context: Tokens that a session can see. At most 2^24; default 0: the model's context_length.
        max_sessions: Sessions open at once, each with a context of its own. 1 to 64; default 1.
        max_rows: Tokens of one pass of a prefill. 1 to 8192; default 256.
        threads: Threads that compute, the caller's among them. At most 256; default 0: the
            performance cores, as far as the system tells, of those that this process may run on.
        context_policy: What happens when a session's context is full. One of Policy; default
            Policy.STOP.
        sink_tokens: Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
        kv_format: How the KV cache holds keys and values. One of Kv; default Kv.INT8.
        kernels: The name of a kernel set. Default: the best for this CPU, of those that read a
            packed file where it has some.
        kv_tokens: Tokens that the KV pool holds, of all sessions together, in whole blocks. At most
            2^30; default 0: enough for the context of every session.
        rows_per_step: Most tokens of a pass while some session decodes, those of drafts included.
            At most 8192; default 0: max_rows, the most that there may be.
        no_prefix_cache: True: nothing is kept for later sessions.
        profile_events: Events that the engine's profile remembers, in the arena, 56 bytes each. At
            most 2^20; default 0: nothing is recorded.
        log_level: Messages of this level and those above it are told. One of Log; default
            Log.WARNING.
        duty_percent: The largest share of the time that passes may take. At most 100; default 0:
            100.
        draft_head: True: the draft head in the model's file (`rondo convert --mtp`) runs behind
            every pass and drafts for sessions of Speculation.DRAFT_HEAD.
        affinity: To which CPUs the threads that the engine starts are kept. One of Affinity;
            default Affinity.SYSTEM.
        adapter_rank: The largest rank of adapters that sessions may be given. At most 1024; default
            0: none may.
        max_input_rows: Rows of inputs that sessions may hold together (Session.append_inputs). At
            most 2^20; default 0: sessions have tokens only.
        max_media_rows: Rows of pictures that may be there at the same time (Engine.media). At most
            2^20; default 0: pictures are refused, and all of that takes nothing.
        draft: A small model of the same vocabulary, for sessions of Speculation.DRAFT_MODEL.
        cpus: Numbers of CPUs for the engine's threads: Affinity.CPUS is meant where they are given.
        arena: A writable buffer (mmap, bytearray, NumPy array) of the plan's size and alignment,
            for the engine alone; None: taken from the system.
        progress: Called as progress(done, total), maybe on another thread. What it raises cancels,
            and is raised here.
        log: Called as log(level, message) on any thread.
        """
        return self._engine({
            "context": context,
            "max_sessions": max_sessions,
            "max_rows": max_rows,
            "threads": threads,
            "context_policy": context_policy,
            "sink_tokens": sink_tokens,
            "kv_format": kv_format,
            "kernels": kernels,
            "kv_tokens": kv_tokens,
            "rows_per_step": rows_per_step,
            "no_prefix_cache": no_prefix_cache,
            "profile_events": profile_events,
            "log_level": log_level,
            "duty_percent": duty_percent,
            "draft_head": draft_head,
            "affinity": affinity,
            "adapter_rank": adapter_rank,
            "max_input_rows": max_input_rows,
            "max_media_rows": max_media_rows,
            "draft": draft,
            "cpus": cpus,
            "arena": arena,
            "progress": progress,
            "log": log,
        })

    def _engine(self, given: dict[str, Any]) -> Engine:
        raise NotImplementedError

    def plan(
        self,
        *,
        context: int = 0,
        max_sessions: int = 1,
        max_rows: int = 256,
        threads: int = 0,
        context_policy: Policy = Policy.STOP,
        sink_tokens: int = 0,
        kv_format: Kv = Kv.INT8,
        kernels: str | None = None,
        kv_tokens: int = 0,
        rows_per_step: int = 0,
        no_prefix_cache: bool = False,
        profile_events: int = 0,
        log_level: Log = Log.WARNING,
        duty_percent: int = 0,
        draft_head: bool = False,
        affinity: Affinity = Affinity.SYSTEM,
        adapter_rank: int = 0,
        max_input_rows: int = 0,
        max_media_rows: int = 0,
        draft: Model | None = None,
        cpus: Sequence[int] = (),
    ) -> MemoryPlan:
        """What an engine with these options takes, to the byte.

        context: Tokens that a session can see. At most 2^24; default 0: the model's context_length.
        max_sessions: Sessions open at once, each with a context of its own. 1 to 64; default 1.
        max_rows: Tokens of one pass of a prefill. 1 to 8192; default 256.
        threads: Threads that compute, the caller's among them. At most 256; default 0: the
            performance cores, as far as the system tells, of those that this process may run on.
        context_policy: What happens when a session's context is full. One of Policy; default
            Policy.STOP.
        sink_tokens: Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
        kv_format: How the KV cache holds keys and values. One of Kv; default Kv.INT8.
        kernels: The name of a kernel set. Default: the best for this CPU, of those that read a
            packed file where it has some.
        kv_tokens: Tokens that the KV pool holds, of all sessions together, in whole blocks. At most
            2^30; default 0: enough for the context of every session.
        rows_per_step: Most tokens of a pass while some session decodes, those of drafts included.
            At most 8192; default 0: max_rows, the most that there may be.
        no_prefix_cache: True: nothing is kept for later sessions.
        profile_events: Events that the engine's profile remembers, in the arena, 56 bytes each. At
            most 2^20; default 0: nothing is recorded.
        log_level: Messages of this level and those above it are told. One of Log; default
            Log.WARNING.
        duty_percent: The largest share of the time that passes may take. At most 100; default 0:
            100.
        draft_head: True: the draft head in the model's file (`rondo convert --mtp`) runs behind
            every pass and drafts for sessions of Speculation.DRAFT_HEAD.
        affinity: To which CPUs the threads that the engine starts are kept. One of Affinity;
            default Affinity.SYSTEM.
        adapter_rank: The largest rank of adapters that sessions may be given. At most 1024; default
            0: none may.
        max_input_rows: Rows of inputs that sessions may hold together (Session.append_inputs). At
            most 2^20; default 0: sessions have tokens only.
        max_media_rows: Rows of pictures that may be there at the same time (Engine.media). At most
            2^20; default 0: pictures are refused, and all of that takes nothing.
        draft: A small model of the same vocabulary, for sessions of Speculation.DRAFT_MODEL.
        cpus: Numbers of CPUs for the engine's threads: Affinity.CPUS is meant where they are given.
        """
        return self._plan({
            "context": context,
            "max_sessions": max_sessions,
            "max_rows": max_rows,
            "threads": threads,
            "context_policy": context_policy,
            "sink_tokens": sink_tokens,
            "kv_format": kv_format,
            "kernels": kernels,
            "kv_tokens": kv_tokens,
            "rows_per_step": rows_per_step,
            "no_prefix_cache": no_prefix_cache,
            "profile_events": profile_events,
            "log_level": log_level,
            "duty_percent": duty_percent,
            "draft_head": draft_head,
            "affinity": affinity,
            "adapter_rank": adapter_rank,
            "max_input_rows": max_input_rows,
            "max_media_rows": max_media_rows,
            "draft": draft,
            "cpus": cpus,
        })

    def _plan(self, given: dict[str, Any]) -> MemoryPlan:
        raise NotImplementedError

    def plan_regions(
        self,
        *,
        context: int = 0,
        max_sessions: int = 1,
        max_rows: int = 256,
        threads: int = 0,
        context_policy: Policy = Policy.STOP,
        sink_tokens: int = 0,
        kv_format: Kv = Kv.INT8,
        kernels: str | None = None,
        kv_tokens: int = 0,
        rows_per_step: int = 0,
        no_prefix_cache: bool = False,
        profile_events: int = 0,
        log_level: Log = Log.WARNING,
        duty_percent: int = 0,
        draft_head: bool = False,
        affinity: Affinity = Affinity.SYSTEM,
        adapter_rank: int = 0,
        max_input_rows: int = 0,
        max_media_rows: int = 0,
        draft: Model | None = None,
        cpus: Sequence[int] = (),
    ) -> list[MemoryRegion]:
        """The parts of that plan, lowest address first.

        context: Tokens that a session can see. At most 2^24; default 0: the model's context_length.
        max_sessions: Sessions open at once, each with a context of its own. 1 to 64; default 1.
        max_rows: Tokens of one pass of a prefill. 1 to 8192; default 256.
        threads: Threads that compute, the caller's among them. At most 256; default 0: the
            performance cores, as far as the system tells, of those that this process may run on.
        context_policy: What happens when a session's context is full. One of Policy; default
            Policy.STOP.
        sink_tokens: Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
        kv_format: How the KV cache holds keys and values. One of Kv; default Kv.INT8.
        kernels: The name of a kernel set. Default: the best for this CPU, of those that read a
            packed file where it has some.
        kv_tokens: Tokens that the KV pool holds, of all sessions together, in whole blocks. At most
            2^30; default 0: enough for the context of every session.
        rows_per_step: Most tokens of a pass while some session decodes, those of drafts included.
            At most 8192; default 0: max_rows, the most that there may be.
        no_prefix_cache: True: nothing is kept for later sessions.
        profile_events: Events that the engine's profile remembers, in the arena, 56 bytes each. At
            most 2^20; default 0: nothing is recorded.
        log_level: Messages of this level and those above it are told. One of Log; default
            Log.WARNING.
        duty_percent: The largest share of the time that passes may take. At most 100; default 0:
            100.
        draft_head: True: the draft head in the model's file (`rondo convert --mtp`) runs behind
            every pass and drafts for sessions of Speculation.DRAFT_HEAD.
        affinity: To which CPUs the threads that the engine starts are kept. One of Affinity;
            default Affinity.SYSTEM.
        adapter_rank: The largest rank of adapters that sessions may be given. At most 1024; default
            0: none may.
        max_input_rows: Rows of inputs that sessions may hold together (Session.append_inputs). At
            most 2^20; default 0: sessions have tokens only.
        max_media_rows: Rows of pictures that may be there at the same time (Engine.media). At most
            2^20; default 0: pictures are refused, and all of that takes nothing.
        draft: A small model of the same vocabulary, for sessions of Speculation.DRAFT_MODEL.
        cpus: Numbers of CPUs for the engine's threads: Affinity.CPUS is meant where they are given.
        """
        return self._plan_regions({
            "context": context,
            "max_sessions": max_sessions,
            "max_rows": max_rows,
            "threads": threads,
            "context_policy": context_policy,
            "sink_tokens": sink_tokens,
            "kv_format": kv_format,
            "kernels": kernels,
            "kv_tokens": kv_tokens,
            "rows_per_step": rows_per_step,
            "no_prefix_cache": no_prefix_cache,
            "profile_events": profile_events,
            "log_level": log_level,
            "duty_percent": duty_percent,
            "draft_head": draft_head,
            "affinity": affinity,
            "adapter_rank": adapter_rank,
            "max_input_rows": max_input_rows,
            "max_media_rows": max_media_rows,
            "draft": draft,
            "cpus": cpus,
        })

    def _plan_regions(self, given: dict[str, Any]) -> list[MemoryRegion]:
        raise NotImplementedError

    def plan_fit(
        self,
        size: int,
        *,
        context: int = 0,
        max_sessions: int = 1,
        max_rows: int = 256,
        threads: int = 0,
        context_policy: Policy = Policy.STOP,
        sink_tokens: int = 0,
        kv_format: Kv = Kv.INT8,
        kernels: str | None = None,
        kv_tokens: int = 0,
        rows_per_step: int = 0,
        no_prefix_cache: bool = False,
        profile_events: int = 0,
        log_level: Log = Log.WARNING,
        duty_percent: int = 0,
        draft_head: bool = False,
        affinity: Affinity = Affinity.SYSTEM,
        adapter_rank: int = 0,
        max_input_rows: int = 0,
        max_media_rows: int = 0,
        draft: Model | None = None,
        cpus: Sequence[int] = (),
    ) -> int:
        """The largest context whose plan fits into `size` bytes.

        context: Tokens that a session can see. At most 2^24; default 0: the model's context_length.
        max_sessions: Sessions open at once, each with a context of its own. 1 to 64; default 1.
        max_rows: Tokens of one pass of a prefill. 1 to 8192; default 256.
        threads: Threads that compute, the caller's among them. At most 256; default 0: the
            performance cores, as far as the system tells, of those that this process may run on.
        context_policy: What happens when a session's context is full. One of Policy; default
            Policy.STOP.
        sink_tokens: Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
        kv_format: How the KV cache holds keys and values. One of Kv; default Kv.INT8.
        kernels: The name of a kernel set. Default: the best for this CPU, of those that read a
            packed file where it has some.
        kv_tokens: Tokens that the KV pool holds, of all sessions together, in whole blocks. At most
            2^30; default 0: enough for the context of every session.
        rows_per_step: Most tokens of a pass while some session decodes, those of drafts included.
            At most 8192; default 0: max_rows, the most that there may be.
        no_prefix_cache: True: nothing is kept for later sessions.
        profile_events: Events that the engine's profile remembers, in the arena, 56 bytes each. At
            most 2^20; default 0: nothing is recorded.
        log_level: Messages of this level and those above it are told. One of Log; default
            Log.WARNING.
        duty_percent: The largest share of the time that passes may take. At most 100; default 0:
            100.
        draft_head: True: the draft head in the model's file (`rondo convert --mtp`) runs behind
            every pass and drafts for sessions of Speculation.DRAFT_HEAD.
        affinity: To which CPUs the threads that the engine starts are kept. One of Affinity;
            default Affinity.SYSTEM.
        adapter_rank: The largest rank of adapters that sessions may be given. At most 1024; default
            0: none may.
        max_input_rows: Rows of inputs that sessions may hold together (Session.append_inputs). At
            most 2^20; default 0: sessions have tokens only.
        max_media_rows: Rows of pictures that may be there at the same time (Engine.media). At most
            2^20; default 0: pictures are refused, and all of that takes nothing.
        draft: A small model of the same vocabulary, for sessions of Speculation.DRAFT_MODEL.
        cpus: Numbers of CPUs for the engine's threads: Affinity.CPUS is meant where they are given.
        """
        return self._plan_fit(size, {
            "context": context,
            "max_sessions": max_sessions,
            "max_rows": max_rows,
            "threads": threads,
            "context_policy": context_policy,
            "sink_tokens": sink_tokens,
            "kv_format": kv_format,
            "kernels": kernels,
            "kv_tokens": kv_tokens,
            "rows_per_step": rows_per_step,
            "no_prefix_cache": no_prefix_cache,
            "profile_events": profile_events,
            "log_level": log_level,
            "duty_percent": duty_percent,
            "draft_head": draft_head,
            "affinity": affinity,
            "adapter_rank": adapter_rank,
            "max_input_rows": max_input_rows,
            "max_media_rows": max_media_rows,
            "draft": draft,
            "cpus": cpus,
        })

    def _plan_fit(self, size: int, given: dict[str, Any]) -> int:
        raise NotImplementedError

    def render_chat(
        self,
        messages: Messages,
        *,
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        add_generation_prompt: bool = True,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> str:
        """The text of a conversation: [{"role": "user", "content": "Hello!"}, ...].

        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        add_generation_prompt: The text ends where the assistant's answer begins.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return self._render_chat(messages, {
            "tools": tools,
            "variables": variables,
            "add_generation_prompt": add_generation_prompt,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    def _render_chat(self, messages: Messages, given: dict[str, Any]) -> str:
        raise NotImplementedError

    def chat_ids(
        self,
        messages: Messages,
        *,
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        add_generation_prompt: bool = True,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> list[int]:
        """The token ids of a conversation.

        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        add_generation_prompt: The text ends where the assistant's answer begins.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return self._chat_ids(messages, {
            "tools": tools,
            "variables": variables,
            "add_generation_prompt": add_generation_prompt,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    def _chat_ids(self, messages: Messages, given: dict[str, Any]) -> list[int]:
        raise NotImplementedError

    def chat_parser(
        self,
        messages: Messages,
        *,
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        add_generation_prompt: bool = True,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> ChatParser:
        """Takes answers to this conversation apart. Of the options tools say what may be called.

        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        add_generation_prompt: The text ends where the assistant's answer begins.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return self._chat_parser(messages, {
            "tools": tools,
            "variables": variables,
            "add_generation_prompt": add_generation_prompt,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    def _chat_parser(self, messages: Messages, given: dict[str, Any]) -> ChatParser:
        raise NotImplementedError

    def chat_grammar(
        self,
        messages: Messages,
        *,
        calls: Calls = Calls.AUTO,
        function: str | None = None,
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        add_generation_prompt: bool = True,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> str:
        """The GBNF of answers whose calls parse, for grammar(gbnf=...). Tools are needed.

        calls: Which calls there may be.
        function: The only one that may be called.
        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        add_generation_prompt: The text ends where the assistant's answer begins.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return self._chat_grammar(messages, {
            "calls": calls,
            "function": function,
            "tools": tools,
            "variables": variables,
            "add_generation_prompt": add_generation_prompt,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    def _chat_grammar(self, messages: Messages, given: dict[str, Any]) -> str:
        raise NotImplementedError

    def chat_thinking(
        self,
        messages: Messages,
        *,
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        add_generation_prompt: bool = True,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> tuple[str, str]:
        """What the template puts around a thought: what begins and what ends it; empty where it has
        none.

        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        add_generation_prompt: The text ends where the assistant's answer begins.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return self._chat_thinking(messages, {
            "tools": tools,
            "variables": variables,
            "add_generation_prompt": add_generation_prompt,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    def _chat_thinking(self, messages: Messages, given: dict[str, Any]) -> tuple[str, str]:
        raise NotImplementedError


class EngineMethods(Handle):

    def session(
        self,
        *,
        recommended: bool = True,
        stop: str | Sequence[str] | None = None,
        logit_bias: Mapping[int, float] | None = None,
        grammar: Grammar | None = None,
        json_schema: Schema | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repetition_penalty: float | None = None,
        presence_penalty: float = 0.0,
        frequency_penalty: float = 0.0,
        penalty_last_n: int | None = None,
        ignore_eos: bool = False,
        logprobs: bool = False,
        no_repeat_ngram_size: int | None = None,
        seed: int = 0,
        max_tokens: int = 0,
        speculation: Speculation = Speculation.NONE,
        max_drafts: int = 0,
        grammar_begin: GrammarBegin = GrammarBegin.AT_ONCE,
        grammar_token: int = 0,
        grammar_goes_on: bool = False,
        thinking: bool = False,
        thinking_begin: str | None = None,
        thinking_end: str | None = None,
        thinking_tokens: int = 0,
        adapter: Adapter | None = None,
    ) -> Session:
        """An empty session in one of the engine's places.

        recommended: Begin with what the model's makers recommend for sampling; False: with the
            library's defaults.
        stop: Texts that end a generation, and are no part of it; a str is one. None: those that the
            makers recommend.
        logit_bias: What is added to the logits of tokens, -inf forbids one. None: as the makers
            recommend.
        grammar: Of Model.grammar(): what each generation must be a text of.
        json_schema: A JSON Schema (JSON, or its Python value), of which the session makes a grammar
            of its own, with one_space and named_only: JSON as people write it.
        temperature: Divides the logits before the draw. 0 or more; default 0: the most likely
            token; of equals, the lowest id. None: as the model's makers recommend, else that
            default.
        top_k: Keep the k most likely. 0 or more; default 0: off. None: as the model's makers
            recommend, else that default.
        top_p: Keep the fewest that together reach this share. Above 0, at most 1; default 1: off.
            None: as the model's makers recommend, else that default.
        min_p: Keep those of at least this share of the best's probability. From 0, below 1; default
            0: off. None: as the model's makers recommend, else that default.
        repetition_penalty: Divides positive and multiplies negative logits. Above 0; default 1:
            off. None: as the model's makers recommend, else that default.
        presence_penalty: Subtracted once from the logit of each token seen. Default 0.
        frequency_penalty: Subtracted for each time that it was seen. Default 0.
        penalty_last_n: Last tokens that penalties look at. 0 to 4096; default 64. None: as the
            model's makers recommend, else that default.
        ignore_eos: True: end tokens are tokens like others, but that a grammar's text has none that
            it does not name.
        logprobs: True: events tell log-probabilities.
        no_repeat_ngram_size: N: no n tokens are generated that follow each other in the last 4096
            tokens of the sequence, prompt included. At most 256; default 0: off. None: as the
            model's makers recommend, else that default.
        seed: Equal ones give equal draws. Default 0.
        max_tokens: Tokens generated after each prefill. Default 0: no limit.
        speculation: Where drafts come from. One of Speculation; default Speculation.NONE.
        max_drafts: Drafts that one pass verifies; less than max_rows. At most 7; default 0: as many
            as there may be.
        grammar_begin: Where the grammar begins. One of GrammarBegin; default GrammarBegin.AT_ONCE.
        grammar_token: The token of GrammarBegin.AFTER_TOKEN. 0 or more; default 0.
        grammar_goes_on: True: where the grammar's text is whole the generation goes on without it,
            with AFTER_TOKEN up to the next grammar_token; an end token ends it as ever.
        thinking: True: thoughts are told from the rest; the text of a grammar has none.
        thinking_begin: What begins a thought. Default: as the model's chat template has it; refused
            where it has none.
        thinking_end: What ends a thought, with the white space that Rondo writes. Default: as the
            model's chat template has it.
        thinking_tokens: Of a thought: where it has so many, and a whole character, it is ended by
            the tokens of thinking_end, whatever the model would say. Default 0: no limit.
        adapter: Of Model.adapter(), where the engine's adapter_rank has room for it.
        """
        return self._session({
            "recommended": recommended,
            "stop": stop,
            "logit_bias": logit_bias,
            "grammar": grammar,
            "json_schema": json_schema,
            "temperature": temperature,
            "top_k": top_k,
            "top_p": top_p,
            "min_p": min_p,
            "repetition_penalty": repetition_penalty,
            "presence_penalty": presence_penalty,
            "frequency_penalty": frequency_penalty,
            "penalty_last_n": penalty_last_n,
            "ignore_eos": ignore_eos,
            "logprobs": logprobs,
            "no_repeat_ngram_size": no_repeat_ngram_size,
            "seed": seed,
            "max_tokens": max_tokens,
            "speculation": speculation,
            "max_drafts": max_drafts,
            "grammar_begin": grammar_begin,
            "grammar_token": grammar_token,
            "grammar_goes_on": grammar_goes_on,
            "thinking": thinking,
            "thinking_begin": thinking_begin,
            "thinking_end": thinking_end,
            "thinking_tokens": thinking_tokens,
            "adapter": adapter,
        })

    def _session(self, given: dict[str, Any]) -> Session:
        raise NotImplementedError


class SessionMethods(Handle):

    def fork(
        self,
        *,
        recommended: bool = True,
        stop: str | Sequence[str] | None = None,
        logit_bias: Mapping[int, float] | None = None,
        grammar: Grammar | None = None,
        json_schema: Schema | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repetition_penalty: float | None = None,
        presence_penalty: float = 0.0,
        frequency_penalty: float = 0.0,
        penalty_last_n: int | None = None,
        ignore_eos: bool = False,
        logprobs: bool = False,
        no_repeat_ngram_size: int | None = None,
        seed: int = 0,
        max_tokens: int = 0,
        speculation: Speculation = Speculation.NONE,
        max_drafts: int = 0,
        grammar_begin: GrammarBegin = GrammarBegin.AT_ONCE,
        grammar_token: int = 0,
        grammar_goes_on: bool = False,
        thinking: bool = False,
        thinking_begin: str | None = None,
        thinking_end: str | None = None,
        thinking_tokens: int = 0,
    ) -> Session:
        """A session with the same tokens, and with options of its own: not those of this one.

        recommended: Begin with what the model's makers recommend for sampling; False: with the
            library's defaults.
        stop: Texts that end a generation, and are no part of it; a str is one. None: those that the
            makers recommend.
        logit_bias: What is added to the logits of tokens, -inf forbids one. None: as the makers
            recommend.
        grammar: Of Model.grammar(): what each generation must be a text of.
        json_schema: A JSON Schema (JSON, or its Python value), of which the session makes a grammar
            of its own, with one_space and named_only: JSON as people write it.
        temperature: Divides the logits before the draw. 0 or more; default 0: the most likely
            token; of equals, the lowest id. None: as the model's makers recommend, else that
            default.
        top_k: Keep the k most likely. 0 or more; default 0: off. None: as the model's makers
            recommend, else that default.
        top_p: Keep the fewest that together reach this share. Above 0, at most 1; default 1: off.
            None: as the model's makers recommend, else that default.
        min_p: Keep those of at least this share of the best's probability. From 0, below 1; default
            0: off. None: as the model's makers recommend, else that default.
        repetition_penalty: Divides positive and multiplies negative logits. Above 0; default 1:
            off. None: as the model's makers recommend, else that default.
        presence_penalty: Subtracted once from the logit of each token seen. Default 0.
        frequency_penalty: Subtracted for each time that it was seen. Default 0.
        penalty_last_n: Last tokens that penalties look at. 0 to 4096; default 64. None: as the
            model's makers recommend, else that default.
        ignore_eos: True: end tokens are tokens like others, but that a grammar's text has none that
            it does not name.
        logprobs: True: events tell log-probabilities.
        no_repeat_ngram_size: N: no n tokens are generated that follow each other in the last 4096
            tokens of the sequence, prompt included. At most 256; default 0: off. None: as the
            model's makers recommend, else that default.
        seed: Equal ones give equal draws. Default 0.
        max_tokens: Tokens generated after each prefill. Default 0: no limit.
        speculation: Where drafts come from. One of Speculation; default Speculation.NONE.
        max_drafts: Drafts that one pass verifies; less than max_rows. At most 7; default 0: as many
            as there may be.
        grammar_begin: Where the grammar begins. One of GrammarBegin; default GrammarBegin.AT_ONCE.
        grammar_token: The token of GrammarBegin.AFTER_TOKEN. 0 or more; default 0.
        grammar_goes_on: True: where the grammar's text is whole the generation goes on without it,
            with AFTER_TOKEN up to the next grammar_token; an end token ends it as ever.
        thinking: True: thoughts are told from the rest; the text of a grammar has none.
        thinking_begin: What begins a thought. Default: as the model's chat template has it; refused
            where it has none.
        thinking_end: What ends a thought, with the white space that Rondo writes. Default: as the
            model's chat template has it.
        thinking_tokens: Of a thought: where it has so many, and a whole character, it is ended by
            the tokens of thinking_end, whatever the model would say. Default 0: no limit.
        """
        return self._fork({
            "recommended": recommended,
            "stop": stop,
            "logit_bias": logit_bias,
            "grammar": grammar,
            "json_schema": json_schema,
            "temperature": temperature,
            "top_k": top_k,
            "top_p": top_p,
            "min_p": min_p,
            "repetition_penalty": repetition_penalty,
            "presence_penalty": presence_penalty,
            "frequency_penalty": frequency_penalty,
            "penalty_last_n": penalty_last_n,
            "ignore_eos": ignore_eos,
            "logprobs": logprobs,
            "no_repeat_ngram_size": no_repeat_ngram_size,
            "seed": seed,
            "max_tokens": max_tokens,
            "speculation": speculation,
            "max_drafts": max_drafts,
            "grammar_begin": grammar_begin,
            "grammar_token": grammar_token,
            "grammar_goes_on": grammar_goes_on,
            "thinking": thinking,
            "thinking_begin": thinking_begin,
            "thinking_end": thinking_end,
            "thinking_tokens": thinking_tokens,
        })

    def _fork(self, given: dict[str, Any]) -> Session:
        raise NotImplementedError

    def chat(
        self,
        messages: Messages,
        *,
        media: Sequence[Media] = (),
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> Reply:
        """The answer to a conversation. The session's tokens become the conversation's.

        media: Pictures of Engine.media(), one for each part {"type": "image"} of the messages.
        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return self._chat(messages, {
            "media": media,
            "tools": tools,
            "variables": variables,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    def _chat(self, messages: Messages, given: dict[str, Any]) -> Reply:
        raise NotImplementedError

    def chat_stream(
        self,
        messages: Messages,
        *,
        media: Sequence[Media] = (),
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> Iterator[ChatPart]:
        """As chat(), part by part as they come.

        media: Pictures of Engine.media(), one for each part {"type": "image"} of the messages.
        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return self._chat_stream(messages, {
            "media": media,
            "tools": tools,
            "variables": variables,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    def _chat_stream(self, messages: Messages, given: dict[str, Any]) -> Iterator[ChatPart]:
        raise NotImplementedError

    async def achat(
        self,
        messages: Messages,
        *,
        media: Sequence[Media] = (),
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> Reply:
        """As chat(), beside what the event loop does.

        media: Pictures of Engine.media(), one for each part {"type": "image"} of the messages.
        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return await self._achat(messages, {
            "media": media,
            "tools": tools,
            "variables": variables,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    async def _achat(self, messages: Messages, given: dict[str, Any]) -> Reply:
        raise NotImplementedError

    def achat_stream(
        self,
        messages: Messages,
        *,
        media: Sequence[Media] = (),
        tools: Tools | None = None,
        variables: Mapping[str, Any] | str | None = None,
        continue_final: bool = False,
        plain_content: bool = True,
        local_time: datetime | None = None,
        template_name: str | None = None,
        template: str | None = None,
    ) -> AsyncIterator[ChatPart]:
        """As chat_stream(), beside what the event loop does.

        media: Pictures of Engine.media(), one for each part {"type": "image"} of the messages.
        tools: The functions that the model may call: [{"type": "function", "function": {"name":
            "f", "description": "...", "parameters": {a JSON Schema}}}].
        variables: More names for the template: {"enable_thinking": False}.
        continue_final: The text ends inside of the last message, which the model goes on with.
        plain_content: Of the ids only what the template itself wrote becomes special tokens,
            whatever messages say. For chat with strangers.
        local_time: What the clock on the wall shows, for templates that write the date.
        template_name: Of the model; None: "tool_use" if there is one and tools are given, else the
            first.
        template: Jinja, in place of the model's own.
        """
        return self._achat_stream(messages, {
            "media": media,
            "tools": tools,
            "variables": variables,
            "continue_final": continue_final,
            "plain_content": plain_content,
            "local_time": local_time,
            "template_name": template_name,
            "template": template,
        })

    def _achat_stream(self, messages: Messages, given: dict[str, Any]) -> AsyncIterator[ChatPart]:
        raise NotImplementedError
