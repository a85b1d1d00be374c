/* Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit. */
#include <rondo/rondo.h>
#include <string.h>

enum { rondo_model_facts_NUMBERS = 15 };
static inline void rondo_model_facts_numbers(const rondo_model_facts* s, jlong* out) {
  out[0] = (jlong)s->vocab_size;
  out[1] = (jlong)s->context_length;
  out[2] = (jlong)s->hidden_size;
  out[3] = (jlong)s->n_layers;
  out[4] = (jlong)s->n_heads;
  out[5] = (jlong)s->n_kv_heads;
  out[6] = (jlong)s->head_dim;
  out[7] = (jlong)s->bos_token;
  out[8] = (jlong)s->n_eos_tokens;
  out[9] = (jlong)s->has_tokenizer;
  out[10] = (jlong)s->format_version;
  out[11] = (jlong)s->file_bytes;
  out[12] = (jlong)s->parameters;
  out[13] = (jlong)s->tokenizer_bytes;
  out[14] = (jlong)s->picture_token;
}

enum { rondo_adapter_facts_NUMBERS = 3 };
static inline void rondo_adapter_facts_numbers(const rondo_adapter_facts* s, jlong* out) {
  out[0] = (jlong)s->rank;
  out[1] = (jlong)s->n_matrices;
  out[2] = (jlong)s->file_bytes;
}

enum { rondo_memory_plan_NUMBERS = 19 };
static inline void rondo_memory_plan_numbers(const rondo_memory_plan* s, jlong* out) {
  out[0] = (jlong)s->n_regions;
  out[1] = (jlong)s->arena_bytes;
  out[2] = (jlong)s->arena_alignment;
  out[3] = (jlong)s->weights_bytes;
  out[4] = (jlong)s->kv_pool_bytes;
  out[5] = (jlong)s->sessions_bytes;
  out[6] = (jlong)s->activations_bytes;
  out[7] = (jlong)s->workspace_bytes;
  out[8] = (jlong)s->activations_lower_bound;
  out[9] = (jlong)s->kv_bytes_per_token;
  out[10] = (jlong)s->kv_block_tokens;
  out[11] = (jlong)s->context;
  out[12] = (jlong)s->max_sessions;
  out[13] = (jlong)s->max_rows;
  out[14] = (jlong)s->threads;
  out[15] = (jlong)s->sink_tokens;
  out[16] = (jlong)s->mapped_bytes;
  out[17] = (jlong)s->kv_tokens;
  out[18] = (jlong)s->rows_per_step;
}
static inline const char* rondo_memory_plan_text(const rondo_memory_plan* s) { return s->kernels; }

enum { rondo_memory_region_NUMBERS = 5 };
static inline void rondo_memory_region_numbers(const rondo_memory_region* s, jlong* out) {
  out[0] = (jlong)s->segment;
  out[1] = (jlong)s->offset;
  out[2] = (jlong)s->bytes;
  out[3] = (jlong)s->first_step;
  out[4] = (jlong)s->last_step;
}
static inline const char* rondo_memory_region_text(const rondo_memory_region* s) { return s->name; }

enum { rondo_engine_counters_NUMBERS = 17 };
static inline void rondo_engine_counters_numbers(const rondo_engine_counters* s, jlong* out) {
  out[0] = (jlong)s->sessions_open;
  out[1] = (jlong)s->owns_arena;
  out[2] = (jlong)s->tokens_prefilled;
  out[3] = (jlong)s->tokens_generated;
  out[4] = (jlong)s->tokens_taken_over;
  out[5] = (jlong)s->parallel_faults;
  out[6] = (jlong)s->passes;
  out[7] = (jlong)s->rows;
  out[8] = (jlong)s->prefill_ns;
  out[9] = (jlong)s->decode_ns;
  out[10] = (jlong)s->sample_ns;
  out[11] = (jlong)s->prefix_hits;
  out[12] = (jlong)s->tokens_evicted;
  out[13] = (jlong)s->kv_bytes_used;
  out[14] = (jlong)s->kv_bytes_total;
  out[15] = (jlong)s->drafts_proposed;
  out[16] = (jlong)s->drafts_accepted;
}

enum { rondo_profile_event_NUMBERS = 7 };
static inline void rondo_profile_event_numbers(const rondo_profile_event* s, jlong* out) {
  out[0] = (jlong)s->layer;
  out[1] = (jlong)s->rows;
  out[2] = (jlong)s->inputs;
  out[3] = (jlong)s->outputs;
  out[4] = (jlong)s->begin_ns;
  out[5] = (jlong)s->duration_ns;
  out[6] = (jlong)s->thread;
}
static inline const char* rondo_profile_event_text(const rondo_profile_event* s) { return s->name; }

enum { rondo_image_facts_NUMBERS = 8 };
static inline void rondo_image_facts_numbers(const rondo_image_facts* s, jlong* out) {
  out[0] = (jlong)s->rows;
  out[1] = (jlong)s->positions;
  out[2] = (jlong)s->tile_columns;
  out[3] = (jlong)s->tile_rows;
  out[4] = (jlong)s->tile_pixels;
  out[5] = (jlong)s->whole_width;
  out[6] = (jlong)s->whole_height;
  out[7] = (jlong)s->patches;
}

enum { rondo_session_counters_NUMBERS = 13 };
static inline void rondo_session_counters_numbers(const rondo_session_counters* s, jlong* out) {
  out[0] = (jlong)s->tokens_prefilled;
  out[1] = (jlong)s->tokens_generated;
  out[2] = (jlong)s->tokens_taken_over;
  out[3] = (jlong)s->passes;
  out[4] = (jlong)s->rows;
  out[5] = (jlong)s->prefill_ns;
  out[6] = (jlong)s->decode_ns;
  out[7] = (jlong)s->sample_ns;
  out[8] = (jlong)s->prefix_hits;
  out[9] = (jlong)s->tokens_evicted;
  out[10] = (jlong)s->kv_bytes_held;
  out[11] = (jlong)s->drafts_proposed;
  out[12] = (jlong)s->drafts_accepted;
}

enum { rondo_embedder_facts_NUMBERS = 8 };
static inline void rondo_embedder_facts_numbers(const rondo_embedder_facts* s, jlong* out) {
  out[0] = (jlong)s->dimensions;
  out[1] = (jlong)s->max_tokens;
  out[2] = (jlong)s->whole_texts;
  out[3] = (jlong)s->normalized;
  out[4] = (jlong)s->scores_pairs;
  out[5] = (jlong)s->pooling;
  out[6] = (jlong)s->n_prompts;
  out[7] = (jlong)s->default_prompt;
}

/* 0: there is no such number. Floats come as their bits. */
static int rondo_grammar_options_set(rondo_grammar_options* s, const char* field, jlong value) {
  if (strcmp(field, "kind") == 0) {
    s->kind = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "flags") == 0) {
    s->flags = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "memory_bytes") == 0) {
    s->memory_bytes = (uint64_t)value;
    return 1;
  }
  return 0;
}

/* 0: there is no such number. Floats come as their bits. */
static int rondo_engine_options_set(rondo_engine_options* s, const char* field, jlong value) {
  if (strcmp(field, "context") == 0) {
    s->context = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "max_sessions") == 0) {
    s->max_sessions = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "max_rows") == 0) {
    s->max_rows = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "threads") == 0) {
    s->threads = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "context_policy") == 0) {
    s->context_policy = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "sink_tokens") == 0) {
    s->sink_tokens = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "kv_format") == 0) {
    s->kv_format = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "kv_tokens") == 0) {
    s->kv_tokens = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "rows_per_step") == 0) {
    s->rows_per_step = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "no_prefix_cache") == 0) {
    s->no_prefix_cache = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "profile_events") == 0) {
    s->profile_events = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "log_level") == 0) {
    s->log_level = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "duty_percent") == 0) {
    s->duty_percent = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "draft_head") == 0) {
    s->draft_head = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "affinity") == 0) {
    s->affinity = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "adapter_rank") == 0) {
    s->adapter_rank = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "max_input_rows") == 0) {
    s->max_input_rows = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "max_media_rows") == 0) {
    s->max_media_rows = (uint32_t)value;
    return 1;
  }
  return 0;
}

/* 0: there is no such number. Floats come as their bits. */
static int rondo_session_options_set(rondo_session_options* s, const char* field, jlong value) {
  if (strcmp(field, "temperature") == 0) {
    int32_t bits = (int32_t)value;
    memcpy(&s->temperature, &bits, sizeof bits);
    return 1;
  }
  if (strcmp(field, "top_k") == 0) {
    s->top_k = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "top_p") == 0) {
    int32_t bits = (int32_t)value;
    memcpy(&s->top_p, &bits, sizeof bits);
    return 1;
  }
  if (strcmp(field, "min_p") == 0) {
    int32_t bits = (int32_t)value;
    memcpy(&s->min_p, &bits, sizeof bits);
    return 1;
  }
  if (strcmp(field, "repetition_penalty") == 0) {
    int32_t bits = (int32_t)value;
    memcpy(&s->repetition_penalty, &bits, sizeof bits);
    return 1;
  }
  if (strcmp(field, "presence_penalty") == 0) {
    int32_t bits = (int32_t)value;
    memcpy(&s->presence_penalty, &bits, sizeof bits);
    return 1;
  }
  if (strcmp(field, "frequency_penalty") == 0) {
    int32_t bits = (int32_t)value;
    memcpy(&s->frequency_penalty, &bits, sizeof bits);
    return 1;
  }
  if (strcmp(field, "penalty_last_n") == 0) {
    s->penalty_last_n = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "ignore_eos") == 0) {
    s->ignore_eos = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "logprobs") == 0) {
    s->logprobs = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "no_repeat_ngram_size") == 0) {
    s->no_repeat_ngram_size = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "seed") == 0) {
    s->seed = (uint64_t)value;
    return 1;
  }
  if (strcmp(field, "max_tokens") == 0) {
    s->max_tokens = (uint64_t)value;
    return 1;
  }
  if (strcmp(field, "speculation") == 0) {
    s->speculation = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "max_drafts") == 0) {
    s->max_drafts = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "grammar_begin") == 0) {
    s->grammar_begin = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "grammar_token") == 0) {
    s->grammar_token = (int32_t)value;
    return 1;
  }
  if (strcmp(field, "grammar_goes_on") == 0) {
    s->grammar_goes_on = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "thinking") == 0) {
    s->thinking = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "thinking_tokens") == 0) {
    s->thinking_tokens = (uint64_t)value;
    return 1;
  }
  return 0;
}

/* 0: there is no such number. Floats come as their bits. */
static int rondo_image_options_set(rondo_image_options* s, const char* field, jlong value) {
  if (strcmp(field, "min_tokens") == 0) {
    s->min_tokens = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "max_tokens") == 0) {
    s->max_tokens = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "one_tile") == 0) {
    s->one_tile = (uint32_t)value;
    return 1;
  }
  return 0;
}

/* 0: there is no such number. Floats come as their bits. */
static int rondo_chat_options_set(rondo_chat_options* s, const char* field, jlong value) {
  if (strcmp(field, "flags") == 0) {
    s->flags = (uint32_t)value;
    return 1;
  }
  if (strcmp(field, "local_time") == 0) {
    s->local_time = (int64_t)value;
    return 1;
  }
  return 0;
}
