"""Options of engines and sessions, as keywords. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."""
from __future__ import annotations

from typing import TypedDict


class EngineKeywords(TypedDict, total=False):
    """rondo_engine_options in rondo.h, which says more of each."""
    context: int
    """Tokens that a session can see; 0: the model's context_length."""
    max_sessions: int
    """Open at once, each with its own context; 1 to 64; default 1."""
    max_rows: int
    """Tokens of one pass of a prefill, 1 to 8192; default 256: larger is faster up to a point and
    takes more activations."""
    threads: int
    """That compute, at most 256; default 0: the performance cores, as far as the system tells, of
    those that this process may run on."""
    context_policy: int
    """One of Policy; default STOP."""
    sink_tokens: int
    """SLIDE: the first tokens, which stay; whole blocks; default 0."""
    kv_format: int
    """One of Kv; default INT8."""
    kernels: str
    """None: the best for this CPU, of those that read a packed file where it has some; else a
    kernel set's name."""
    kv_tokens: int
    """Tokens that the KV pool holds, of all sessions together, in whole blocks; at most 2^30.
    Default 0: enough for the context of every session."""
    rows_per_step: int
    """Most tokens of a pass while some session decodes, those of drafts included, 1 to max_rows;
    default 0: max_rows."""
    no_prefix_cache: bool
    """True: nothing is kept for later sessions."""
    profile_events: int
    """Events that the engine's profile remembers, in the arena, 56 bytes each; at most 2^20.
    Default 0: nothing is recorded."""
    log_level: int
    """One of Log: messages of this level and those above it; default WARNING."""
    duty_percent: int
    """The largest share of the time that passes may take, in percent, 1 to 100; default 0: 100."""
    draft_head: bool
    """True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
    drafts for sessions of Speculation.DRAFT_HEAD; its weights and KV are in the plan."""
    affinity: int
    """One of Affinity, default SYSTEM: to which CPUs the threads that the engine starts are
    kept."""
    adapter_rank: int
    """The largest rank of adapters that sessions may be given, at most limit.adapter_rank: what
    their rows take is in the plan. Default 0: none may."""
    max_input_rows: int
    """Rows of inputs that sessions may hold together (rondo_session_append_inputs), at most
    limit.input_rows; each takes 4 bytes for each number of hidden_size, which are in the plan.
    Default 0: sessions have tokens only."""
    max_media_rows: int
    """Rows of pictures that may be there at the same time (rondo_media_create), at most
    limit.input_rows; the largest picture has no more."""


class SessionKeywords(TypedDict, total=False):
    """rondo_session_options in rondo.h, which says more of each."""
    temperature: float
    """Default 0: the most likely token; of equals, the lowest id."""
    top_k: int
    """Keep the k most likely; default 0: off."""
    top_p: float
    """Keep the fewest that together reach this share, above 0; 1: off."""
    min_p: float
    """Keep those of at least this share of the best's probability; 0: off."""
    repetition_penalty: float
    """Divides positive and multiplies negative logits; default 1: off."""
    presence_penalty: float
    """Subtracted once from the logit of each token seen; default 0."""
    frequency_penalty: float
    """Subtracted for each time that it was seen; default 0."""
    penalty_last_n: int
    """Last tokens that penalties look at, 0 to 4096; default 64."""
    ignore_eos: bool
    """True: end tokens are tokens like others, but that a grammar's text has none that it does not
    name."""
    logprobs: bool
    """True: events tell log-probabilities."""
    no_repeat_ngram_size: int
    """N, at most 256: no n tokens are generated that follow each other in the last 4096 tokens of
    the sequence, prompt included; default 0: off."""
    seed: int
    """Equal ones give equal draws; default 0."""
    max_tokens: int
    """Tokens generated after each prefill; default 0: no limit."""
    speculation: int
    """One of Speculation; default NONE."""
    max_drafts: int
    """Drafts that one pass verifies, 1 to 7 and less than max_rows; default 0: as many as there may
    be."""
    grammar_begin: int
    """One of GrammarBegin; default AT_ONCE."""
    grammar_token: int
    """The token of GrammarBegin.AFTER_TOKEN."""
    grammar_goes_on: bool
    """True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN
    up to the next grammar_token; an end token ends it as ever."""
    thinking: bool
    """True: thoughts are told from the rest; the text of a grammar has none."""
    thinking_begin: str
    """What begins a thought; None, and thinking_end None, the default: as the model's chat template
    has it; refused where it has none."""
    thinking_end: str
    """What ends a thought, with the white space that Rondo writes."""
    thinking_tokens: int
    """Of a thought: where it has so many, and a whole character, it is ended by the tokens of
    thinking_end, whatever the model would say."""
