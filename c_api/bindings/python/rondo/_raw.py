"""The C API as ctypes sees it. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float,
                    c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p)

ABI_VERSION = 13

Task = CFUNCTYPE(None, c_void_p, c_size_t)
EngineOptionsProgress = CFUNCTYPE(c_int32, c_void_p, c_uint64, c_uint64)
EngineOptionsParallelFor = CFUNCTYPE(None, c_void_p, c_size_t, Task, c_void_p)
EngineOptionsLog = CFUNCTYPE(None, c_void_p, c_int32, c_char_p)
LogitsRow = CFUNCTYPE(None, c_void_p, c_size_t, POINTER(c_float), c_size_t)
ImageOptionsProgress = CFUNCTYPE(c_int32, c_void_p, c_uint64, c_uint64)


class ModelPart(Structure):
    _fields_ = [
        ("bytes", c_void_p),
        ("length", c_size_t),
    ]


class ModelFacts(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("vocab_size", c_uint32),
        ("context_length", c_uint32),
        ("hidden_size", c_uint32),
        ("n_layers", c_uint32),
        ("n_heads", c_uint32),
        ("n_kv_heads", c_uint32),
        ("head_dim", c_uint32),
        ("bos_token", c_int32),
        ("n_eos_tokens", c_uint32),
        ("has_tokenizer", c_uint32),
        ("format_version", c_uint32),
        ("file_bytes", c_uint64),
        ("parameters", c_uint64),
        ("tokenizer_bytes", c_uint64),
        ("picture_token", c_int32),
        ("reserved", c_uint32),
    ]


class GrammarOptions(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_int32),
        ("flags", c_uint32),
        ("reserved", c_uint32),
        ("memory_bytes", c_uint64),
    ]


class AdapterFacts(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("rank", c_uint32),
        ("n_matrices", c_uint32),
        ("reserved", c_uint32),
        ("file_bytes", c_uint64),
    ]


class EngineOptions(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("context", c_uint32),
        ("max_sessions", c_uint32),
        ("max_rows", c_uint32),
        ("threads", c_uint32),
        ("context_policy", c_int32),
        ("sink_tokens", c_uint32),
        ("kv_format", c_int32),
        ("kernels", c_char_p),
        ("progress", EngineOptionsProgress),
        ("progress_user", c_void_p),
        ("kv_tokens", c_uint32),
        ("rows_per_step", c_uint32),
        ("no_prefix_cache", c_uint32),
        ("profile_events", c_uint32),
        ("parallel_for", EngineOptionsParallelFor),
        ("parallel_user", c_void_p),
        ("log", EngineOptionsLog),
        ("log_user", c_void_p),
        ("log_level", c_int32),
        ("duty_percent", c_uint32),
        ("draft", c_void_p),
        ("draft_head", c_uint32),
        ("reserved", c_uint32),
        ("cpus", POINTER(c_uint32)),
        ("n_cpus", c_uint32),
        ("affinity", c_int32),
        ("adapter_rank", c_uint32),
        ("reserved2", c_uint32),
        ("max_input_rows", c_uint32),
        ("reserved3", c_uint32),
        ("max_media_rows", c_uint32),
        ("reserved4", c_uint32),
    ]


class MemoryPlan(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("n_regions", c_uint32),
        ("arena_bytes", c_uint64),
        ("arena_alignment", c_uint64),
        ("weights_bytes", c_uint64),
        ("kv_pool_bytes", c_uint64),
        ("sessions_bytes", c_uint64),
        ("activations_bytes", c_uint64),
        ("workspace_bytes", c_uint64),
        ("activations_lower_bound", c_uint64),
        ("kv_bytes_per_token", c_uint64),
        ("kv_block_tokens", c_uint32),
        ("context", c_uint32),
        ("max_sessions", c_uint32),
        ("max_rows", c_uint32),
        ("threads", c_uint32),
        ("sink_tokens", c_uint32),
        ("kernels", c_char_p),
        ("mapped_bytes", c_uint64),
        ("kv_tokens", c_uint64),
        ("rows_per_step", c_uint32),
        ("reserved", c_uint32),
    ]


class MemoryRegion(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("segment", c_int32),
        ("offset", c_uint64),
        ("bytes", c_uint64),
        ("first_step", c_int32),
        ("last_step", c_int32),
        ("name", c_char * 48),
    ]


class EngineCounters(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("sessions_open", c_uint32),
        ("owns_arena", c_uint32),
        ("reserved", c_uint32),
        ("tokens_prefilled", c_uint64),
        ("tokens_generated", c_uint64),
        ("tokens_taken_over", c_uint64),
        ("parallel_faults", c_uint64),
        ("passes", c_uint64),
        ("rows", c_uint64),
        ("prefill_ns", c_uint64),
        ("decode_ns", c_uint64),
        ("sample_ns", c_uint64),
        ("prefix_hits", c_uint64),
        ("tokens_evicted", c_uint64),
        ("kv_bytes_used", c_uint64),
        ("kv_bytes_total", c_uint64),
        ("drafts_proposed", c_uint64),
        ("drafts_accepted", c_uint64),
    ]


class ProfileEvent(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("layer", c_int32),
        ("rows", c_uint32),
        ("inputs", c_uint32),
        ("outputs", c_uint32),
        ("reserved", c_uint32),
        ("begin_ns", c_uint64),
        ("duration_ns", c_uint64),
        ("thread", c_uint64),
        ("name", c_char_p),
    ]


class LogitBias(Structure):
    _fields_ = [
        ("token", c_int32),
        ("bias", c_float),
    ]


class SessionOptions(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("temperature", c_float),
        ("top_k", c_int32),
        ("top_p", c_float),
        ("min_p", c_float),
        ("repetition_penalty", c_float),
        ("presence_penalty", c_float),
        ("frequency_penalty", c_float),
        ("penalty_last_n", c_int32),
        ("ignore_eos", c_uint32),
        ("logprobs", c_uint32),
        ("no_repeat_ngram_size", c_uint32),
        ("seed", c_uint64),
        ("max_tokens", c_uint64),
        ("logit_bias", POINTER(LogitBias)),
        ("n_logit_bias", c_size_t),
        ("stop_strings", POINTER(c_char_p)),
        ("n_stop_strings", c_size_t),
        ("speculation", c_int32),
        ("max_drafts", c_uint32),
        ("grammar", c_void_p),
        ("grammar_begin", c_int32),
        ("grammar_token", c_int32),
        ("grammar_goes_on", c_uint32),
        ("thinking", c_uint32),
        ("thinking_begin", c_char_p),
        ("thinking_end", c_char_p),
        ("thinking_tokens", c_uint64),
        ("adapter", c_void_p),
    ]


class Event(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("token", c_int32),
        ("logprob", c_float),
        ("reason", c_int32),
        ("bytes", c_void_p),
        ("bytes_count", c_size_t),
        ("text", c_void_p),
        ("text_bytes", c_size_t),
        ("pending", c_uint64),
        ("taken_over", c_uint64),
        ("channel", c_int32),
        ("reserved", c_uint32),
    ]


class Input(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("row_format", c_int32),
        ("ids", POINTER(c_int32)),
        ("rows", c_void_p),
        ("count", c_size_t),
        ("coordinates", POINTER(c_int32)),
        ("sees_whole", c_uint32),
        ("reserved", c_uint32),
    ]


class Image(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("format", c_int32),
        ("width", c_uint32),
        ("height", c_uint32),
        ("plane0", c_void_p),
        ("plane1", c_void_p),
        ("plane2", c_void_p),
        ("stride0", c_size_t),
        ("stride1", c_size_t),
        ("stride2", c_size_t),
        ("rotation", c_uint32),
        ("mirror", c_uint32),
        ("yuv_range", c_int32),
        ("yuv_matrix", c_int32),
    ]


class ImageOptions(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("min_tokens", c_uint32),
        ("max_tokens", c_uint32),
        ("one_tile", c_uint32),
        ("progress", ImageOptionsProgress),
        ("progress_user", c_void_p),
    ]


class ImageFacts(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("rows", c_uint32),
        ("positions", c_uint32),
        ("tile_columns", c_uint32),
        ("tile_rows", c_uint32),
        ("tile_pixels", c_uint32),
        ("whole_width", c_uint32),
        ("whole_height", c_uint32),
        ("patches", c_uint64),
    ]


class SessionCounters(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("tokens_prefilled", c_uint64),
        ("tokens_generated", c_uint64),
        ("tokens_taken_over", c_uint64),
        ("passes", c_uint64),
        ("rows", c_uint64),
        ("prefill_ns", c_uint64),
        ("decode_ns", c_uint64),
        ("sample_ns", c_uint64),
        ("prefix_hits", c_uint64),
        ("tokens_evicted", c_uint64),
        ("kv_bytes_held", c_uint64),
        ("drafts_proposed", c_uint64),
        ("drafts_accepted", c_uint64),
    ]


class ChatOptions(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("local_time", c_int64),
        ("messages", c_void_p),
        ("messages_bytes", c_size_t),
        ("tools", c_void_p),
        ("tools_bytes", c_size_t),
        ("variables", c_void_p),
        ("variables_bytes", c_size_t),
        ("template_name", c_char_p),
        ("template_text", c_void_p),
        ("template_bytes", c_size_t),
    ]


class ChatPart(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_int32),
        ("call", c_uint64),
        ("text", c_void_p),
        ("text_bytes", c_size_t),
        ("name", c_void_p),
        ("name_bytes", c_size_t),
        ("id", c_void_p),
        ("id_bytes", c_size_t),
    ]


class EmbedderFacts(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("dimensions", c_uint32),
        ("max_tokens", c_uint32),
        ("whole_texts", c_uint32),
        ("normalized", c_uint32),
        ("scores_pairs", c_uint32),
        ("pooling", c_int32),
        ("n_prompts", c_uint32),
        ("default_prompt", c_int32),
        ("reserved", c_uint32),
    ]


# What each function returns and takes.
PROTOTYPES = {
    "rondo_abi_version": (c_uint32, []),
    "rondo_version_string": (c_char_p, []),
    "rondo_status_string": (c_char_p, [c_int32]),
    "rondo_query": (c_int32, [c_char_p, POINTER(c_int64)]),
    "rondo_model_open_path": (c_int32, [c_uint32, c_char_p, POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_model_open_fd": (c_int32, [c_uint32, c_int32, c_uint64, c_uint64, POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_model_open_memory": (c_int32, [c_uint32, c_void_p, c_size_t, POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_model_open_parts": (c_int32, [c_uint32, POINTER(ModelPart), c_uint32, POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_model_close": (None, [c_void_p]),
    "rondo_model_info": (c_int32, [c_void_p, POINTER(ModelFacts)]),
    "rondo_model_eos_token": (c_int32, [c_void_p, c_uint32, POINTER(c_int32)]),
    "rondo_model_fact": (c_int32, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "rondo_model_fact_key": (c_int32, [c_void_p, c_uint32, c_char_p, c_size_t, POINTER(c_size_t)]),
    "rondo_tokenize": (c_int32, [c_void_p, c_char_p, c_size_t, c_uint32, POINTER(c_int32), c_size_t, POINTER(c_size_t)]),
    "rondo_detokenize": (c_int32, [c_void_p, POINTER(c_int32), c_size_t, c_uint32, c_char_p, c_size_t, POINTER(c_size_t)]),
    "rondo_grammar_options_init": (c_int32, [POINTER(GrammarOptions), c_size_t]),
    "rondo_grammar_plan": (c_int32, [c_void_p, POINTER(GrammarOptions), c_size_t, POINTER(c_uint64), c_char_p, c_size_t]),
    "rondo_grammar_create": (c_int32, [c_void_p, POINTER(GrammarOptions), c_char_p, c_size_t, c_void_p, c_size_t, POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_grammar_close": (None, [c_void_p]),
    "rondo_adapter_open_path": (c_int32, [c_void_p, c_char_p, POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_adapter_open_memory": (c_int32, [c_void_p, c_void_p, c_size_t, POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_adapter_close": (None, [c_void_p]),
    "rondo_adapter_info": (c_int32, [c_void_p, POINTER(AdapterFacts)]),
    "rondo_engine_options_init": (c_int32, [POINTER(EngineOptions), c_size_t]),
    "rondo_plan": (c_int32, [c_void_p, POINTER(EngineOptions), POINTER(MemoryPlan), c_char_p, c_size_t]),
    "rondo_plan_region": (c_int32, [c_void_p, POINTER(EngineOptions), c_uint32, POINTER(MemoryRegion)]),
    "rondo_plan_fit": (c_int32, [c_void_p, POINTER(EngineOptions), c_uint64, POINTER(c_uint32), c_char_p, c_size_t]),
    "rondo_engine_create": (c_int32, [c_void_p, POINTER(EngineOptions), c_void_p, c_size_t, POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_engine_close": (None, [c_void_p]),
    "rondo_engine_memory": (c_int32, [c_void_p, POINTER(MemoryPlan)]),
    "rondo_engine_memory_region": (c_int32, [c_void_p, c_uint32, POINTER(MemoryRegion)]),
    "rondo_engine_stats": (c_int32, [c_void_p, POINTER(EngineCounters)]),
    "rondo_engine_profile": (c_int32, [c_void_p, POINTER(c_uint64), POINTER(ProfileEvent)]),
    "rondo_session_options_init": (c_int32, [POINTER(SessionOptions), c_size_t]),
    "rondo_model_session_options": (c_int32, [c_void_p, POINTER(SessionOptions)]),
    "rondo_session_open": (c_int32, [c_void_p, POINTER(SessionOptions), POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_session_fork": (c_int32, [c_void_p, POINTER(SessionOptions), POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_session_close": (None, [c_void_p]),
    "rondo_session_prefill": (c_int32, [c_void_p, POINTER(c_int32), c_size_t]),
    "rondo_session_prefill_logits": (c_int32, [c_void_p, POINTER(c_int32), c_size_t, LogitsRow, c_void_p]),
    "rondo_session_next": (c_int32, [c_void_p, POINTER(Event)]),
    "rondo_session_append": (c_int32, [c_void_p, POINTER(c_int32), c_size_t]),
    "rondo_session_append_inputs": (c_int32, [c_void_p, POINTER(Input), c_size_t]),
    "rondo_image_options_init": (c_int32, [POINTER(ImageOptions), c_size_t]),
    "rondo_image_plan": (c_int32, [c_void_p, c_uint32, c_uint32, POINTER(ImageOptions), POINTER(ImageFacts), c_char_p, c_size_t]),
    "rondo_media_create": (c_int32, [c_void_p, POINTER(Image), POINTER(ImageOptions), POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_media_info": (c_int32, [c_void_p, POINTER(ImageFacts)]),
    "rondo_media_close": (None, [c_void_p]),
    "rondo_session_append_media": (c_int32, [c_void_p, POINTER(c_int32), c_size_t, POINTER(c_void_p), c_size_t]),
    "rondo_engine_step": (c_int32, [c_void_p, POINTER(c_void_p), c_size_t, c_char_p, c_size_t]),
    "rondo_session_event": (c_int32, [c_void_p, POINTER(Event)]),
    "rondo_session_logits": (c_int32, [c_void_p, POINTER(POINTER(c_float)), POINTER(c_size_t)]),
    "rondo_session_propose": (c_int32, [c_void_p, POINTER(c_int32), c_size_t]),
    "rondo_session_accept": (c_int32, [c_void_p, c_int32]),
    "rondo_session_undo": (c_int32, [c_void_p, c_uint64]),
    "rondo_session_reset": (c_int32, [c_void_p]),
    "rondo_session_position": (c_int32, [c_void_p, POINTER(c_uint64)]),
    "rondo_session_remaining": (c_int32, [c_void_p, POINTER(c_uint64)]),
    "rondo_session_evicted": (c_int32, [c_void_p, POINTER(c_uint64), POINTER(c_uint64)]),
    "rondo_session_progress": (c_int32, [c_void_p, POINTER(c_uint64), POINTER(c_uint64)]),
    "rondo_session_stats": (c_int32, [c_void_p, POINTER(SessionCounters)]),
    "rondo_session_cancel": (c_int32, [c_void_p]),
    "rondo_session_call": (c_int32, [c_void_p, POINTER(c_uint64)]),
    "rondo_session_cancel_call": (c_int32, [c_void_p, c_uint64]),
    "rondo_session_last_error": (c_char_p, [c_void_p]),
    "rondo_session_save": (c_int32, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t)]),
    "rondo_session_restore": (c_int32, [c_void_p, c_void_p, c_size_t]),
    "rondo_session_tokens": (c_int32, [c_void_p, POINTER(c_uint64), POINTER(c_int32), c_size_t, POINTER(c_size_t)]),
    "rondo_model_chat_template_name": (c_int32, [c_void_p, c_uint32, c_char_p, c_size_t, POINTER(c_size_t)]),
    "rondo_model_chat_template": (c_int32, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "rondo_chat_options_init": (c_int32, [POINTER(ChatOptions), c_size_t]),
    "rondo_chat_render": (c_int32, [c_void_p, POINTER(ChatOptions), c_char_p, c_size_t, POINTER(c_size_t), POINTER(c_int32), c_size_t, POINTER(c_size_t), c_char_p, c_size_t]),
    "rondo_chat_parser_create": (c_int32, [c_void_p, POINTER(ChatOptions), POINTER(c_void_p), c_char_p, c_size_t]),
    "rondo_chat_parser_push": (c_int32, [c_void_p, c_char_p, c_size_t, c_int32]),
    "rondo_chat_parser_next": (c_int32, [c_void_p, POINTER(ChatPart)]),
    "rondo_chat_parser_reset": (c_int32, [c_void_p]),
    "rondo_chat_parser_close": (None, [c_void_p]),
    "rondo_chat_grammar": (c_int32, [c_void_p, POINTER(ChatOptions), c_int32, c_char_p, c_char_p, c_size_t, POINTER(c_size_t), c_char_p, c_size_t]),
    "rondo_chat_thinking": (c_int32, [c_void_p, POINTER(ChatOptions), c_char_p, c_size_t, POINTER(c_size_t), c_char_p, c_size_t, POINTER(c_size_t), c_char_p, c_size_t]),
    "rondo_model_embedder": (c_int32, [c_void_p, POINTER(EmbedderFacts)]),
    "rondo_model_prompt_name": (c_int32, [c_void_p, c_uint32, c_char_p, c_size_t, POINTER(c_size_t)]),
    "rondo_embedding_text": (c_int32, [c_void_p, c_char_p, c_char_p, c_size_t, c_char_p, c_size_t, POINTER(c_size_t)]),
    "rondo_pair_text": (c_int32, [c_void_p, c_char_p, c_char_p, c_size_t, c_char_p, c_size_t, c_char_p, c_size_t, POINTER(c_size_t)]),
    "rondo_session_embed": (c_int32, [c_void_p, POINTER(c_int32), c_size_t, POINTER(c_float), c_size_t]),
    "rondo_engine_embed": (c_int32, [c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_int32), POINTER(c_size_t), c_size_t, POINTER(c_float), c_size_t, c_char_p, c_size_t]),
}
