// clang-format off
/* The API's functions and structs as the addon's tables. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit. */
#include <stdlib.h>

#include "rondo_node.h"

static const char* const names_rondo_grammar_kind[] = {
    "JSON_SCHEMA",
    "PATTERN",
    "GBNF",
};
static const int32_t values_rondo_grammar_kind[] = {0, 1, 2};
static const struct enumeration enum_rondo_grammar_kind = {
    "GrammarKind", 3, names_rondo_grammar_kind, values_rondo_grammar_kind};

static const char* const names_rondo_policy[] = {
    "STOP",
    "SLIDE",
};
static const int32_t values_rondo_policy[] = {0, 1};
static const struct enumeration enum_rondo_policy = {
    "Policy", 2, names_rondo_policy, values_rondo_policy};

static const char* const names_rondo_kv[] = {
    "INT8",
    "FLOAT32",
    "K8V4",
    "K4V4",
};
static const int32_t values_rondo_kv[] = {0, 1, 2, 3};
static const struct enumeration enum_rondo_kv = {
    "Kv", 4, names_rondo_kv, values_rondo_kv};

static const char* const names_rondo_log[] = {
    "WARNING",
    "INFO",
    "DEBUG",
};
static const int32_t values_rondo_log[] = {0, 1, 2};
static const struct enumeration enum_rondo_log = {
    "Log", 3, names_rondo_log, values_rondo_log};

static const char* const names_rondo_affinity[] = {
    "SYSTEM",
    "PERFORMANCE",
    "CPUS",
};
static const int32_t values_rondo_affinity[] = {0, 1, 2};
static const struct enumeration enum_rondo_affinity = {
    "Affinity", 3, names_rondo_affinity, values_rondo_affinity};

static const char* const names_rondo_segment[] = {
    "WEIGHTS",
    "KV_POOL",
    "SESSIONS",
    "ACTIVATIONS",
    "WORKSPACE",
};
static const int32_t values_rondo_segment[] = {0, 1, 2, 3, 4};
static const struct enumeration enum_rondo_segment = {
    "Segment", 5, names_rondo_segment, values_rondo_segment};

static const char* const names_rondo_speculation[] = {
    "NONE",
    "PROMPT_LOOKUP",
    "DRAFT_MODEL",
    "DRAFT_HEAD",
};
static const int32_t values_rondo_speculation[] = {0, 1, 2, 3};
static const struct enumeration enum_rondo_speculation = {
    "Speculation", 4, names_rondo_speculation, values_rondo_speculation};

static const char* const names_rondo_grammar_begin[] = {
    "AT_ONCE",
    "AFTER_TOKEN",
    "AFTER_THINKING",
};
static const int32_t values_rondo_grammar_begin[] = {0, 1, 2};
static const struct enumeration enum_rondo_grammar_begin = {
    "GrammarBegin", 3, names_rondo_grammar_begin, values_rondo_grammar_begin};

static const char* const names_rondo_reason[] = {
    "NONE",
    "EOS",
    "STOP_STRING",
    "TOKEN_LIMIT",
    "CONTEXT_FULL",
    "GRAMMAR",
};
static const int32_t values_rondo_reason[] = {0, 1, 2, 3, 4, 5};
static const struct enumeration enum_rondo_reason = {
    "Reason", 6, names_rondo_reason, values_rondo_reason};

static const char* const names_rondo_channel[] = {
    "TEXT",
    "THINKING",
};
static const int32_t values_rondo_channel[] = {0, 1};
static const struct enumeration enum_rondo_channel = {
    "Channel", 2, names_rondo_channel, values_rondo_channel};

static const char* const names_rondo_rows[] = {
    "FLOAT32",
    "BFLOAT16",
};
static const int32_t values_rondo_rows[] = {0, 1};
static const struct enumeration enum_rondo_rows = {
    "Rows", 2, names_rondo_rows, values_rondo_rows};

static const char* const names_rondo_pixels[] = {
    "RGB8",
    "RGBA8",
    "BGRA8",
    "GRAY8",
    "NV12",
    "NV21",
    "I420",
};
static const int32_t values_rondo_pixels[] = {0, 1, 2, 3, 4, 5, 6};
static const struct enumeration enum_rondo_pixels = {
    "Pixels", 7, names_rondo_pixels, values_rondo_pixels};

static const char* const names_rondo_yuv_range[] = {
    "VIDEO",
    "FULL",
};
static const int32_t values_rondo_yuv_range[] = {0, 1};
static const struct enumeration enum_rondo_yuv_range = {
    "YuvRange", 2, names_rondo_yuv_range, values_rondo_yuv_range};

static const char* const names_rondo_yuv_matrix[] = {
    "BT601",
    "BT709",
};
static const int32_t values_rondo_yuv_matrix[] = {0, 1};
static const struct enumeration enum_rondo_yuv_matrix = {
    "YuvMatrix", 2, names_rondo_yuv_matrix, values_rondo_yuv_matrix};

static const char* const names_rondo_chat_part_kind[] = {
    "NONE",
    "CONTENT",
    "THINKING",
    "CALL",
    "ARGUMENTS",
    "CALL_END",
};
static const int32_t values_rondo_chat_part_kind[] = {0, 1, 2, 3, 4, 5};
static const struct enumeration enum_rondo_chat_part_kind = {
    "ChatPartKind", 6, names_rondo_chat_part_kind, values_rondo_chat_part_kind};

static const char* const names_rondo_calls[] = {
    "AUTO",
    "REQUIRED",
    "ONE",
};
static const int32_t values_rondo_calls[] = {0, 1, 2};
static const struct enumeration enum_rondo_calls = {
    "Calls", 3, names_rondo_calls, values_rondo_calls};

static const char* const names_rondo_pooling[] = {
    "MEAN",
    "LAST",
    "FIRST",
};
static const int32_t values_rondo_pooling[] = {0, 1, 2};
static const struct enumeration enum_rondo_pooling = {
    "Pooling", 3, names_rondo_pooling, values_rondo_pooling};

static const struct field fields_rondo_model_facts[] = {
    {.name = "vocabSize", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, vocab_size)},
    {.name = "contextLength", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, context_length)},
    {.name = "hiddenSize", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, hidden_size)},
    {.name = "nLayers", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, n_layers)},
    {.name = "nHeads", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, n_heads)},
    {.name = "nKvHeads", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, n_kv_heads)},
    {.name = "headDim", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, head_dim)},
    {.name = "bosToken", .kind = KIND_I32, .offset = offsetof(rondo_model_facts, bos_token)},
    {.name = "nEosTokens", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, n_eos_tokens)},
    {.name = "hasTokenizer", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, has_tokenizer)},
    {.name = "formatVersion", .kind = KIND_U32, .offset = offsetof(rondo_model_facts, format_version)},
    {.name = "fileBytes", .kind = KIND_U64, .offset = offsetof(rondo_model_facts, file_bytes)},
    {.name = "parameters", .kind = KIND_U64, .offset = offsetof(rondo_model_facts, parameters)},
    {.name = "tokenizerBytes", .kind = KIND_U64, .offset = offsetof(rondo_model_facts, tokenizer_bytes)},
    {.name = "pictureToken", .kind = KIND_I32, .offset = offsetof(rondo_model_facts, picture_token)},
};
static const struct structure struct_rondo_model_facts = {
    "rondo_model_facts", sizeof(rondo_model_facts), true, NULL,
    fields_rondo_model_facts, sizeof fields_rondo_model_facts / sizeof *fields_rondo_model_facts};

static int32_t init_rondo_grammar_options(const struct library* library, void* options) {
  return library->rondo_grammar_options_init(options, sizeof(rondo_grammar_options));
}
static const struct field fields_rondo_grammar_options[] = {
    {.name = "kind", .kind = KIND_ENUM, .offset = offsetof(rondo_grammar_options, kind), .enumeration = &enum_rondo_grammar_kind},
    {.name = "flags", .kind = KIND_U32, .offset = offsetof(rondo_grammar_options, flags)},
    {.name = "memoryBytes", .kind = KIND_U64, .offset = offsetof(rondo_grammar_options, memory_bytes)},
};
static const struct structure struct_rondo_grammar_options = {
    "rondo_grammar_options", sizeof(rondo_grammar_options), true, init_rondo_grammar_options,
    fields_rondo_grammar_options, sizeof fields_rondo_grammar_options / sizeof *fields_rondo_grammar_options};

static const struct field fields_rondo_adapter_facts[] = {
    {.name = "rank", .kind = KIND_U32, .offset = offsetof(rondo_adapter_facts, rank)},
    {.name = "nMatrices", .kind = KIND_U32, .offset = offsetof(rondo_adapter_facts, n_matrices)},
    {.name = "fileBytes", .kind = KIND_U64, .offset = offsetof(rondo_adapter_facts, file_bytes)},
};
static const struct structure struct_rondo_adapter_facts = {
    "rondo_adapter_facts", sizeof(rondo_adapter_facts), true, NULL,
    fields_rondo_adapter_facts, sizeof fields_rondo_adapter_facts / sizeof *fields_rondo_adapter_facts};

static int32_t init_rondo_engine_options(const struct library* library, void* options) {
  return library->rondo_engine_options_init(options, sizeof(rondo_engine_options));
}
static const struct field fields_rondo_engine_options[] = {
    {.name = "context", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, context)},
    {.name = "maxSessions", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, max_sessions)},
    {.name = "maxRows", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, max_rows)},
    {.name = "threads", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, threads)},
    {.name = "contextPolicy", .kind = KIND_ENUM, .offset = offsetof(rondo_engine_options, context_policy), .enumeration = &enum_rondo_policy},
    {.name = "sinkTokens", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, sink_tokens)},
    {.name = "kvFormat", .kind = KIND_ENUM, .offset = offsetof(rondo_engine_options, kv_format), .enumeration = &enum_rondo_kv},
    {.name = "kernels", .kind = KIND_TEXT, .offset = offsetof(rondo_engine_options, kernels)},
    {.name = "progress", .kind = KIND_PROGRESS, .offset = offsetof(rondo_engine_options, progress), .count = offsetof(rondo_engine_options, progress_user)},
    {.name = "kvTokens", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, kv_tokens)},
    {.name = "rowsPerStep", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, rows_per_step)},
    {.name = "noPrefixCache", .kind = KIND_FLAG, .offset = offsetof(rondo_engine_options, no_prefix_cache)},
    {.name = "profileEvents", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, profile_events)},
    {.name = "log", .kind = KIND_LOG, .offset = offsetof(rondo_engine_options, log), .count = offsetof(rondo_engine_options, log_user)},
    {.name = "logLevel", .kind = KIND_ENUM, .offset = offsetof(rondo_engine_options, log_level), .enumeration = &enum_rondo_log},
    {.name = "dutyPercent", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, duty_percent)},
    {.name = "draft", .kind = KIND_HANDLE, .offset = offsetof(rondo_engine_options, draft), .handle = HANDLE_MODEL},
    {.name = "draftHead", .kind = KIND_FLAG, .offset = offsetof(rondo_engine_options, draft_head)},
    {.name = "cpus", .kind = KIND_U32_LIST, .offset = offsetof(rondo_engine_options, cpus), .count = offsetof(rondo_engine_options, n_cpus)},
    {.name = "affinity", .kind = KIND_ENUM, .offset = offsetof(rondo_engine_options, affinity), .enumeration = &enum_rondo_affinity},
    {.name = "adapterRank", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, adapter_rank)},
    {.name = "maxInputRows", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, max_input_rows)},
    {.name = "maxMediaRows", .kind = KIND_U32, .offset = offsetof(rondo_engine_options, max_media_rows)},
};
static const struct structure struct_rondo_engine_options = {
    "rondo_engine_options", sizeof(rondo_engine_options), true, init_rondo_engine_options,
    fields_rondo_engine_options, sizeof fields_rondo_engine_options / sizeof *fields_rondo_engine_options};

static const struct field fields_rondo_memory_plan[] = {
    {.name = "nRegions", .kind = KIND_U32, .offset = offsetof(rondo_memory_plan, n_regions)},
    {.name = "arenaBytes", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, arena_bytes)},
    {.name = "arenaAlignment", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, arena_alignment)},
    {.name = "weightsBytes", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, weights_bytes)},
    {.name = "kvPoolBytes", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, kv_pool_bytes)},
    {.name = "sessionsBytes", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, sessions_bytes)},
    {.name = "activationsBytes", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, activations_bytes)},
    {.name = "workspaceBytes", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, workspace_bytes)},
    {.name = "activationsLowerBound", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, activations_lower_bound)},
    {.name = "kvBytesPerToken", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, kv_bytes_per_token)},
    {.name = "kvBlockTokens", .kind = KIND_U32, .offset = offsetof(rondo_memory_plan, kv_block_tokens)},
    {.name = "context", .kind = KIND_U32, .offset = offsetof(rondo_memory_plan, context)},
    {.name = "maxSessions", .kind = KIND_U32, .offset = offsetof(rondo_memory_plan, max_sessions)},
    {.name = "maxRows", .kind = KIND_U32, .offset = offsetof(rondo_memory_plan, max_rows)},
    {.name = "threads", .kind = KIND_U32, .offset = offsetof(rondo_memory_plan, threads)},
    {.name = "sinkTokens", .kind = KIND_U32, .offset = offsetof(rondo_memory_plan, sink_tokens)},
    {.name = "kernels", .kind = KIND_TEXT, .offset = offsetof(rondo_memory_plan, kernels)},
    {.name = "mappedBytes", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, mapped_bytes)},
    {.name = "kvTokens", .kind = KIND_U64, .offset = offsetof(rondo_memory_plan, kv_tokens)},
    {.name = "rowsPerStep", .kind = KIND_U32, .offset = offsetof(rondo_memory_plan, rows_per_step)},
};
static const struct structure struct_rondo_memory_plan = {
    "rondo_memory_plan", sizeof(rondo_memory_plan), true, NULL,
    fields_rondo_memory_plan, sizeof fields_rondo_memory_plan / sizeof *fields_rondo_memory_plan};

static const struct field fields_rondo_memory_region[] = {
    {.name = "segment", .kind = KIND_ENUM, .offset = offsetof(rondo_memory_region, segment), .enumeration = &enum_rondo_segment},
    {.name = "offset", .kind = KIND_U64, .offset = offsetof(rondo_memory_region, offset)},
    {.name = "bytes", .kind = KIND_U64, .offset = offsetof(rondo_memory_region, bytes)},
    {.name = "firstStep", .kind = KIND_I32, .offset = offsetof(rondo_memory_region, first_step)},
    {.name = "lastStep", .kind = KIND_I32, .offset = offsetof(rondo_memory_region, last_step)},
    {.name = "name", .kind = KIND_CHARS, .offset = offsetof(rondo_memory_region, name), .chars = 48},
};
static const struct structure struct_rondo_memory_region = {
    "rondo_memory_region", sizeof(rondo_memory_region), true, NULL,
    fields_rondo_memory_region, sizeof fields_rondo_memory_region / sizeof *fields_rondo_memory_region};

static const struct field fields_rondo_engine_counters[] = {
    {.name = "sessionsOpen", .kind = KIND_U32, .offset = offsetof(rondo_engine_counters, sessions_open)},
    {.name = "ownsArena", .kind = KIND_U32, .offset = offsetof(rondo_engine_counters, owns_arena)},
    {.name = "tokensPrefilled", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, tokens_prefilled)},
    {.name = "tokensGenerated", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, tokens_generated)},
    {.name = "tokensTakenOver", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, tokens_taken_over)},
    {.name = "parallelFaults", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, parallel_faults)},
    {.name = "passes", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, passes)},
    {.name = "rows", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, rows)},
    {.name = "prefillNs", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, prefill_ns)},
    {.name = "decodeNs", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, decode_ns)},
    {.name = "sampleNs", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, sample_ns)},
    {.name = "prefixHits", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, prefix_hits)},
    {.name = "tokensEvicted", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, tokens_evicted)},
    {.name = "kvBytesUsed", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, kv_bytes_used)},
    {.name = "kvBytesTotal", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, kv_bytes_total)},
    {.name = "draftsProposed", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, drafts_proposed)},
    {.name = "draftsAccepted", .kind = KIND_U64, .offset = offsetof(rondo_engine_counters, drafts_accepted)},
};
static const struct structure struct_rondo_engine_counters = {
    "rondo_engine_counters", sizeof(rondo_engine_counters), true, NULL,
    fields_rondo_engine_counters, sizeof fields_rondo_engine_counters / sizeof *fields_rondo_engine_counters};

static const struct field fields_rondo_profile_event[] = {
    {.name = "layer", .kind = KIND_I32, .offset = offsetof(rondo_profile_event, layer)},
    {.name = "rows", .kind = KIND_U32, .offset = offsetof(rondo_profile_event, rows)},
    {.name = "inputs", .kind = KIND_U32, .offset = offsetof(rondo_profile_event, inputs)},
    {.name = "outputs", .kind = KIND_U32, .offset = offsetof(rondo_profile_event, outputs)},
    {.name = "beginNs", .kind = KIND_U64, .offset = offsetof(rondo_profile_event, begin_ns)},
    {.name = "durationNs", .kind = KIND_U64, .offset = offsetof(rondo_profile_event, duration_ns)},
    {.name = "thread", .kind = KIND_U64, .offset = offsetof(rondo_profile_event, thread)},
    {.name = "name", .kind = KIND_TEXT, .offset = offsetof(rondo_profile_event, name)},
};
static const struct structure struct_rondo_profile_event = {
    "rondo_profile_event", sizeof(rondo_profile_event), true, NULL,
    fields_rondo_profile_event, sizeof fields_rondo_profile_event / sizeof *fields_rondo_profile_event};

static const struct field fields_rondo_logit_bias[] = {
    {.name = "token", .kind = KIND_I32, .offset = offsetof(rondo_logit_bias, token)},
    {.name = "bias", .kind = KIND_FLOAT, .offset = offsetof(rondo_logit_bias, bias)},
};
static const struct structure struct_rondo_logit_bias = {
    "rondo_logit_bias", sizeof(rondo_logit_bias), false, NULL,
    fields_rondo_logit_bias, sizeof fields_rondo_logit_bias / sizeof *fields_rondo_logit_bias};

static int32_t init_rondo_session_options(const struct library* library, void* options) {
  return library->rondo_session_options_init(options, sizeof(rondo_session_options));
}
static const struct field fields_rondo_session_options[] = {
    {.name = "temperature", .kind = KIND_FLOAT, .offset = offsetof(rondo_session_options, temperature)},
    {.name = "topK", .kind = KIND_I32, .offset = offsetof(rondo_session_options, top_k)},
    {.name = "topP", .kind = KIND_FLOAT, .offset = offsetof(rondo_session_options, top_p)},
    {.name = "minP", .kind = KIND_FLOAT, .offset = offsetof(rondo_session_options, min_p)},
    {.name = "repetitionPenalty", .kind = KIND_FLOAT, .offset = offsetof(rondo_session_options, repetition_penalty)},
    {.name = "presencePenalty", .kind = KIND_FLOAT, .offset = offsetof(rondo_session_options, presence_penalty)},
    {.name = "frequencyPenalty", .kind = KIND_FLOAT, .offset = offsetof(rondo_session_options, frequency_penalty)},
    {.name = "penaltyLastN", .kind = KIND_I32, .offset = offsetof(rondo_session_options, penalty_last_n)},
    {.name = "ignoreEos", .kind = KIND_FLAG, .offset = offsetof(rondo_session_options, ignore_eos)},
    {.name = "logprobs", .kind = KIND_FLAG, .offset = offsetof(rondo_session_options, logprobs)},
    {.name = "noRepeatNgramSize", .kind = KIND_U32, .offset = offsetof(rondo_session_options, no_repeat_ngram_size)},
    {.name = "seed", .kind = KIND_U64, .offset = offsetof(rondo_session_options, seed)},
    {.name = "maxTokens", .kind = KIND_U64, .offset = offsetof(rondo_session_options, max_tokens)},
    {.name = "logitBias", .kind = KIND_STRUCT_LIST, .offset = offsetof(rondo_session_options, logit_bias), .count = offsetof(rondo_session_options, n_logit_bias), .wide = 1, .structure = &struct_rondo_logit_bias},
    {.name = "stop", .kind = KIND_TEXT_LIST, .offset = offsetof(rondo_session_options, stop_strings), .count = offsetof(rondo_session_options, n_stop_strings), .wide = 1},
    {.name = "speculation", .kind = KIND_ENUM, .offset = offsetof(rondo_session_options, speculation), .enumeration = &enum_rondo_speculation},
    {.name = "maxDrafts", .kind = KIND_U32, .offset = offsetof(rondo_session_options, max_drafts)},
    {.name = "grammar", .kind = KIND_HANDLE, .offset = offsetof(rondo_session_options, grammar), .handle = HANDLE_GRAMMAR},
    {.name = "grammarBegin", .kind = KIND_ENUM, .offset = offsetof(rondo_session_options, grammar_begin), .enumeration = &enum_rondo_grammar_begin},
    {.name = "grammarToken", .kind = KIND_I32, .offset = offsetof(rondo_session_options, grammar_token)},
    {.name = "grammarGoesOn", .kind = KIND_FLAG, .offset = offsetof(rondo_session_options, grammar_goes_on)},
    {.name = "thinking", .kind = KIND_FLAG, .offset = offsetof(rondo_session_options, thinking)},
    {.name = "thinkingBegin", .kind = KIND_TEXT, .offset = offsetof(rondo_session_options, thinking_begin)},
    {.name = "thinkingEnd", .kind = KIND_TEXT, .offset = offsetof(rondo_session_options, thinking_end)},
    {.name = "thinkingTokens", .kind = KIND_U64, .offset = offsetof(rondo_session_options, thinking_tokens)},
    {.name = "adapter", .kind = KIND_HANDLE, .offset = offsetof(rondo_session_options, adapter), .handle = HANDLE_ADAPTER},
};
static const struct structure struct_rondo_session_options = {
    "rondo_session_options", sizeof(rondo_session_options), true, init_rondo_session_options,
    fields_rondo_session_options, sizeof fields_rondo_session_options / sizeof *fields_rondo_session_options};

static const struct field fields_rondo_event[] = {
    {.name = "token", .kind = KIND_I32, .offset = offsetof(rondo_event, token)},
    {.name = "logprob", .kind = KIND_FLOAT, .offset = offsetof(rondo_event, logprob)},
    {.name = "reason", .kind = KIND_ENUM, .offset = offsetof(rondo_event, reason), .enumeration = &enum_rondo_reason},
    {.name = "bytes", .kind = KIND_BYTES, .offset = offsetof(rondo_event, bytes), .count = offsetof(rondo_event, bytes_count), .wide = 1},
    {.name = "text", .kind = KIND_STRING, .offset = offsetof(rondo_event, text), .count = offsetof(rondo_event, text_bytes), .wide = 1},
    {.name = "pending", .kind = KIND_U64, .offset = offsetof(rondo_event, pending)},
    {.name = "takenOver", .kind = KIND_U64, .offset = offsetof(rondo_event, taken_over)},
    {.name = "channel", .kind = KIND_ENUM, .offset = offsetof(rondo_event, channel), .enumeration = &enum_rondo_channel},
};
static const struct structure struct_rondo_event = {
    "rondo_event", sizeof(rondo_event), true, NULL,
    fields_rondo_event, sizeof fields_rondo_event / sizeof *fields_rondo_event};

static const struct field fields_rondo_input[] = {
    {.name = "rowFormat", .kind = KIND_ENUM, .offset = offsetof(rondo_input, row_format), .enumeration = &enum_rondo_rows},
    {.name = "ids", .kind = KIND_DATA, .offset = offsetof(rondo_input, ids)},
    {.name = "rows", .kind = KIND_DATA, .offset = offsetof(rondo_input, rows)},
    {.name = "count", .kind = KIND_SIZE, .offset = offsetof(rondo_input, count)},
    {.name = "coordinates", .kind = KIND_DATA, .offset = offsetof(rondo_input, coordinates)},
    {.name = "seesWhole", .kind = KIND_U32, .offset = offsetof(rondo_input, sees_whole)},
};
static const struct structure struct_rondo_input = {
    "rondo_input", sizeof(rondo_input), true, NULL,
    fields_rondo_input, sizeof fields_rondo_input / sizeof *fields_rondo_input};

static const struct field fields_rondo_image[] = {
    {.name = "format", .kind = KIND_ENUM, .offset = offsetof(rondo_image, format), .enumeration = &enum_rondo_pixels},
    {.name = "width", .kind = KIND_U32, .offset = offsetof(rondo_image, width)},
    {.name = "height", .kind = KIND_U32, .offset = offsetof(rondo_image, height)},
    {.name = "plane0", .kind = KIND_DATA, .offset = offsetof(rondo_image, plane0)},
    {.name = "plane1", .kind = KIND_DATA, .offset = offsetof(rondo_image, plane1)},
    {.name = "plane2", .kind = KIND_DATA, .offset = offsetof(rondo_image, plane2)},
    {.name = "stride0", .kind = KIND_SIZE, .offset = offsetof(rondo_image, stride0)},
    {.name = "stride1", .kind = KIND_SIZE, .offset = offsetof(rondo_image, stride1)},
    {.name = "stride2", .kind = KIND_SIZE, .offset = offsetof(rondo_image, stride2)},
    {.name = "rotation", .kind = KIND_U32, .offset = offsetof(rondo_image, rotation)},
    {.name = "mirror", .kind = KIND_FLAG, .offset = offsetof(rondo_image, mirror)},
    {.name = "yuvRange", .kind = KIND_ENUM, .offset = offsetof(rondo_image, yuv_range), .enumeration = &enum_rondo_yuv_range},
    {.name = "yuvMatrix", .kind = KIND_ENUM, .offset = offsetof(rondo_image, yuv_matrix), .enumeration = &enum_rondo_yuv_matrix},
};
static const struct structure struct_rondo_image = {
    "rondo_image", sizeof(rondo_image), true, NULL,
    fields_rondo_image, sizeof fields_rondo_image / sizeof *fields_rondo_image};

static int32_t init_rondo_image_options(const struct library* library, void* options) {
  return library->rondo_image_options_init(options, sizeof(rondo_image_options));
}
static const struct field fields_rondo_image_options[] = {
    {.name = "minTokens", .kind = KIND_U32, .offset = offsetof(rondo_image_options, min_tokens)},
    {.name = "maxTokens", .kind = KIND_U32, .offset = offsetof(rondo_image_options, max_tokens)},
    {.name = "oneTile", .kind = KIND_FLAG, .offset = offsetof(rondo_image_options, one_tile)},
    {.name = "progress", .kind = KIND_PROGRESS, .offset = offsetof(rondo_image_options, progress), .count = offsetof(rondo_image_options, progress_user)},
};
static const struct structure struct_rondo_image_options = {
    "rondo_image_options", sizeof(rondo_image_options), true, init_rondo_image_options,
    fields_rondo_image_options, sizeof fields_rondo_image_options / sizeof *fields_rondo_image_options};

static const struct field fields_rondo_image_facts[] = {
    {.name = "rows", .kind = KIND_U32, .offset = offsetof(rondo_image_facts, rows)},
    {.name = "positions", .kind = KIND_U32, .offset = offsetof(rondo_image_facts, positions)},
    {.name = "tileColumns", .kind = KIND_U32, .offset = offsetof(rondo_image_facts, tile_columns)},
    {.name = "tileRows", .kind = KIND_U32, .offset = offsetof(rondo_image_facts, tile_rows)},
    {.name = "tilePixels", .kind = KIND_U32, .offset = offsetof(rondo_image_facts, tile_pixels)},
    {.name = "wholeWidth", .kind = KIND_U32, .offset = offsetof(rondo_image_facts, whole_width)},
    {.name = "wholeHeight", .kind = KIND_U32, .offset = offsetof(rondo_image_facts, whole_height)},
    {.name = "patches", .kind = KIND_U64, .offset = offsetof(rondo_image_facts, patches)},
};
static const struct structure struct_rondo_image_facts = {
    "rondo_image_facts", sizeof(rondo_image_facts), true, NULL,
    fields_rondo_image_facts, sizeof fields_rondo_image_facts / sizeof *fields_rondo_image_facts};

static const struct field fields_rondo_session_counters[] = {
    {.name = "tokensPrefilled", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, tokens_prefilled)},
    {.name = "tokensGenerated", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, tokens_generated)},
    {.name = "tokensTakenOver", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, tokens_taken_over)},
    {.name = "passes", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, passes)},
    {.name = "rows", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, rows)},
    {.name = "prefillNs", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, prefill_ns)},
    {.name = "decodeNs", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, decode_ns)},
    {.name = "sampleNs", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, sample_ns)},
    {.name = "prefixHits", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, prefix_hits)},
    {.name = "tokensEvicted", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, tokens_evicted)},
    {.name = "kvBytesHeld", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, kv_bytes_held)},
    {.name = "draftsProposed", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, drafts_proposed)},
    {.name = "draftsAccepted", .kind = KIND_U64, .offset = offsetof(rondo_session_counters, drafts_accepted)},
};
static const struct structure struct_rondo_session_counters = {
    "rondo_session_counters", sizeof(rondo_session_counters), true, NULL,
    fields_rondo_session_counters, sizeof fields_rondo_session_counters / sizeof *fields_rondo_session_counters};

static int32_t init_rondo_chat_options(const struct library* library, void* options) {
  return library->rondo_chat_options_init(options, sizeof(rondo_chat_options));
}
static const struct field fields_rondo_chat_options[] = {
    {.name = "flags", .kind = KIND_U32, .offset = offsetof(rondo_chat_options, flags)},
    {.name = "localTime", .kind = KIND_I64, .offset = offsetof(rondo_chat_options, local_time)},
    {.name = "messages", .kind = KIND_STRING, .offset = offsetof(rondo_chat_options, messages), .count = offsetof(rondo_chat_options, messages_bytes), .wide = 1},
    {.name = "tools", .kind = KIND_STRING, .offset = offsetof(rondo_chat_options, tools), .count = offsetof(rondo_chat_options, tools_bytes), .wide = 1},
    {.name = "variables", .kind = KIND_STRING, .offset = offsetof(rondo_chat_options, variables), .count = offsetof(rondo_chat_options, variables_bytes), .wide = 1},
    {.name = "templateName", .kind = KIND_TEXT, .offset = offsetof(rondo_chat_options, template_name)},
    {.name = "template", .kind = KIND_STRING, .offset = offsetof(rondo_chat_options, template_text), .count = offsetof(rondo_chat_options, template_bytes), .wide = 1},
};
static const struct structure struct_rondo_chat_options = {
    "rondo_chat_options", sizeof(rondo_chat_options), true, init_rondo_chat_options,
    fields_rondo_chat_options, sizeof fields_rondo_chat_options / sizeof *fields_rondo_chat_options};

static const struct field fields_rondo_chat_part[] = {
    {.name = "kind", .kind = KIND_ENUM, .offset = offsetof(rondo_chat_part, kind), .enumeration = &enum_rondo_chat_part_kind},
    {.name = "call", .kind = KIND_U64, .offset = offsetof(rondo_chat_part, call)},
    {.name = "text", .kind = KIND_STRING, .offset = offsetof(rondo_chat_part, text), .count = offsetof(rondo_chat_part, text_bytes), .wide = 1},
    {.name = "name", .kind = KIND_STRING, .offset = offsetof(rondo_chat_part, name), .count = offsetof(rondo_chat_part, name_bytes), .wide = 1},
    {.name = "id", .kind = KIND_STRING, .offset = offsetof(rondo_chat_part, id), .count = offsetof(rondo_chat_part, id_bytes), .wide = 1},
};
static const struct structure struct_rondo_chat_part = {
    "rondo_chat_part", sizeof(rondo_chat_part), true, NULL,
    fields_rondo_chat_part, sizeof fields_rondo_chat_part / sizeof *fields_rondo_chat_part};

static const struct field fields_rondo_embedder_facts[] = {
    {.name = "dimensions", .kind = KIND_U32, .offset = offsetof(rondo_embedder_facts, dimensions)},
    {.name = "maxTokens", .kind = KIND_U32, .offset = offsetof(rondo_embedder_facts, max_tokens)},
    {.name = "wholeTexts", .kind = KIND_U32, .offset = offsetof(rondo_embedder_facts, whole_texts)},
    {.name = "normalized", .kind = KIND_U32, .offset = offsetof(rondo_embedder_facts, normalized)},
    {.name = "scoresPairs", .kind = KIND_U32, .offset = offsetof(rondo_embedder_facts, scores_pairs)},
    {.name = "pooling", .kind = KIND_ENUM, .offset = offsetof(rondo_embedder_facts, pooling), .enumeration = &enum_rondo_pooling},
    {.name = "nPrompts", .kind = KIND_U32, .offset = offsetof(rondo_embedder_facts, n_prompts)},
    {.name = "defaultPrompt", .kind = KIND_I32, .offset = offsetof(rondo_embedder_facts, default_prompt)},
};
static const struct structure struct_rondo_embedder_facts = {
    "rondo_embedder_facts", sizeof(rondo_embedder_facts), true, NULL,
    fields_rondo_embedder_facts, sizeof fields_rondo_embedder_facts / sizeof *fields_rondo_embedder_facts};

static int32_t run_rondo_abi_version(const struct library* l, union slot* s) {
  s[MAX_PARAMS].u32 = l->rondo_abi_version(); return 0;
}

static int32_t run_rondo_version_string(const struct library* l, union slot* s) {
  s[MAX_PARAMS].p = l->rondo_version_string(); return 0;
}

static int32_t run_rondo_status_string(const struct library* l, union slot* s) {
  s[MAX_PARAMS].p = l->rondo_status_string(s[0].i32); return 0;
}
static const struct param params_rondo_status_string[] = {
    {.name = "status", .kind = KIND_I32},
};

static int32_t run_rondo_query(const struct library* l, union slot* s) {
  return l->rondo_query((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_query[] = {
    {.name = "name", .kind = KIND_TEXT},
    {.name = "value", .kind = OUT_I64},
};

static int32_t run_rondo_model_open_path(const struct library* l, union slot* s) {
  return l->rondo_model_open_path(s[0].u32, (void*)s[1].p, (void*)s[2].p, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_model_open_path[] = {
    {.name = "abiVersion", .kind = PARAM_ABI_VERSION},
    {.name = "path", .kind = KIND_TEXT},
    {.name = "model", .kind = PARAM_CREATE, .handle = HANDLE_MODEL},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_model_open_fd(const struct library* l, union slot* s) {
  return l->rondo_model_open_fd(s[0].u32, s[1].i32, s[2].u64, s[3].u64, (void*)s[4].p, (void*)s[5].p, s[6].size);
}
static const struct param params_rondo_model_open_fd[] = {
    {.name = "abiVersion", .kind = PARAM_ABI_VERSION},
    {.name = "fd", .kind = KIND_I32},
    {.name = "offset", .kind = KIND_U64},
    {.name = "length", .kind = KIND_U64},
    {.name = "model", .kind = PARAM_CREATE, .handle = HANDLE_MODEL},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_model_close(const struct library* l, union slot* s) {
  l->rondo_model_close((void*)s[0].p); return 0;
}
static const struct param params_rondo_model_close[] = {
    {.name = "model", .kind = PARAM_CLOSE, .handle = HANDLE_MODEL},
};

static int32_t run_rondo_model_info(const struct library* l, union slot* s) {
  return l->rondo_model_info((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_model_info[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "facts", .kind = OUT_STRUCT, .structure = &struct_rondo_model_facts},
};

static int32_t run_rondo_model_eos_token(const struct library* l, union slot* s) {
  return l->rondo_model_eos_token((void*)s[0].p, s[1].u32, (void*)s[2].p);
}
static const struct param params_rondo_model_eos_token[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "index", .kind = KIND_U32},
    {.name = "token", .kind = OUT_I32},
};

static int32_t run_rondo_model_fact(const struct library* l, union slot* s) {
  return l->rondo_model_fact((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p);
}
static const struct param params_rondo_model_fact[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "key", .kind = KIND_TEXT},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
};

static int32_t run_rondo_model_fact_key(const struct library* l, union slot* s) {
  return l->rondo_model_fact_key((void*)s[0].p, s[1].u32, (void*)s[2].p, s[3].size, (void*)s[4].p);
}
static const struct param params_rondo_model_fact_key[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "index", .kind = KIND_U32},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
};

static int32_t run_rondo_tokenize(const struct library* l, union slot* s) {
  return l->rondo_tokenize((void*)s[0].p, (void*)s[1].p, s[2].size, s[3].u32, (void*)s[4].p, s[5].size, (void*)s[6].p);
}
static const struct param params_rondo_tokenize[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "text", .kind = KIND_STRING},
    {.name = "textBytes", .kind = PARAM_FILLED},
    {.name = "flags", .kind = KIND_U32},
    {.name = "ids", .kind = OUT_IDS},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "count", .kind = PARAM_FILLED},
};

static int32_t run_rondo_detokenize(const struct library* l, union slot* s) {
  return l->rondo_detokenize((void*)s[0].p, (void*)s[1].p, s[2].size, s[3].u32, (void*)s[4].p, s[5].size, (void*)s[6].p);
}
static const struct param params_rondo_detokenize[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "ids", .kind = PARAM_IDS},
    {.name = "count", .kind = PARAM_FILLED},
    {.name = "flags", .kind = KIND_U32},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
};

static int32_t run_rondo_grammar_plan(const struct library* l, union slot* s) {
  return l->rondo_grammar_plan((void*)s[0].p, (void*)s[1].p, s[2].size, (void*)s[3].p, (void*)s[4].p, s[5].size);
}
static const struct param params_rondo_grammar_plan[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_grammar_options},
    {.name = "textBytes", .kind = KIND_SIZE},
    {.name = "bytes", .kind = OUT_U64},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_grammar_create(const struct library* l, union slot* s) {
  return l->rondo_grammar_create((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p, s[5].size, (void*)s[6].p, (void*)s[7].p, s[8].size);
}
static const struct param params_rondo_grammar_create[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_grammar_options},
    {.name = "text", .kind = KIND_STRING},
    {.name = "textBytes", .kind = PARAM_FILLED},
    {.name = "memory", .kind = PARAM_NULL},
    {.name = "memoryBytes", .kind = PARAM_FILLED},
    {.name = "grammar", .kind = PARAM_CREATE, .handle = HANDLE_GRAMMAR},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_grammar_close(const struct library* l, union slot* s) {
  l->rondo_grammar_close((void*)s[0].p); return 0;
}
static const struct param params_rondo_grammar_close[] = {
    {.name = "grammar", .kind = PARAM_CLOSE, .handle = HANDLE_GRAMMAR},
};

static int32_t run_rondo_adapter_open_path(const struct library* l, union slot* s) {
  return l->rondo_adapter_open_path((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_adapter_open_path[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "path", .kind = KIND_TEXT},
    {.name = "adapter", .kind = PARAM_CREATE, .handle = HANDLE_ADAPTER},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_adapter_close(const struct library* l, union slot* s) {
  l->rondo_adapter_close((void*)s[0].p); return 0;
}
static const struct param params_rondo_adapter_close[] = {
    {.name = "adapter", .kind = PARAM_CLOSE, .handle = HANDLE_ADAPTER},
};

static int32_t run_rondo_adapter_info(const struct library* l, union slot* s) {
  return l->rondo_adapter_info((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_adapter_info[] = {
    {.name = "adapter", .kind = KIND_HANDLE, .handle = HANDLE_ADAPTER},
    {.name = "facts", .kind = OUT_STRUCT, .structure = &struct_rondo_adapter_facts},
};

static int32_t run_rondo_plan(const struct library* l, union slot* s) {
  return l->rondo_plan((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_plan[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_engine_options},
    {.name = "plan", .kind = OUT_STRUCT, .structure = &struct_rondo_memory_plan},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_plan_region(const struct library* l, union slot* s) {
  return l->rondo_plan_region((void*)s[0].p, (void*)s[1].p, s[2].u32, (void*)s[3].p);
}
static const struct param params_rondo_plan_region[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_engine_options},
    {.name = "index", .kind = KIND_U32},
    {.name = "region", .kind = OUT_STRUCT, .structure = &struct_rondo_memory_region},
};

static int32_t run_rondo_plan_fit(const struct library* l, union slot* s) {
  return l->rondo_plan_fit((void*)s[0].p, (void*)s[1].p, s[2].u64, (void*)s[3].p, (void*)s[4].p, s[5].size);
}
static const struct param params_rondo_plan_fit[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_engine_options},
    {.name = "bytes", .kind = KIND_U64},
    {.name = "context", .kind = OUT_U32},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_engine_create(const struct library* l, union slot* s) {
  return l->rondo_engine_create((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p, (void*)s[5].p, s[6].size);
}
static const struct param params_rondo_engine_create[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_engine_options},
    {.name = "arena", .kind = PARAM_NULL},
    {.name = "arenaBytes", .kind = PARAM_FILLED},
    {.name = "engine", .kind = PARAM_CREATE, .handle = HANDLE_ENGINE},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_engine_close(const struct library* l, union slot* s) {
  l->rondo_engine_close((void*)s[0].p); return 0;
}
static const struct param params_rondo_engine_close[] = {
    {.name = "engine", .kind = PARAM_CLOSE, .handle = HANDLE_ENGINE},
};

static int32_t run_rondo_engine_memory(const struct library* l, union slot* s) {
  return l->rondo_engine_memory((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_engine_memory[] = {
    {.name = "engine", .kind = KIND_HANDLE, .handle = HANDLE_ENGINE},
    {.name = "plan", .kind = OUT_STRUCT, .structure = &struct_rondo_memory_plan},
};

static int32_t run_rondo_engine_memory_region(const struct library* l, union slot* s) {
  return l->rondo_engine_memory_region((void*)s[0].p, s[1].u32, (void*)s[2].p);
}
static const struct param params_rondo_engine_memory_region[] = {
    {.name = "engine", .kind = KIND_HANDLE, .handle = HANDLE_ENGINE},
    {.name = "index", .kind = KIND_U32},
    {.name = "region", .kind = OUT_STRUCT, .structure = &struct_rondo_memory_region},
};

static int32_t run_rondo_engine_stats(const struct library* l, union slot* s) {
  return l->rondo_engine_stats((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_engine_stats[] = {
    {.name = "engine", .kind = KIND_HANDLE, .handle = HANDLE_ENGINE},
    {.name = "counters", .kind = OUT_STRUCT, .structure = &struct_rondo_engine_counters},
};

static int32_t run_rondo_engine_profile(const struct library* l, union slot* s) {
  return l->rondo_engine_profile((void*)s[0].p, (void*)s[1].p, (void*)s[2].p);
}
static const struct param params_rondo_engine_profile[] = {
    {.name = "engine", .kind = KIND_HANDLE, .handle = HANDLE_ENGINE},
    {.name = "cursor", .kind = OUT_CURSOR},
    {.name = "event", .kind = OUT_STRUCT, .structure = &struct_rondo_profile_event},
};

static int32_t run_rondo_model_session_options(const struct library* l, union slot* s) {
  return l->rondo_model_session_options((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_model_session_options[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = OUT_STRUCT, .structure = &struct_rondo_session_options},
};

static int32_t run_rondo_session_open(const struct library* l, union slot* s) {
  return l->rondo_session_open((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_session_open[] = {
    {.name = "engine", .kind = KIND_HANDLE, .handle = HANDLE_ENGINE},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_session_options},
    {.name = "session", .kind = PARAM_CREATE, .handle = HANDLE_SESSION},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_fork(const struct library* l, union slot* s) {
  return l->rondo_session_fork((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_session_fork[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_session_options},
    {.name = "fork", .kind = PARAM_CREATE, .handle = HANDLE_SESSION},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_close(const struct library* l, union slot* s) {
  l->rondo_session_close((void*)s[0].p); return 0;
}
static const struct param params_rondo_session_close[] = {
    {.name = "session", .kind = PARAM_CLOSE, .handle = HANDLE_SESSION},
};

static int32_t run_rondo_session_prefill(const struct library* l, union slot* s) {
  return l->rondo_session_prefill((void*)s[0].p, (void*)s[1].p, s[2].size);
}
static const struct param params_rondo_session_prefill[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "ids", .kind = PARAM_IDS},
    {.name = "count", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_prefill_logits(const struct library* l, union slot* s) {
  return l->rondo_session_prefill_logits((void*)s[0].p, (void*)s[1].p, s[2].size, on_row, (void*)s[4].p);
}
static const struct param params_rondo_session_prefill_logits[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "ids", .kind = PARAM_IDS},
    {.name = "count", .kind = PARAM_FILLED},
    {.name = "row", .kind = PARAM_ROW},
    {.name = "user", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_next(const struct library* l, union slot* s) {
  return l->rondo_session_next((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_session_next[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "event", .kind = OUT_STRUCT, .structure = &struct_rondo_event},
};

static int32_t run_rondo_session_append(const struct library* l, union slot* s) {
  return l->rondo_session_append((void*)s[0].p, (void*)s[1].p, s[2].size);
}
static const struct param params_rondo_session_append[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "ids", .kind = PARAM_IDS},
    {.name = "count", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_append_inputs(const struct library* l, union slot* s) {
  return l->rondo_session_append_inputs((void*)s[0].p, (void*)s[1].p, s[2].size);
}
static const struct param params_rondo_session_append_inputs[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "inputs", .kind = PARAM_STRUCTS, .structure = &struct_rondo_input},
    {.name = "count", .kind = PARAM_FILLED},
};

static int32_t run_rondo_image_plan(const struct library* l, union slot* s) {
  return l->rondo_image_plan((void*)s[0].p, s[1].u32, s[2].u32, (void*)s[3].p, (void*)s[4].p, (void*)s[5].p, s[6].size);
}
static const struct param params_rondo_image_plan[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "width", .kind = KIND_U32},
    {.name = "height", .kind = KIND_U32},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_image_options},
    {.name = "facts", .kind = OUT_STRUCT, .structure = &struct_rondo_image_facts},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_media_create(const struct library* l, union slot* s) {
  return l->rondo_media_create((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, (void*)s[3].p, (void*)s[4].p, s[5].size);
}
static const struct param params_rondo_media_create[] = {
    {.name = "engine", .kind = KIND_HANDLE, .handle = HANDLE_ENGINE},
    {.name = "image", .kind = PARAM_STRUCT, .structure = &struct_rondo_image},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_image_options},
    {.name = "media", .kind = PARAM_CREATE, .handle = HANDLE_MEDIA},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_media_info(const struct library* l, union slot* s) {
  return l->rondo_media_info((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_media_info[] = {
    {.name = "media", .kind = KIND_HANDLE, .handle = HANDLE_MEDIA},
    {.name = "facts", .kind = OUT_STRUCT, .structure = &struct_rondo_image_facts},
};

static int32_t run_rondo_media_close(const struct library* l, union slot* s) {
  l->rondo_media_close((void*)s[0].p); return 0;
}
static const struct param params_rondo_media_close[] = {
    {.name = "media", .kind = PARAM_CLOSE, .handle = HANDLE_MEDIA},
};

static int32_t run_rondo_session_append_media(const struct library* l, union slot* s) {
  return l->rondo_session_append_media((void*)s[0].p, (void*)s[1].p, s[2].size, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_session_append_media[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "ids", .kind = PARAM_IDS},
    {.name = "count", .kind = PARAM_FILLED},
    {.name = "media", .kind = PARAM_HANDLES, .handle = HANDLE_MEDIA},
    {.name = "nMedia", .kind = PARAM_FILLED},
};

static int32_t run_rondo_engine_step(const struct library* l, union slot* s) {
  return l->rondo_engine_step((void*)s[0].p, (void*)s[1].p, s[2].size, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_engine_step[] = {
    {.name = "engine", .kind = KIND_HANDLE, .handle = HANDLE_ENGINE},
    {.name = "sessions", .kind = PARAM_HANDLES, .handle = HANDLE_SESSION},
    {.name = "count", .kind = PARAM_FILLED},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_event(const struct library* l, union slot* s) {
  return l->rondo_session_event((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_session_event[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "event", .kind = OUT_STRUCT, .structure = &struct_rondo_event},
};

static int32_t run_rondo_session_logits(const struct library* l, union slot* s) {
  return l->rondo_session_logits((void*)s[0].p, (void*)s[1].p, (void*)s[2].p);
}
static const struct param params_rondo_session_logits[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "logits", .kind = OUT_BORROWED},
    {.name = "count", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_propose(const struct library* l, union slot* s) {
  return l->rondo_session_propose((void*)s[0].p, (void*)s[1].p, s[2].size);
}
static const struct param params_rondo_session_propose[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "ids", .kind = PARAM_IDS},
    {.name = "count", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_accept(const struct library* l, union slot* s) {
  return l->rondo_session_accept((void*)s[0].p, s[1].i32);
}
static const struct param params_rondo_session_accept[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "token", .kind = KIND_I32},
};

static int32_t run_rondo_session_undo(const struct library* l, union slot* s) {
  return l->rondo_session_undo((void*)s[0].p, s[1].u64);
}
static const struct param params_rondo_session_undo[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "n", .kind = KIND_U64},
};

static int32_t run_rondo_session_reset(const struct library* l, union slot* s) {
  return l->rondo_session_reset((void*)s[0].p);
}
static const struct param params_rondo_session_reset[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
};

static int32_t run_rondo_session_position(const struct library* l, union slot* s) {
  return l->rondo_session_position((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_session_position[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "position", .kind = OUT_U64},
};

static int32_t run_rondo_session_remaining(const struct library* l, union slot* s) {
  return l->rondo_session_remaining((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_session_remaining[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "tokens", .kind = OUT_U64},
};

static int32_t run_rondo_session_evicted(const struct library* l, union slot* s) {
  return l->rondo_session_evicted((void*)s[0].p, (void*)s[1].p, (void*)s[2].p);
}
static const struct param params_rondo_session_evicted[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "begin", .kind = OUT_U64},
    {.name = "end", .kind = OUT_U64},
};

static int32_t run_rondo_session_progress(const struct library* l, union slot* s) {
  return l->rondo_session_progress((void*)s[0].p, (void*)s[1].p, (void*)s[2].p);
}
static const struct param params_rondo_session_progress[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "done", .kind = OUT_U64},
    {.name = "total", .kind = OUT_U64},
};

static int32_t run_rondo_session_stats(const struct library* l, union slot* s) {
  return l->rondo_session_stats((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_session_stats[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "counters", .kind = OUT_STRUCT, .structure = &struct_rondo_session_counters},
};

static int32_t run_rondo_session_cancel(const struct library* l, union slot* s) {
  return l->rondo_session_cancel((void*)s[0].p);
}
static const struct param params_rondo_session_cancel[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
};

static int32_t run_rondo_session_call(const struct library* l, union slot* s) {
  return l->rondo_session_call((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_session_call[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "number", .kind = OUT_U64},
};

static int32_t run_rondo_session_cancel_call(const struct library* l, union slot* s) {
  return l->rondo_session_cancel_call((void*)s[0].p, s[1].u64);
}
static const struct param params_rondo_session_cancel_call[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "number", .kind = KIND_U64},
};

static int32_t run_rondo_session_save(const struct library* l, union slot* s) {
  return l->rondo_session_save((void*)s[0].p, (void*)s[1].p, s[2].size, (void*)s[3].p);
}
static const struct param params_rondo_session_save[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "buffer", .kind = OUT_BYTES},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "bytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_restore(const struct library* l, union slot* s) {
  return l->rondo_session_restore((void*)s[0].p, (void*)s[1].p, s[2].size);
}
static const struct param params_rondo_session_restore[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "bytes", .kind = KIND_BYTES},
    {.name = "count", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_tokens(const struct library* l, union slot* s) {
  return l->rondo_session_tokens((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p);
}
static const struct param params_rondo_session_tokens[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "begin", .kind = OUT_U64},
    {.name = "ids", .kind = OUT_IDS},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "count", .kind = PARAM_FILLED},
};

static int32_t run_rondo_model_chat_template_name(const struct library* l, union slot* s) {
  return l->rondo_model_chat_template_name((void*)s[0].p, s[1].u32, (void*)s[2].p, s[3].size, (void*)s[4].p);
}
static const struct param params_rondo_model_chat_template_name[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "index", .kind = KIND_U32},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
};

static int32_t run_rondo_model_chat_template(const struct library* l, union slot* s) {
  return l->rondo_model_chat_template((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p);
}
static const struct param params_rondo_model_chat_template[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "name", .kind = KIND_TEXT},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
};

static int32_t run_rondo_chat_render(const struct library* l, union slot* s) {
  return l->rondo_chat_render((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p, (void*)s[5].p, s[6].size, (void*)s[7].p, (void*)s[8].p, s[9].size);
}
static const struct param params_rondo_chat_render[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_chat_options},
    {.name = "text", .kind = OUT_WANTED_TEXT},
    {.name = "textCapacity", .kind = PARAM_FILLED},
    {.name = "textLength", .kind = PARAM_FILLED},
    {.name = "ids", .kind = OUT_WANTED_IDS},
    {.name = "idsCapacity", .kind = PARAM_FILLED},
    {.name = "idsCount", .kind = PARAM_FILLED},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_chat_parser_create(const struct library* l, union slot* s) {
  return l->rondo_chat_parser_create((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_chat_parser_create[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_chat_options},
    {.name = "parser", .kind = PARAM_CREATE, .handle = HANDLE_CHAT_PARSER},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_chat_parser_push(const struct library* l, union slot* s) {
  return l->rondo_chat_parser_push((void*)s[0].p, (void*)s[1].p, s[2].size, s[3].i32);
}
static const struct param params_rondo_chat_parser_push[] = {
    {.name = "parser", .kind = KIND_HANDLE, .handle = HANDLE_CHAT_PARSER},
    {.name = "bytes", .kind = KIND_BYTES},
    {.name = "count", .kind = PARAM_FILLED},
    {.name = "last", .kind = KIND_I32},
};

static int32_t run_rondo_chat_parser_next(const struct library* l, union slot* s) {
  return l->rondo_chat_parser_next((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_chat_parser_next[] = {
    {.name = "parser", .kind = KIND_HANDLE, .handle = HANDLE_CHAT_PARSER},
    {.name = "part", .kind = OUT_STRUCT, .structure = &struct_rondo_chat_part},
};

static int32_t run_rondo_chat_parser_reset(const struct library* l, union slot* s) {
  return l->rondo_chat_parser_reset((void*)s[0].p);
}
static const struct param params_rondo_chat_parser_reset[] = {
    {.name = "parser", .kind = KIND_HANDLE, .handle = HANDLE_CHAT_PARSER},
};

static int32_t run_rondo_chat_parser_close(const struct library* l, union slot* s) {
  l->rondo_chat_parser_close((void*)s[0].p); return 0;
}
static const struct param params_rondo_chat_parser_close[] = {
    {.name = "parser", .kind = PARAM_CLOSE, .handle = HANDLE_CHAT_PARSER},
};

static int32_t run_rondo_chat_grammar(const struct library* l, union slot* s) {
  return l->rondo_chat_grammar((void*)s[0].p, (void*)s[1].p, s[2].i32, (void*)s[3].p, (void*)s[4].p, s[5].size, (void*)s[6].p, (void*)s[7].p, s[8].size);
}
static const struct param params_rondo_chat_grammar[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_chat_options},
    {.name = "calls", .kind = KIND_ENUM, .enumeration = &enum_rondo_calls},
    {.name = "function", .kind = KIND_TEXT},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_chat_thinking(const struct library* l, union slot* s) {
  return l->rondo_chat_thinking((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p, (void*)s[5].p, s[6].size, (void*)s[7].p, (void*)s[8].p, s[9].size);
}
static const struct param params_rondo_chat_thinking[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "options", .kind = PARAM_STRUCT, .structure = &struct_rondo_chat_options},
    {.name = "begin", .kind = OUT_TEXT},
    {.name = "beginCapacity", .kind = PARAM_FILLED},
    {.name = "beginLength", .kind = PARAM_FILLED},
    {.name = "end", .kind = OUT_TEXT},
    {.name = "endCapacity", .kind = PARAM_FILLED},
    {.name = "endLength", .kind = PARAM_FILLED},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

static int32_t run_rondo_model_embedder(const struct library* l, union slot* s) {
  return l->rondo_model_embedder((void*)s[0].p, (void*)s[1].p);
}
static const struct param params_rondo_model_embedder[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "facts", .kind = OUT_STRUCT, .structure = &struct_rondo_embedder_facts},
};

static int32_t run_rondo_model_prompt_name(const struct library* l, union slot* s) {
  return l->rondo_model_prompt_name((void*)s[0].p, s[1].u32, (void*)s[2].p, s[3].size, (void*)s[4].p);
}
static const struct param params_rondo_model_prompt_name[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "index", .kind = KIND_U32},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
};

static int32_t run_rondo_embedding_text(const struct library* l, union slot* s) {
  return l->rondo_embedding_text((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p, s[5].size, (void*)s[6].p);
}
static const struct param params_rondo_embedding_text[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "prompt", .kind = KIND_TEXT},
    {.name = "text", .kind = KIND_STRING},
    {.name = "textBytes", .kind = PARAM_FILLED},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
};

static int32_t run_rondo_pair_text(const struct library* l, union slot* s) {
  return l->rondo_pair_text((void*)s[0].p, (void*)s[1].p, (void*)s[2].p, s[3].size, (void*)s[4].p, s[5].size, (void*)s[6].p, s[7].size, (void*)s[8].p);
}
static const struct param params_rondo_pair_text[] = {
    {.name = "model", .kind = KIND_HANDLE, .handle = HANDLE_MODEL},
    {.name = "instruction", .kind = KIND_TEXT},
    {.name = "query", .kind = KIND_STRING},
    {.name = "queryBytes", .kind = PARAM_FILLED},
    {.name = "document", .kind = KIND_STRING},
    {.name = "documentBytes", .kind = PARAM_FILLED},
    {.name = "buffer", .kind = OUT_TEXT},
    {.name = "capacity", .kind = PARAM_FILLED},
    {.name = "length", .kind = PARAM_FILLED},
};

static int32_t run_rondo_session_embed(const struct library* l, union slot* s) {
  return l->rondo_session_embed((void*)s[0].p, (void*)s[1].p, s[2].size, (void*)s[3].p, s[4].size);
}
static const struct param params_rondo_session_embed[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "ids", .kind = PARAM_IDS},
    {.name = "count", .kind = PARAM_FILLED},
    {.name = "vector", .kind = OUT_FLOATS, .count = 4},
    {.name = "dimensions", .kind = KIND_SIZE},
};

static int32_t run_rondo_engine_embed(const struct library* l, union slot* s) {
  return l->rondo_engine_embed((void*)s[0].p, (void*)s[1].p, s[2].size, (void*)s[3].p, (void*)s[4].p, s[5].size, (void*)s[6].p, s[7].size, (void*)s[8].p, s[9].size);
}
static const struct param params_rondo_engine_embed[] = {
    {.name = "engine", .kind = KIND_HANDLE, .handle = HANDLE_ENGINE},
    {.name = "sessions", .kind = PARAM_HANDLES, .handle = HANDLE_SESSION},
    {.name = "nSessions", .kind = PARAM_FILLED},
    {.name = "ids", .kind = PARAM_BARE_IDS},
    {.name = "counts", .kind = PARAM_SIZES},
    {.name = "nTexts", .kind = PARAM_FILLED},
    {.name = "vectors", .kind = OUT_FLOATS, .count = 7, .times = 5},
    {.name = "dimensions", .kind = KIND_SIZE},
    {.name = "message", .kind = PARAM_MESSAGE},
    {.name = "messageBytes", .kind = PARAM_FILLED},
};

const struct function functions[] = {
    {"rondo_abi_version", RESULT_U32, false, false, 0, NULL, run_rondo_abi_version},
    {"rondo_version_string", RESULT_TEXT, false, false, 0, NULL, run_rondo_version_string},
    {"rondo_status_string", RESULT_TEXT, false, false, 1, params_rondo_status_string, run_rondo_status_string},
    {"rondo_query", RESULT_STATUS, false, false, 2, params_rondo_query, run_rondo_query},
    {"rondo_model_open_path", RESULT_STATUS, false, false, 5, params_rondo_model_open_path, run_rondo_model_open_path},
    {"rondo_model_open_fd", RESULT_STATUS, false, false, 7, params_rondo_model_open_fd, run_rondo_model_open_fd},
    {"rondo_model_close", RESULT_VOID, false, false, 1, params_rondo_model_close, run_rondo_model_close},
    {"rondo_model_info", RESULT_STATUS, false, false, 2, params_rondo_model_info, run_rondo_model_info},
    {"rondo_model_eos_token", RESULT_STATUS, false, false, 3, params_rondo_model_eos_token, run_rondo_model_eos_token},
    {"rondo_model_fact", RESULT_STATUS, false, false, 5, params_rondo_model_fact, run_rondo_model_fact},
    {"rondo_model_fact_key", RESULT_STATUS, false, false, 5, params_rondo_model_fact_key, run_rondo_model_fact_key},
    {"rondo_tokenize", RESULT_STATUS, false, false, 7, params_rondo_tokenize, run_rondo_tokenize},
    {"rondo_detokenize", RESULT_STATUS, false, false, 7, params_rondo_detokenize, run_rondo_detokenize},
    {"rondo_grammar_plan", RESULT_STATUS, false, false, 6, params_rondo_grammar_plan, run_rondo_grammar_plan},
    {"rondo_grammar_create", RESULT_STATUS, false, false, 9, params_rondo_grammar_create, run_rondo_grammar_create},
    {"rondo_grammar_close", RESULT_VOID, false, false, 1, params_rondo_grammar_close, run_rondo_grammar_close},
    {"rondo_adapter_open_path", RESULT_STATUS, false, false, 5, params_rondo_adapter_open_path, run_rondo_adapter_open_path},
    {"rondo_adapter_close", RESULT_VOID, false, false, 1, params_rondo_adapter_close, run_rondo_adapter_close},
    {"rondo_adapter_info", RESULT_STATUS, false, false, 2, params_rondo_adapter_info, run_rondo_adapter_info},
    {"rondo_plan", RESULT_STATUS, false, false, 5, params_rondo_plan, run_rondo_plan},
    {"rondo_plan_region", RESULT_STATUS, false, false, 4, params_rondo_plan_region, run_rondo_plan_region},
    {"rondo_plan_fit", RESULT_STATUS, false, false, 6, params_rondo_plan_fit, run_rondo_plan_fit},
    {"rondo_engine_create", RESULT_STATUS, true, false, 7, params_rondo_engine_create, run_rondo_engine_create},
    {"rondo_engine_close", RESULT_VOID, false, false, 1, params_rondo_engine_close, run_rondo_engine_close},
    {"rondo_engine_memory", RESULT_STATUS, false, false, 2, params_rondo_engine_memory, run_rondo_engine_memory},
    {"rondo_engine_memory_region", RESULT_STATUS, false, false, 3, params_rondo_engine_memory_region, run_rondo_engine_memory_region},
    {"rondo_engine_stats", RESULT_STATUS, false, false, 2, params_rondo_engine_stats, run_rondo_engine_stats},
    {"rondo_engine_profile", RESULT_STATUS, false, false, 3, params_rondo_engine_profile, run_rondo_engine_profile},
    {"rondo_model_session_options", RESULT_STATUS, false, false, 2, params_rondo_model_session_options, run_rondo_model_session_options},
    {"rondo_session_open", RESULT_STATUS, false, false, 5, params_rondo_session_open, run_rondo_session_open},
    {"rondo_session_fork", RESULT_STATUS, false, false, 5, params_rondo_session_fork, run_rondo_session_fork},
    {"rondo_session_close", RESULT_VOID, false, false, 1, params_rondo_session_close, run_rondo_session_close},
    {"rondo_session_prefill", RESULT_STATUS, true, true, 3, params_rondo_session_prefill, run_rondo_session_prefill},
    {"rondo_session_prefill_logits", RESULT_STATUS, true, true, 5, params_rondo_session_prefill_logits, run_rondo_session_prefill_logits},
    {"rondo_session_next", RESULT_STATUS, true, true, 2, params_rondo_session_next, run_rondo_session_next},
    {"rondo_session_append", RESULT_STATUS, false, false, 3, params_rondo_session_append, run_rondo_session_append},
    {"rondo_session_append_inputs", RESULT_STATUS, false, false, 3, params_rondo_session_append_inputs, run_rondo_session_append_inputs},
    {"rondo_image_plan", RESULT_STATUS, false, false, 7, params_rondo_image_plan, run_rondo_image_plan},
    {"rondo_media_create", RESULT_STATUS, true, false, 6, params_rondo_media_create, run_rondo_media_create},
    {"rondo_media_info", RESULT_STATUS, false, false, 2, params_rondo_media_info, run_rondo_media_info},
    {"rondo_media_close", RESULT_VOID, false, false, 1, params_rondo_media_close, run_rondo_media_close},
    {"rondo_session_append_media", RESULT_STATUS, false, false, 5, params_rondo_session_append_media, run_rondo_session_append_media},
    {"rondo_engine_step", RESULT_STATUS, true, true, 5, params_rondo_engine_step, run_rondo_engine_step},
    {"rondo_session_event", RESULT_STATUS, false, false, 2, params_rondo_session_event, run_rondo_session_event},
    {"rondo_session_logits", RESULT_STATUS, true, true, 3, params_rondo_session_logits, run_rondo_session_logits},
    {"rondo_session_propose", RESULT_STATUS, false, false, 3, params_rondo_session_propose, run_rondo_session_propose},
    {"rondo_session_accept", RESULT_STATUS, false, false, 2, params_rondo_session_accept, run_rondo_session_accept},
    {"rondo_session_undo", RESULT_STATUS, false, false, 2, params_rondo_session_undo, run_rondo_session_undo},
    {"rondo_session_reset", RESULT_STATUS, false, false, 1, params_rondo_session_reset, run_rondo_session_reset},
    {"rondo_session_position", RESULT_STATUS, false, false, 2, params_rondo_session_position, run_rondo_session_position},
    {"rondo_session_remaining", RESULT_STATUS, false, false, 2, params_rondo_session_remaining, run_rondo_session_remaining},
    {"rondo_session_evicted", RESULT_STATUS, false, false, 3, params_rondo_session_evicted, run_rondo_session_evicted},
    {"rondo_session_progress", RESULT_STATUS, false, false, 3, params_rondo_session_progress, run_rondo_session_progress},
    {"rondo_session_stats", RESULT_STATUS, false, false, 2, params_rondo_session_stats, run_rondo_session_stats},
    {"rondo_session_cancel", RESULT_STATUS, false, false, 1, params_rondo_session_cancel, run_rondo_session_cancel},
    {"rondo_session_call", RESULT_STATUS, false, false, 2, params_rondo_session_call, run_rondo_session_call},
    {"rondo_session_cancel_call", RESULT_STATUS, false, false, 2, params_rondo_session_cancel_call, run_rondo_session_cancel_call},
    {"rondo_session_save", RESULT_STATUS, false, false, 4, params_rondo_session_save, run_rondo_session_save},
    {"rondo_session_restore", RESULT_STATUS, false, false, 3, params_rondo_session_restore, run_rondo_session_restore},
    {"rondo_session_tokens", RESULT_STATUS, false, false, 5, params_rondo_session_tokens, run_rondo_session_tokens},
    {"rondo_model_chat_template_name", RESULT_STATUS, false, false, 5, params_rondo_model_chat_template_name, run_rondo_model_chat_template_name},
    {"rondo_model_chat_template", RESULT_STATUS, false, false, 5, params_rondo_model_chat_template, run_rondo_model_chat_template},
    {"rondo_chat_render", RESULT_STATUS, false, false, 10, params_rondo_chat_render, run_rondo_chat_render},
    {"rondo_chat_parser_create", RESULT_STATUS, false, false, 5, params_rondo_chat_parser_create, run_rondo_chat_parser_create},
    {"rondo_chat_parser_push", RESULT_STATUS, false, false, 4, params_rondo_chat_parser_push, run_rondo_chat_parser_push},
    {"rondo_chat_parser_next", RESULT_STATUS, false, false, 2, params_rondo_chat_parser_next, run_rondo_chat_parser_next},
    {"rondo_chat_parser_reset", RESULT_STATUS, false, false, 1, params_rondo_chat_parser_reset, run_rondo_chat_parser_reset},
    {"rondo_chat_parser_close", RESULT_VOID, false, false, 1, params_rondo_chat_parser_close, run_rondo_chat_parser_close},
    {"rondo_chat_grammar", RESULT_STATUS, false, false, 9, params_rondo_chat_grammar, run_rondo_chat_grammar},
    {"rondo_chat_thinking", RESULT_STATUS, false, false, 10, params_rondo_chat_thinking, run_rondo_chat_thinking},
    {"rondo_model_embedder", RESULT_STATUS, false, false, 2, params_rondo_model_embedder, run_rondo_model_embedder},
    {"rondo_model_prompt_name", RESULT_STATUS, false, false, 5, params_rondo_model_prompt_name, run_rondo_model_prompt_name},
    {"rondo_embedding_text", RESULT_STATUS, false, false, 7, params_rondo_embedding_text, run_rondo_embedding_text},
    {"rondo_pair_text", RESULT_STATUS, false, false, 9, params_rondo_pair_text, run_rondo_pair_text},
    {"rondo_session_embed", RESULT_STATUS, true, true, 5, params_rondo_session_embed, run_rondo_session_embed},
    {"rondo_engine_embed", RESULT_STATUS, true, true, 10, params_rondo_engine_embed, run_rondo_engine_embed},
};
const size_t n_functions = sizeof functions / sizeof *functions;

void close_raw(const struct library* library, enum handle_kind kind, void* raw) {
  switch (kind) {
    case HANDLE_MODEL: library->rondo_model_close(raw); break;
    case HANDLE_GRAMMAR: library->rondo_grammar_close(raw); break;
    case HANDLE_ADAPTER: library->rondo_adapter_close(raw); break;
    case HANDLE_ENGINE: library->rondo_engine_close(raw); break;
    case HANDLE_SESSION: library->rondo_session_close(raw); break;
    case HANDLE_MEDIA: library->rondo_media_close(raw); break;
    case HANDLE_CHAT_PARSER: library->rondo_chat_parser_close(raw); break;
    default: break;
  }
}

const char* fill_library(struct library** filled, void* (*find)(void*, const char*), void* shared) {
  struct library* library = calloc(1, sizeof *library);
  *filled = library;
  if (library == NULL) return "memory";
  *(void**)&library->rondo_abi_version = find(shared, "rondo_abi_version");
  if (library->rondo_abi_version == NULL) return "rondo_abi_version";
  *(void**)&library->rondo_version_string = find(shared, "rondo_version_string");
  if (library->rondo_version_string == NULL) return "rondo_version_string";
  *(void**)&library->rondo_status_string = find(shared, "rondo_status_string");
  if (library->rondo_status_string == NULL) return "rondo_status_string";
  *(void**)&library->rondo_query = find(shared, "rondo_query");
  if (library->rondo_query == NULL) return "rondo_query";
  *(void**)&library->rondo_model_open_path = find(shared, "rondo_model_open_path");
  if (library->rondo_model_open_path == NULL) return "rondo_model_open_path";
  *(void**)&library->rondo_model_open_fd = find(shared, "rondo_model_open_fd");
  if (library->rondo_model_open_fd == NULL) return "rondo_model_open_fd";
  *(void**)&library->rondo_model_open_memory = find(shared, "rondo_model_open_memory");
  if (library->rondo_model_open_memory == NULL) return "rondo_model_open_memory";
  *(void**)&library->rondo_model_open_parts = find(shared, "rondo_model_open_parts");
  if (library->rondo_model_open_parts == NULL) return "rondo_model_open_parts";
  *(void**)&library->rondo_model_close = find(shared, "rondo_model_close");
  if (library->rondo_model_close == NULL) return "rondo_model_close";
  *(void**)&library->rondo_model_info = find(shared, "rondo_model_info");
  if (library->rondo_model_info == NULL) return "rondo_model_info";
  *(void**)&library->rondo_model_eos_token = find(shared, "rondo_model_eos_token");
  if (library->rondo_model_eos_token == NULL) return "rondo_model_eos_token";
  *(void**)&library->rondo_model_fact = find(shared, "rondo_model_fact");
  if (library->rondo_model_fact == NULL) return "rondo_model_fact";
  *(void**)&library->rondo_model_fact_key = find(shared, "rondo_model_fact_key");
  if (library->rondo_model_fact_key == NULL) return "rondo_model_fact_key";
  *(void**)&library->rondo_tokenize = find(shared, "rondo_tokenize");
  if (library->rondo_tokenize == NULL) return "rondo_tokenize";
  *(void**)&library->rondo_detokenize = find(shared, "rondo_detokenize");
  if (library->rondo_detokenize == NULL) return "rondo_detokenize";
  *(void**)&library->rondo_grammar_options_init = find(shared, "rondo_grammar_options_init");
  if (library->rondo_grammar_options_init == NULL) return "rondo_grammar_options_init";
  *(void**)&library->rondo_grammar_plan = find(shared, "rondo_grammar_plan");
  if (library->rondo_grammar_plan == NULL) return "rondo_grammar_plan";
  *(void**)&library->rondo_grammar_create = find(shared, "rondo_grammar_create");
  if (library->rondo_grammar_create == NULL) return "rondo_grammar_create";
  *(void**)&library->rondo_grammar_close = find(shared, "rondo_grammar_close");
  if (library->rondo_grammar_close == NULL) return "rondo_grammar_close";
  *(void**)&library->rondo_adapter_open_path = find(shared, "rondo_adapter_open_path");
  if (library->rondo_adapter_open_path == NULL) return "rondo_adapter_open_path";
  *(void**)&library->rondo_adapter_open_memory = find(shared, "rondo_adapter_open_memory");
  if (library->rondo_adapter_open_memory == NULL) return "rondo_adapter_open_memory";
  *(void**)&library->rondo_adapter_close = find(shared, "rondo_adapter_close");
  if (library->rondo_adapter_close == NULL) return "rondo_adapter_close";
  *(void**)&library->rondo_adapter_info = find(shared, "rondo_adapter_info");
  if (library->rondo_adapter_info == NULL) return "rondo_adapter_info";
  *(void**)&library->rondo_engine_options_init = find(shared, "rondo_engine_options_init");
  if (library->rondo_engine_options_init == NULL) return "rondo_engine_options_init";
  *(void**)&library->rondo_plan = find(shared, "rondo_plan");
  if (library->rondo_plan == NULL) return "rondo_plan";
  *(void**)&library->rondo_plan_region = find(shared, "rondo_plan_region");
  if (library->rondo_plan_region == NULL) return "rondo_plan_region";
  *(void**)&library->rondo_plan_fit = find(shared, "rondo_plan_fit");
  if (library->rondo_plan_fit == NULL) return "rondo_plan_fit";
  *(void**)&library->rondo_engine_create = find(shared, "rondo_engine_create");
  if (library->rondo_engine_create == NULL) return "rondo_engine_create";
  *(void**)&library->rondo_engine_close = find(shared, "rondo_engine_close");
  if (library->rondo_engine_close == NULL) return "rondo_engine_close";
  *(void**)&library->rondo_engine_memory = find(shared, "rondo_engine_memory");
  if (library->rondo_engine_memory == NULL) return "rondo_engine_memory";
  *(void**)&library->rondo_engine_memory_region = find(shared, "rondo_engine_memory_region");
  if (library->rondo_engine_memory_region == NULL) return "rondo_engine_memory_region";
  *(void**)&library->rondo_engine_stats = find(shared, "rondo_engine_stats");
  if (library->rondo_engine_stats == NULL) return "rondo_engine_stats";
  *(void**)&library->rondo_engine_profile = find(shared, "rondo_engine_profile");
  if (library->rondo_engine_profile == NULL) return "rondo_engine_profile";
  *(void**)&library->rondo_session_options_init = find(shared, "rondo_session_options_init");
  if (library->rondo_session_options_init == NULL) return "rondo_session_options_init";
  *(void**)&library->rondo_model_session_options = find(shared, "rondo_model_session_options");
  if (library->rondo_model_session_options == NULL) return "rondo_model_session_options";
  *(void**)&library->rondo_session_open = find(shared, "rondo_session_open");
  if (library->rondo_session_open == NULL) return "rondo_session_open";
  *(void**)&library->rondo_session_fork = find(shared, "rondo_session_fork");
  if (library->rondo_session_fork == NULL) return "rondo_session_fork";
  *(void**)&library->rondo_session_close = find(shared, "rondo_session_close");
  if (library->rondo_session_close == NULL) return "rondo_session_close";
  *(void**)&library->rondo_session_prefill = find(shared, "rondo_session_prefill");
  if (library->rondo_session_prefill == NULL) return "rondo_session_prefill";
  *(void**)&library->rondo_session_prefill_logits = find(shared, "rondo_session_prefill_logits");
  if (library->rondo_session_prefill_logits == NULL) return "rondo_session_prefill_logits";
  *(void**)&library->rondo_session_next = find(shared, "rondo_session_next");
  if (library->rondo_session_next == NULL) return "rondo_session_next";
  *(void**)&library->rondo_session_append = find(shared, "rondo_session_append");
  if (library->rondo_session_append == NULL) return "rondo_session_append";
  *(void**)&library->rondo_session_append_inputs = find(shared, "rondo_session_append_inputs");
  if (library->rondo_session_append_inputs == NULL) return "rondo_session_append_inputs";
  *(void**)&library->rondo_image_options_init = find(shared, "rondo_image_options_init");
  if (library->rondo_image_options_init == NULL) return "rondo_image_options_init";
  *(void**)&library->rondo_image_plan = find(shared, "rondo_image_plan");
  if (library->rondo_image_plan == NULL) return "rondo_image_plan";
  *(void**)&library->rondo_media_create = find(shared, "rondo_media_create");
  if (library->rondo_media_create == NULL) return "rondo_media_create";
  *(void**)&library->rondo_media_info = find(shared, "rondo_media_info");
  if (library->rondo_media_info == NULL) return "rondo_media_info";
  *(void**)&library->rondo_media_close = find(shared, "rondo_media_close");
  if (library->rondo_media_close == NULL) return "rondo_media_close";
  *(void**)&library->rondo_session_append_media = find(shared, "rondo_session_append_media");
  if (library->rondo_session_append_media == NULL) return "rondo_session_append_media";
  *(void**)&library->rondo_engine_step = find(shared, "rondo_engine_step");
  if (library->rondo_engine_step == NULL) return "rondo_engine_step";
  *(void**)&library->rondo_session_event = find(shared, "rondo_session_event");
  if (library->rondo_session_event == NULL) return "rondo_session_event";
  *(void**)&library->rondo_session_logits = find(shared, "rondo_session_logits");
  if (library->rondo_session_logits == NULL) return "rondo_session_logits";
  *(void**)&library->rondo_session_propose = find(shared, "rondo_session_propose");
  if (library->rondo_session_propose == NULL) return "rondo_session_propose";
  *(void**)&library->rondo_session_accept = find(shared, "rondo_session_accept");
  if (library->rondo_session_accept == NULL) return "rondo_session_accept";
  *(void**)&library->rondo_session_undo = find(shared, "rondo_session_undo");
  if (library->rondo_session_undo == NULL) return "rondo_session_undo";
  *(void**)&library->rondo_session_reset = find(shared, "rondo_session_reset");
  if (library->rondo_session_reset == NULL) return "rondo_session_reset";
  *(void**)&library->rondo_session_position = find(shared, "rondo_session_position");
  if (library->rondo_session_position == NULL) return "rondo_session_position";
  *(void**)&library->rondo_session_remaining = find(shared, "rondo_session_remaining");
  if (library->rondo_session_remaining == NULL) return "rondo_session_remaining";
  *(void**)&library->rondo_session_evicted = find(shared, "rondo_session_evicted");
  if (library->rondo_session_evicted == NULL) return "rondo_session_evicted";
  *(void**)&library->rondo_session_progress = find(shared, "rondo_session_progress");
  if (library->rondo_session_progress == NULL) return "rondo_session_progress";
  *(void**)&library->rondo_session_stats = find(shared, "rondo_session_stats");
  if (library->rondo_session_stats == NULL) return "rondo_session_stats";
  *(void**)&library->rondo_session_cancel = find(shared, "rondo_session_cancel");
  if (library->rondo_session_cancel == NULL) return "rondo_session_cancel";
  *(void**)&library->rondo_session_call = find(shared, "rondo_session_call");
  if (library->rondo_session_call == NULL) return "rondo_session_call";
  *(void**)&library->rondo_session_cancel_call = find(shared, "rondo_session_cancel_call");
  if (library->rondo_session_cancel_call == NULL) return "rondo_session_cancel_call";
  *(void**)&library->rondo_session_last_error = find(shared, "rondo_session_last_error");
  if (library->rondo_session_last_error == NULL) return "rondo_session_last_error";
  *(void**)&library->rondo_session_save = find(shared, "rondo_session_save");
  if (library->rondo_session_save == NULL) return "rondo_session_save";
  *(void**)&library->rondo_session_restore = find(shared, "rondo_session_restore");
  if (library->rondo_session_restore == NULL) return "rondo_session_restore";
  *(void**)&library->rondo_session_tokens = find(shared, "rondo_session_tokens");
  if (library->rondo_session_tokens == NULL) return "rondo_session_tokens";
  *(void**)&library->rondo_model_chat_template_name = find(shared, "rondo_model_chat_template_name");
  if (library->rondo_model_chat_template_name == NULL) return "rondo_model_chat_template_name";
  *(void**)&library->rondo_model_chat_template = find(shared, "rondo_model_chat_template");
  if (library->rondo_model_chat_template == NULL) return "rondo_model_chat_template";
  *(void**)&library->rondo_chat_options_init = find(shared, "rondo_chat_options_init");
  if (library->rondo_chat_options_init == NULL) return "rondo_chat_options_init";
  *(void**)&library->rondo_chat_render = find(shared, "rondo_chat_render");
  if (library->rondo_chat_render == NULL) return "rondo_chat_render";
  *(void**)&library->rondo_chat_parser_create = find(shared, "rondo_chat_parser_create");
  if (library->rondo_chat_parser_create == NULL) return "rondo_chat_parser_create";
  *(void**)&library->rondo_chat_parser_push = find(shared, "rondo_chat_parser_push");
  if (library->rondo_chat_parser_push == NULL) return "rondo_chat_parser_push";
  *(void**)&library->rondo_chat_parser_next = find(shared, "rondo_chat_parser_next");
  if (library->rondo_chat_parser_next == NULL) return "rondo_chat_parser_next";
  *(void**)&library->rondo_chat_parser_reset = find(shared, "rondo_chat_parser_reset");
  if (library->rondo_chat_parser_reset == NULL) return "rondo_chat_parser_reset";
  *(void**)&library->rondo_chat_parser_close = find(shared, "rondo_chat_parser_close");
  if (library->rondo_chat_parser_close == NULL) return "rondo_chat_parser_close";
  *(void**)&library->rondo_chat_grammar = find(shared, "rondo_chat_grammar");
  if (library->rondo_chat_grammar == NULL) return "rondo_chat_grammar";
  *(void**)&library->rondo_chat_thinking = find(shared, "rondo_chat_thinking");
  if (library->rondo_chat_thinking == NULL) return "rondo_chat_thinking";
  *(void**)&library->rondo_model_embedder = find(shared, "rondo_model_embedder");
  if (library->rondo_model_embedder == NULL) return "rondo_model_embedder";
  *(void**)&library->rondo_model_prompt_name = find(shared, "rondo_model_prompt_name");
  if (library->rondo_model_prompt_name == NULL) return "rondo_model_prompt_name";
  *(void**)&library->rondo_embedding_text = find(shared, "rondo_embedding_text");
  if (library->rondo_embedding_text == NULL) return "rondo_embedding_text";
  *(void**)&library->rondo_pair_text = find(shared, "rondo_pair_text");
  if (library->rondo_pair_text == NULL) return "rondo_pair_text";
  *(void**)&library->rondo_session_embed = find(shared, "rondo_session_embed");
  if (library->rondo_session_embed == NULL) return "rondo_session_embed";
  *(void**)&library->rondo_engine_embed = find(shared, "rondo_engine_embed");
  if (library->rondo_engine_embed == NULL) return "rondo_engine_embed";
  return NULL;
}

const struct structure* const event_structure = &struct_rondo_event;
