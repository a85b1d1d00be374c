"""What the library tells about models, plans and engines. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."""
from __future__ import annotations

from typing import NamedTuple

from ._enums import Pooling, Segment


class ModelFacts(NamedTuple):
    """rondo_model_facts in rondo.h."""
    vocab_size: int
    """Token ids are 0 to vocab_size - 1."""
    context_length: int
    """Tokens that the model was trained for."""
    hidden_size: int
    """Values of a token between layers."""
    n_layers: int
    """Transformer layers."""
    n_heads: int
    """Query heads, of the first layer."""
    n_kv_heads: int
    """Heads of keys and values, of the first layer, which query heads share in groups."""
    head_dim: int
    """Values of a head, of the first layer."""
    bos_token: int
    """-1: none."""
    n_eos_tokens: int
    """See Model.eos_token."""
    has_tokenizer: int
    """0: token ids only."""
    format_version: int
    """Of the file."""
    file_bytes: int
    """Size of the file, or of the part that was opened."""
    parameters: int
    """Values in all weights; a tied embedding counts once."""
    tokenizer_bytes: int
    """What opening took of memory for texts to be tokenized in: fixed, at most 2 MB; 0: none."""
    picture_token: int
    """The token that stands for a picture (Session.append_media); -1: the model does not see. Since
    ABI 13."""


class AdapterFacts(NamedTuple):
    """rondo_adapter_facts in rondo.h."""
    rank: int
    """The largest of its matrices: what adapter_rank must be at least."""
    n_matrices: int
    """Of the model's file, that it changes."""
    file_bytes: int
    """Size of the file: what it takes of memory, shared between processes."""


class MemoryPlan(NamedTuple):
    """rondo_memory_plan in rondo.h."""
    n_regions: int
    """See Model.plan_region."""
    arena_bytes: int
    """What Engine.create takes."""
    arena_alignment: int
    """Where an arena of the caller's may begin."""
    weights_bytes: int
    """Weights; this and the next four add up to arena_bytes."""
    kv_pool_bytes: int
    """Keys and values of all sessions."""
    sessions_bytes: int
    """Tokens, samplers, logits, text."""
    activations_bytes: int
    """Buffers of one pass."""
    workspace_bytes: int
    """Scratch of threads."""
    activations_lower_bound: int
    """The most that is live at once: no layout can be smaller."""
    kv_bytes_per_token: int
    """Of one session, in layers of every window together."""
    kv_block_tokens: int
    """Tokens in a block of the KV pool."""
    context: int
    """Tokens that a session can see."""
    max_sessions: int
    """Open at once."""
    max_rows: int
    """Tokens of one pass."""
    threads: int
    """The caller's among them."""
    sink_tokens: int
    """Tokens that stay under SLIDE."""
    kernels: str
    """The kernel set's name; static."""
    mapped_bytes: int
    """Weights of a packed file, used where they lie: not in arena_bytes, and shared between
    processes."""
    kv_tokens: int
    """Tokens that the KV pool holds."""
    rows_per_step: int
    """Most tokens of a pass in which some session decodes."""


class MemoryRegion(NamedTuple):
    """rondo_memory_region in rondo.h."""
    segment: Segment
    """The part of the arena that it is in."""
    offset: int
    """From the start of the arena."""
    bytes: int
    """Its size."""
    first_step: int
    """Of activations: the first step of a pass in which it is live. Regions that are never live
    together may share memory. Elsewhere 0."""
    last_step: int
    """The last such step. Elsewhere INT32_MAX."""
    name: str
    """What it is for, zero-terminated."""


class EngineCounters(NamedTuple):
    """rondo_engine_counters in rondo.h."""
    sessions_open: int
    """Now, forks included."""
    owns_arena: int
    """0: the arena is the caller's."""
    tokens_prefilled: int
    """By all sessions so far, by Session.prefill, ..._logits, _append."""
    tokens_generated: int
    """By Session.next, _accept and steps."""
    tokens_taken_over: int
    """Of those prefilled: the prefix cache had them."""
    parallel_faults: int
    """Times that the host's pool did not do what parallel_for must. Since ABI 4."""
    passes: int
    """Forward passes, cancelled ones included. Since ABI 4."""
    rows: int
    """Tokens that they evaluated; not those of sessions cancelled in them. Since ABI 4."""
    prefill_ns: int
    """Nanoseconds that passes took, whatever the number of threads: those in which some session had
    several tokens to evaluate, and those in which each had one, and drafts. Since ABI 4."""
    decode_ns: int
    """Nanoseconds that the other passes took. Since ABI 4."""
    sample_ns: int
    """Nanoseconds that choosing tokens took. Since ABI 4."""
    prefix_hits: int
    """Times that a session began with what the prefix cache had. Since ABI 4."""
    tokens_evicted: int
    """SLIDE: tokens that made room; again where they were undone between. Since ABI 4."""
    kv_bytes_used: int
    """Bytes of KV that open sessions hold now; what they share counts once. Since ABI 4."""
    kv_bytes_total: int
    """That there are: the rest is free, or kept by the prefix cache. Since ABI 4."""
    drafts_proposed: int
    """That passes verified. Since ABI 6."""
    drafts_accepted: int
    """And that were right and generated: each saved a pass. Since ABI 6."""


class ProfileEvent(NamedTuple):
    """rondo_profile_event in rondo.h."""
    layer: int
    """Counted from 0; -1: of none."""
    rows: int
    """Tokens that were computed; 0: of "sample"."""
    inputs: int
    """Of a product, whose matrix is [outputs, inputs]; else 0."""
    outputs: int
    """Of a product; else 0."""
    begin_ns: int
    """Nanoseconds since the engine was created, by a clock that never jumps."""
    duration_ns: int
    """Nanoseconds."""
    thread: int
    """That computed, or waited for the engine's other threads: differs between any two that live at
    the same time."""
    name: str
    """"pass", "embed", "attention", "mlp", "product", "head", "sample" and others that may come:
    static ASCII letters; None: there is no event."""


class ImageFacts(NamedTuple):
    """rondo_image_facts in rondo.h."""
    rows: int
    """Rows of the text's: what it takes of max_media_rows."""
    positions: int
    """What it takes of the context: rows, and the tokens around them."""
    tile_columns: int
    """Columns of tiles that it is cut into; 0 where it is not."""
    tile_rows: int
    """Rows of tiles; 0 where it is not cut."""
    tile_pixels: int
    """Of a tile's side; 0 where there are none."""
    whole_width: int
    """The width that the whole is resized to; 0 where only tiles are seen."""
    whole_height: int
    """The height of that; 0 where only tiles are seen."""
    patches: int
    """Patches that the tower looks at."""


class SessionCounters(NamedTuple):
    """rondo_session_counters in rondo.h."""
    tokens_prefilled: int
    """By Session.prefill, ..._logits, _append."""
    tokens_generated: int
    """By Session.next, _accept and steps."""
    tokens_taken_over: int
    """That the prefix cache had: not evaluated."""
    passes: int
    """That evaluated tokens of it."""
    rows: int
    """These tokens; some again, after undo or for logits."""
    prefill_ns: int
    """Nanoseconds that these passes took, whoever was in them, too: those in which it had several
    tokens to evaluate, and those in which it had one, and drafts."""
    decode_ns: int
    """Nanoseconds that the other passes took."""
    sample_ns: int
    """Nanoseconds that choosing its tokens took."""
    prefix_hits: int
    """Times that it began with what the prefix cache had."""
    tokens_evicted: int
    """SLIDE: tokens that made room; again where they were undone between."""
    kv_bytes_held: int
    """Bytes of KV that it holds now, those that it shares included."""
    drafts_proposed: int
    """That passes verified. Since ABI 6."""
    drafts_accepted: int
    """And that were right and generated: each saved a pass. Since ABI 6."""


class EmbedderFacts(NamedTuple):
    """rondo_embedder_facts in rondo.h."""
    dimensions: int
    """Numbers of a vector; 0: the model embeds nothing. All below is 0, default_prompt -1."""
    max_tokens: int
    """Of a text, with those that the model has around it; see whole_texts."""
    whole_texts: int
    """1: it reads texts whole, so one may have at most max_rows tokens."""
    normalized: int
    """1: vectors have length 1, those that are cut, too."""
    scores_pairs: int
    """1: dimensions is 1, the score, from 0 to 1 as a rule; two numbers can be had: the second is
    the logit, which the score is made of and which tells high ones apart."""
    pooling: Pooling
    """Which of a text's tokens its vector is made of."""
    n_prompts: int
    """See Model.prompt_name."""
    default_prompt: int
    """Number of the one that is used where none is named; -1: none."""


# The fields that are constants.
CONSTANTS = {
    ("MemoryRegion", "segment"): Segment,
    ("EmbedderFacts", "pooling"): Pooling,
}
