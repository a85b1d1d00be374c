/* ABI 0.13, written by record.py; compiled against the header of today. */
/* clang-format off */
#include <rondo/rondo.h>

struct aligned { char c; uint64_t number; };
#define MODEL(p64, p32, i386) \
  (sizeof(void*) == 8 ? (p64) : offsetof(struct aligned, number) == 8 ? (p32) : (i386))
#define FIELD(type, field, at, bytes, ...) \
  _Static_assert(offsetof(type, field) == MODEL at && \
                     sizeof(((type*)0)->field) == MODEL bytes && \
                     _Generic(((type*)0)->field, __VA_ARGS__: 1, default: 0), \
                 #type "." #field)
#define GROWS(type, bytes) _Static_assert(sizeof(type) >= MODEL bytes, #type)
#define FIXED(type, bytes) _Static_assert(sizeof(type) == MODEL bytes, #type)
#define VALUE(name, value) _Static_assert((name) == (value), #name)
#define FUNCTION(name, ...) \
  _Static_assert(_Generic(&name, __VA_ARGS__: 1, default: 0), #name)

_Static_assert(RONDO_ABI_VERSION >= 13u, "version");

FIXED(rondo_model_part, (16, 8, 8));
FIELD(rondo_model_part, bytes, (0, 0, 0), (8, 4, 4), const void*);
FIELD(rondo_model_part, length, (8, 4, 4), (8, 4, 4), size_t);

GROWS(rondo_model_facts, (80, 80, 80));
FIELD(rondo_model_facts, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, vocab_size, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, context_length, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, hidden_size, (12, 12, 12), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, n_layers, (16, 16, 16), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, n_heads, (20, 20, 20), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, n_kv_heads, (24, 24, 24), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, head_dim, (28, 28, 28), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, bos_token, (32, 32, 32), (4, 4, 4), int32_t);
FIELD(rondo_model_facts, n_eos_tokens, (36, 36, 36), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, has_tokenizer, (40, 40, 40), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, format_version, (44, 44, 44), (4, 4, 4), uint32_t);
FIELD(rondo_model_facts, file_bytes, (48, 48, 48), (8, 8, 8), uint64_t);
FIELD(rondo_model_facts, parameters, (56, 56, 56), (8, 8, 8), uint64_t);
FIELD(rondo_model_facts, tokenizer_bytes, (64, 64, 64), (8, 8, 8), uint64_t);
FIELD(rondo_model_facts, picture_token, (72, 72, 72), (4, 4, 4), int32_t);

GROWS(rondo_grammar_options, (24, 24, 24));
FIELD(rondo_grammar_options, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_grammar_options, kind, (4, 4, 4), (4, 4, 4), int32_t);
FIELD(rondo_grammar_options, flags, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_grammar_options, memory_bytes, (16, 16, 16), (8, 8, 8), uint64_t);

GROWS(rondo_adapter_facts, (24, 24, 24));
FIELD(rondo_adapter_facts, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_adapter_facts, rank, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_adapter_facts, n_matrices, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_adapter_facts, file_bytes, (16, 16, 16), (8, 8, 8), uint64_t);

GROWS(rondo_engine_options, (168, 132, 132));
FIELD(rondo_engine_options, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, context, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, max_sessions, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, max_rows, (12, 12, 12), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, threads, (16, 16, 16), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, context_policy, (20, 20, 20), (4, 4, 4), int32_t);
FIELD(rondo_engine_options, sink_tokens, (24, 24, 24), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, kv_format, (28, 28, 28), (4, 4, 4), int32_t);
FIELD(rondo_engine_options, kernels, (32, 32, 32), (8, 4, 4), const char*);
FIELD(rondo_engine_options, progress, (40, 36, 36), (8, 4, 4), int32_t (*)(void*, uint64_t, uint64_t));
FIELD(rondo_engine_options, progress_user, (48, 40, 40), (8, 4, 4), void*);
FIELD(rondo_engine_options, kv_tokens, (56, 44, 44), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, rows_per_step, (60, 48, 48), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, no_prefix_cache, (64, 52, 52), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, profile_events, (68, 56, 56), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, parallel_for, (72, 60, 60), (8, 4, 4), void (*)(void*, size_t, void (*)(void*, size_t), void*));
FIELD(rondo_engine_options, parallel_user, (80, 64, 64), (8, 4, 4), void*);
FIELD(rondo_engine_options, log, (88, 68, 68), (8, 4, 4), void (*)(void*, int32_t, const char*));
FIELD(rondo_engine_options, log_user, (96, 72, 72), (8, 4, 4), void*);
FIELD(rondo_engine_options, log_level, (104, 76, 76), (4, 4, 4), int32_t);
FIELD(rondo_engine_options, duty_percent, (108, 80, 80), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, draft, (112, 84, 84), (8, 4, 4), rondo_model*);
FIELD(rondo_engine_options, draft_head, (120, 88, 88), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, cpus, (128, 96, 96), (8, 4, 4), const uint32_t*);
FIELD(rondo_engine_options, n_cpus, (136, 100, 100), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, affinity, (140, 104, 104), (4, 4, 4), int32_t);
FIELD(rondo_engine_options, adapter_rank, (144, 108, 108), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, max_input_rows, (152, 116, 116), (4, 4, 4), uint32_t);
FIELD(rondo_engine_options, max_media_rows, (160, 124, 124), (4, 4, 4), uint32_t);

GROWS(rondo_memory_plan, (136, 136, 132));
FIELD(rondo_memory_plan, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_memory_plan, n_regions, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_memory_plan, arena_bytes, (8, 8, 8), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, arena_alignment, (16, 16, 16), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, weights_bytes, (24, 24, 24), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, kv_pool_bytes, (32, 32, 32), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, sessions_bytes, (40, 40, 40), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, activations_bytes, (48, 48, 48), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, workspace_bytes, (56, 56, 56), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, activations_lower_bound, (64, 64, 64), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, kv_bytes_per_token, (72, 72, 72), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, kv_block_tokens, (80, 80, 80), (4, 4, 4), uint32_t);
FIELD(rondo_memory_plan, context, (84, 84, 84), (4, 4, 4), uint32_t);
FIELD(rondo_memory_plan, max_sessions, (88, 88, 88), (4, 4, 4), uint32_t);
FIELD(rondo_memory_plan, max_rows, (92, 92, 92), (4, 4, 4), uint32_t);
FIELD(rondo_memory_plan, threads, (96, 96, 96), (4, 4, 4), uint32_t);
FIELD(rondo_memory_plan, sink_tokens, (100, 100, 100), (4, 4, 4), uint32_t);
FIELD(rondo_memory_plan, kernels, (104, 104, 104), (8, 4, 4), const char*);
FIELD(rondo_memory_plan, mapped_bytes, (112, 112, 108), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, kv_tokens, (120, 120, 116), (8, 8, 8), uint64_t);
FIELD(rondo_memory_plan, rows_per_step, (128, 128, 124), (4, 4, 4), uint32_t);

GROWS(rondo_memory_region, (80, 80, 80));
FIELD(rondo_memory_region, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_memory_region, segment, (4, 4, 4), (4, 4, 4), int32_t);
FIELD(rondo_memory_region, offset, (8, 8, 8), (8, 8, 8), uint64_t);
FIELD(rondo_memory_region, bytes, (16, 16, 16), (8, 8, 8), uint64_t);
FIELD(rondo_memory_region, first_step, (24, 24, 24), (4, 4, 4), int32_t);
FIELD(rondo_memory_region, last_step, (28, 28, 28), (4, 4, 4), int32_t);
FIELD(rondo_memory_region, name, (32, 32, 32), (48, 48, 48), char*);

GROWS(rondo_engine_counters, (136, 136, 136));
FIELD(rondo_engine_counters, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_engine_counters, sessions_open, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_engine_counters, owns_arena, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_engine_counters, tokens_prefilled, (16, 16, 16), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, tokens_generated, (24, 24, 24), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, tokens_taken_over, (32, 32, 32), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, parallel_faults, (40, 40, 40), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, passes, (48, 48, 48), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, rows, (56, 56, 56), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, prefill_ns, (64, 64, 64), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, decode_ns, (72, 72, 72), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, sample_ns, (80, 80, 80), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, prefix_hits, (88, 88, 88), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, tokens_evicted, (96, 96, 96), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, kv_bytes_used, (104, 104, 104), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, kv_bytes_total, (112, 112, 112), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, drafts_proposed, (120, 120, 120), (8, 8, 8), uint64_t);
FIELD(rondo_engine_counters, drafts_accepted, (128, 128, 128), (8, 8, 8), uint64_t);

GROWS(rondo_profile_event, (56, 56, 52));
FIELD(rondo_profile_event, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_profile_event, layer, (4, 4, 4), (4, 4, 4), int32_t);
FIELD(rondo_profile_event, rows, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_profile_event, inputs, (12, 12, 12), (4, 4, 4), uint32_t);
FIELD(rondo_profile_event, outputs, (16, 16, 16), (4, 4, 4), uint32_t);
FIELD(rondo_profile_event, begin_ns, (24, 24, 24), (8, 8, 8), uint64_t);
FIELD(rondo_profile_event, duration_ns, (32, 32, 32), (8, 8, 8), uint64_t);
FIELD(rondo_profile_event, thread, (40, 40, 40), (8, 8, 8), uint64_t);
FIELD(rondo_profile_event, name, (48, 48, 48), (8, 4, 4), const char*);

FIXED(rondo_logit_bias, (8, 8, 8));
FIELD(rondo_logit_bias, token, (0, 0, 0), (4, 4, 4), int32_t);
FIELD(rondo_logit_bias, bias, (4, 4, 4), (4, 4, 4), float);

GROWS(rondo_session_options, (160, 136, 128));
FIELD(rondo_session_options, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_session_options, temperature, (4, 4, 4), (4, 4, 4), float);
FIELD(rondo_session_options, top_k, (8, 8, 8), (4, 4, 4), int32_t);
FIELD(rondo_session_options, top_p, (12, 12, 12), (4, 4, 4), float);
FIELD(rondo_session_options, min_p, (16, 16, 16), (4, 4, 4), float);
FIELD(rondo_session_options, repetition_penalty, (20, 20, 20), (4, 4, 4), float);
FIELD(rondo_session_options, presence_penalty, (24, 24, 24), (4, 4, 4), float);
FIELD(rondo_session_options, frequency_penalty, (28, 28, 28), (4, 4, 4), float);
FIELD(rondo_session_options, penalty_last_n, (32, 32, 32), (4, 4, 4), int32_t);
FIELD(rondo_session_options, ignore_eos, (36, 36, 36), (4, 4, 4), uint32_t);
FIELD(rondo_session_options, logprobs, (40, 40, 40), (4, 4, 4), uint32_t);
FIELD(rondo_session_options, no_repeat_ngram_size, (44, 44, 44), (4, 4, 4), uint32_t);
FIELD(rondo_session_options, seed, (48, 48, 48), (8, 8, 8), uint64_t);
FIELD(rondo_session_options, max_tokens, (56, 56, 56), (8, 8, 8), uint64_t);
FIELD(rondo_session_options, logit_bias, (64, 64, 64), (8, 4, 4), const rondo_logit_bias*);
FIELD(rondo_session_options, n_logit_bias, (72, 68, 68), (8, 4, 4), size_t);
FIELD(rondo_session_options, stop_strings, (80, 72, 72), (8, 4, 4), const char* const*);
FIELD(rondo_session_options, n_stop_strings, (88, 76, 76), (8, 4, 4), size_t);
FIELD(rondo_session_options, speculation, (96, 80, 80), (4, 4, 4), int32_t);
FIELD(rondo_session_options, max_drafts, (100, 84, 84), (4, 4, 4), uint32_t);
FIELD(rondo_session_options, grammar, (104, 88, 88), (8, 4, 4), rondo_grammar*);
FIELD(rondo_session_options, grammar_begin, (112, 92, 92), (4, 4, 4), int32_t);
FIELD(rondo_session_options, grammar_token, (116, 96, 96), (4, 4, 4), int32_t);
FIELD(rondo_session_options, grammar_goes_on, (120, 100, 100), (4, 4, 4), uint32_t);
FIELD(rondo_session_options, thinking, (124, 104, 104), (4, 4, 4), uint32_t);
FIELD(rondo_session_options, thinking_begin, (128, 108, 108), (8, 4, 4), const char*);
FIELD(rondo_session_options, thinking_end, (136, 112, 112), (8, 4, 4), const char*);
FIELD(rondo_session_options, thinking_tokens, (144, 120, 116), (8, 8, 8), uint64_t);
FIELD(rondo_session_options, adapter, (152, 128, 124), (8, 4, 4), rondo_adapter*);

GROWS(rondo_event, (72, 56, 56));
FIELD(rondo_event, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_event, token, (4, 4, 4), (4, 4, 4), int32_t);
FIELD(rondo_event, logprob, (8, 8, 8), (4, 4, 4), float);
FIELD(rondo_event, reason, (12, 12, 12), (4, 4, 4), int32_t);
FIELD(rondo_event, bytes, (16, 16, 16), (8, 4, 4), const char*);
FIELD(rondo_event, bytes_count, (24, 20, 20), (8, 4, 4), size_t);
FIELD(rondo_event, text, (32, 24, 24), (8, 4, 4), const char*);
FIELD(rondo_event, text_bytes, (40, 28, 28), (8, 4, 4), size_t);
FIELD(rondo_event, pending, (48, 32, 32), (8, 8, 8), uint64_t);
FIELD(rondo_event, taken_over, (56, 40, 40), (8, 8, 8), uint64_t);
FIELD(rondo_event, channel, (64, 48, 48), (4, 4, 4), int32_t);

GROWS(rondo_input, (48, 32, 32));
FIELD(rondo_input, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_input, row_format, (4, 4, 4), (4, 4, 4), int32_t);
FIELD(rondo_input, ids, (8, 8, 8), (8, 4, 4), const int32_t*);
FIELD(rondo_input, rows, (16, 12, 12), (8, 4, 4), const void*);
FIELD(rondo_input, count, (24, 16, 16), (8, 4, 4), size_t);
FIELD(rondo_input, coordinates, (32, 20, 20), (8, 4, 4), const int32_t*);
FIELD(rondo_input, sees_whole, (40, 24, 24), (4, 4, 4), uint32_t);

GROWS(rondo_image, (80, 56, 56));
FIELD(rondo_image, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_image, format, (4, 4, 4), (4, 4, 4), int32_t);
FIELD(rondo_image, width, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_image, height, (12, 12, 12), (4, 4, 4), uint32_t);
FIELD(rondo_image, plane0, (16, 16, 16), (8, 4, 4), const void*);
FIELD(rondo_image, plane1, (24, 20, 20), (8, 4, 4), const void*);
FIELD(rondo_image, plane2, (32, 24, 24), (8, 4, 4), const void*);
FIELD(rondo_image, stride0, (40, 28, 28), (8, 4, 4), size_t);
FIELD(rondo_image, stride1, (48, 32, 32), (8, 4, 4), size_t);
FIELD(rondo_image, stride2, (56, 36, 36), (8, 4, 4), size_t);
FIELD(rondo_image, rotation, (64, 40, 40), (4, 4, 4), uint32_t);
FIELD(rondo_image, mirror, (68, 44, 44), (4, 4, 4), uint32_t);
FIELD(rondo_image, yuv_range, (72, 48, 48), (4, 4, 4), int32_t);
FIELD(rondo_image, yuv_matrix, (76, 52, 52), (4, 4, 4), int32_t);

GROWS(rondo_image_options, (32, 24, 24));
FIELD(rondo_image_options, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_image_options, min_tokens, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_image_options, max_tokens, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_image_options, one_tile, (12, 12, 12), (4, 4, 4), uint32_t);
FIELD(rondo_image_options, progress, (16, 16, 16), (8, 4, 4), int32_t (*)(void*, uint64_t, uint64_t));
FIELD(rondo_image_options, progress_user, (24, 20, 20), (8, 4, 4), void*);

GROWS(rondo_image_facts, (40, 40, 40));
FIELD(rondo_image_facts, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_image_facts, rows, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_image_facts, positions, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_image_facts, tile_columns, (12, 12, 12), (4, 4, 4), uint32_t);
FIELD(rondo_image_facts, tile_rows, (16, 16, 16), (4, 4, 4), uint32_t);
FIELD(rondo_image_facts, tile_pixels, (20, 20, 20), (4, 4, 4), uint32_t);
FIELD(rondo_image_facts, whole_width, (24, 24, 24), (4, 4, 4), uint32_t);
FIELD(rondo_image_facts, whole_height, (28, 28, 28), (4, 4, 4), uint32_t);
FIELD(rondo_image_facts, patches, (32, 32, 32), (8, 8, 8), uint64_t);

GROWS(rondo_session_counters, (112, 112, 112));
FIELD(rondo_session_counters, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_session_counters, tokens_prefilled, (8, 8, 8), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, tokens_generated, (16, 16, 16), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, tokens_taken_over, (24, 24, 24), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, passes, (32, 32, 32), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, rows, (40, 40, 40), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, prefill_ns, (48, 48, 48), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, decode_ns, (56, 56, 56), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, sample_ns, (64, 64, 64), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, prefix_hits, (72, 72, 72), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, tokens_evicted, (80, 80, 80), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, kv_bytes_held, (88, 88, 88), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, drafts_proposed, (96, 96, 96), (8, 8, 8), uint64_t);
FIELD(rondo_session_counters, drafts_accepted, (104, 104, 104), (8, 8, 8), uint64_t);

GROWS(rondo_chat_options, (88, 56, 52));
FIELD(rondo_chat_options, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_chat_options, flags, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_chat_options, local_time, (8, 8, 8), (8, 8, 8), int64_t);
FIELD(rondo_chat_options, messages, (16, 16, 16), (8, 4, 4), const char*);
FIELD(rondo_chat_options, messages_bytes, (24, 20, 20), (8, 4, 4), size_t);
FIELD(rondo_chat_options, tools, (32, 24, 24), (8, 4, 4), const char*);
FIELD(rondo_chat_options, tools_bytes, (40, 28, 28), (8, 4, 4), size_t);
FIELD(rondo_chat_options, variables, (48, 32, 32), (8, 4, 4), const char*);
FIELD(rondo_chat_options, variables_bytes, (56, 36, 36), (8, 4, 4), size_t);
FIELD(rondo_chat_options, template_name, (64, 40, 40), (8, 4, 4), const char*);
FIELD(rondo_chat_options, template_text, (72, 44, 44), (8, 4, 4), const char*);
FIELD(rondo_chat_options, template_bytes, (80, 48, 48), (8, 4, 4), size_t);

GROWS(rondo_chat_part, (64, 40, 40));
FIELD(rondo_chat_part, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_chat_part, kind, (4, 4, 4), (4, 4, 4), int32_t);
FIELD(rondo_chat_part, call, (8, 8, 8), (8, 8, 8), uint64_t);
FIELD(rondo_chat_part, text, (16, 16, 16), (8, 4, 4), const char*);
FIELD(rondo_chat_part, text_bytes, (24, 20, 20), (8, 4, 4), size_t);
FIELD(rondo_chat_part, name, (32, 24, 24), (8, 4, 4), const char*);
FIELD(rondo_chat_part, name_bytes, (40, 28, 28), (8, 4, 4), size_t);
FIELD(rondo_chat_part, id, (48, 32, 32), (8, 4, 4), const char*);
FIELD(rondo_chat_part, id_bytes, (56, 36, 36), (8, 4, 4), size_t);

GROWS(rondo_embedder_facts, (40, 40, 40));
FIELD(rondo_embedder_facts, struct_size, (0, 0, 0), (4, 4, 4), uint32_t);
FIELD(rondo_embedder_facts, dimensions, (4, 4, 4), (4, 4, 4), uint32_t);
FIELD(rondo_embedder_facts, max_tokens, (8, 8, 8), (4, 4, 4), uint32_t);
FIELD(rondo_embedder_facts, whole_texts, (12, 12, 12), (4, 4, 4), uint32_t);
FIELD(rondo_embedder_facts, normalized, (16, 16, 16), (4, 4, 4), uint32_t);
FIELD(rondo_embedder_facts, scores_pairs, (20, 20, 20), (4, 4, 4), uint32_t);
FIELD(rondo_embedder_facts, pooling, (24, 24, 24), (4, 4, 4), int32_t);
FIELD(rondo_embedder_facts, n_prompts, (28, 28, 28), (4, 4, 4), uint32_t);
FIELD(rondo_embedder_facts, default_prompt, (32, 32, 32), (4, 4, 4), int32_t);

VALUE(RONDO_STATUS_OK, 0);
VALUE(RONDO_STATUS_INVALID_ARGUMENT, 16);
VALUE(RONDO_STATUS_BUFFER_TOO_SMALL, 17);
VALUE(RONDO_STATUS_BUSY, 18);
VALUE(RONDO_STATUS_VERSION_MISMATCH, 19);
VALUE(RONDO_STATUS_INVALID_HANDLE, 20);
VALUE(RONDO_STATUS_IO_ERROR, 32);
VALUE(RONDO_STATUS_NOT_A_MODEL, 33);
VALUE(RONDO_STATUS_NEWER_FORMAT, 34);
VALUE(RONDO_STATUS_CORRUPT, 35);
VALUE(RONDO_STATUS_UNSUPPORTED, 36);
VALUE(RONDO_STATUS_OUT_OF_MEMORY, 48);
VALUE(RONDO_STATUS_ARENA_TOO_SMALL, 49);
VALUE(RONDO_STATUS_ARENA_MISALIGNED, 50);
VALUE(RONDO_STATUS_CONTEXT_FULL, 64);
VALUE(RONDO_STATUS_CANCELLED, 65);
VALUE(RONDO_STATUS_NO_LOGITS, 66);
VALUE(RONDO_STATUS_KV_POOL_FULL, 67);
VALUE(RONDO_STATUS_SNAPSHOT_MISMATCH, 68);
VALUE(RONDO_STATUS_CONSTRAINT, 69);
VALUE(RONDO_STATUS_INTERNAL, 80);

VALUE(RONDO_TOKENIZE_ADD_SPECIAL, 1);

VALUE(RONDO_DETOKENIZE_SKIP_SPECIAL, 1);

VALUE(RONDO_GRAMMAR_JSON_SCHEMA, 0);
VALUE(RONDO_GRAMMAR_PATTERN, 1);
VALUE(RONDO_GRAMMAR_GBNF, 2);

VALUE(RONDO_SCHEMA_NO_SPACES, 1);
VALUE(RONDO_SCHEMA_ANY_ORDER, 2);
VALUE(RONDO_SCHEMA_ONE_SPACE, 4);
VALUE(RONDO_SCHEMA_NAMED_ONLY, 8);

VALUE(RONDO_POLICY_STOP, 0);
VALUE(RONDO_POLICY_SLIDE, 1);

VALUE(RONDO_KV_INT8, 0);
VALUE(RONDO_KV_FLOAT32, 1);
VALUE(RONDO_KV_K8V4, 2);
VALUE(RONDO_KV_K4V4, 3);

VALUE(RONDO_LOG_WARNING, 0);
VALUE(RONDO_LOG_INFO, 1);
VALUE(RONDO_LOG_DEBUG, 2);

VALUE(RONDO_AFFINITY_SYSTEM, 0);
VALUE(RONDO_AFFINITY_PERFORMANCE, 1);
VALUE(RONDO_AFFINITY_CPUS, 2);

VALUE(RONDO_SEGMENT_WEIGHTS, 0);
VALUE(RONDO_SEGMENT_KV_POOL, 1);
VALUE(RONDO_SEGMENT_SESSIONS, 2);
VALUE(RONDO_SEGMENT_ACTIVATIONS, 3);
VALUE(RONDO_SEGMENT_WORKSPACE, 4);

VALUE(RONDO_SPECULATION_NONE, 0);
VALUE(RONDO_SPECULATION_PROMPT_LOOKUP, 1);
VALUE(RONDO_SPECULATION_DRAFT_MODEL, 2);
VALUE(RONDO_SPECULATION_DRAFT_HEAD, 3);

VALUE(RONDO_GRAMMAR_BEGIN_AT_ONCE, 0);
VALUE(RONDO_GRAMMAR_BEGIN_AFTER_TOKEN, 1);
VALUE(RONDO_GRAMMAR_BEGIN_AFTER_THINKING, 2);

VALUE(RONDO_REASON_NONE, 0);
VALUE(RONDO_REASON_EOS, 1);
VALUE(RONDO_REASON_STOP_STRING, 2);
VALUE(RONDO_REASON_TOKEN_LIMIT, 3);
VALUE(RONDO_REASON_CONTEXT_FULL, 4);
VALUE(RONDO_REASON_GRAMMAR, 5);

VALUE(RONDO_CHANNEL_TEXT, 0);
VALUE(RONDO_CHANNEL_THINKING, 1);

VALUE(RONDO_ROWS_FLOAT32, 0);
VALUE(RONDO_ROWS_BFLOAT16, 1);

VALUE(RONDO_PIXELS_RGB8, 0);
VALUE(RONDO_PIXELS_RGBA8, 1);
VALUE(RONDO_PIXELS_BGRA8, 2);
VALUE(RONDO_PIXELS_GRAY8, 3);
VALUE(RONDO_PIXELS_NV12, 4);
VALUE(RONDO_PIXELS_NV21, 5);
VALUE(RONDO_PIXELS_I420, 6);

VALUE(RONDO_YUV_VIDEO, 0);
VALUE(RONDO_YUV_FULL, 1);

VALUE(RONDO_YUV_BT601, 0);
VALUE(RONDO_YUV_BT709, 1);

VALUE(RONDO_CHAT_ADD_GENERATION_PROMPT, 1);
VALUE(RONDO_CHAT_CONTINUE_FINAL, 2);
VALUE(RONDO_CHAT_PLAIN_CONTENT, 4);

VALUE(RONDO_CHAT_PART_NONE, 0);
VALUE(RONDO_CHAT_PART_CONTENT, 1);
VALUE(RONDO_CHAT_PART_THINKING, 2);
VALUE(RONDO_CHAT_PART_CALL, 3);
VALUE(RONDO_CHAT_PART_ARGUMENTS, 4);
VALUE(RONDO_CHAT_PART_CALL_END, 5);

VALUE(RONDO_CALLS_AUTO, 0);
VALUE(RONDO_CALLS_REQUIRED, 1);
VALUE(RONDO_CALLS_ONE, 2);

VALUE(RONDO_POOLING_MEAN, 0);
VALUE(RONDO_POOLING_LAST, 1);
VALUE(RONDO_POOLING_FIRST, 2);

FUNCTION(rondo_abi_version, uint32_t (*)(void));
FUNCTION(rondo_version_string, const char* (*)(void));
FUNCTION(rondo_status_string, const char* (*)(int32_t));
FUNCTION(rondo_query, int32_t (*)(const char*, int64_t*));
FUNCTION(rondo_model_open_path, int32_t (*)(uint32_t, const char*, rondo_model**, char*, size_t));
FUNCTION(rondo_model_open_fd, int32_t (*)(uint32_t, int32_t, uint64_t, uint64_t, rondo_model**, char*, size_t));
FUNCTION(rondo_model_open_memory, int32_t (*)(uint32_t, const void*, size_t, rondo_model**, char*, size_t));
FUNCTION(rondo_model_open_parts, int32_t (*)(uint32_t, const rondo_model_part*, uint32_t, rondo_model**, char*, size_t));
FUNCTION(rondo_model_close, void (*)(rondo_model*));
FUNCTION(rondo_model_info, int32_t (*)(const rondo_model*, rondo_model_facts*));
FUNCTION(rondo_model_eos_token, int32_t (*)(const rondo_model*, uint32_t, int32_t*));
FUNCTION(rondo_model_fact, int32_t (*)(const rondo_model*, const char*, char*, size_t, size_t*));
FUNCTION(rondo_model_fact_key, int32_t (*)(const rondo_model*, uint32_t, char*, size_t, size_t*));
FUNCTION(rondo_tokenize, int32_t (*)(const rondo_model*, const char*, size_t, uint32_t, int32_t*, size_t, size_t*));
FUNCTION(rondo_detokenize, int32_t (*)(const rondo_model*, const int32_t*, size_t, uint32_t, char*, size_t, size_t*));
FUNCTION(rondo_grammar_options_init, int32_t (*)(rondo_grammar_options*, size_t));
FUNCTION(rondo_grammar_plan, int32_t (*)(const rondo_model*, const rondo_grammar_options*, size_t, uint64_t*, char*, size_t));
FUNCTION(rondo_grammar_create, int32_t (*)(rondo_model*, const rondo_grammar_options*, const char*, size_t, void*, size_t, rondo_grammar**, char*, size_t));
FUNCTION(rondo_grammar_close, void (*)(rondo_grammar*));
FUNCTION(rondo_adapter_open_path, int32_t (*)(rondo_model*, const char*, rondo_adapter**, char*, size_t));
FUNCTION(rondo_adapter_open_memory, int32_t (*)(rondo_model*, const void*, size_t, rondo_adapter**, char*, size_t));
FUNCTION(rondo_adapter_close, void (*)(rondo_adapter*));
FUNCTION(rondo_adapter_info, int32_t (*)(const rondo_adapter*, rondo_adapter_facts*));
FUNCTION(rondo_engine_options_init, int32_t (*)(rondo_engine_options*, size_t));
FUNCTION(rondo_plan, int32_t (*)(const rondo_model*, const rondo_engine_options*, rondo_memory_plan*, char*, size_t));
FUNCTION(rondo_plan_region, int32_t (*)(const rondo_model*, const rondo_engine_options*, uint32_t, rondo_memory_region*));
FUNCTION(rondo_plan_fit, int32_t (*)(const rondo_model*, const rondo_engine_options*, uint64_t, uint32_t*, char*, size_t));
FUNCTION(rondo_engine_create, int32_t (*)(rondo_model*, const rondo_engine_options*, void*, size_t, rondo_engine**, char*, size_t));
FUNCTION(rondo_engine_close, void (*)(rondo_engine*));
FUNCTION(rondo_engine_memory, int32_t (*)(const rondo_engine*, rondo_memory_plan*));
FUNCTION(rondo_engine_memory_region, int32_t (*)(const rondo_engine*, uint32_t, rondo_memory_region*));
FUNCTION(rondo_engine_stats, int32_t (*)(const rondo_engine*, rondo_engine_counters*));
FUNCTION(rondo_engine_profile, int32_t (*)(const rondo_engine*, uint64_t*, rondo_profile_event*));
FUNCTION(rondo_session_options_init, int32_t (*)(rondo_session_options*, size_t));
FUNCTION(rondo_model_session_options, int32_t (*)(const rondo_model*, rondo_session_options*));
FUNCTION(rondo_session_open, int32_t (*)(rondo_engine*, const rondo_session_options*, rondo_session**, char*, size_t));
FUNCTION(rondo_session_fork, int32_t (*)(rondo_session*, const rondo_session_options*, rondo_session**, char*, size_t));
FUNCTION(rondo_session_close, void (*)(rondo_session*));
FUNCTION(rondo_session_prefill, int32_t (*)(rondo_session*, const int32_t*, size_t));
FUNCTION(rondo_session_prefill_logits, int32_t (*)(rondo_session*, const int32_t*, size_t, void (*)(void*, size_t, const float*, size_t), void*));
FUNCTION(rondo_session_next, int32_t (*)(rondo_session*, rondo_event*));
FUNCTION(rondo_session_append, int32_t (*)(rondo_session*, const int32_t*, size_t));
FUNCTION(rondo_session_append_inputs, int32_t (*)(rondo_session*, const rondo_input*, size_t));
FUNCTION(rondo_image_options_init, int32_t (*)(rondo_image_options*, size_t));
FUNCTION(rondo_image_plan, int32_t (*)(const rondo_model*, uint32_t, uint32_t, const rondo_image_options*, rondo_image_facts*, char*, size_t));
FUNCTION(rondo_media_create, int32_t (*)(rondo_engine*, const rondo_image*, const rondo_image_options*, rondo_media**, char*, size_t));
FUNCTION(rondo_media_info, int32_t (*)(const rondo_media*, rondo_image_facts*));
FUNCTION(rondo_media_close, void (*)(rondo_media*));
FUNCTION(rondo_session_append_media, int32_t (*)(rondo_session*, const int32_t*, size_t, rondo_media* const*, size_t));
FUNCTION(rondo_engine_step, int32_t (*)(rondo_engine*, rondo_session* const*, size_t, char*, size_t));
FUNCTION(rondo_session_event, int32_t (*)(rondo_session*, rondo_event*));
FUNCTION(rondo_session_logits, int32_t (*)(rondo_session*, const float**, size_t*));
FUNCTION(rondo_session_propose, int32_t (*)(rondo_session*, const int32_t*, size_t));
FUNCTION(rondo_session_accept, int32_t (*)(rondo_session*, int32_t));
FUNCTION(rondo_session_undo, int32_t (*)(rondo_session*, uint64_t));
FUNCTION(rondo_session_reset, int32_t (*)(rondo_session*));
FUNCTION(rondo_session_position, int32_t (*)(rondo_session*, uint64_t*));
FUNCTION(rondo_session_remaining, int32_t (*)(rondo_session*, uint64_t*));
FUNCTION(rondo_session_evicted, int32_t (*)(rondo_session*, uint64_t*, uint64_t*));
FUNCTION(rondo_session_progress, int32_t (*)(const rondo_session*, uint64_t*, uint64_t*));
FUNCTION(rondo_session_stats, int32_t (*)(rondo_session*, rondo_session_counters*));
FUNCTION(rondo_session_cancel, int32_t (*)(rondo_session*));
FUNCTION(rondo_session_call, int32_t (*)(const rondo_session*, uint64_t*));
FUNCTION(rondo_session_cancel_call, int32_t (*)(rondo_session*, uint64_t));
FUNCTION(rondo_session_last_error, const char* (*)(const rondo_session*));
FUNCTION(rondo_session_save, int32_t (*)(rondo_session*, void*, size_t, size_t*));
FUNCTION(rondo_session_restore, int32_t (*)(rondo_session*, const void*, size_t));
FUNCTION(rondo_session_tokens, int32_t (*)(rondo_session*, uint64_t*, int32_t*, size_t, size_t*));
FUNCTION(rondo_model_chat_template_name, int32_t (*)(const rondo_model*, uint32_t, char*, size_t, size_t*));
FUNCTION(rondo_model_chat_template, int32_t (*)(const rondo_model*, const char*, char*, size_t, size_t*));
FUNCTION(rondo_chat_options_init, int32_t (*)(rondo_chat_options*, size_t));
FUNCTION(rondo_chat_render, int32_t (*)(const rondo_model*, const rondo_chat_options*, char*, size_t, size_t*, int32_t*, size_t, size_t*, char*, size_t));
FUNCTION(rondo_chat_parser_create, int32_t (*)(const rondo_model*, const rondo_chat_options*, rondo_chat_parser**, char*, size_t));
FUNCTION(rondo_chat_parser_push, int32_t (*)(rondo_chat_parser*, const char*, size_t, int32_t));
FUNCTION(rondo_chat_parser_next, int32_t (*)(rondo_chat_parser*, rondo_chat_part*));
FUNCTION(rondo_chat_parser_reset, int32_t (*)(rondo_chat_parser*));
FUNCTION(rondo_chat_parser_close, void (*)(rondo_chat_parser*));
FUNCTION(rondo_chat_grammar, int32_t (*)(const rondo_model*, const rondo_chat_options*, int32_t, const char*, char*, size_t, size_t*, char*, size_t));
FUNCTION(rondo_chat_thinking, int32_t (*)(const rondo_model*, const rondo_chat_options*, char*, size_t, size_t*, char*, size_t, size_t*, char*, size_t));
FUNCTION(rondo_model_embedder, int32_t (*)(const rondo_model*, rondo_embedder_facts*));
FUNCTION(rondo_model_prompt_name, int32_t (*)(const rondo_model*, uint32_t, char*, size_t, size_t*));
FUNCTION(rondo_embedding_text, int32_t (*)(const rondo_model*, const char*, const char*, size_t, char*, size_t, size_t*));
FUNCTION(rondo_pair_text, int32_t (*)(const rondo_model*, const char*, const char*, size_t, const char*, size_t, char*, size_t, size_t*));
FUNCTION(rondo_session_embed, int32_t (*)(rondo_session*, const int32_t*, size_t, float*, size_t));
FUNCTION(rondo_engine_embed, int32_t (*)(rondo_engine*, rondo_session* const*, size_t, const int32_t*, const size_t*, size_t, float*, size_t, char*, size_t));
