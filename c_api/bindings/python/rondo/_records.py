"""What the library tells about models, plans and engines. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."""
from __future__ import annotations

from typing import NamedTuple


class ModelFacts(NamedTuple):
    """rondo_model_facts in rondo.h."""
    vocab_size: int
    context_length: int
    hidden_size: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    bos_token: int
    n_eos_tokens: int
    has_tokenizer: int
    format_version: int
    file_bytes: int
    parameters: int
    tokenizer_bytes: int
    picture_token: int


class AdapterFacts(NamedTuple):
    """rondo_adapter_facts in rondo.h."""
    rank: int
    n_matrices: int
    file_bytes: int


class MemoryPlan(NamedTuple):
    """rondo_memory_plan in rondo.h."""
    n_regions: int
    arena_bytes: int
    arena_alignment: int
    weights_bytes: int
    kv_pool_bytes: int
    sessions_bytes: int
    activations_bytes: int
    workspace_bytes: int
    activations_lower_bound: int
    kv_bytes_per_token: int
    kv_block_tokens: int
    context: int
    max_sessions: int
    max_rows: int
    threads: int
    sink_tokens: int
    kernels: str
    mapped_bytes: int
    kv_tokens: int
    rows_per_step: int


class MemoryRegion(NamedTuple):
    """rondo_memory_region in rondo.h."""
    segment: int
    offset: int
    bytes: int
    first_step: int
    last_step: int
    name: str


class EngineCounters(NamedTuple):
    """rondo_engine_counters in rondo.h."""
    sessions_open: int
    owns_arena: int
    tokens_prefilled: int
    tokens_generated: int
    tokens_taken_over: int
    parallel_faults: int
    passes: int
    rows: int
    prefill_ns: int
    decode_ns: int
    sample_ns: int
    prefix_hits: int
    tokens_evicted: int
    kv_bytes_used: int
    kv_bytes_total: int
    drafts_proposed: int
    drafts_accepted: int


class ProfileEvent(NamedTuple):
    """rondo_profile_event in rondo.h."""
    layer: int
    rows: int
    inputs: int
    outputs: int
    begin_ns: int
    duration_ns: int
    thread: int
    name: str


class ImageFacts(NamedTuple):
    """rondo_image_facts in rondo.h."""
    rows: int
    positions: int
    tile_columns: int
    tile_rows: int
    tile_pixels: int
    whole_width: int
    whole_height: int
    patches: int


class SessionCounters(NamedTuple):
    """rondo_session_counters in rondo.h."""
    tokens_prefilled: int
    tokens_generated: int
    tokens_taken_over: int
    passes: int
    rows: int
    prefill_ns: int
    decode_ns: int
    sample_ns: int
    prefix_hits: int
    tokens_evicted: int
    kv_bytes_held: int
    drafts_proposed: int
    drafts_accepted: int


class EmbedderFacts(NamedTuple):
    """rondo_embedder_facts in rondo.h."""
    dimensions: int
    max_tokens: int
    whole_texts: int
    normalized: int
    scores_pairs: int
    pooling: int
    n_prompts: int
    default_prompt: int
