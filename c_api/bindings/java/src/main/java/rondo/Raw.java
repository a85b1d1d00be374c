// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

import java.nio.ByteBuffer;

/** The C API as the glue in jni/rondo_jni.c calls it. Buffers are direct ones. */
final class Raw {
  static final String VERSION = "0.9.0";
  static final int ABI_VERSION = 13;
  static final long CHAT_NO_CLOCK = Long.MIN_VALUE;
  static final int TOKENIZE_ADD_SPECIAL = 1;
  static final int DETOKENIZE_SKIP_SPECIAL = 1;
  static final int SCHEMA_NO_SPACES = 1;
  static final int SCHEMA_ANY_ORDER = 2;
  static final int SCHEMA_ONE_SPACE = 4;
  static final int SCHEMA_NAMED_ONLY = 8;
  static final int CHAT_ADD_GENERATION_PROMPT = 1;
  static final int CHAT_CONTINUE_FINAL = 2;
  static final int CHAT_PLAIN_CONTENT = 4;
  static final int ENGINE_OPTIONS_PROGRESS = 0;
  static final int ENGINE_OPTIONS_PARALLEL_FOR = 1;
  static final int ENGINE_OPTIONS_LOG = 2;
  static final int IMAGE_OPTIONS_PROGRESS = 3;

  static {
    Natives.load();
  }

  private Raw() {}

  static native int rondo_abi_version();
  static native byte[] rondo_version_string();
  static native byte[] rondo_status_string(int status);
  static native int rondo_query(ByteBuffer name, ByteBuffer value);
  static native int rondo_model_open_path(int abiVersion, ByteBuffer path, ByteBuffer model, ByteBuffer message, long messageBytes);
  static native int rondo_model_open_fd(int abiVersion, int fd, long offset, long length, ByteBuffer model, ByteBuffer message, long messageBytes);
  static native int rondo_model_open_memory(int abiVersion, ByteBuffer bytes, long length, ByteBuffer model, ByteBuffer message, long messageBytes);
  static native int rondo_model_open_parts(int abiVersion, ByteBuffer parts, int nParts, ByteBuffer model, ByteBuffer message, long messageBytes);
  static native void rondo_model_close(long model);
  static native int rondo_model_info(long model, ByteBuffer facts);
  static native int rondo_model_eos_token(long model, int index, ByteBuffer token);
  static native int rondo_model_fact(long model, ByteBuffer key, ByteBuffer buffer, long capacity, ByteBuffer length);
  static native int rondo_model_fact_key(long model, int index, ByteBuffer buffer, long capacity, ByteBuffer length);
  static native int rondo_tokenize(long model, ByteBuffer text, long textBytes, int flags, ByteBuffer ids, long capacity, ByteBuffer count);
  static native int rondo_detokenize(long model, ByteBuffer ids, long count, int flags, ByteBuffer buffer, long capacity, ByteBuffer length);
  static native int rondo_grammar_options_init(ByteBuffer options, long structSize);
  static native int rondo_grammar_plan(long model, ByteBuffer options, long textBytes, ByteBuffer bytes, ByteBuffer message, long messageBytes);
  static native int rondo_grammar_create(long model, ByteBuffer options, ByteBuffer text, long textBytes, ByteBuffer memory, long memoryBytes, ByteBuffer grammar, ByteBuffer message, long messageBytes);
  static native void rondo_grammar_close(long grammar);
  static native int rondo_adapter_open_path(long model, ByteBuffer path, ByteBuffer adapter, ByteBuffer message, long messageBytes);
  static native int rondo_adapter_open_memory(long model, ByteBuffer bytes, long length, ByteBuffer adapter, ByteBuffer message, long messageBytes);
  static native void rondo_adapter_close(long adapter);
  static native int rondo_adapter_info(long adapter, ByteBuffer facts);
  static native int rondo_engine_options_init(ByteBuffer options, long structSize);
  static native int rondo_plan(long model, ByteBuffer options, ByteBuffer plan, ByteBuffer message, long messageBytes);
  static native int rondo_plan_region(long model, ByteBuffer options, int index, ByteBuffer region);
  static native int rondo_plan_fit(long model, ByteBuffer options, long bytes, ByteBuffer context, ByteBuffer message, long messageBytes);
  static native int rondo_engine_create(long model, ByteBuffer options, ByteBuffer arena, long arenaBytes, ByteBuffer engine, ByteBuffer message, long messageBytes);
  static native void rondo_engine_close(long engine);
  static native int rondo_engine_memory(long engine, ByteBuffer plan);
  static native int rondo_engine_memory_region(long engine, int index, ByteBuffer region);
  static native int rondo_engine_stats(long engine, ByteBuffer counters);
  static native int rondo_engine_profile(long engine, ByteBuffer cursor, ByteBuffer event);
  static native int rondo_session_options_init(ByteBuffer options, long structSize);
  static native int rondo_model_session_options(long model, ByteBuffer options);
  static native int rondo_session_open(long engine, ByteBuffer options, ByteBuffer session, ByteBuffer message, long messageBytes);
  static native int rondo_session_fork(long session, ByteBuffer options, ByteBuffer fork, ByteBuffer message, long messageBytes);
  static native void rondo_session_close(long session);
  static native int rondo_session_prefill(long session, ByteBuffer ids, long count);
  static native int rondo_session_prefill_logits(long session, ByteBuffer ids, long count, long user);
  static native int rondo_session_next(long session, ByteBuffer event);
  static native int rondo_session_append(long session, ByteBuffer ids, long count);
  static native int rondo_session_append_inputs(long session, ByteBuffer inputs, long count);
  static native int rondo_image_options_init(ByteBuffer options, long structSize);
  static native int rondo_image_plan(long model, int width, int height, ByteBuffer options, ByteBuffer facts, ByteBuffer message, long messageBytes);
  static native int rondo_media_create(long engine, ByteBuffer image, ByteBuffer options, ByteBuffer media, ByteBuffer message, long messageBytes);
  static native int rondo_media_info(long media, ByteBuffer facts);
  static native void rondo_media_close(long media);
  static native int rondo_session_append_media(long session, ByteBuffer ids, long count, ByteBuffer media, long nMedia);
  static native int rondo_engine_step(long engine, ByteBuffer sessions, long count, ByteBuffer message, long messageBytes);
  static native int rondo_session_event(long session, ByteBuffer event);
  static native int rondo_session_logits(long session, ByteBuffer logits, ByteBuffer count);
  static native int rondo_session_propose(long session, ByteBuffer ids, long count);
  static native int rondo_session_accept(long session, int token);
  static native int rondo_session_undo(long session, long n);
  static native int rondo_session_reset(long session);
  static native int rondo_session_position(long session, ByteBuffer position);
  static native int rondo_session_remaining(long session, ByteBuffer tokens);
  static native int rondo_session_evicted(long session, ByteBuffer begin, ByteBuffer end);
  static native int rondo_session_progress(long session, ByteBuffer done, ByteBuffer total);
  static native int rondo_session_stats(long session, ByteBuffer counters);
  static native int rondo_session_cancel(long session);
  static native int rondo_session_call(long session, ByteBuffer number);
  static native int rondo_session_cancel_call(long session, long number);
  static native byte[] rondo_session_last_error(long session);
  static native int rondo_session_save(long session, ByteBuffer buffer, long capacity, ByteBuffer bytes);
  static native int rondo_session_restore(long session, ByteBuffer bytes, long count);
  static native int rondo_session_tokens(long session, ByteBuffer begin, ByteBuffer ids, long capacity, ByteBuffer count);
  static native int rondo_model_chat_template_name(long model, int index, ByteBuffer buffer, long capacity, ByteBuffer length);
  static native int rondo_model_chat_template(long model, ByteBuffer name, ByteBuffer buffer, long capacity, ByteBuffer length);
  static native int rondo_chat_options_init(ByteBuffer options, long structSize);
  static native int rondo_chat_render(long model, ByteBuffer options, ByteBuffer text, long textCapacity, ByteBuffer textLength, ByteBuffer ids, long idsCapacity, ByteBuffer idsCount, ByteBuffer message, long messageBytes);
  static native int rondo_chat_parser_create(long model, ByteBuffer options, ByteBuffer parser, ByteBuffer message, long messageBytes);
  static native int rondo_chat_parser_push(long parser, ByteBuffer bytes, long count, int last);
  static native int rondo_chat_parser_next(long parser, ByteBuffer part);
  static native int rondo_chat_parser_reset(long parser);
  static native void rondo_chat_parser_close(long parser);
  static native int rondo_chat_grammar(long model, ByteBuffer options, int calls, ByteBuffer function, ByteBuffer buffer, long capacity, ByteBuffer length, ByteBuffer message, long messageBytes);
  static native int rondo_chat_thinking(long model, ByteBuffer options, ByteBuffer begin, long beginCapacity, ByteBuffer beginLength, ByteBuffer end, long endCapacity, ByteBuffer endLength, ByteBuffer message, long messageBytes);
  static native int rondo_model_embedder(long model, ByteBuffer facts);
  static native int rondo_model_prompt_name(long model, int index, ByteBuffer buffer, long capacity, ByteBuffer length);
  static native int rondo_embedding_text(long model, ByteBuffer prompt, ByteBuffer text, long textBytes, ByteBuffer buffer, long capacity, ByteBuffer length);
  static native int rondo_pair_text(long model, ByteBuffer instruction, ByteBuffer query, long queryBytes, ByteBuffer document, long documentBytes, ByteBuffer buffer, long capacity, ByteBuffer length);
  static native int rondo_session_embed(long session, ByteBuffer ids, long count, ByteBuffer vector, long dimensions);
  static native int rondo_engine_embed(long engine, ByteBuffer sessions, long nSessions, ByteBuffer ids, ByteBuffer counts, long nTexts, ByteBuffer vectors, long dimensions, ByteBuffer message, long messageBytes);
}
