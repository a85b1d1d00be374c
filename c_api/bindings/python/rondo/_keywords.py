"""Options of engines and sessions, as keywords. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."""
from __future__ import annotations

from typing import TypedDict


class EngineKeywords(TypedDict, total=False):
    """rondo_engine_options in rondo.h, which says more of each."""
    context: int
    """Tokens that a session can see. At most 2^24; default 0: the model's context_length."""
    max_sessions: int
    """Sessions open at once, each with a context of its own. 1 to 64; default 1."""
    max_rows: int
    """Tokens of one pass of a prefill. 1 to 8192; default 256."""
    threads: int
    """Threads that compute, the caller's among them. At most 256; default 0: the performance cores,
    as far as the system tells, of those that this process may run on."""
    context_policy: int
    """What happens when a session's context is full. One of Policy; default Policy.STOP."""
    sink_tokens: int
    """Under SLIDE the first tokens, which stay; in whole blocks. Default 0."""
    kv_format: int
    """How the KV cache holds keys and values. One of Kv; default Kv.INT8."""
    kernels: str
    """The name of a kernel set. Default: the best for this CPU, of those that read a packed file
    where it has some."""
    kv_tokens: int
    """Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
    default 0: enough for the context of every session."""
    rows_per_step: int
    """Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
    default 0: max_rows, the most that there may be."""
    no_prefix_cache: bool
    """True: nothing is kept for later sessions."""
    profile_events: int
    """Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20;
    default 0: nothing is recorded."""
    log_level: int
    """Messages of this level and those above it are told. One of Log; default Log.WARNING."""
    duty_percent: int
    """The largest share of the time that passes may take. At most 100; default 0: 100."""
    draft_head: bool
    """True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
    drafts for sessions of Speculation.DRAFT_HEAD."""
    affinity: int
    """To which CPUs the threads that the engine starts are kept. One of Affinity; default
    Affinity.SYSTEM."""
    adapter_rank: int
    """The largest rank of adapters that sessions may be given. At most 1024; default 0: none
    may."""
    max_input_rows: int
    """Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
    default 0: sessions have tokens only."""
    max_media_rows: int
    """Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
    default 0: pictures are refused, and all of that takes nothing."""


class SessionKeywords(TypedDict, total=False):
    """rondo_session_options in rondo.h, which says more of each."""
    temperature: float
    """Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
    the lowest id."""
    top_k: int
    """Keep the k most likely. 0 or more; default 0: off."""
    top_p: float
    """Keep the fewest that together reach this share. Above 0, at most 1; default 1: off."""
    min_p: float
    """Keep those of at least this share of the best's probability. From 0, below 1; default 0:
    off."""
    repetition_penalty: float
    """Divides positive and multiplies negative logits. Above 0; default 1: off."""
    presence_penalty: float
    """Subtracted once from the logit of each token seen. Default 0."""
    frequency_penalty: float
    """Subtracted for each time that it was seen. Default 0."""
    penalty_last_n: int
    """Last tokens that penalties look at. 0 to 4096; default 64."""
    ignore_eos: bool
    """True: end tokens are tokens like others, but that a grammar's text has none that it does not
    name."""
    logprobs: bool
    """True: events tell log-probabilities."""
    no_repeat_ngram_size: int
    """N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
    prompt included. At most 256; default 0: off."""
    seed: int
    """Equal ones give equal draws. Default 0."""
    max_tokens: int
    """Tokens generated after each prefill. Default 0: no limit."""
    speculation: int
    """Where drafts come from. One of Speculation; default Speculation.NONE."""
    max_drafts: int
    """Drafts that one pass verifies; less than max_rows. At most 7; default 0: as many as there may
    be."""
    grammar_begin: int
    """Where the grammar begins. One of GrammarBegin; default GrammarBegin.AT_ONCE."""
    grammar_token: int
    """The token of GrammarBegin.AFTER_TOKEN. 0 or more; default 0."""
    grammar_goes_on: bool
    """True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN
    up to the next grammar_token; an end token ends it as ever."""
    thinking: bool
    """True: thoughts are told from the rest; the text of a grammar has none."""
    thinking_begin: str
    """What begins a thought. Default: as the model's chat template has it; refused where it has
    none."""
    thinking_end: str
    """What ends a thought, with the white space that Rondo writes. Default: as the model's chat
    template has it."""
    thinking_tokens: int
    """Of a thought: where it has so many, and a whole character, it is ended by the tokens of
    thinking_end, whatever the model would say. Default 0: no limit."""
