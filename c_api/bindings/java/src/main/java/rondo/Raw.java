// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;

/** The C API as JNA sees it. */
interface Raw extends Library {
  int ABI_VERSION = 13;
  long CHAT_NO_CLOCK = Long.MIN_VALUE;
  int TOKENIZE_ADD_SPECIAL = 1;
  int DETOKENIZE_SKIP_SPECIAL = 1;
  int SCHEMA_NO_SPACES = 1;
  int SCHEMA_ANY_ORDER = 2;
  int SCHEMA_ONE_SPACE = 4;
  int SCHEMA_NAMED_ONLY = 8;
  int CHAT_ADD_GENERATION_PROMPT = 1;
  int CHAT_CONTINUE_FINAL = 2;
  int CHAT_PLAIN_CONTENT = 4;

  interface Task extends Callback {
    void invoke(Pointer context, SizeT index);
  }

  interface EngineOptionsProgress extends Callback {
    int invoke(Pointer progressUser, long done, long total);
  }

  interface EngineOptionsParallelFor extends Callback {
    void invoke(Pointer parallelUser, SizeT count, Task task, Pointer context);
  }

  interface EngineOptionsLog extends Callback {
    void invoke(Pointer logUser, int level, Pointer message);
  }

  interface LogitsRow extends Callback {
    void invoke(Pointer user, SizeT index, Pointer logits, SizeT count);
  }

  interface ImageOptionsProgress extends Callback {
    int invoke(Pointer progressUser, long done, long total);
  }

  @FieldOrder({"bytes", "length"})
  class ModelPart extends Structure {
    public Pointer bytes;
    public SizeT length = new SizeT();
  }

  @FieldOrder({"struct_size", "vocab_size", "context_length", "hidden_size", "n_layers", "n_heads", "n_kv_heads", "head_dim", "bos_token", "n_eos_tokens", "has_tokenizer", "format_version", "file_bytes", "parameters", "tokenizer_bytes", "picture_token", "reserved"})
  class ModelFacts extends Structure {
    public int struct_size;
    public int vocab_size;
    public int context_length;
    public int hidden_size;
    public int n_layers;
    public int n_heads;
    public int n_kv_heads;
    public int head_dim;
    public int bos_token;
    public int n_eos_tokens;
    public int has_tokenizer;
    public int format_version;
    public long file_bytes;
    public long parameters;
    public long tokenizer_bytes;
    public int picture_token;
    public int reserved;

    public ModelFacts() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "kind", "flags", "reserved", "memory_bytes"})
  class GrammarOptions extends Structure {
    public int struct_size;
    public int kind;
    public int flags;
    public int reserved;
    public long memory_bytes;
  }

  @FieldOrder({"struct_size", "rank", "n_matrices", "reserved", "file_bytes"})
  class AdapterFacts extends Structure {
    public int struct_size;
    public int rank;
    public int n_matrices;
    public int reserved;
    public long file_bytes;

    public AdapterFacts() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "context", "max_sessions", "max_rows", "threads", "context_policy", "sink_tokens", "kv_format", "kernels", "progress", "progress_user", "kv_tokens", "rows_per_step", "no_prefix_cache", "profile_events", "parallel_for", "parallel_user", "log", "log_user", "log_level", "duty_percent", "draft", "draft_head", "reserved", "cpus", "n_cpus", "affinity", "adapter_rank", "reserved2", "max_input_rows", "reserved3", "max_media_rows", "reserved4"})
  class EngineOptions extends Structure {
    public int struct_size;
    public int context;
    public int max_sessions;
    public int max_rows;
    public int threads;
    public int context_policy;
    public int sink_tokens;
    public int kv_format;
    public Pointer kernels;
    public EngineOptionsProgress progress;
    public Pointer progress_user;
    public int kv_tokens;
    public int rows_per_step;
    public int no_prefix_cache;
    public int profile_events;
    public EngineOptionsParallelFor parallel_for;
    public Pointer parallel_user;
    public EngineOptionsLog log;
    public Pointer log_user;
    public int log_level;
    public int duty_percent;
    public Pointer draft;
    public int draft_head;
    public int reserved;
    public Pointer cpus;
    public int n_cpus;
    public int affinity;
    public int adapter_rank;
    public int reserved2;
    public int max_input_rows;
    public int reserved3;
    public int max_media_rows;
    public int reserved4;
  }

  @FieldOrder({"struct_size", "n_regions", "arena_bytes", "arena_alignment", "weights_bytes", "kv_pool_bytes", "sessions_bytes", "activations_bytes", "workspace_bytes", "activations_lower_bound", "kv_bytes_per_token", "kv_block_tokens", "context", "max_sessions", "max_rows", "threads", "sink_tokens", "kernels", "mapped_bytes", "kv_tokens", "rows_per_step", "reserved"})
  class MemoryPlan extends Structure {
    public int struct_size;
    public int n_regions;
    public long arena_bytes;
    public long arena_alignment;
    public long weights_bytes;
    public long kv_pool_bytes;
    public long sessions_bytes;
    public long activations_bytes;
    public long workspace_bytes;
    public long activations_lower_bound;
    public long kv_bytes_per_token;
    public int kv_block_tokens;
    public int context;
    public int max_sessions;
    public int max_rows;
    public int threads;
    public int sink_tokens;
    public Pointer kernels;
    public long mapped_bytes;
    public long kv_tokens;
    public int rows_per_step;
    public int reserved;

    public MemoryPlan() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "segment", "offset", "bytes", "first_step", "last_step", "name"})
  class MemoryRegion extends Structure {
    public int struct_size;
    public int segment;
    public long offset;
    public long bytes;
    public int first_step;
    public int last_step;
    public byte[] name = new byte[48];

    public MemoryRegion() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "sessions_open", "owns_arena", "reserved", "tokens_prefilled", "tokens_generated", "tokens_taken_over", "parallel_faults", "passes", "rows", "prefill_ns", "decode_ns", "sample_ns", "prefix_hits", "tokens_evicted", "kv_bytes_used", "kv_bytes_total", "drafts_proposed", "drafts_accepted"})
  class EngineCounters extends Structure {
    public int struct_size;
    public int sessions_open;
    public int owns_arena;
    public int reserved;
    public long tokens_prefilled;
    public long tokens_generated;
    public long tokens_taken_over;
    public long parallel_faults;
    public long passes;
    public long rows;
    public long prefill_ns;
    public long decode_ns;
    public long sample_ns;
    public long prefix_hits;
    public long tokens_evicted;
    public long kv_bytes_used;
    public long kv_bytes_total;
    public long drafts_proposed;
    public long drafts_accepted;

    public EngineCounters() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "layer", "rows", "inputs", "outputs", "reserved", "begin_ns", "duration_ns", "thread", "name"})
  class ProfileEvent extends Structure {
    public int struct_size;
    public int layer;
    public int rows;
    public int inputs;
    public int outputs;
    public int reserved;
    public long begin_ns;
    public long duration_ns;
    public long thread;
    public Pointer name;

    public ProfileEvent() {
      struct_size = size();
    }
  }

  @FieldOrder({"token", "bias"})
  class LogitBias extends Structure {
    public int token;
    public float bias;
  }

  @FieldOrder({"struct_size", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty", "penalty_last_n", "ignore_eos", "logprobs", "no_repeat_ngram_size", "seed", "max_tokens", "logit_bias", "n_logit_bias", "stop_strings", "n_stop_strings", "speculation", "max_drafts", "grammar", "grammar_begin", "grammar_token", "grammar_goes_on", "thinking", "thinking_begin", "thinking_end", "thinking_tokens", "adapter"})
  class SessionOptions extends Structure {
    public int struct_size;
    public float temperature;
    public int top_k;
    public float top_p;
    public float min_p;
    public float repetition_penalty;
    public float presence_penalty;
    public float frequency_penalty;
    public int penalty_last_n;
    public int ignore_eos;
    public int logprobs;
    public int no_repeat_ngram_size;
    public long seed;
    public long max_tokens;
    public Pointer logit_bias;
    public SizeT n_logit_bias = new SizeT();
    public Pointer stop_strings;
    public SizeT n_stop_strings = new SizeT();
    public int speculation;
    public int max_drafts;
    public Pointer grammar;
    public int grammar_begin;
    public int grammar_token;
    public int grammar_goes_on;
    public int thinking;
    public Pointer thinking_begin;
    public Pointer thinking_end;
    public long thinking_tokens;
    public Pointer adapter;
  }

  @FieldOrder({"struct_size", "token", "logprob", "reason", "bytes", "bytes_count", "text", "text_bytes", "pending", "taken_over", "channel", "reserved"})
  class Event extends Structure {
    public int struct_size;
    public int token;
    public float logprob;
    public int reason;
    public Pointer bytes;
    public SizeT bytes_count = new SizeT();
    public Pointer text;
    public SizeT text_bytes = new SizeT();
    public long pending;
    public long taken_over;
    public int channel;
    public int reserved;

    public Event() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "row_format", "ids", "rows", "count", "coordinates", "sees_whole", "reserved"})
  class Input extends Structure {
    public int struct_size;
    public int row_format;
    public Pointer ids;
    public Pointer rows;
    public SizeT count = new SizeT();
    public Pointer coordinates;
    public int sees_whole;
    public int reserved;

    public Input() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "format", "width", "height", "plane0", "plane1", "plane2", "stride0", "stride1", "stride2", "rotation", "mirror", "yuv_range", "yuv_matrix"})
  class Image extends Structure {
    public int struct_size;
    public int format;
    public int width;
    public int height;
    public Pointer plane0;
    public Pointer plane1;
    public Pointer plane2;
    public SizeT stride0 = new SizeT();
    public SizeT stride1 = new SizeT();
    public SizeT stride2 = new SizeT();
    public int rotation;
    public int mirror;
    public int yuv_range;
    public int yuv_matrix;

    public Image() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "min_tokens", "max_tokens", "one_tile", "progress", "progress_user"})
  class ImageOptions extends Structure {
    public int struct_size;
    public int min_tokens;
    public int max_tokens;
    public int one_tile;
    public ImageOptionsProgress progress;
    public Pointer progress_user;
  }

  @FieldOrder({"struct_size", "rows", "positions", "tile_columns", "tile_rows", "tile_pixels", "whole_width", "whole_height", "patches"})
  class ImageFacts extends Structure {
    public int struct_size;
    public int rows;
    public int positions;
    public int tile_columns;
    public int tile_rows;
    public int tile_pixels;
    public int whole_width;
    public int whole_height;
    public long patches;

    public ImageFacts() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "reserved", "tokens_prefilled", "tokens_generated", "tokens_taken_over", "passes", "rows", "prefill_ns", "decode_ns", "sample_ns", "prefix_hits", "tokens_evicted", "kv_bytes_held", "drafts_proposed", "drafts_accepted"})
  class SessionCounters extends Structure {
    public int struct_size;
    public int reserved;
    public long tokens_prefilled;
    public long tokens_generated;
    public long tokens_taken_over;
    public long passes;
    public long rows;
    public long prefill_ns;
    public long decode_ns;
    public long sample_ns;
    public long prefix_hits;
    public long tokens_evicted;
    public long kv_bytes_held;
    public long drafts_proposed;
    public long drafts_accepted;

    public SessionCounters() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "flags", "local_time", "messages", "messages_bytes", "tools", "tools_bytes", "variables", "variables_bytes", "template_name", "template_text", "template_bytes"})
  class ChatOptions extends Structure {
    public int struct_size;
    public int flags;
    public long local_time;
    public Pointer messages;
    public SizeT messages_bytes = new SizeT();
    public Pointer tools;
    public SizeT tools_bytes = new SizeT();
    public Pointer variables;
    public SizeT variables_bytes = new SizeT();
    public Pointer template_name;
    public Pointer template_text;
    public SizeT template_bytes = new SizeT();
  }

  @FieldOrder({"struct_size", "kind", "call", "text", "text_bytes", "name", "name_bytes", "id", "id_bytes"})
  class ChatPart extends Structure {
    public int struct_size;
    public int kind;
    public long call;
    public Pointer text;
    public SizeT text_bytes = new SizeT();
    public Pointer name;
    public SizeT name_bytes = new SizeT();
    public Pointer id;
    public SizeT id_bytes = new SizeT();

    public ChatPart() {
      struct_size = size();
    }
  }

  @FieldOrder({"struct_size", "dimensions", "max_tokens", "whole_texts", "normalized", "scores_pairs", "pooling", "n_prompts", "default_prompt", "reserved"})
  class EmbedderFacts extends Structure {
    public int struct_size;
    public int dimensions;
    public int max_tokens;
    public int whole_texts;
    public int normalized;
    public int scores_pairs;
    public int pooling;
    public int n_prompts;
    public int default_prompt;
    public int reserved;

    public EmbedderFacts() {
      struct_size = size();
    }
  }

  int rondo_abi_version();
  String rondo_version_string();
  String rondo_status_string(int status);
  int rondo_query(String name, LongByReference value);
  int rondo_model_open_path(int abiVersion, String path, PointerByReference model, byte[] message, SizeT messageBytes);
  int rondo_model_open_fd(int abiVersion, int fd, long offset, long length, PointerByReference model, byte[] message, SizeT messageBytes);
  int rondo_model_open_memory(int abiVersion, Pointer bytes, SizeT length, PointerByReference model, byte[] message, SizeT messageBytes);
  int rondo_model_open_parts(int abiVersion, ModelPart parts, int nParts, PointerByReference model, byte[] message, SizeT messageBytes);
  void rondo_model_close(Pointer model);
  int rondo_model_info(Pointer model, ModelFacts facts);
  int rondo_model_eos_token(Pointer model, int index, int[] token);
  int rondo_model_fact(Pointer model, String key, byte[] buffer, SizeT capacity, SizeT.ByReference length);
  int rondo_model_fact_key(Pointer model, int index, byte[] buffer, SizeT capacity, SizeT.ByReference length);
  int rondo_tokenize(Pointer model, byte[] text, SizeT textBytes, int flags, int[] ids, SizeT capacity, SizeT.ByReference count);
  int rondo_detokenize(Pointer model, int[] ids, SizeT count, int flags, byte[] buffer, SizeT capacity, SizeT.ByReference length);
  int rondo_grammar_options_init(GrammarOptions options, SizeT structSize);
  int rondo_grammar_plan(Pointer model, GrammarOptions options, SizeT textBytes, LongByReference bytes, byte[] message, SizeT messageBytes);
  int rondo_grammar_create(Pointer model, GrammarOptions options, byte[] text, SizeT textBytes, Pointer memory, SizeT memoryBytes, PointerByReference grammar, byte[] message, SizeT messageBytes);
  void rondo_grammar_close(Pointer grammar);
  int rondo_adapter_open_path(Pointer model, String path, PointerByReference adapter, byte[] message, SizeT messageBytes);
  int rondo_adapter_open_memory(Pointer model, Pointer bytes, SizeT length, PointerByReference adapter, byte[] message, SizeT messageBytes);
  void rondo_adapter_close(Pointer adapter);
  int rondo_adapter_info(Pointer adapter, AdapterFacts facts);
  int rondo_engine_options_init(EngineOptions options, SizeT structSize);
  int rondo_plan(Pointer model, EngineOptions options, MemoryPlan plan, byte[] message, SizeT messageBytes);
  int rondo_plan_region(Pointer model, EngineOptions options, int index, MemoryRegion region);
  int rondo_plan_fit(Pointer model, EngineOptions options, long bytes, IntByReference context, byte[] message, SizeT messageBytes);
  int rondo_engine_create(Pointer model, EngineOptions options, Pointer arena, SizeT arenaBytes, PointerByReference engine, byte[] message, SizeT messageBytes);
  void rondo_engine_close(Pointer engine);
  int rondo_engine_memory(Pointer engine, MemoryPlan plan);
  int rondo_engine_memory_region(Pointer engine, int index, MemoryRegion region);
  int rondo_engine_stats(Pointer engine, EngineCounters counters);
  int rondo_engine_profile(Pointer engine, LongByReference cursor, ProfileEvent event);
  int rondo_session_options_init(SessionOptions options, SizeT structSize);
  int rondo_model_session_options(Pointer model, SessionOptions options);
  int rondo_session_open(Pointer engine, SessionOptions options, PointerByReference session, byte[] message, SizeT messageBytes);
  int rondo_session_fork(Pointer session, SessionOptions options, PointerByReference fork, byte[] message, SizeT messageBytes);
  void rondo_session_close(Pointer session);
  int rondo_session_prefill(Pointer session, int[] ids, SizeT count);
  int rondo_session_prefill_logits(Pointer session, int[] ids, SizeT count, LogitsRow row, Pointer user);
  int rondo_session_next(Pointer session, Event event);
  int rondo_session_append(Pointer session, int[] ids, SizeT count);
  int rondo_session_append_inputs(Pointer session, Input inputs, SizeT count);
  int rondo_image_options_init(ImageOptions options, SizeT structSize);
  int rondo_image_plan(Pointer model, int width, int height, ImageOptions options, ImageFacts facts, byte[] message, SizeT messageBytes);
  int rondo_media_create(Pointer engine, Image image, ImageOptions options, PointerByReference media, byte[] message, SizeT messageBytes);
  int rondo_media_info(Pointer media, ImageFacts facts);
  void rondo_media_close(Pointer media);
  int rondo_session_append_media(Pointer session, int[] ids, SizeT count, Pointer[] media, SizeT nMedia);
  int rondo_engine_step(Pointer engine, Pointer[] sessions, SizeT count, byte[] message, SizeT messageBytes);
  int rondo_session_event(Pointer session, Event event);
  int rondo_session_logits(Pointer session, PointerByReference logits, SizeT.ByReference count);
  int rondo_session_propose(Pointer session, int[] ids, SizeT count);
  int rondo_session_accept(Pointer session, int token);
  int rondo_session_undo(Pointer session, long n);
  int rondo_session_reset(Pointer session);
  int rondo_session_position(Pointer session, LongByReference position);
  int rondo_session_remaining(Pointer session, LongByReference tokens);
  int rondo_session_evicted(Pointer session, LongByReference begin, LongByReference end);
  int rondo_session_progress(Pointer session, LongByReference done, LongByReference total);
  int rondo_session_stats(Pointer session, SessionCounters counters);
  int rondo_session_cancel(Pointer session);
  int rondo_session_call(Pointer session, LongByReference number);
  int rondo_session_cancel_call(Pointer session, long number);
  String rondo_session_last_error(Pointer session);
  int rondo_session_save(Pointer session, byte[] buffer, SizeT capacity, SizeT.ByReference bytes);
  int rondo_session_restore(Pointer session, byte[] bytes, SizeT count);
  int rondo_session_tokens(Pointer session, LongByReference begin, int[] ids, SizeT capacity, SizeT.ByReference count);
  int rondo_model_chat_template_name(Pointer model, int index, byte[] buffer, SizeT capacity, SizeT.ByReference length);
  int rondo_model_chat_template(Pointer model, String name, byte[] buffer, SizeT capacity, SizeT.ByReference length);
  int rondo_chat_options_init(ChatOptions options, SizeT structSize);
  int rondo_chat_render(Pointer model, ChatOptions options, byte[] text, SizeT textCapacity, SizeT.ByReference textLength, int[] ids, SizeT idsCapacity, SizeT.ByReference idsCount, byte[] message, SizeT messageBytes);
  int rondo_chat_parser_create(Pointer model, ChatOptions options, PointerByReference parser, byte[] message, SizeT messageBytes);
  int rondo_chat_parser_push(Pointer parser, byte[] bytes, SizeT count, int last);
  int rondo_chat_parser_next(Pointer parser, ChatPart part);
  int rondo_chat_parser_reset(Pointer parser);
  void rondo_chat_parser_close(Pointer parser);
  int rondo_chat_grammar(Pointer model, ChatOptions options, int calls, String function, byte[] buffer, SizeT capacity, SizeT.ByReference length, byte[] message, SizeT messageBytes);
  int rondo_chat_thinking(Pointer model, ChatOptions options, byte[] begin, SizeT beginCapacity, SizeT.ByReference beginLength, byte[] end, SizeT endCapacity, SizeT.ByReference endLength, byte[] message, SizeT messageBytes);
  int rondo_model_embedder(Pointer model, EmbedderFacts facts);
  int rondo_model_prompt_name(Pointer model, int index, byte[] buffer, SizeT capacity, SizeT.ByReference length);
  int rondo_embedding_text(Pointer model, String prompt, byte[] text, SizeT textBytes, byte[] buffer, SizeT capacity, SizeT.ByReference length);
  int rondo_pair_text(Pointer model, String instruction, byte[] query, SizeT queryBytes, byte[] document, SizeT documentBytes, byte[] buffer, SizeT capacity, SizeT.ByReference length);
  int rondo_session_embed(Pointer session, int[] ids, SizeT count, float[] vector, SizeT dimensions);
  int rondo_engine_embed(Pointer engine, Pointer[] sessions, SizeT nSessions, int[] ids, Pointer counts, SizeT nTexts, float[] vectors, SizeT dimensions, byte[] message, SizeT messageBytes);
}
