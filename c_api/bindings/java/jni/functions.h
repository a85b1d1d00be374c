/* Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit. */
/* clang-format off */

/* Every function of the library. */
#define FUNCTIONS(X) \
  X(rondo_abi_version) \
  X(rondo_version_string) \
  X(rondo_status_string) \
  X(rondo_query) \
  X(rondo_model_open_path) \
  X(rondo_model_open_fd) \
  X(rondo_model_open_memory) \
  X(rondo_model_open_parts) \
  X(rondo_model_close) \
  X(rondo_model_info) \
  X(rondo_model_eos_token) \
  X(rondo_model_fact) \
  X(rondo_model_fact_key) \
  X(rondo_tokenize) \
  X(rondo_detokenize) \
  X(rondo_grammar_options_init) \
  X(rondo_grammar_plan) \
  X(rondo_grammar_create) \
  X(rondo_grammar_close) \
  X(rondo_adapter_open_path) \
  X(rondo_adapter_open_memory) \
  X(rondo_adapter_close) \
  X(rondo_adapter_info) \
  X(rondo_engine_options_init) \
  X(rondo_plan) \
  X(rondo_plan_region) \
  X(rondo_plan_fit) \
  X(rondo_engine_create) \
  X(rondo_engine_close) \
  X(rondo_engine_memory) \
  X(rondo_engine_memory_region) \
  X(rondo_engine_stats) \
  X(rondo_engine_profile) \
  X(rondo_session_options_init) \
  X(rondo_model_session_options) \
  X(rondo_session_open) \
  X(rondo_session_fork) \
  X(rondo_session_close) \
  X(rondo_session_prefill) \
  X(rondo_session_prefill_logits) \
  X(rondo_session_next) \
  X(rondo_session_append) \
  X(rondo_session_append_inputs) \
  X(rondo_image_options_init) \
  X(rondo_image_plan) \
  X(rondo_media_create) \
  X(rondo_media_info) \
  X(rondo_media_close) \
  X(rondo_session_append_media) \
  X(rondo_engine_step) \
  X(rondo_session_event) \
  X(rondo_session_logits) \
  X(rondo_session_propose) \
  X(rondo_session_accept) \
  X(rondo_session_undo) \
  X(rondo_session_reset) \
  X(rondo_session_position) \
  X(rondo_session_remaining) \
  X(rondo_session_evicted) \
  X(rondo_session_progress) \
  X(rondo_session_stats) \
  X(rondo_session_cancel) \
  X(rondo_session_call) \
  X(rondo_session_cancel_call) \
  X(rondo_session_last_error) \
  X(rondo_session_save) \
  X(rondo_session_restore) \
  X(rondo_session_tokens) \
  X(rondo_model_chat_template_name) \
  X(rondo_model_chat_template) \
  X(rondo_chat_options_init) \
  X(rondo_chat_render) \
  X(rondo_chat_parser_create) \
  X(rondo_chat_parser_push) \
  X(rondo_chat_parser_next) \
  X(rondo_chat_parser_reset) \
  X(rondo_chat_parser_close) \
  X(rondo_chat_grammar) \
  X(rondo_chat_thinking) \
  X(rondo_model_embedder) \
  X(rondo_model_prompt_name) \
  X(rondo_embedding_text) \
  X(rondo_pair_text) \
  X(rondo_session_embed) \
  X(rondo_engine_embed)

#define POINTER_TO(name) __typeof__(&(name)) name;
static struct {
  FUNCTIONS(POINTER_TO)
} library;

/* Sizes of structs, and where their fields lie. */
static const jint layouts[] = {
    sizeof(rondo_model_part),
    offsetof(rondo_model_part, bytes),
    offsetof(rondo_model_part, length),
    sizeof(rondo_model_facts),
    offsetof(rondo_model_facts, struct_size),
    offsetof(rondo_model_facts, vocab_size),
    offsetof(rondo_model_facts, context_length),
    offsetof(rondo_model_facts, hidden_size),
    offsetof(rondo_model_facts, n_layers),
    offsetof(rondo_model_facts, n_heads),
    offsetof(rondo_model_facts, n_kv_heads),
    offsetof(rondo_model_facts, head_dim),
    offsetof(rondo_model_facts, bos_token),
    offsetof(rondo_model_facts, n_eos_tokens),
    offsetof(rondo_model_facts, has_tokenizer),
    offsetof(rondo_model_facts, format_version),
    offsetof(rondo_model_facts, file_bytes),
    offsetof(rondo_model_facts, parameters),
    offsetof(rondo_model_facts, tokenizer_bytes),
    offsetof(rondo_model_facts, picture_token),
    offsetof(rondo_model_facts, reserved),
    sizeof(rondo_grammar_options),
    offsetof(rondo_grammar_options, struct_size),
    offsetof(rondo_grammar_options, kind),
    offsetof(rondo_grammar_options, flags),
    offsetof(rondo_grammar_options, reserved),
    offsetof(rondo_grammar_options, memory_bytes),
    sizeof(rondo_adapter_facts),
    offsetof(rondo_adapter_facts, struct_size),
    offsetof(rondo_adapter_facts, rank),
    offsetof(rondo_adapter_facts, n_matrices),
    offsetof(rondo_adapter_facts, reserved),
    offsetof(rondo_adapter_facts, file_bytes),
    sizeof(rondo_engine_options),
    offsetof(rondo_engine_options, struct_size),
    offsetof(rondo_engine_options, context),
    offsetof(rondo_engine_options, max_sessions),
    offsetof(rondo_engine_options, max_rows),
    offsetof(rondo_engine_options, threads),
    offsetof(rondo_engine_options, context_policy),
    offsetof(rondo_engine_options, sink_tokens),
    offsetof(rondo_engine_options, kv_format),
    offsetof(rondo_engine_options, kernels),
    offsetof(rondo_engine_options, progress),
    offsetof(rondo_engine_options, progress_user),
    offsetof(rondo_engine_options, kv_tokens),
    offsetof(rondo_engine_options, rows_per_step),
    offsetof(rondo_engine_options, no_prefix_cache),
    offsetof(rondo_engine_options, profile_events),
    offsetof(rondo_engine_options, parallel_for),
    offsetof(rondo_engine_options, parallel_user),
    offsetof(rondo_engine_options, log),
    offsetof(rondo_engine_options, log_user),
    offsetof(rondo_engine_options, log_level),
    offsetof(rondo_engine_options, duty_percent),
    offsetof(rondo_engine_options, draft),
    offsetof(rondo_engine_options, draft_head),
    offsetof(rondo_engine_options, reserved),
    offsetof(rondo_engine_options, cpus),
    offsetof(rondo_engine_options, n_cpus),
    offsetof(rondo_engine_options, affinity),
    offsetof(rondo_engine_options, adapter_rank),
    offsetof(rondo_engine_options, reserved2),
    offsetof(rondo_engine_options, max_input_rows),
    offsetof(rondo_engine_options, reserved3),
    offsetof(rondo_engine_options, max_media_rows),
    offsetof(rondo_engine_options, reserved4),
    sizeof(rondo_memory_plan),
    offsetof(rondo_memory_plan, struct_size),
    offsetof(rondo_memory_plan, n_regions),
    offsetof(rondo_memory_plan, arena_bytes),
    offsetof(rondo_memory_plan, arena_alignment),
    offsetof(rondo_memory_plan, weights_bytes),
    offsetof(rondo_memory_plan, kv_pool_bytes),
    offsetof(rondo_memory_plan, sessions_bytes),
    offsetof(rondo_memory_plan, activations_bytes),
    offsetof(rondo_memory_plan, workspace_bytes),
    offsetof(rondo_memory_plan, activations_lower_bound),
    offsetof(rondo_memory_plan, kv_bytes_per_token),
    offsetof(rondo_memory_plan, kv_block_tokens),
    offsetof(rondo_memory_plan, context),
    offsetof(rondo_memory_plan, max_sessions),
    offsetof(rondo_memory_plan, max_rows),
    offsetof(rondo_memory_plan, threads),
    offsetof(rondo_memory_plan, sink_tokens),
    offsetof(rondo_memory_plan, kernels),
    offsetof(rondo_memory_plan, mapped_bytes),
    offsetof(rondo_memory_plan, kv_tokens),
    offsetof(rondo_memory_plan, rows_per_step),
    offsetof(rondo_memory_plan, reserved),
    sizeof(rondo_memory_region),
    offsetof(rondo_memory_region, struct_size),
    offsetof(rondo_memory_region, segment),
    offsetof(rondo_memory_region, offset),
    offsetof(rondo_memory_region, bytes),
    offsetof(rondo_memory_region, first_step),
    offsetof(rondo_memory_region, last_step),
    offsetof(rondo_memory_region, name),
    sizeof(rondo_engine_counters),
    offsetof(rondo_engine_counters, struct_size),
    offsetof(rondo_engine_counters, sessions_open),
    offsetof(rondo_engine_counters, owns_arena),
    offsetof(rondo_engine_counters, reserved),
    offsetof(rondo_engine_counters, tokens_prefilled),
    offsetof(rondo_engine_counters, tokens_generated),
    offsetof(rondo_engine_counters, tokens_taken_over),
    offsetof(rondo_engine_counters, parallel_faults),
    offsetof(rondo_engine_counters, passes),
    offsetof(rondo_engine_counters, rows),
    offsetof(rondo_engine_counters, prefill_ns),
    offsetof(rondo_engine_counters, decode_ns),
    offsetof(rondo_engine_counters, sample_ns),
    offsetof(rondo_engine_counters, prefix_hits),
    offsetof(rondo_engine_counters, tokens_evicted),
    offsetof(rondo_engine_counters, kv_bytes_used),
    offsetof(rondo_engine_counters, kv_bytes_total),
    offsetof(rondo_engine_counters, drafts_proposed),
    offsetof(rondo_engine_counters, drafts_accepted),
    sizeof(rondo_profile_event),
    offsetof(rondo_profile_event, struct_size),
    offsetof(rondo_profile_event, layer),
    offsetof(rondo_profile_event, rows),
    offsetof(rondo_profile_event, inputs),
    offsetof(rondo_profile_event, outputs),
    offsetof(rondo_profile_event, reserved),
    offsetof(rondo_profile_event, begin_ns),
    offsetof(rondo_profile_event, duration_ns),
    offsetof(rondo_profile_event, thread),
    offsetof(rondo_profile_event, name),
    sizeof(rondo_logit_bias),
    offsetof(rondo_logit_bias, token),
    offsetof(rondo_logit_bias, bias),
    sizeof(rondo_session_options),
    offsetof(rondo_session_options, struct_size),
    offsetof(rondo_session_options, temperature),
    offsetof(rondo_session_options, top_k),
    offsetof(rondo_session_options, top_p),
    offsetof(rondo_session_options, min_p),
    offsetof(rondo_session_options, repetition_penalty),
    offsetof(rondo_session_options, presence_penalty),
    offsetof(rondo_session_options, frequency_penalty),
    offsetof(rondo_session_options, penalty_last_n),
    offsetof(rondo_session_options, ignore_eos),
    offsetof(rondo_session_options, logprobs),
    offsetof(rondo_session_options, no_repeat_ngram_size),
    offsetof(rondo_session_options, seed),
    offsetof(rondo_session_options, max_tokens),
    offsetof(rondo_session_options, logit_bias),
    offsetof(rondo_session_options, n_logit_bias),
    offsetof(rondo_session_options, stop_strings),
    offsetof(rondo_session_options, n_stop_strings),
    offsetof(rondo_session_options, speculation),
    offsetof(rondo_session_options, max_drafts),
    offsetof(rondo_session_options, grammar),
    offsetof(rondo_session_options, grammar_begin),
    offsetof(rondo_session_options, grammar_token),
    offsetof(rondo_session_options, grammar_goes_on),
    offsetof(rondo_session_options, thinking),
    offsetof(rondo_session_options, thinking_begin),
    offsetof(rondo_session_options, thinking_end),
    offsetof(rondo_session_options, thinking_tokens),
    offsetof(rondo_session_options, adapter),
    sizeof(rondo_event),
    offsetof(rondo_event, struct_size),
    offsetof(rondo_event, token),
    offsetof(rondo_event, logprob),
    offsetof(rondo_event, reason),
    offsetof(rondo_event, bytes),
    offsetof(rondo_event, bytes_count),
    offsetof(rondo_event, text),
    offsetof(rondo_event, text_bytes),
    offsetof(rondo_event, pending),
    offsetof(rondo_event, taken_over),
    offsetof(rondo_event, channel),
    offsetof(rondo_event, reserved),
    sizeof(rondo_input),
    offsetof(rondo_input, struct_size),
    offsetof(rondo_input, row_format),
    offsetof(rondo_input, ids),
    offsetof(rondo_input, rows),
    offsetof(rondo_input, count),
    offsetof(rondo_input, coordinates),
    offsetof(rondo_input, sees_whole),
    offsetof(rondo_input, reserved),
    sizeof(rondo_image),
    offsetof(rondo_image, struct_size),
    offsetof(rondo_image, format),
    offsetof(rondo_image, width),
    offsetof(rondo_image, height),
    offsetof(rondo_image, plane0),
    offsetof(rondo_image, plane1),
    offsetof(rondo_image, plane2),
    offsetof(rondo_image, stride0),
    offsetof(rondo_image, stride1),
    offsetof(rondo_image, stride2),
    offsetof(rondo_image, rotation),
    offsetof(rondo_image, mirror),
    offsetof(rondo_image, yuv_range),
    offsetof(rondo_image, yuv_matrix),
    sizeof(rondo_image_options),
    offsetof(rondo_image_options, struct_size),
    offsetof(rondo_image_options, min_tokens),
    offsetof(rondo_image_options, max_tokens),
    offsetof(rondo_image_options, one_tile),
    offsetof(rondo_image_options, progress),
    offsetof(rondo_image_options, progress_user),
    sizeof(rondo_image_facts),
    offsetof(rondo_image_facts, struct_size),
    offsetof(rondo_image_facts, rows),
    offsetof(rondo_image_facts, positions),
    offsetof(rondo_image_facts, tile_columns),
    offsetof(rondo_image_facts, tile_rows),
    offsetof(rondo_image_facts, tile_pixels),
    offsetof(rondo_image_facts, whole_width),
    offsetof(rondo_image_facts, whole_height),
    offsetof(rondo_image_facts, patches),
    sizeof(rondo_session_counters),
    offsetof(rondo_session_counters, struct_size),
    offsetof(rondo_session_counters, reserved),
    offsetof(rondo_session_counters, tokens_prefilled),
    offsetof(rondo_session_counters, tokens_generated),
    offsetof(rondo_session_counters, tokens_taken_over),
    offsetof(rondo_session_counters, passes),
    offsetof(rondo_session_counters, rows),
    offsetof(rondo_session_counters, prefill_ns),
    offsetof(rondo_session_counters, decode_ns),
    offsetof(rondo_session_counters, sample_ns),
    offsetof(rondo_session_counters, prefix_hits),
    offsetof(rondo_session_counters, tokens_evicted),
    offsetof(rondo_session_counters, kv_bytes_held),
    offsetof(rondo_session_counters, drafts_proposed),
    offsetof(rondo_session_counters, drafts_accepted),
    sizeof(rondo_chat_options),
    offsetof(rondo_chat_options, struct_size),
    offsetof(rondo_chat_options, flags),
    offsetof(rondo_chat_options, local_time),
    offsetof(rondo_chat_options, messages),
    offsetof(rondo_chat_options, messages_bytes),
    offsetof(rondo_chat_options, tools),
    offsetof(rondo_chat_options, tools_bytes),
    offsetof(rondo_chat_options, variables),
    offsetof(rondo_chat_options, variables_bytes),
    offsetof(rondo_chat_options, template_name),
    offsetof(rondo_chat_options, template_text),
    offsetof(rondo_chat_options, template_bytes),
    sizeof(rondo_chat_part),
    offsetof(rondo_chat_part, struct_size),
    offsetof(rondo_chat_part, kind),
    offsetof(rondo_chat_part, call),
    offsetof(rondo_chat_part, text),
    offsetof(rondo_chat_part, text_bytes),
    offsetof(rondo_chat_part, name),
    offsetof(rondo_chat_part, name_bytes),
    offsetof(rondo_chat_part, id),
    offsetof(rondo_chat_part, id_bytes),
    sizeof(rondo_embedder_facts),
    offsetof(rondo_embedder_facts, struct_size),
    offsetof(rondo_embedder_facts, dimensions),
    offsetof(rondo_embedder_facts, max_tokens),
    offsetof(rondo_embedder_facts, whole_texts),
    offsetof(rondo_embedder_facts, normalized),
    offsetof(rondo_embedder_facts, scores_pairs),
    offsetof(rondo_embedder_facts, pooling),
    offsetof(rondo_embedder_facts, n_prompts),
    offsetof(rondo_embedder_facts, default_prompt),
    offsetof(rondo_embedder_facts, reserved),
};

/* Addresses of these are options. */
static void* const callbacks[] = {
    FUNCTION(engine_options_progress),
    FUNCTION(engine_options_parallel_for),
    FUNCTION(engine_options_log),
    FUNCTION(image_options_progress),
};

static jint JNICALL call_rondo_abi_version(JNIEnv* env, jclass self) {
  (void)env, (void)self;
  return (jint)library.rondo_abi_version();
}
static jbyteArray JNICALL call_rondo_version_string(JNIEnv* env, jclass self) {
  (void)env, (void)self;
  return bytes_of(env, library.rondo_version_string());
}
static jbyteArray JNICALL call_rondo_status_string(JNIEnv* env, jclass self, jint status) {
  (void)env, (void)self;
  return bytes_of(env, library.rondo_status_string((int32_t)status));
}
static jint JNICALL call_rondo_query(JNIEnv* env, jclass self, jobject name, jobject value) {
  (void)env, (void)self;
  return (jint)library.rondo_query(AT(name), AT(value));
}
static jint JNICALL call_rondo_model_open_path(JNIEnv* env, jclass self, jint abi_version, jobject path, jobject model, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_model_open_path((uint32_t)abi_version, AT(path), AT(model), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_model_open_fd(JNIEnv* env, jclass self, jint abi_version, jint fd, jlong offset, jlong length, jobject model, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_model_open_fd((uint32_t)abi_version, (int32_t)fd, (uint64_t)offset, (uint64_t)length, AT(model), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_model_open_memory(JNIEnv* env, jclass self, jint abi_version, jobject bytes, jlong length, jobject model, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_model_open_memory((uint32_t)abi_version, AT(bytes), (size_t)length, AT(model), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_model_open_parts(JNIEnv* env, jclass self, jint abi_version, jobject parts, jint n_parts, jobject model, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_model_open_parts((uint32_t)abi_version, AT(parts), (uint32_t)n_parts, AT(model), AT(message), (size_t)message_bytes);
}
static void JNICALL call_rondo_model_close(JNIEnv* env, jclass self, jlong model) {
  (void)env, (void)self;
  library.rondo_model_close(POINTER(model));
}
static jint JNICALL call_rondo_model_info(JNIEnv* env, jclass self, jlong model, jobject facts) {
  (void)env, (void)self;
  return (jint)library.rondo_model_info(POINTER(model), AT(facts));
}
static jint JNICALL call_rondo_model_eos_token(JNIEnv* env, jclass self, jlong model, jint index, jobject token) {
  (void)env, (void)self;
  return (jint)library.rondo_model_eos_token(POINTER(model), (uint32_t)index, AT(token));
}
static jint JNICALL call_rondo_model_fact(JNIEnv* env, jclass self, jlong model, jobject key, jobject buffer, jlong capacity, jobject length) {
  (void)env, (void)self;
  return (jint)library.rondo_model_fact(POINTER(model), AT(key), AT(buffer), (size_t)capacity, AT(length));
}
static jint JNICALL call_rondo_model_fact_key(JNIEnv* env, jclass self, jlong model, jint index, jobject buffer, jlong capacity, jobject length) {
  (void)env, (void)self;
  return (jint)library.rondo_model_fact_key(POINTER(model), (uint32_t)index, AT(buffer), (size_t)capacity, AT(length));
}
static jint JNICALL call_rondo_tokenize(JNIEnv* env, jclass self, jlong model, jobject text, jlong text_bytes, jint flags, jobject ids, jlong capacity, jobject count) {
  (void)env, (void)self;
  return (jint)library.rondo_tokenize(POINTER(model), AT(text), (size_t)text_bytes, (uint32_t)flags, AT(ids), (size_t)capacity, AT(count));
}
static jint JNICALL call_rondo_detokenize(JNIEnv* env, jclass self, jlong model, jobject ids, jlong count, jint flags, jobject buffer, jlong capacity, jobject length) {
  (void)env, (void)self;
  return (jint)library.rondo_detokenize(POINTER(model), AT(ids), (size_t)count, (uint32_t)flags, AT(buffer), (size_t)capacity, AT(length));
}
static jint JNICALL call_rondo_grammar_options_init(JNIEnv* env, jclass self, jobject options, jlong struct_size) {
  (void)env, (void)self;
  return (jint)library.rondo_grammar_options_init(AT(options), (size_t)struct_size);
}
static jint JNICALL call_rondo_grammar_plan(JNIEnv* env, jclass self, jlong model, jobject options, jlong text_bytes, jobject bytes, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_grammar_plan(POINTER(model), AT(options), (size_t)text_bytes, AT(bytes), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_grammar_create(JNIEnv* env, jclass self, jlong model, jobject options, jobject text, jlong text_bytes, jobject memory, jlong memory_bytes, jobject grammar, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_grammar_create(POINTER(model), AT(options), AT(text), (size_t)text_bytes, AT(memory), (size_t)memory_bytes, AT(grammar), AT(message), (size_t)message_bytes);
}
static void JNICALL call_rondo_grammar_close(JNIEnv* env, jclass self, jlong grammar) {
  (void)env, (void)self;
  library.rondo_grammar_close(POINTER(grammar));
}
static jint JNICALL call_rondo_adapter_open_path(JNIEnv* env, jclass self, jlong model, jobject path, jobject adapter, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_adapter_open_path(POINTER(model), AT(path), AT(adapter), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_adapter_open_memory(JNIEnv* env, jclass self, jlong model, jobject bytes, jlong length, jobject adapter, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_adapter_open_memory(POINTER(model), AT(bytes), (size_t)length, AT(adapter), AT(message), (size_t)message_bytes);
}
static void JNICALL call_rondo_adapter_close(JNIEnv* env, jclass self, jlong adapter) {
  (void)env, (void)self;
  library.rondo_adapter_close(POINTER(adapter));
}
static jint JNICALL call_rondo_adapter_info(JNIEnv* env, jclass self, jlong adapter, jobject facts) {
  (void)env, (void)self;
  return (jint)library.rondo_adapter_info(POINTER(adapter), AT(facts));
}
static jint JNICALL call_rondo_engine_options_init(JNIEnv* env, jclass self, jobject options, jlong struct_size) {
  (void)env, (void)self;
  return (jint)library.rondo_engine_options_init(AT(options), (size_t)struct_size);
}
static jint JNICALL call_rondo_plan(JNIEnv* env, jclass self, jlong model, jobject options, jobject plan, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_plan(POINTER(model), AT(options), AT(plan), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_plan_region(JNIEnv* env, jclass self, jlong model, jobject options, jint index, jobject region) {
  (void)env, (void)self;
  return (jint)library.rondo_plan_region(POINTER(model), AT(options), (uint32_t)index, AT(region));
}
static jint JNICALL call_rondo_plan_fit(JNIEnv* env, jclass self, jlong model, jobject options, jlong bytes, jobject context, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_plan_fit(POINTER(model), AT(options), (uint64_t)bytes, AT(context), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_engine_create(JNIEnv* env, jclass self, jlong model, jobject options, jobject arena, jlong arena_bytes, jobject engine, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_engine_create(POINTER(model), AT(options), AT(arena), (size_t)arena_bytes, AT(engine), AT(message), (size_t)message_bytes);
}
static void JNICALL call_rondo_engine_close(JNIEnv* env, jclass self, jlong engine) {
  (void)env, (void)self;
  library.rondo_engine_close(POINTER(engine));
}
static jint JNICALL call_rondo_engine_memory(JNIEnv* env, jclass self, jlong engine, jobject plan) {
  (void)env, (void)self;
  return (jint)library.rondo_engine_memory(POINTER(engine), AT(plan));
}
static jint JNICALL call_rondo_engine_memory_region(JNIEnv* env, jclass self, jlong engine, jint index, jobject region) {
  (void)env, (void)self;
  return (jint)library.rondo_engine_memory_region(POINTER(engine), (uint32_t)index, AT(region));
}
static jint JNICALL call_rondo_engine_stats(JNIEnv* env, jclass self, jlong engine, jobject counters) {
  (void)env, (void)self;
  return (jint)library.rondo_engine_stats(POINTER(engine), AT(counters));
}
static jint JNICALL call_rondo_engine_profile(JNIEnv* env, jclass self, jlong engine, jobject cursor, jobject event) {
  (void)env, (void)self;
  return (jint)library.rondo_engine_profile(POINTER(engine), AT(cursor), AT(event));
}
static jint JNICALL call_rondo_session_options_init(JNIEnv* env, jclass self, jobject options, jlong struct_size) {
  (void)env, (void)self;
  return (jint)library.rondo_session_options_init(AT(options), (size_t)struct_size);
}
static jint JNICALL call_rondo_model_session_options(JNIEnv* env, jclass self, jlong model, jobject options) {
  (void)env, (void)self;
  return (jint)library.rondo_model_session_options(POINTER(model), AT(options));
}
static jint JNICALL call_rondo_session_open(JNIEnv* env, jclass self, jlong engine, jobject options, jobject session, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_session_open(POINTER(engine), AT(options), AT(session), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_session_fork(JNIEnv* env, jclass self, jlong session, jobject options, jobject fork, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_session_fork(POINTER(session), AT(options), AT(fork), AT(message), (size_t)message_bytes);
}
static void JNICALL call_rondo_session_close(JNIEnv* env, jclass self, jlong session) {
  (void)env, (void)self;
  library.rondo_session_close(POINTER(session));
}
static jint JNICALL call_rondo_session_prefill(JNIEnv* env, jclass self, jlong session, jobject ids, jlong count) {
  (void)env, (void)self;
  return (jint)library.rondo_session_prefill(POINTER(session), AT(ids), (size_t)count);
}
static jint JNICALL call_rondo_session_prefill_logits(JNIEnv* env, jclass self, jlong session, jobject ids, jlong count, jlong user) {
  (void)env, (void)self;
  return (jint)library.rondo_session_prefill_logits(POINTER(session), AT(ids), (size_t)count, logits_row, POINTER(user));
}
static jint JNICALL call_rondo_session_next(JNIEnv* env, jclass self, jlong session, jobject event) {
  (void)env, (void)self;
  return (jint)library.rondo_session_next(POINTER(session), AT(event));
}
static jint JNICALL call_rondo_session_append(JNIEnv* env, jclass self, jlong session, jobject ids, jlong count) {
  (void)env, (void)self;
  return (jint)library.rondo_session_append(POINTER(session), AT(ids), (size_t)count);
}
static jint JNICALL call_rondo_session_append_inputs(JNIEnv* env, jclass self, jlong session, jobject inputs, jlong count) {
  (void)env, (void)self;
  return (jint)library.rondo_session_append_inputs(POINTER(session), AT(inputs), (size_t)count);
}
static jint JNICALL call_rondo_image_options_init(JNIEnv* env, jclass self, jobject options, jlong struct_size) {
  (void)env, (void)self;
  return (jint)library.rondo_image_options_init(AT(options), (size_t)struct_size);
}
static jint JNICALL call_rondo_image_plan(JNIEnv* env, jclass self, jlong model, jint width, jint height, jobject options, jobject facts, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_image_plan(POINTER(model), (uint32_t)width, (uint32_t)height, AT(options), AT(facts), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_media_create(JNIEnv* env, jclass self, jlong engine, jobject image, jobject options, jobject media, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_media_create(POINTER(engine), AT(image), AT(options), AT(media), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_media_info(JNIEnv* env, jclass self, jlong media, jobject facts) {
  (void)env, (void)self;
  return (jint)library.rondo_media_info(POINTER(media), AT(facts));
}
static void JNICALL call_rondo_media_close(JNIEnv* env, jclass self, jlong media) {
  (void)env, (void)self;
  library.rondo_media_close(POINTER(media));
}
static jint JNICALL call_rondo_session_append_media(JNIEnv* env, jclass self, jlong session, jobject ids, jlong count, jobject media, jlong n_media) {
  (void)env, (void)self;
  return (jint)library.rondo_session_append_media(POINTER(session), AT(ids), (size_t)count, AT(media), (size_t)n_media);
}
static jint JNICALL call_rondo_engine_step(JNIEnv* env, jclass self, jlong engine, jobject sessions, jlong count, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_engine_step(POINTER(engine), AT(sessions), (size_t)count, AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_session_event(JNIEnv* env, jclass self, jlong session, jobject event) {
  (void)env, (void)self;
  return (jint)library.rondo_session_event(POINTER(session), AT(event));
}
static jint JNICALL call_rondo_session_logits(JNIEnv* env, jclass self, jlong session, jobject logits, jobject count) {
  (void)env, (void)self;
  return (jint)library.rondo_session_logits(POINTER(session), AT(logits), AT(count));
}
static jint JNICALL call_rondo_session_propose(JNIEnv* env, jclass self, jlong session, jobject ids, jlong count) {
  (void)env, (void)self;
  return (jint)library.rondo_session_propose(POINTER(session), AT(ids), (size_t)count);
}
static jint JNICALL call_rondo_session_accept(JNIEnv* env, jclass self, jlong session, jint token) {
  (void)env, (void)self;
  return (jint)library.rondo_session_accept(POINTER(session), (int32_t)token);
}
static jint JNICALL call_rondo_session_undo(JNIEnv* env, jclass self, jlong session, jlong n) {
  (void)env, (void)self;
  return (jint)library.rondo_session_undo(POINTER(session), (uint64_t)n);
}
static jint JNICALL call_rondo_session_reset(JNIEnv* env, jclass self, jlong session) {
  (void)env, (void)self;
  return (jint)library.rondo_session_reset(POINTER(session));
}
static jint JNICALL call_rondo_session_position(JNIEnv* env, jclass self, jlong session, jobject position) {
  (void)env, (void)self;
  return (jint)library.rondo_session_position(POINTER(session), AT(position));
}
static jint JNICALL call_rondo_session_remaining(JNIEnv* env, jclass self, jlong session, jobject tokens) {
  (void)env, (void)self;
  return (jint)library.rondo_session_remaining(POINTER(session), AT(tokens));
}
static jint JNICALL call_rondo_session_evicted(JNIEnv* env, jclass self, jlong session, jobject begin, jobject end) {
  (void)env, (void)self;
  return (jint)library.rondo_session_evicted(POINTER(session), AT(begin), AT(end));
}
static jint JNICALL call_rondo_session_progress(JNIEnv* env, jclass self, jlong session, jobject done, jobject total) {
  (void)env, (void)self;
  return (jint)library.rondo_session_progress(POINTER(session), AT(done), AT(total));
}
static jint JNICALL call_rondo_session_stats(JNIEnv* env, jclass self, jlong session, jobject counters) {
  (void)env, (void)self;
  return (jint)library.rondo_session_stats(POINTER(session), AT(counters));
}
static jint JNICALL call_rondo_session_cancel(JNIEnv* env, jclass self, jlong session) {
  (void)env, (void)self;
  return (jint)library.rondo_session_cancel(POINTER(session));
}
static jint JNICALL call_rondo_session_call(JNIEnv* env, jclass self, jlong session, jobject number) {
  (void)env, (void)self;
  return (jint)library.rondo_session_call(POINTER(session), AT(number));
}
static jint JNICALL call_rondo_session_cancel_call(JNIEnv* env, jclass self, jlong session, jlong number) {
  (void)env, (void)self;
  return (jint)library.rondo_session_cancel_call(POINTER(session), (uint64_t)number);
}
static jbyteArray JNICALL call_rondo_session_last_error(JNIEnv* env, jclass self, jlong session) {
  (void)env, (void)self;
  return bytes_of(env, library.rondo_session_last_error(POINTER(session)));
}
static jint JNICALL call_rondo_session_save(JNIEnv* env, jclass self, jlong session, jobject buffer, jlong capacity, jobject bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_session_save(POINTER(session), AT(buffer), (size_t)capacity, AT(bytes));
}
static jint JNICALL call_rondo_session_restore(JNIEnv* env, jclass self, jlong session, jobject bytes, jlong count) {
  (void)env, (void)self;
  return (jint)library.rondo_session_restore(POINTER(session), AT(bytes), (size_t)count);
}
static jint JNICALL call_rondo_session_tokens(JNIEnv* env, jclass self, jlong session, jobject begin, jobject ids, jlong capacity, jobject count) {
  (void)env, (void)self;
  return (jint)library.rondo_session_tokens(POINTER(session), AT(begin), AT(ids), (size_t)capacity, AT(count));
}
static jint JNICALL call_rondo_model_chat_template_name(JNIEnv* env, jclass self, jlong model, jint index, jobject buffer, jlong capacity, jobject length) {
  (void)env, (void)self;
  return (jint)library.rondo_model_chat_template_name(POINTER(model), (uint32_t)index, AT(buffer), (size_t)capacity, AT(length));
}
static jint JNICALL call_rondo_model_chat_template(JNIEnv* env, jclass self, jlong model, jobject name, jobject buffer, jlong capacity, jobject length) {
  (void)env, (void)self;
  return (jint)library.rondo_model_chat_template(POINTER(model), AT(name), AT(buffer), (size_t)capacity, AT(length));
}
static jint JNICALL call_rondo_chat_options_init(JNIEnv* env, jclass self, jobject options, jlong struct_size) {
  (void)env, (void)self;
  return (jint)library.rondo_chat_options_init(AT(options), (size_t)struct_size);
}
static jint JNICALL call_rondo_chat_render(JNIEnv* env, jclass self, jlong model, jobject options, jobject text, jlong text_capacity, jobject text_length, jobject ids, jlong ids_capacity, jobject ids_count, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_chat_render(POINTER(model), AT(options), AT(text), (size_t)text_capacity, AT(text_length), AT(ids), (size_t)ids_capacity, AT(ids_count), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_chat_parser_create(JNIEnv* env, jclass self, jlong model, jobject options, jobject parser, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_chat_parser_create(POINTER(model), AT(options), AT(parser), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_chat_parser_push(JNIEnv* env, jclass self, jlong parser, jobject bytes, jlong count, jint last) {
  (void)env, (void)self;
  return (jint)library.rondo_chat_parser_push(POINTER(parser), AT(bytes), (size_t)count, (int32_t)last);
}
static jint JNICALL call_rondo_chat_parser_next(JNIEnv* env, jclass self, jlong parser, jobject part) {
  (void)env, (void)self;
  return (jint)library.rondo_chat_parser_next(POINTER(parser), AT(part));
}
static jint JNICALL call_rondo_chat_parser_reset(JNIEnv* env, jclass self, jlong parser) {
  (void)env, (void)self;
  return (jint)library.rondo_chat_parser_reset(POINTER(parser));
}
static void JNICALL call_rondo_chat_parser_close(JNIEnv* env, jclass self, jlong parser) {
  (void)env, (void)self;
  library.rondo_chat_parser_close(POINTER(parser));
}
static jint JNICALL call_rondo_chat_grammar(JNIEnv* env, jclass self, jlong model, jobject options, jint calls, jobject function, jobject buffer, jlong capacity, jobject length, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_chat_grammar(POINTER(model), AT(options), (int32_t)calls, AT(function), AT(buffer), (size_t)capacity, AT(length), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_chat_thinking(JNIEnv* env, jclass self, jlong model, jobject options, jobject begin, jlong begin_capacity, jobject begin_length, jobject end, jlong end_capacity, jobject end_length, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_chat_thinking(POINTER(model), AT(options), AT(begin), (size_t)begin_capacity, AT(begin_length), AT(end), (size_t)end_capacity, AT(end_length), AT(message), (size_t)message_bytes);
}
static jint JNICALL call_rondo_model_embedder(JNIEnv* env, jclass self, jlong model, jobject facts) {
  (void)env, (void)self;
  return (jint)library.rondo_model_embedder(POINTER(model), AT(facts));
}
static jint JNICALL call_rondo_model_prompt_name(JNIEnv* env, jclass self, jlong model, jint index, jobject buffer, jlong capacity, jobject length) {
  (void)env, (void)self;
  return (jint)library.rondo_model_prompt_name(POINTER(model), (uint32_t)index, AT(buffer), (size_t)capacity, AT(length));
}
static jint JNICALL call_rondo_embedding_text(JNIEnv* env, jclass self, jlong model, jobject prompt, jobject text, jlong text_bytes, jobject buffer, jlong capacity, jobject length) {
  (void)env, (void)self;
  return (jint)library.rondo_embedding_text(POINTER(model), AT(prompt), AT(text), (size_t)text_bytes, AT(buffer), (size_t)capacity, AT(length));
}
static jint JNICALL call_rondo_pair_text(JNIEnv* env, jclass self, jlong model, jobject instruction, jobject query, jlong query_bytes, jobject document, jlong document_bytes, jobject buffer, jlong capacity, jobject length) {
  (void)env, (void)self;
  return (jint)library.rondo_pair_text(POINTER(model), AT(instruction), AT(query), (size_t)query_bytes, AT(document), (size_t)document_bytes, AT(buffer), (size_t)capacity, AT(length));
}
static jint JNICALL call_rondo_session_embed(JNIEnv* env, jclass self, jlong session, jobject ids, jlong count, jobject vector, jlong dimensions) {
  (void)env, (void)self;
  return (jint)library.rondo_session_embed(POINTER(session), AT(ids), (size_t)count, AT(vector), (size_t)dimensions);
}
static jint JNICALL call_rondo_engine_embed(JNIEnv* env, jclass self, jlong engine, jobject sessions, jlong n_sessions, jobject ids, jobject counts, jlong n_texts, jobject vectors, jlong dimensions, jobject message, jlong message_bytes) {
  (void)env, (void)self;
  return (jint)library.rondo_engine_embed(POINTER(engine), AT(sessions), (size_t)n_sessions, AT(ids), AT(counts), (size_t)n_texts, AT(vectors), (size_t)dimensions, AT(message), (size_t)message_bytes);
}

static const JNINativeMethod natives[] = {
    {(char*)"rondo_abi_version", (char*)"()I", FUNCTION(call_rondo_abi_version)},
    {(char*)"rondo_version_string", (char*)"()[B", FUNCTION(call_rondo_version_string)},
    {(char*)"rondo_status_string", (char*)"(I)[B", FUNCTION(call_rondo_status_string)},
    {(char*)"rondo_query", (char*)"(Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;)I", FUNCTION(call_rondo_query)},
    {(char*)"rondo_model_open_path", (char*)"(ILjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_model_open_path)},
    {(char*)"rondo_model_open_fd", (char*)"(IIJJLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_model_open_fd)},
    {(char*)"rondo_model_open_memory", (char*)"(ILjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_model_open_memory)},
    {(char*)"rondo_model_open_parts", (char*)"(ILjava/nio/ByteBuffer;ILjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_model_open_parts)},
    {(char*)"rondo_model_close", (char*)"(J)V", FUNCTION(call_rondo_model_close)},
    {(char*)"rondo_model_info", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_info)},
    {(char*)"rondo_model_eos_token", (char*)"(JILjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_eos_token)},
    {(char*)"rondo_model_fact", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_fact)},
    {(char*)"rondo_model_fact_key", (char*)"(JILjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_fact_key)},
    {(char*)"rondo_tokenize", (char*)"(JLjava/nio/ByteBuffer;JILjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_tokenize)},
    {(char*)"rondo_detokenize", (char*)"(JLjava/nio/ByteBuffer;JILjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_detokenize)},
    {(char*)"rondo_grammar_options_init", (char*)"(Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_grammar_options_init)},
    {(char*)"rondo_grammar_plan", (char*)"(JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_grammar_plan)},
    {(char*)"rondo_grammar_create", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_grammar_create)},
    {(char*)"rondo_grammar_close", (char*)"(J)V", FUNCTION(call_rondo_grammar_close)},
    {(char*)"rondo_adapter_open_path", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_adapter_open_path)},
    {(char*)"rondo_adapter_open_memory", (char*)"(JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_adapter_open_memory)},
    {(char*)"rondo_adapter_close", (char*)"(J)V", FUNCTION(call_rondo_adapter_close)},
    {(char*)"rondo_adapter_info", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_adapter_info)},
    {(char*)"rondo_engine_options_init", (char*)"(Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_engine_options_init)},
    {(char*)"rondo_plan", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_plan)},
    {(char*)"rondo_plan_region", (char*)"(JLjava/nio/ByteBuffer;ILjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_plan_region)},
    {(char*)"rondo_plan_fit", (char*)"(JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_plan_fit)},
    {(char*)"rondo_engine_create", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_engine_create)},
    {(char*)"rondo_engine_close", (char*)"(J)V", FUNCTION(call_rondo_engine_close)},
    {(char*)"rondo_engine_memory", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_engine_memory)},
    {(char*)"rondo_engine_memory_region", (char*)"(JILjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_engine_memory_region)},
    {(char*)"rondo_engine_stats", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_engine_stats)},
    {(char*)"rondo_engine_profile", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;)I", FUNCTION(call_rondo_engine_profile)},
    {(char*)"rondo_session_options_init", (char*)"(Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_options_init)},
    {(char*)"rondo_model_session_options", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_session_options)},
    {(char*)"rondo_session_open", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_open)},
    {(char*)"rondo_session_fork", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_fork)},
    {(char*)"rondo_session_close", (char*)"(J)V", FUNCTION(call_rondo_session_close)},
    {(char*)"rondo_session_prefill", (char*)"(JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_prefill)},
    {(char*)"rondo_session_prefill_logits", (char*)"(JLjava/nio/ByteBuffer;JJ)I", FUNCTION(call_rondo_session_prefill_logits)},
    {(char*)"rondo_session_next", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_next)},
    {(char*)"rondo_session_append", (char*)"(JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_append)},
    {(char*)"rondo_session_append_inputs", (char*)"(JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_append_inputs)},
    {(char*)"rondo_image_options_init", (char*)"(Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_image_options_init)},
    {(char*)"rondo_image_plan", (char*)"(JIILjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_image_plan)},
    {(char*)"rondo_media_create", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_media_create)},
    {(char*)"rondo_media_info", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_media_info)},
    {(char*)"rondo_media_close", (char*)"(J)V", FUNCTION(call_rondo_media_close)},
    {(char*)"rondo_session_append_media", (char*)"(JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_append_media)},
    {(char*)"rondo_engine_step", (char*)"(JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_engine_step)},
    {(char*)"rondo_session_event", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_event)},
    {(char*)"rondo_session_logits", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_logits)},
    {(char*)"rondo_session_propose", (char*)"(JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_propose)},
    {(char*)"rondo_session_accept", (char*)"(JI)I", FUNCTION(call_rondo_session_accept)},
    {(char*)"rondo_session_undo", (char*)"(JJ)I", FUNCTION(call_rondo_session_undo)},
    {(char*)"rondo_session_reset", (char*)"(J)I", FUNCTION(call_rondo_session_reset)},
    {(char*)"rondo_session_position", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_position)},
    {(char*)"rondo_session_remaining", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_remaining)},
    {(char*)"rondo_session_evicted", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_evicted)},
    {(char*)"rondo_session_progress", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_progress)},
    {(char*)"rondo_session_stats", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_stats)},
    {(char*)"rondo_session_cancel", (char*)"(J)I", FUNCTION(call_rondo_session_cancel)},
    {(char*)"rondo_session_call", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_call)},
    {(char*)"rondo_session_cancel_call", (char*)"(JJ)I", FUNCTION(call_rondo_session_cancel_call)},
    {(char*)"rondo_session_last_error", (char*)"(J)[B", FUNCTION(call_rondo_session_last_error)},
    {(char*)"rondo_session_save", (char*)"(JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_save)},
    {(char*)"rondo_session_restore", (char*)"(JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_restore)},
    {(char*)"rondo_session_tokens", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_session_tokens)},
    {(char*)"rondo_model_chat_template_name", (char*)"(JILjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_chat_template_name)},
    {(char*)"rondo_model_chat_template", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_chat_template)},
    {(char*)"rondo_chat_options_init", (char*)"(Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_chat_options_init)},
    {(char*)"rondo_chat_render", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_chat_render)},
    {(char*)"rondo_chat_parser_create", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_chat_parser_create)},
    {(char*)"rondo_chat_parser_push", (char*)"(JLjava/nio/ByteBuffer;JI)I", FUNCTION(call_rondo_chat_parser_push)},
    {(char*)"rondo_chat_parser_next", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_chat_parser_next)},
    {(char*)"rondo_chat_parser_reset", (char*)"(J)I", FUNCTION(call_rondo_chat_parser_reset)},
    {(char*)"rondo_chat_parser_close", (char*)"(J)V", FUNCTION(call_rondo_chat_parser_close)},
    {(char*)"rondo_chat_grammar", (char*)"(JLjava/nio/ByteBuffer;ILjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_chat_grammar)},
    {(char*)"rondo_chat_thinking", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_chat_thinking)},
    {(char*)"rondo_model_embedder", (char*)"(JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_embedder)},
    {(char*)"rondo_model_prompt_name", (char*)"(JILjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_model_prompt_name)},
    {(char*)"rondo_embedding_text", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_embedding_text)},
    {(char*)"rondo_pair_text", (char*)"(JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;)I", FUNCTION(call_rondo_pair_text)},
    {(char*)"rondo_session_embed", (char*)"(JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_session_embed)},
    {(char*)"rondo_engine_embed", (char*)"(JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;Ljava/nio/ByteBuffer;JLjava/nio/ByteBuffer;JLjava/nio/ByteBuffer;J)I", FUNCTION(call_rondo_engine_embed)},
};
