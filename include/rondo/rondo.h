/* rondo.h: language models inside other programs, behind one C header.
 *
 * Rondo runs a language model inside one block of memory whose every byte is planned
 * before the first token. A model file (made by `rondo convert`) is opened; a plan says to the
 * byte what running it will take; an engine fills that memory once; sessions generate tokens in
 * it. After that nothing is allocated and nothing grows. When a session's context is full it
 * stops, or the oldest tokens make room for the newest, as the options say.
 *
 *     rondo_model         a file, verified and mapped          immutable, shared by engines
 *       rondo_engine      the model made runnable in an arena  owns the arena's contents
 *         rondo_session   one sequence of tokens               prefill, next, fork, undo, ...
 *
 * THE ARENA, lowest address first; rondo_plan gives each size, rondo_plan_region each part:
 *
 *     +-------------+-----------+----------+---------------+-------------+
 *     | weights     | kv pool   | sessions | activations   | workspace   |
 *     +-------------+-----------+----------+---------------+-------------+
 *       packed for    int8 keys   samplers,  buffers of one   scratch of
 *       this CPU;     and values  logits,    forward pass,    kernels and
 *       none, if the              text       shared by        threads
 *       file is packed                       lifetime
 *
 * The caller may bring the arena (any memory: static, shared, huge pages) or let the engine take
 * it from the system.
 *
 * A WHOLE PROGRAM (c_api/examples/generate.c is the same with its errors checked; beside it is a
 * cookbook of others):
 *
 *     rondo_model* model;
 *     rondo_engine* engine;
 *     rondo_session* session;
 *     rondo_engine_options engine_options;
 *     rondo_session_options session_options;
 *     rondo_event event;
 *     int32_t ids[256];
 *     size_t count;
 *     char why[256];
 *
 *     rondo_model_open_path(RONDO_ABI_VERSION, "model.rondo", &model, why, sizeof why);
 *     rondo_engine_options_init(&engine_options, sizeof engine_options);
 *     rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why);
 *     rondo_session_options_init(&session_options, sizeof session_options);
 *     rondo_model_session_options(model, &session_options);
 *     session_options.max_tokens = 100;
 *     rondo_session_open(engine, &session_options, &session, why, sizeof why);
 *
 *     rondo_tokenize(model, "Once upon a time", 16, RONDO_TOKENIZE_ADD_SPECIAL, ids, 256, &count);
 *     rondo_session_prefill(session, ids, count);
 *     event.struct_size = sizeof event;
 *     do {
 *       if (rondo_session_next(session, &event) != RONDO_STATUS_OK) break;
 *       fwrite(event.text, 1, event.text_bytes, stdout);
 *     } while (event.reason == RONDO_REASON_NONE);
 *
 *     rondo_session_close(session);
 *     rondo_engine_close(engine);
 *     rondo_model_close(model);
 *
 * MANY SESSIONS. One forward pass serves several sessions at little more than the time of one: the
 * weights are read once. There are two ways to it, and both give every session the tokens that it
 * gets alone, to the bit:
 *
 *     Threads: each calls rondo_session_prefill and rondo_session_next for a session of its own.
 *     Calls that wait at the same time are served together.
 *
 *     One thread: rondo_session_append queues prompts, rondo_engine_step runs one pass for all
 *     sessions that it is given, rondo_session_event tells what each got. Sessions may join and
 *     leave at any step (c_api/examples/many_sessions.c is this with its errors checked):
 *
 *         rondo_session_append(a, prompt_a, count_a);
 *         rondo_session_append(b, prompt_b, count_b);
 *         while (rondo_engine_step(engine, sessions, n_sessions, why, sizeof why) == 0) {
 *           for (i = 0; i < n_sessions; ++i) {
 *             rondo_session_event(sessions[i], &event);
 *             ... event.text; where event.reason is not NONE, take the session out ...
 *           }
 *         }
 *
 * KV is shared between sessions, and copied only where they part: a fork costs no more than its own
 * tokens, and a session whose first tokens another one had before takes over what was computed for
 * it (the prefix cache): a system prompt is computed once.
 *
 * VERSIONS. RONDO_ABI_VERSION grows by one when something is added; nothing is taken away or
 * changes its meaning while the library's name is librondo.so.0. A program runs with any library
 * that is not older than its header. With an older one, opening a model is
 * RONDO_STATUS_VERSION_MISMATCH, and the loader refuses a program that needs a function which is
 * not there. Each function says since which version it is there; ABI 3 was the first. c_api/abi has
 * each version as it was recorded, and the tests hold the library to all of them.
 *
 * RULES THAT HOLD FOR EVERY FUNCTION, and are not repeated below:
 *
 * Status. Every int32_t returned is a RONDO_STATUS_ value. A call that fails has no other effect
 *   than to zero its outputs (numbers 0, pointers NULL, structs all zero behind struct_size), or
 *   as its own comment says. No input makes the library abort, exit, print or throw. NULL where a
 *   pointer is needed is RONDO_STATUS_INVALID_ARGUMENT; a handle that was closed, is of another
 *   kind or was never given out is RONDO_STATUS_INVALID_HANDLE, whatever other threads do (since
 *   ABI 10). A pointer that does not point to what the signature says and memory changed under the
 *   library's hands are the caller's fault and are not found. Comments list the other statuses of
 *   a function, but _VERSION_MISMATCH of a struct, _BUFFER_TOO_SMALL of a text output and _BUSY by
 *   the thread tag.
 * Messages. Calls that create something take `message`, `message_bytes`: on failure one sentence
 *   is written there, cut to fit between characters and zero-terminated; on success an empty one.
 *   NULL and 0 are fine. Calls on a session leave theirs in rondo_session_last_error.
 * Structs. struct_size comes first and is sizeof the struct as the caller was compiled. Fields
 *   are only ever appended. The library fills, or reads, as much as both sides know. An options
 *   struct with anything but zeros in a part that the library does not know, or in a reserved
 *   field (since ABI 10), is refused with RONDO_STATUS_VERSION_MISMATCH, so that no wish is
 *   silently ignored. Options are made by their _init function and then changed. No struct is
 *   passed by value.
 * Ownership. Each handle holds a reference to its parent: close them in any order, from any
 *   thread; what is still needed stays. Closing NULL, or what is no open handle of its kind, does
 *   nothing. A handle may be closed at any time: calls that enter with it from then on are refused,
 *   those that run on it go on or, of a session, are cancelled, and what they work with stays until
 *   they return. A handle is no address, and none is given out twice. Of what the caller passes in
 *   the library keeps the arena, a grammar's memory, the bytes of rondo_model_open_memory and
 *   _parts and of rondo_adapter_open_memory, and the host's callbacks (progress, pool, log) with
 *   what they are told by, and nothing else.
 * Strings. UTF-8. Inputs carry a length, except paths, keys, names and stop strings, which are
 *   zero-terminated. Text outputs go to a buffer of the caller: the length without the zero is
 *   always reported; if length + 1 exceeds the capacity the call is
 *   RONDO_STATUS_BUFFER_TOO_SMALL and the text is empty. (NULL, 0) asks for the length.
 * Threads. Each comment ends with a tag, and since which ABI the function is there:
 *     [any thread]           at any time, also at once with any other call
 *     [one call per session] a second call on the same session at once is RONDO_STATUS_BUSY.
 *                            Sessions of one engine may be used from different threads; those
 *                            that compute are served together or take turns. Sessions of
 *                            different engines do not wait for each other.
 *     [one call per parser]  the same of a rondo_chat_parser (since ABI 10)
 *   Nothing is thread-local, and one thing global, the table of open handles, which no call waits
 *   for: no initialisation, no shutdown, no locale trouble.
 *   An engine's own threads block all signals but those of their own faults (SIGSEGV and its like,
 *   for the host's crash reports): handlers run on the host's threads only. They sleep between
 *   calls and end with the engine. With a pool of the host (parallel_for) it has none.
 *   fork(): the child may close the handles that it inherited, in any order, and, where the system
 *   lets a child of a process with threads allocate memory and start threads (glibc does), make its
 *   own. It must do nothing else with those of its parent: rondo_session_open and all calls on a
 *   session but _close, _cancel, _call, _cancel_call, _progress and _last_error are
 *   RONDO_STATUS_BUSY there. The parent goes on and notices nothing. What a call held that ran
 *   while the process forked, the child keeps.
 * Memory. Only _open, _fork, _create, the plan functions and those of chat ask the system for
 *   memory; everything else works in what is there. Nothing is ever written to disk.
 * Determinism. Equal model, options, seed and tokens give equal logits and tokens, to the bit, on
 *   machines whose plan names the same kernels; whatever the number of threads, the size of
 *   chunks, the sessions beside it, what was shared, forked and undone in between, drafts and where
 *   they come from. Equal logits give equal tokens on every machine.
 */
#ifndef RONDO_RONDO_H_
#define RONDO_RONDO_H_

#include <stddef.h>
#include <stdint.h>

/* On Windows a program imports the functions from rondo.dll, unless it defines RONDO_STATIC, as the
 * CMake target rondo::static and pkg-config's rondo-static do. RONDO_BUILD is for Rondo itself. */
#if defined(_WIN32) && defined(RONDO_BUILD)
#define RONDO_API __declspec(dllexport)
#elif defined(_WIN32) && !defined(RONDO_STATIC)
#define RONDO_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define RONDO_API __attribute__((visibility("default")))
#else
#define RONDO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and status ---------------------------------------------------------------------- */

/* The ABI that this header describes: major * 65536 + minor. A library serves every caller of its
 * own major whose minor is not above its own. Passed to the rondo_model_open_ functions, which
 * everything else follows from. */
#define RONDO_ABI_VERSION 13u

/* The library's own RONDO_ABI_VERSION. [any thread, since ABI 3] */
RONDO_API uint32_t rondo_abi_version(void);

/* The release, MAJOR.MINOR.PATCH, for people to read. Static, never NULL. [any thread, since ABI 3]
 */
RONDO_API const char* rondo_version_string(void);

/* Pinned values, grouped by their high digit: 0x1_: the caller's arguments; 0x2_: the model file,
 * or a snapshot; 0x3_: memory; 0x4_: a running session; 0x5_: the library itself. New ones may be
 * added: treat an unknown one by its group. */
enum {
  RONDO_STATUS_OK = 0x00,               /* Done. */
  RONDO_STATUS_INVALID_ARGUMENT = 0x10, /* A value outside of what the call accepts. */
  RONDO_STATUS_BUFFER_TOO_SMALL = 0x11, /* The needed size was reported. */
  RONDO_STATUS_BUSY = 0x12,             /* In use by another call; or all sessions are open. */
  RONDO_STATUS_VERSION_MISMATCH = 0x13, /* Caller and library disagree about the ABI. */
  /* Closed, of another kind, or never given out. Since ABI 10. */
  RONDO_STATUS_INVALID_HANDLE = 0x14,
  RONDO_STATUS_IO_ERROR = 0x20,         /* The system could not read it. */
  RONDO_STATUS_NOT_A_MODEL = 0x21,      /* Not a Rondo file at all. */
  RONDO_STATUS_NEWER_FORMAT = 0x22,     /* Of a format version that this library does not know. */
  RONDO_STATUS_CORRUPT = 0x23,          /* Truncated, altered, or contradicting itself. */
  RONDO_STATUS_UNSUPPORTED = 0x24,      /* Well formed, but asks for what this library cannot do. */
  RONDO_STATUS_OUT_OF_MEMORY = 0x30,    /* The system refused memory, or no address space has it. */
  RONDO_STATUS_ARENA_TOO_SMALL = 0x31,  /* The caller's arena is smaller than the plan. */
  RONDO_STATUS_ARENA_MISALIGNED = 0x32, /* The caller's arena is not aligned as the plan asks. */
  RONDO_STATUS_CONTEXT_FULL = 0x40,     /* No room for these tokens, and the policy is to stop. */
  RONDO_STATUS_CANCELLED = 0x41,        /* The caller or a progress callback said so. */
  RONDO_STATUS_NO_LOGITS = 0x42,        /* There is nothing to predict from: prefill first. */
  RONDO_STATUS_KV_POOL_FULL = 0x43,     /* Open sessions use all KV blocks; nothing has happened. */
  RONDO_STATUS_SNAPSHOT_MISMATCH = 0x44, /* Of another model, or of other options of the engine. */
  /* The session's grammar leaves no token, or ran out of what it has. */
  RONDO_STATUS_CONSTRAINT = 0x45,
  RONDO_STATUS_INTERNAL = 0x50 /* An invariant of ours failed: please report. */
};

/* What a status value means, in a few English words. Static, never NULL, also for unknown values.
 * [any thread, since ABI 3] */
RONDO_API const char* rondo_status_string(int32_t status);

/* What this library can do, by name, so that bindings need no build flags:
 *     "abi.version"            as rondo_abi_version
 *     "format.version"         newest version of the model file that it reads
 *     "limit.sessions"         largest max_sessions
 *     "limit.rows"             largest max_rows
 *     "limit.stop_strings"     most stop strings of a session
 *     "limit.stop_bytes"       longest stop string, in bytes
 *     "limit.logit_biases"     most logit biases of a session
 *     "limit.penalty_tokens"   largest penalty_last_n
 *     "limit.ngram"            largest no_repeat_ngram_size
 *     "limit.profile_events"   largest profile_events
 *     "limit.adapter_rank"     largest adapter_rank
 *     "limit.input_rows"       largest max_input_rows
 *     "arena.alignment"        as rondo_memory_plan.arena_alignment
 *     "chat"                   1: rondo_chat_render works; 0: this build leaves chat templates out
 *     "grammar"                1: rondo_grammar_create works; 0: this build leaves grammars out
 * A name that it does not know is RONDO_STATUS_UNSUPPORTED. [any thread, since ABI 3] */
RONDO_API int32_t rondo_query(const char* name, int64_t* value);

/* ---- Model: a file, verified and mapped ------------------------------------------------------ */

/* A model file, opened and checked. It never changes. Engines hold a reference of their own. */
typedef struct rondo_model rondo_model;

/* Opens a model file and checks its header, its metadata and all that it says about itself; the
 * weights are checked when an engine reads them. The file is mapped read-only, so that processes
 * share it. It must not be changed or shortened while the model is open: replace files by renaming.
 *
 * abi_version: RONDO_ABI_VERSION, as the caller was compiled. `*model` is the new handle.
 * Fails with RONDO_STATUS_VERSION_MISMATCH, _IO_ERROR, _NOT_A_MODEL, _NEWER_FORMAT, _CORRUPT,
 * _UNSUPPORTED, _OUT_OF_MEMORY; the message names the offset or the part and the reason.
 * [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_open_path(uint32_t abi_version, const char* path, rondo_model** model,
                                        char* message, size_t message_bytes);

/* The same from a file descriptor, for a model inside of another file (an Android asset, stored
 * without compression): `length` bytes from `offset`, which must be a multiple of 64 (zipalign);
 * UINT64_MAX for all that follows. The descriptor stays the caller's and may be closed at once.
 * [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_open_fd(uint32_t abi_version, int32_t fd, uint64_t offset,
                                      uint64_t length, rondo_model** model, char* message,
                                      size_t message_bytes);

/* The same from memory, aligned to 64, which the caller keeps unchanged until the model and all
 * engines and sessions made from it are closed. [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_open_memory(uint32_t abi_version, const void* bytes, size_t length,
                                          rondo_model** model, char* message, size_t message_bytes);

/* A piece of a model file in memory. */
typedef struct rondo_model_part {
  const void* bytes; /* Aligned to 64. */
  size_t length;     /* A multiple of 64, but for the last part's. */
} rondo_model_part;

/* The same from memory in pieces, for a file larger than one piece of memory may be (a module of
 * WebAssembly, a file that was sent in parts): `parts` has all bytes of the file in their order,
 * n_parts from 1 to 64. The file is cut between its sections, as `rondo split` does. Of a packed
 * file, 128 bytes behind each part must be readable, whatever they hold. The caller keeps what the
 * parts point to as for rondo_model_open_memory; the array itself is read during the call only.
 * Fails with RONDO_STATUS_INVALID_ARGUMENT also where a section lies in two parts, and names it.
 * [any thread, since ABI 8] */
RONDO_API int32_t rondo_model_open_parts(uint32_t abi_version, const rondo_model_part* parts,
                                         uint32_t n_parts, rondo_model** model, char* message,
                                         size_t message_bytes);

/* Gives the handle up. [any thread, since ABI 3] */
RONDO_API void rondo_model_close(rondo_model* model);

/* What a model is. Filled by rondo_model_info. */
typedef struct rondo_model_facts {
  uint32_t struct_size;    /* sizeof this struct, as the caller was compiled */
  uint32_t vocab_size;     /* Token ids are 0 to vocab_size - 1. */
  uint32_t context_length; /* Tokens that the model was trained for. */
  uint32_t hidden_size;    /* Values of a token between layers. */
  uint32_t n_layers;       /* Transformer layers. */
  uint32_t n_heads;        /* Query heads, of the first layer. */
  /* Heads of keys and values, of the first layer, which query heads share in groups. */
  uint32_t n_kv_heads;
  uint32_t head_dim;       /* Values of a head, of the first layer. */
  int32_t bos_token;       /* -1: none. */
  uint32_t n_eos_tokens;   /* See rondo_model_eos_token. */
  uint32_t has_tokenizer;  /* 0: token ids only. */
  uint32_t format_version; /* Of the file. */
  uint64_t file_bytes;     /* Size of the file, or of the part that was opened. */
  uint64_t parameters;     /* Values in all weights; a tied embedding counts once. */
  /* What opening took of memory for texts to be tokenized in: fixed, at most 2 MB; 0: none. */
  uint64_t tokenizer_bytes;
  /* The token that stands for a picture (rondo_session_append_media); -1: the model does not
   * see. Since ABI 13. */
  int32_t picture_token;
  uint32_t reserved; /* 0 */
} rondo_model_facts;

/* Fills `facts`; its struct_size must be set. [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_info(const rondo_model* model, rondo_model_facts* facts);

/* The tokens that end a generation: number `index` of n_eos_tokens. [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_eos_token(const rondo_model* model, uint32_t index, int32_t* token);

/* What the file's maker wrote about it: "name", "architecture", "producer", and the keys that
 * rondo_model_fact_key lists. A key that is not there is RONDO_STATUS_INVALID_ARGUMENT. For
 * people: the library never interprets these. [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_fact(const rondo_model* model, const char* key, char* buffer,
                                   size_t capacity, size_t* length);

/* Key number `index`; RONDO_STATUS_INVALID_ARGUMENT behind the last one. [any thread, since ABI 3]
 */
RONDO_API int32_t rondo_model_fact_key(const rondo_model* model, uint32_t index, char* buffer,
                                       size_t capacity, size_t* length);

/* Flags of rondo_tokenize. */
enum {
  RONDO_TOKENIZE_ADD_SPECIAL = 1 /* Add what the model expects around a text: BOS and the like. */
};

/* Text to token ids. The texts of special tokens ("<|im_start|>") in it become these tokens: do
 * not pass text of strangers unchecked. Bytes that are not UTF-8 count as U+FFFD.
 *
 * `*count` is always the number of ids that the text has; where it exceeds `capacity` the call is
 * RONDO_STATUS_BUFFER_TOO_SMALL and `ids` has the first ones. (NULL, 0) asks for the count. An
 * empty text is no error. `text` may be NULL where text_bytes is 0. A text of any length is taken,
 * in time linear in it; a stretch of over 64 KB without any place to split is cut there and its
 * parts encoded one by one. Fails with RONDO_STATUS_UNSUPPORTED (no tokenizer in the file),
 * _INVALID_ARGUMENT (unknown flag; the model's own patterns need more steps or memory than they
 * may take for a text of this length).
 *
 * Calls on one model go on beside each other, a piece of some KB of each in turn, and allocate
 * nothing. None waits for another's end but for a place to work in, in the order of their coming:
 * texts of up to 4096 bytes have one, with all that sessions tokenize by themselves, and longer
 * ones several, 7 in most models. [any thread, since ABI 3] */
RONDO_API int32_t rondo_tokenize(const rondo_model* model, const char* text, size_t text_bytes,
                                 uint32_t flags, int32_t* ids, size_t capacity, size_t* count);

/* Flags of rondo_detokenize. */
enum {
  RONDO_DETOKENIZE_SKIP_SPECIAL = 1 /* Leave special tokens out. */
};

/* Token ids to text, as a text output. Bytes of the tokens that do not form UTF-8 become U+FFFD.
 * Fails with RONDO_STATUS_UNSUPPORTED (no tokenizer in the file), _INVALID_ARGUMENT (an id out of
 * range, unknown flag). [any thread, since ABI 3] */
RONDO_API int32_t rondo_detokenize(const rondo_model* model, const int32_t* ids, size_t count,
                                   uint32_t flags, char* buffer, size_t capacity, size_t* length);

/* ---- Grammar: what a generation may say ------------------------------------------------------ */

/* Texts, and which tokens of a model go on with one. Sessions that are given one generate nothing
 * else: a token that no text has is never drawn, end tokens come where a text may end, and where
 * nothing may follow, or nothing but an end token that is not to come (ignore_eos, logit_bias), the
 * generation ends (RONDO_REASON_GRAMMAR). Sessions do not wait for each other's work on it, and a
 * cancel ends it. Never changes to its users; any
 * number of sessions share it, each of which writes a text of its own. Keep it while it is of use.
 */
typedef struct rondo_grammar rondo_grammar;

/* How a grammar is written. */
enum {
  /* JSON Schema, draft 2020-12 and 7's spellings: the JSON values that are valid by it. What
   * is not understood, or cannot be decided, is refused by its JSON pointer. Formats hold.
   * Strings that a pattern or a format bounds are written without needless escapes, whole
   * numbers without ".0", zero without a sign where it is the least. Between the parts of a
   * text there is nothing, a space, or a new line with up to 32 spaces and tabs, unless a
   * flag says otherwise. */
  RONDO_GRAMMAR_JSON_SCHEMA = 0,
  RONDO_GRAMMAR_PATTERN = 1, /* A regular expression of ECMA-262, which is the whole text. */
  /* Rules in GBNF's notation, which other runtimes have, too: name ::= alternatives of quoted
   * texts, [classes], names, groups and repeats; `root` is the text. A rule that begins with
   * itself is refused. Beside it: one special token is written by its text, in angle brackets
   * where it has none itself, or as <[number]>; %json {...} is a value by this JSON Schema,
   * with the flags below; %without "text" is any text in which this does not come up. */
  RONDO_GRAMMAR_GBNF = 2
};

/* Flags for JSON Schemas. */
enum {
  RONDO_SCHEMA_NO_SPACES = 1, /* No spaces between the parts of a text. */
  /* Members in any order; else as the schema has them, and others last. */
  RONDO_SCHEMA_ANY_ORDER = 2,
  /* One space behind each colon and comma and nowhere else, as chat templates and Python
   * write JSON: what a model is used to, with no choice left where nothing is said. Not with
   * NO_SPACES. Since ABI 9. */
  RONDO_SCHEMA_ONE_SPACE = 4,
  /* Members that nobody named are not written: an object has those that its schemas name in
   * properties, required or a condition, and those that a pattern of patternProperties names,
   * where none of these schemas has additionalProperties, which says what others there are.
   * Schemas are all that hold of the object, by allOf, $ref and the alternatives chosen, too.
   * Where they name no member ({"type": "object"}, true), or fewer than minProperties, names
   * are free as ever. What is written stays valid; fewer valid texts can be written. Since
   * ABI 10. */
  RONDO_SCHEMA_NAMED_ONLY = 8
};

/* Made by rondo_grammar_options_init. */
typedef struct rondo_grammar_options {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  int32_t kind;         /* How the text is written. One of RONDO_GRAMMAR_; default JSON_SCHEMA. */
  uint32_t flags;       /* Flags for JSON Schemas, RONDO_SCHEMA_. Default 0. */
  uint32_t reserved;    /* 0 */
  /* Of memory for what the grammar is made of and the states that its texts go through. What
   * is not used is not touched. Where states fill it they are forgotten and made again: no
   * session misses what another one's work had forgotten. A grammar that leaves its texts no
   * room is refused when it is read, with the memory_bytes that it needs. 2^20 to 2^30;
   * default 0: 8 MiB. */
  uint64_t memory_bytes;
} rondo_grammar_options;

/* Sets the defaults. `struct_size`: sizeof *options. [any thread, since ABI 8] */
RONDO_API int32_t rondo_grammar_options_init(rondo_grammar_options* options, size_t struct_size);

/* The bytes that rondo_grammar_create takes for a grammar written in `text_bytes` bytes. Beside
 * them, the model keeps a table of its vocabulary's texts from the first grammar on: 2 to 4 MB, of
 * the system's memory. Fails with RONDO_STATUS_INVALID_ARGUMENT, _UNSUPPORTED (no tokenizer in the
 * file), _CORRUPT (its table of the vocabulary's texts is damaged), _OUT_OF_MEMORY,
 * _VERSION_MISMATCH. [any thread, since ABI 8] */
RONDO_API int32_t rondo_grammar_plan(const rondo_model* model, const rondo_grammar_options* options,
                                     size_t text_bytes, uint64_t* bytes, char* message,
                                     size_t message_bytes);

/* Reads a grammar of up to 4 MiB, which may be forgotten afterwards. Takes at most 64 KiB of the
 * thread's stack, as sessions with a grammar do.
 *
 * memory: at least what rondo_grammar_plan tells, aligned to 64, for the grammar alone until it and
 * all sessions that were given it are closed. NULL, 0: taken from the system and given back in the
 * end. Fails with RONDO_STATUS_INVALID_ARGUMENT (not well formed; no text fits it), _UNSUPPORTED
 * (what, and where), _OUT_OF_MEMORY (it needs more than memory_bytes, or more steps than it may
 * take: which, and where; the system refused memory), _CORRUPT (as rondo_grammar_plan),
 * _ARENA_TOO_SMALL, _ARENA_MISALIGNED, _VERSION_MISMATCH. [any thread, since ABI 8] */
RONDO_API int32_t rondo_grammar_create(rondo_model* model, const rondo_grammar_options* options,
                                       const char* text, size_t text_bytes, void* memory,
                                       size_t memory_bytes, rondo_grammar** grammar, char* message,
                                       size_t message_bytes);

/* Gives the handle up; sessions go on. [any thread, since ABI 8] */
RONDO_API void rondo_grammar_close(rondo_grammar* grammar);

/* ---- Adapter: what a model was taught beside ------------------------------------------------- */

/* A LoRA adapter: low-rank products that are added to those of a model's matrices. The model and
 * its engines stay as they are: sessions that are given one compute with it, whoever is beside them
 * in a pass, and each gives the logits that it gives alone, to the bit. Never changes; any number
 * of sessions of any engine of the model share it. Sessions keep it, so that it may be closed while
 * they run; opening and closing adapters waits for nobody. */
typedef struct rondo_adapter rondo_adapter;

/* Opens an adapter file (`rondo convert ADAPTER --adapter-for MODEL`) for the model that it was
 * made for, portable or packed, and checks all of it, every value too. It is known by a BLAKE2b-256
 * digest of all its bytes: whatever else somebody makes, no other file is taken for it. The file is
 * mapped read-only and used where it lies, like a packed model's weights; it must not be changed or
 * shortened while the adapter or a session with it is open.
 * Fails with RONDO_STATUS_IO_ERROR, _NOT_A_MODEL (no adapter), _NEWER_FORMAT, _CORRUPT,
 * _UNSUPPORTED, _INVALID_ARGUMENT (it is of another model), _OUT_OF_MEMORY; the message names the
 * part and the reason. [any thread, since ABI 9] */
RONDO_API int32_t rondo_adapter_open_path(rondo_model* model, const char* path,
                                          rondo_adapter** adapter, char* message,
                                          size_t message_bytes);

/* The same from memory, aligned to 64, which the caller keeps unchanged until the adapter and all
 * sessions that were given it are closed. [any thread, since ABI 9] */
RONDO_API int32_t rondo_adapter_open_memory(rondo_model* model, const void* bytes, size_t length,
                                            rondo_adapter** adapter, char* message,
                                            size_t message_bytes);

/* Gives the handle up; sessions go on. [any thread, since ABI 9] */
RONDO_API void rondo_adapter_close(rondo_adapter* adapter);

/* What an adapter is. Filled by rondo_adapter_info. */
typedef struct rondo_adapter_facts {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  uint32_t rank;        /* The largest of its matrices: what adapter_rank must be at least. */
  uint32_t n_matrices;  /* Of the model's file, that it changes. */
  uint32_t reserved;    /* 0 */
  uint64_t file_bytes;  /* Size of the file: what it takes of memory, shared between processes. */
} rondo_adapter_facts;

/* Fills `facts`; its struct_size must be set. [any thread, since ABI 9] */
RONDO_API int32_t rondo_adapter_info(const rondo_adapter* adapter, rondo_adapter_facts* facts);

/* ---- Plan: what running a model will take ---------------------------------------------------- */

enum {
  RONDO_POLICY_STOP = 0, /* A full context ends the generation; nothing is lost. */
  RONDO_POLICY_SLIDE = 1 /* The oldest tokens make room, in blocks; sink_tokens stay. */
};

enum {
  RONDO_KV_INT8 = 0,    /* Keys and values in 8 bits. */
  RONDO_KV_FLOAT32 = 1, /* Four times the memory, slow: the reference that int8 is held against. */
  /* Values in 4 bits, keys in 8: three quarters of INT8's memory, at some loss of
   * predictions, which depends on the model: `rondo eval --against` tells. Small models lose
   * more. */
  RONDO_KV_K8V4 = 2,
  RONDO_KV_K4V4 = 3 /* Both in 4 bits: half of INT8's memory, and a larger loss. */
};

/* What a message for the log is about. */
enum {
  /* Something that the host should see to: threads that the system refused, a pool of the
   * host that does not do what it must, a KV pool that is full. */
  RONDO_LOG_WARNING = 0,
  /* Once for an engine or a session: what the engine was made of, a context that begins to
   * slide. */
  RONDO_LOG_INFO = 1,
  RONDO_LOG_DEBUG = 2 /* Passes: how many tokens of how many sessions, and how long. */
};

/* Which CPUs an engine's own threads run on. */
enum {
  RONDO_AFFINITY_SYSTEM = 0, /* Those that the system puts them on. */
  /* The performance cores, as far as the system tells; on Apple's systems QoS classes do this
   * in any case. */
  RONDO_AFFINITY_PERFORMANCE = 1,
  RONDO_AFFINITY_CPUS = 2 /* Those that rondo_engine_options.cpus names. */
};

/* A part of the engine's work, which it hands to a pool of the host. It does not unwind. It needs
 * 64 KiB of stack, calls nothing of the host, and takes from some microseconds to, for a layer of a
 * long prompt, tenths of a second. */
typedef void (*rondo_task)(void* context, size_t index);

/* How a model is to be run. Made by rondo_engine_options_init. */
typedef struct rondo_engine_options {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  /* Tokens that a session can see. At most 2^24; default 0: the model's context_length. */
  uint32_t context;
  /* Sessions open at once, each with a context of its own. 1 to 64; default 1. */
  uint32_t max_sessions;
  /* Tokens of one pass of a prefill. More is faster up to a point and takes more activations.
   * 1 to 8192; default 256. */
  uint32_t max_rows;
  /* Threads that compute, the caller's among them. A plan is the same on every thread,
   * whatever CPUs that is kept to. Linux knows CPUs of threads alone: there they are those
   * that the thread had that loaded the library (taskset and cpusets count; a share of time,
   * as cgroups give it, does not). An engine starts no more of them than the thread that
   * creates it may run on. At most 256; default 0: the performance cores, as far as the
   * system tells, of those that this process may run on. */
  uint32_t threads;
  /* What happens when a session's context is full. One of RONDO_POLICY_; default STOP. */
  int32_t context_policy;
  uint32_t sink_tokens; /* Under SLIDE the first tokens, which stay; in whole blocks. Default 0. */
  int32_t kv_format; /* How the KV cache holds keys and values. One of RONDO_KV_; default INT8. */
  /* The name of a kernel set. On Linux, with "amx" (also as the best) rondo_engine_create
   * asks the system once to let this process use AMX's registers; plans ask for nothing.
   * Signal stacks of the host must have room for them (getauxval with AT_MINSIGSTKSZ): where
   * a thread's has not, the next best is taken, which a plan that is made on another thread
   * does not foresee. Default: the best for this CPU, of those that read a packed file where
   * it has some. */
  const char* kernels;
  /* NULL, or told how far rondo_engine_create is: `done` of `total` bytes of the file. It is
   * called on the thread that creates, never inside of a rondo_task, hundreds of times and
   * more for a large model and last with done == total; not for a packed file, which takes no
   * time. It may call the library, also close the model; it must not throw or jump out.
   * Nonzero cancels: RONDO_STATUS_CANCELLED, and nothing is left behind. */
  int32_t (*progress)(void* progress_user, uint64_t done, uint64_t total);
  void* progress_user; /* Passed on to progress. */
  /* Tokens that the KV pool holds, of all sessions together, in whole blocks. With fewer than
   * the default, sessions share what there is, and a pass that finds no room is
   * RONDO_STATUS_KV_POOL_FULL. More is room for the prefix cache, which lives in what no
   * session uses. At most 2^30; default 0: enough for the context of every session. */
  uint32_t kv_tokens;
  /* Most tokens of a pass while some session decodes, those of drafts included. Fewer:
   * prompts take longer beside it, and the others wait less for their next token; with fewer
   * than sessions that decode, these take turns. At most 8192; default 0: max_rows, the most
   * that there may be. */
  uint32_t rows_per_step;
  uint32_t no_prefix_cache; /* 1: nothing is kept for later sessions. Default 0. */
  /* Events that the engine's profile remembers, in the arena, 56 bytes each. Recording costs
   * about a microsecond a layer. See rondo_engine_profile. At most 2^20; default 0: nothing
   * is recorded. Since ABI 4. */
  uint32_t profile_events;
  /* NULL: the engine starts threads of its own. Else the host's pool, which is used in their
   * place, at creation and in every pass: it calls task(context, i) once for each i < count,
   * on any threads, at the same time or one after another, and returns when all these calls
   * have. `count` is at most `threads`, some hundred times in a pass; what it gives is the
   * same to the bit. It is called on a thread that is in a call of the library, by one at a
   * time of an engine, and must not throw or jump out. The function and what parallel_user
   * points to live until the engine and its sessions are closed.
   *   Inside of it, on the thread that it was called on, calls on this engine's sessions are
   * RONDO_STATUS_BUSY, but for those that are [any thread], so that a pool may do other work
   * while it waits. A thread of the pool that waits for a call on this engine runs no task,
   * and so may keep that call waiting for itself: do not call the engine from all threads of
   * the pool.
   *   A pool that leaves an i out, repeats one, makes one up, comes late or returns early
   * does no harm: the engine does what was left out, passes over what is too much, and waits
   * for what runs. rondo_engine_counters.parallel_faults tells. What the pool left out it may
   * call at any time, once, also after the engine and its sessions were closed: it returns at
   * once, and some kilobytes stay until the last of it has. What it repeats or makes up must
   * have returned before the engine and its sessions are closed. Since ABI 4. */
  void (*parallel_for)(void* parallel_user, size_t count, rondo_task task, void* context);
  void* parallel_user; /* Passed on to parallel_for. Since ABI 4. */
  /* NULL, or told of what happens to this engine: one English sentence, valid during the call
   * only, zero-terminated, without a line's end, of at most 255 bytes; none has tokens or
   * texts in it. It is called on threads that are in a call on this engine or its sessions,
   * by several at once where several are, and at creation. No lock is held: it may call the
   * library, also on other sessions of the engine; the session that the call is about is
   * RONDO_STATUS_BUSY. It must not throw or jump out. It and what log_user points to live
   * until the engine and its sessions are closed. What a call fails with is told by the call,
   * and here only where a level says so. Since ABI 4. */
  void (*log)(void* log_user, int32_t level, const char* message);
  void* log_user; /* Passed on to log. Since ABI 4. */
  /* Messages of this level and those above it are told. One of RONDO_LOG_; default WARNING.
   * Since ABI 4. */
  int32_t log_level;
  /* The largest share of the time that passes may take. After a pass of t the next one begins
   * t * (100 - duty_percent) / duty_percent later at the earliest, whichever session it is
   * for: phones that get hot slow down by less and later. The calls that wait hold no lock
   * and sleep; rondo_session_cancel ends the wait within hundredths of a second. Passes of
   * fewer tokens (max_rows) share the heat more evenly. At most 100; default 0: 100. Since
   * ABI 4. */
  uint32_t duty_percent;
  /* NULL, or a small model of the same vocabulary that drafts for sessions of
   * RONDO_SPECULATION_DRAFT_MODEL; or an assistant, which reads what this model keeps and is
   * of use beside models like it alone (Gemma 4's), without draft_head. Its weights, KV and
   * activations are in the plan and the arena, its context is as long as the model's. The
   * engine keeps it, as it keeps the model. Refused with RONDO_STATUS_INVALID_ARGUMENT where
   * a token is another than the model's, which is named, or an assistant does not fit it.
   * Since ABI 6. */
  rondo_model* draft;
  /* 1: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
   * drafts for sessions of RONDO_SPECULATION_DRAFT_HEAD. Its weights and KV are in the plan;
   * without it they take nothing. Refused with RONDO_STATUS_INVALID_ARGUMENT where the file
   * has none. Default 0. Since ABI 7. */
  uint32_t draft_head;
  uint32_t reserved; /* 0 */
  /* With RONDO_AFFINITY_CPUS numbers of CPUs as the system counts them, each once, which are
   * read during the call only, and `threads` 0 is as many; else NULL. Since ABI 8. */
  const uint32_t* cpus;
  uint32_t n_cpus; /* With RONDO_AFFINITY_CPUS 1 to 256, else 0. Since ABI 8. */
  /* To which CPUs the threads that the engine starts are kept. The thread that calls
   * computes, too, and stays where the host has it. Refused with
   * RONDO_STATUS_INVALID_ARGUMENT beside parallel_for, and where this process may not run on
   * one of `cpus`, which is named; with _UNSUPPORTED where the system keeps no threads to
   * CPUs (CPUS on Apple's systems and in WebAssembly). One of RONDO_AFFINITY_; default
   * SYSTEM. Since ABI 8. */
  int32_t affinity;
  /* The largest rank of adapters that sessions may be given. What their rows take is in the
   * plan. At most 1024; default 0: none may. Since ABI 9. */
  uint32_t adapter_rank;
  uint32_t reserved2; /* 0 */
  /* Rows of inputs that sessions may hold together (rondo_session_append_inputs). Each takes
   * 4 bytes for each number of hidden_size, which are in the plan. At most 2^20; default 0:
   * sessions have tokens only. Since ABI 12. */
  uint32_t max_input_rows;
  uint32_t reserved3; /* 0 */
  /* Rows of pictures that may be there at the same time (rondo_media_create). The largest
   * picture has no more. What sees for the model, its buffers and these rows are in the plan.
   * At most 2^20; default 0: pictures are refused, and all of that takes nothing. Since ABI
   * 13. */
  uint32_t max_media_rows;
  uint32_t reserved4; /* 0 */
} rondo_engine_options;

/* Sets the defaults. `struct_size`: sizeof *options. [any thread, since ABI 3] */
RONDO_API int32_t rondo_engine_options_init(rondo_engine_options* options, size_t struct_size);

/* Sizes in bytes; counts in tokens; every option that was 0 or rounded as it came out. */
typedef struct rondo_memory_plan {
  uint32_t struct_size;             /* sizeof this struct, as the caller was compiled */
  uint32_t n_regions;               /* See rondo_plan_region. */
  uint64_t arena_bytes;             /* What rondo_engine_create takes. */
  uint64_t arena_alignment;         /* Where an arena of the caller's may begin. */
  uint64_t weights_bytes;           /* Weights; this and the next four add up to arena_bytes. */
  uint64_t kv_pool_bytes;           /* Keys and values of all sessions. */
  uint64_t sessions_bytes;          /* Tokens, samplers, logits, text. */
  uint64_t activations_bytes;       /* Buffers of one pass. */
  uint64_t workspace_bytes;         /* Scratch of threads. */
  uint64_t activations_lower_bound; /* The most that is live at once: no layout can be smaller. */
  uint64_t kv_bytes_per_token;      /* Of one session, in layers of every window together. */
  uint32_t kv_block_tokens;         /* Tokens in a block of the KV pool. */
  uint32_t context;                 /* Tokens that a session can see. */
  uint32_t max_sessions;            /* Open at once. */
  uint32_t max_rows;                /* Tokens of one pass. */
  uint32_t threads;                 /* The caller's among them. */
  uint32_t sink_tokens;             /* Tokens that stay under SLIDE. */
  const char* kernels;              /* The kernel set's name; static. */
  /* Weights of a packed file, used where they lie: not in arena_bytes, and shared between
   * processes. */
  uint64_t mapped_bytes;
  uint64_t kv_tokens;     /* Tokens that the KV pool holds. */
  uint32_t rows_per_step; /* Most tokens of a pass in which some session decodes. */
  uint32_t reserved;      /* 0 */
} rondo_memory_plan;

/* The plan for these options: exactly what rondo_engine_create will take, known before any of it
 * is. Fills `plan`; its struct_size must be set.
 * Fails with RONDO_STATUS_INVALID_ARGUMENT (which option, its range), _VERSION_MISMATCH,
 * _UNSUPPORTED (also: a file packed for other kernels), _OUT_OF_MEMORY (sizes beyond the address
 * space; the system refused the plan's own tables). [any thread, since ABI 3] */
RONDO_API int32_t rondo_plan(const rondo_model* model, const rondo_engine_options* options,
                             rondo_memory_plan* plan, char* message, size_t message_bytes);

/* The parts of the arena, in their order. */
enum {
  RONDO_SEGMENT_WEIGHTS = 0,     /* Packed weights. */
  RONDO_SEGMENT_KV_POOL = 1,     /* Keys and values of all sessions. */
  RONDO_SEGMENT_SESSIONS = 2,    /* Tokens, samplers, logits, text. */
  RONDO_SEGMENT_ACTIVATIONS = 3, /* Buffers of one pass. */
  RONDO_SEGMENT_WORKSPACE = 4    /* Scratch of threads. */
};

/* One named part of the arena. Filled by rondo_plan_region, rondo_engine_memory_region. */
typedef struct rondo_memory_region {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  int32_t segment;      /* The part of the arena that it is in. One of RONDO_SEGMENT_. */
  uint64_t offset;      /* From the start of the arena. */
  uint64_t bytes;       /* Its size. */
  /* Of activations: the first step of a pass in which it is live. Regions that are never live
   * together may share memory. Elsewhere 0. */
  int32_t first_step;
  int32_t last_step; /* The last such step. Elsewhere INT32_MAX. */
  char name[48];     /* What it is for, zero-terminated. */
} rondo_memory_region;

/* Region number `index` of n_regions of the plan for these options; its struct_size must be set.
 * Each call makes the whole plan anew. Fails as rondo_plan. [any thread, since ABI 3] */
RONDO_API int32_t rondo_plan_region(const rondo_model* model, const rondo_engine_options* options,
                                    uint32_t index, rondo_memory_region* region);

/* The question in reverse: the largest `context`, to the token and up to the model's
 * context_length, whose plan fits into `bytes`, all other options as given. A longer context may
 * take less where kv_tokens is given: it is found. Fails as rondo_plan, also where no context up to
 * the model's can slide, and with RONDO_STATUS_ARENA_TOO_SMALL where no context fits;
 * _OUT_OF_MEMORY: the system refused memory while plans were made, and nothing is said. [any
 * thread, since ABI 3] */
RONDO_API int32_t rondo_plan_fit(const rondo_model* model, const rondo_engine_options* options,
                                 uint64_t bytes, uint32_t* context, char* message,
                                 size_t message_bytes);

/* ---- Engine: the model made runnable in one arena -------------------------------------------- */

/* A model made runnable in an arena. Sessions hold a reference of their own. */
typedef struct rondo_engine rondo_engine;

/* Makes the model runnable: checks the weights, packs them, starts the threads. The weights of a
 * packed file (`rondo pack`) are neither read nor checked, but used where they lie: creation then
 * takes no time and memory, and `rondo inspect --check` compares the checksums.
 *
 * arena: at least arena_bytes of the plan, aligned to arena_alignment, for the engine alone until
 * it and all of its sessions are closed and no call is running; then the caller's again, contents
 * undefined. NULL, 0: taken from the system and given back in the end.
 * Where the system refuses threads, the engine goes on with fewer, at the least the caller's:
 * rondo_engine_memory tells how many it has.
 * On failure nothing is left behind. Fails as rondo_plan, and with RONDO_STATUS_ARENA_TOO_SMALL,
 * _ARENA_MISALIGNED, _CORRUPT (damaged or non-finite weights), _CANCELLED (by the progress
 * callback), _OUT_OF_MEMORY. [any thread, since ABI 3] */
RONDO_API int32_t rondo_engine_create(rondo_model* model, const rondo_engine_options* options,
                                      void* arena, size_t arena_bytes, rondo_engine** engine,
                                      char* message, size_t message_bytes);

/* Gives the handle up; open sessions go on. [any thread, since ABI 3] */
RONDO_API void rondo_engine_close(rondo_engine* engine);

/* The memory report: the plan that this engine was made by, but for `threads`: those that could be
 * started. [any thread, since ABI 3] */
RONDO_API int32_t rondo_engine_memory(const rondo_engine* engine, rondo_memory_plan* plan);

/* Region number `index` of that plan. [any thread, since ABI 3] */
RONDO_API int32_t rondo_engine_memory_region(const rondo_engine* engine, uint32_t index,
                                             rondo_memory_region* region);

/* What an engine did since it was created. Filled by rondo_engine_stats. */
typedef struct rondo_engine_counters {
  uint32_t struct_size;   /* sizeof this struct, as the caller was compiled */
  uint32_t sessions_open; /* Now, forks included. */
  uint32_t owns_arena;    /* 0: the arena is the caller's. */
  uint32_t reserved;      /* 0 */
  /* By all sessions so far, by rondo_session_prefill, ..._logits, _append. */
  uint64_t tokens_prefilled;
  uint64_t tokens_generated;  /* By rondo_session_next, _accept and steps. */
  uint64_t tokens_taken_over; /* Of those prefilled: the prefix cache had them. */
  /* Times that the host's pool did not do what parallel_for must. Since ABI 4. */
  uint64_t parallel_faults;
  uint64_t passes; /* Forward passes, cancelled ones included. Since ABI 4. */
  /* Tokens that they evaluated; not those of sessions cancelled in them. Since ABI 4. */
  uint64_t rows;
  /* Nanoseconds that passes took, whatever the number of threads: those in which some session
   * had several tokens to evaluate, and those in which each had one, and drafts. Since ABI 4. */
  uint64_t prefill_ns;
  uint64_t decode_ns; /* Nanoseconds that the other passes took. Since ABI 4. */
  uint64_t sample_ns; /* Nanoseconds that choosing tokens took. Since ABI 4. */
  /* Times that a session began with what the prefix cache had. Since ABI 4. */
  uint64_t prefix_hits;
  /* SLIDE: tokens that made room; again where they were undone between. Since ABI 4. */
  uint64_t tokens_evicted;
  /* Bytes of KV that open sessions hold now; what they share counts once. Since ABI 4. */
  uint64_t kv_bytes_used;
  /* That there are: the rest is free, or kept by the prefix cache. Since ABI 4. */
  uint64_t kv_bytes_total;
  uint64_t drafts_proposed; /* That passes verified. Since ABI 6. */
  uint64_t drafts_accepted; /* And that were right and generated: each saved a pass. Since ABI 6. */
} rondo_engine_counters;

/* What the engine has done since it was created, all sessions together, also closed ones. Fills
 * `counters`; its struct_size must be set. It waits for nobody: while a pass runs, each number is
 * right by itself, but some may have counted the pass and others not yet. Fails with
 * RONDO_STATUS_INVALID_ARGUMENT, _VERSION_MISMATCH. [any thread, since ABI 3] */
RONDO_API int32_t rondo_engine_stats(const rondo_engine* engine, rondo_engine_counters* counters);

/* A part of what the engine computed, and when. Parts lie in each other: a pass has layers, a layer
 * has sublayers, a sublayer has products of its input with a matrix. */
typedef struct rondo_profile_event {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  int32_t layer;        /* Counted from 0; -1: of none. */
  uint32_t rows;        /* Tokens that were computed; 0: of "sample". */
  uint32_t inputs;      /* Of a product, whose matrix is [outputs, inputs]; else 0. */
  uint32_t outputs;     /* Of a product; else 0. */
  uint32_t reserved;    /* 0 */
  uint64_t begin_ns;    /* Nanoseconds since the engine was created, by a clock that never jumps. */
  uint64_t duration_ns; /* Nanoseconds. */
  /* That computed, or waited for the engine's other threads: differs between any two that
   * live at the same time. */
  uint64_t thread;
  /* "pass", "embed", "attention", "mlp", "product", "head", "sample" and others that may
   * come: static ASCII letters; NULL: there is no event. */
  const char* name;
} rondo_profile_event;

/* Hands out the events of the engine's profile one by one, in the order in which they ended: the
 * first from number `*cursor` on that the profile still remembers, and sets `*cursor` to the number
 * behind it. Begin with 0 and call until event->name is NULL; later calls go on from there. The
 * profile remembers the last profile_events: where `*cursor` goes up by more than one, those in
 * between are lost. Nothing is taken out, and any number of readers may read, also while sessions
 * compute; they wait for nobody. Fills `event`; its struct_size must be set. Without
 * profile_events there are never any. On failure `*cursor` stays. Fails with
 * RONDO_STATUS_INVALID_ARGUMENT, _VERSION_MISMATCH. [any thread, since ABI 4] */
RONDO_API int32_t rondo_engine_profile(const rondo_engine* engine, uint64_t* cursor,
                                       rondo_profile_event* event);

/* ---- Session: one sequence of tokens --------------------------------------------------------- */

/* One sequence of tokens, with its sampling, its text, and the state of its generation. */
typedef struct rondo_session rondo_session;

/* What is added to one token's logit. It lies in arrays, so it never grows. */
typedef struct rondo_logit_bias {
  int32_t token; /* 0 to vocab_size - 1. */
  float bias;    /* Added to the token's logit; minus infinity forbids it. */
} rondo_logit_bias;

/* Where drafts come from: tokens that may come next. A pass verifies them beside the last token,
 * and those that are right need no pass of their own. */
enum {
  /* No drafts, but for those of rondo_session_propose, and for what a grammar or the end of a
   * thought leaves no choice of. */
  RONDO_SPECULATION_NONE = 0,
  /* What followed the last tokens where they were before: for texts that repeat their input,
   * code above all. */
  RONDO_SPECULATION_PROMPT_LOOKUP = 1,
  /* What the engine's draft model says; refused where it has none. */
  RONDO_SPECULATION_DRAFT_MODEL = 2,
  /* What the model's draft head says; refused where the engine has none. */
  RONDO_SPECULATION_DRAFT_HEAD = 3
};

/* Where a session's grammar begins. */
enum {
  RONDO_GRAMMAR_BEGIN_AT_ONCE = 0,     /* With the first token of each generation. */
  RONDO_GRAMMAR_BEGIN_AFTER_TOKEN = 1, /* Behind grammar_token, where it comes; free before. */
  /* Behind a thought, where the generation begins with one or inside of one, and then no end
   * token comes in it; else at once. With `thinking`. */
  RONDO_GRAMMAR_BEGIN_AFTER_THINKING = 2
};

/* Sampling works in the order: logit bias, penalties, n-grams, temperature, top-k, top-p, min-p,
 * draw. Penalties look at the last penalty_last_n tokens of the sequence, prompt included. The draw
 * for a position depends on the seed and the position alone. */
typedef struct rondo_session_options {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  /* Divides the logits before the draw. 0 or more; default 0: the most likely token; of
   * equals, the lowest id. */
  float temperature;
  int32_t top_k; /* Keep the k most likely. 0 or more; default 0: off. */
  /* Keep the fewest that together reach this share. Above 0, at most 1; default 1: off. */
  float top_p;
  /* Keep those of at least this share of the best's probability. From 0, below 1; default 0:
   * off. */
  float min_p;
  /* Divides positive and multiplies negative logits. Above 0; default 1: off. */
  float repetition_penalty;
  float presence_penalty;  /* Subtracted once from the logit of each token seen. Default 0. */
  float frequency_penalty; /* Subtracted for each time that it was seen. Default 0. */
  int32_t penalty_last_n;  /* Last tokens that penalties look at. 0 to 4096; default 64. */
  /* 1: end tokens are tokens like others, but that a grammar's text has none that it does not
   * name. Default 0. */
  uint32_t ignore_eos;
  uint32_t logprobs; /* 1: events tell log-probabilities. Default 0. */
  /* n: no n tokens are generated that follow each other in the last 4096 tokens of the
   * sequence, prompt included. At most 256; default 0: off. Since ABI 5. */
  uint32_t no_repeat_ngram_size;
  uint64_t seed;       /* Equal ones give equal draws. Default 0. */
  uint64_t max_tokens; /* Tokens generated after each prefill. Default 0: no limit. */
  const rondo_logit_bias* logit_bias; /* n_logit_bias of them, at most 1024; copied. */
  size_t n_logit_bias;                /* How many. Default 0. */
  /* n_stop_strings of them, at most 16, each of 1 to 128 bytes of UTF-8, zero-terminated;
   * copied. The text of a special token matches where this token comes. */
  const char* const* stop_strings;
  size_t n_stop_strings; /* How many. Default 0. */
  /* Where drafts come from. Drafts are looked for where the passes measured so far say that
   * they save time. One of RONDO_SPECULATION_; default NONE. Since ABI 6. */
  int32_t speculation;
  /* Drafts that one pass verifies; less than max_rows. At most 7; default 0: as many as there
   * may be. Since ABI 6. */
  uint32_t max_drafts;
  /* NULL, or what each generation must be a text of, from its first token on. Of the same
   * model as the engine's; the session keeps it. Since ABI 8. */
  rondo_grammar* grammar;
  /* Where the grammar begins. One of RONDO_GRAMMAR_BEGIN_; default AT_ONCE. Since ABI 8. */
  int32_t grammar_begin;
  /* The token of RONDO_GRAMMAR_BEGIN_AFTER_TOKEN. 0 or more; default 0. Since ABI 8. */
  int32_t grammar_token;
  /* 1: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN
   * up to the next grammar_token; an end token ends it as ever. Default 0. Since ABI 8. */
  uint32_t grammar_goes_on;
  /* 1: thoughts are told from the rest; the text of a grammar has none. Events say what a
   * token belongs to; thinking_begin and thinking_end say where a thought begins and ends.
   * Default 0. Since ABI 8. */
  uint32_t thinking;
  /* What begins a thought. Both are given, or neither; each is a text of 1 to 64 bytes,
   * zero-terminated; copied. White space around them need not be there. A prompt that ends
   * inside of a thought counts. Default: as the model's chat template has it; refused where
   * it has none. Since ABI 8. */
  const char* thinking_begin;
  /* What ends a thought, with the white space that Rondo writes. Default: as the model's chat
   * template has it. Since ABI 8. */
  const char* thinking_end;
  /* Of a thought: where it has so many, and a whole character, it is ended by the tokens of
   * thinking_end, whatever the model would say. All count for max_tokens. With `thinking`.
   * Default 0: no limit. Since ABI 8. */
  uint64_t thinking_tokens;
  /* NULL, or what is added to the model's matrices for this session; the session keeps it.
   * Refused with RONDO_STATUS_INVALID_ARGUMENT where it was opened for another model handle
   * than the engine's, or its rank is above the engine's adapter_rank. Nothing that was
   * computed with another adapter, or none, is taken for this one's: the prefix cache tells
   * them apart, a snapshot is restored under the same adapter alone, and a fork has its
   * source's, also with NULL here, and no other. Drafts are made without it. Since ABI 9. */
  rondo_adapter* adapter;
} rondo_session_options;

/* Sets the defaults. `struct_size`: sizeof *options. [any thread, since ABI 3] */
RONDO_API int32_t rondo_session_options_init(rondo_session_options* options, size_t struct_size);

/* Sets what the model's makers recommend for sampling, as the file has it: temperature, top_k,
 * top_p, min_p, repetition_penalty and penalty_last_n, each within its range; all else stays. Where
 * they recommend nothing, and on failure, `options` stay as they are. Made by _init before.
 *   For a model opened with ABI 5 or later also no_repeat_ngram_size and, where `options` have none
 * and the makers do, logit_bias (tokens that they suppress) and stop_strings: these point into the
 * model and live until it and all engines made from it are closed. Set a number to 0 to have none.
 * Fails with RONDO_STATUS_INVALID_ARGUMENT, _VERSION_MISMATCH. [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_session_options(const rondo_model* model,
                                              rondo_session_options* options);

/* Opens an empty session in one of the engine's max_sessions places.
 * Fails with RONDO_STATUS_BUSY (no place free; inside of a callback of the engine),
 * _INVALID_ARGUMENT (which option, its range), _UNSUPPORTED (`thinking`, and the file has no
 * tokenizer, or no chat template that shows thoughts), _VERSION_MISMATCH, _OUT_OF_MEMORY.
 * [any thread, since ABI 3] */
RONDO_API int32_t rondo_session_open(rondo_engine* engine, const rondo_session_options* options,
                                     rondo_session** session, char* message, size_t message_bytes);

/* Opens a session with the tokens of another of the same engine, as if it had been fed them, and
 * with options of its own from there on: a new generation begins. KV blocks are shared until one of
 * the two writes to them, so that a fork takes no time to speak of and no memory but for what
 * follows. `session` stands as before; either may be closed first. Fails as rondo_session_open.
 * [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_fork(rondo_session* session, const rondo_session_options* options,
                                     rondo_session** fork, char* message, size_t message_bytes);

/* Gives the handle up and frees its place. A call that another thread is still in is cancelled and
 * the place becomes free when it has returned. [any thread, since ABI 3] */
RONDO_API void rondo_session_close(rondo_session* session);

/* Appends tokens: a prompt, or the next turn of a conversation. They are evaluated in passes of
 * max_rows, so that a long prompt takes no more memory than a short one.
 *
 * The texts of some models (PaliGemma) begin with a prefix, whose tokens and pictures all see each
 * other: what was appended, by whatever calls, before the session's first pass. It is of one pass,
 * and _INVALID_ARGUMENT where it has more than max_rows, which an engine with max_media_rows raises
 * to these and 256. An undo parts no prefix; the prefix cache finds none.
 *
 * All or nothing: on failure the session stands where it stood; but under SLIDE, cancelled after
 * tokens that it saw before have made room, it keeps what was finished: rondo_session_position
 * tells. There, in a session that has tokens, the blocks for the whole call are promised before it
 * computes: _KV_POOL_FULL comes at once. Fails with RONDO_STATUS_INVALID_ARGUMENT (count 0; an id
 * out of range, which), _CONTEXT_FULL (policy STOP; the message says how many would fit),
 * _KV_POOL_FULL, _CANCELLED. [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_prefill(rondo_session* session, const int32_t* ids, size_t count);

/* One row of logits: `index` into the ids, `logits` [count], valid during the call only, `user` as
 * given. Called from inside of the running call, on its thread. It must not unwind. Calls on this
 * engine's sessions are RONDO_STATUS_BUSY inside of it, but for those that are [any thread]. */
typedef void (*rondo_logits_row)(void* user, size_t index, const float* logits, size_t count);

/* As rondo_session_prefill, and hands out the logits after each of these tokens, in order.
 * For measuring models. A failure may come after some rows. [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_prefill_logits(rondo_session* session, const int32_t* ids,
                                               size_t count, rondo_logits_row row, void* user);

/* Why a generation ended. */
enum {
  RONDO_REASON_NONE = 0,         /* It goes on. */
  RONDO_REASON_EOS = 1,          /* An end token; in the event, not appended but by _accept. */
  RONDO_REASON_STOP_STRING = 2,  /* A stop string came up; the text ends before it. */
  RONDO_REASON_TOKEN_LIMIT = 3,  /* max_tokens were generated. */
  RONDO_REASON_CONTEXT_FULL = 4, /* Policy STOP and no room for another token. */
  RONDO_REASON_GRAMMAR = 5 /* By the session's grammar the text is whole: nothing may follow. */
};

/* What a token belongs to, in a session with the option `thinking`. */
enum {
  RONDO_CHANNEL_TEXT = 0,    /* The answer. */
  RONDO_CHANNEL_THINKING = 1 /* A thought, with what begins and ends it. */
};

/* What one token brought. Filled by rondo_session_next and rondo_session_event. */
typedef struct rondo_event {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  int32_t token;        /* -1: no token came. */
  /* Natural log of the model's own probability, before any option; 0 unless asked for in the
   * options. */
  float logprob;
  int32_t reason;     /* Why the generation ended, if it did. One of RONDO_REASON_. */
  const char* bytes;  /* The token's bytes, never NULL; may be a part of a character. */
  size_t bytes_count; /* How many. */
  /* What can be shown now: whole characters, nothing of a stop string; may be empty, and more
   * than this token's. */
  const char* text;
  size_t text_bytes;   /* How many. */
  uint64_t pending;    /* Tokens of the prompt that still wait for passes. */
  uint64_t taken_over; /* Tokens of the sequence that the prefix cache had: not computed for it. */
  int32_t channel;     /* What the token belongs to. One of RONDO_CHANNEL_. Since ABI 8. */
  uint32_t reserved;   /* 0 */
} rondo_event;

/* Generates one token: samples it from the current logits and appends it. Fills `event`, whose
 * struct_size must be set; its pointers are valid until the next call on this session. The texts of
 * all events, put together, are the text of the generation; what was held back (half a character,
 * the beginning of a stop string) comes with the event that ends it.
 *
 * After an event with a reason the generation is over: calling again gives the same reason and no
 * token, until rondo_session_prefill, _accept, _undo or _reset changes the sequence. Whether it is
 * over follows from the tokens, from where the generation began and from the options alone: an undo
 * of no tokens, or back to where it was over, and calls that fail leave it so.
 * Without a tokenizer in the file, bytes and text are empty and stop strings never match.
 * The token is evaluated by the call that first needs the logits after it, so its text is not kept
 * waiting. Fails with RONDO_STATUS_NO_LOGITS, _CANCELLED, _KV_POOL_FULL, _INVALID_ARGUMENT (every
 * token is forbidden by logit_bias, or no logit is a number), _CONSTRAINT (the grammar leaves no
 * token, by what the session has or by logit_bias; or it ran out of memory or steps; or the context
 * slides, the grammar's text is longer than what is remembered of it, and it nests some hundred
 * deep). [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_next(rondo_session* session, rondo_event* event);

/* Queues tokens: a prompt, or the next turn of a conversation. They are part of the sequence at
 * once, and the next steps evaluate them; what the last step had for this session and was not taken
 * is dropped. Under SLIDE as many as the context has may wait.
 * Fails as rondo_session_prefill, without computing anything. [one call per session, since ABI 3]
 */
RONDO_API int32_t rondo_session_append(rondo_session* session, const int32_t* ids, size_t count);

/* What the numbers of rondo_input.rows are. */
enum {
  RONDO_ROWS_FLOAT32 = 0, /* float, of the machine's byte order. */
  RONDO_ROWS_BFLOAT16 = 1 /* The upper half of a float32. */
};

/* Tokens, or rows that stand where tokens do: `ids` or `rows` is NULL. */
typedef struct rondo_input {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  int32_t row_format;   /* What the numbers of rows are. One of RONDO_ROWS_. */
  const int32_t* ids;   /* [count] token ids. */
  /* [count, hidden_size], in place of what the model makes of tokens before its first layer,
   * its embedding's scale included: of a projector, an embedder of your own, a learned
   * prompt. Every number is finite. No alignment is needed. They are copied. */
  const void* rows;
  size_t count; /* Of ids, or of rows. */
  /* NULL, or [count, 3]: what RoPE rotates each row by, 0 to 16777215, counted from the
   * coordinate that a token in place of the first row would have; where the model knows but
   * one axis, by the first number. Behind the rows it goes on with the largest number + 1.
   * NULL: row i has i. */
  const int32_t* coordinates;
  /* 1: in attention each of these rows sees all of them, also those behind it, beside what a
   * token in its place sees: one pass has them all, at most max_rows. 0: as tokens. */
  uint32_t sees_whole;
  uint32_t reserved; /* 0 */
} rondo_input;

/* Queues inputs, 1 to 64, one behind another, as rondo_session_append queues tokens; each row takes
 * one position. What follows is the same to the bit as behind tokens whose embeddings the rows are.
 * Rows stay in the engine, once however many sessions have the same, as long as a session remembers
 * their positions: it may run them again behind rondo_session_undo. Forks, undo, the prefix cache
 * and drafts do what they do with tokens (an undo parts no input whose rows see each other or have
 * coordinates; a draft model reads what is behind the last row); penalties, lookup, grammars see
 * tokens alone. A snapshot holds digests in place of rows: a session restored from it goes on, but
 * fails with _UNSUPPORTED where rows must run again that its engine does not have, until any of its
 * sessions appends them.
 * Fails as rondo_session_append, also with RONDO_STATUS_INVALID_ARGUMENT (which input, and what is
 * wrong), _KV_POOL_FULL (more rows than are left of max_input_rows), _UNSUPPORTED (coordinates, and
 * nothing in the model is rotated by them). [one call per session, since ABI 12] */
RONDO_API int32_t rondo_session_append_inputs(rondo_session* session, const rondo_input* inputs,
                                              size_t count);

/* ---- Pictures, of models that see ---------------------------------------------------------- */

/* How a rondo_image holds pixels, in values of one byte. */
enum {
  RONDO_PIXELS_RGB8 = 0, /* plane0: red, green, blue. */
  /* plane0: red, green, blue and alpha, which is dropped, not blended, as processors do. */
  RONDO_PIXELS_RGBA8 = 1,
  RONDO_PIXELS_BGRA8 = 2, /* plane0: blue, green, red and alpha, which is dropped. */
  RONDO_PIXELS_GRAY8 = 3, /* plane0: one value a pixel. */
  RONDO_PIXELS_NV12 = 4,  /* plane0: Y; plane1: U and V in turn, for 2x2 pixels each. */
  RONDO_PIXELS_NV21 = 5,  /* plane0: Y; plane1: V and U in turn, for 2x2 pixels each. */
  RONDO_PIXELS_I420 = 6   /* plane0: Y; plane1: U; plane2: V, for 2x2 pixels each. */
};

/* Of Y, U and V: from 16 to 235 (video), or from 0 to 255. */
enum {
  RONDO_YUV_VIDEO = 0, /* From 16 to 235. */
  RONDO_YUV_FULL = 1   /* From 0 to 255. */
};
enum {
  RONDO_YUV_BT601 = 0, /* ITU-R BT.601. */
  RONDO_YUV_BT709 = 1  /* ITU-R BT.709. */
};

/* A picture or a camera's frame, as the host has it. All is read during the call only. */
typedef struct rondo_image {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  int32_t format;       /* How the planes hold pixels. One of RONDO_PIXELS_. */
  uint32_t width;       /* Of the planes, before the image is turned, 1 to 65535. */
  uint32_t height;      /* Of the planes, before the image is turned, 1 to 65535. */
  const void* plane0;   /* The format tells what is in it. */
  const void* plane1;   /* NULL where the format has no such plane. */
  const void* plane2;   /* NULL where the format has no such plane. */
  size_t stride0;       /* Bytes from a row of plane0 to the next; 0: those of its pixels. */
  size_t stride1;       /* Of plane1, likewise. */
  size_t stride2;       /* Of plane2, likewise. */
  uint32_t rotation; /* Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270. */
  uint32_t mirror;   /* 1: then left and right change places. */
  int32_t yuv_range; /* Of Y, U and V. One of RONDO_YUV_. */
  int32_t yuv_matrix; /* The matrix between YUV and RGB. One of RONDO_YUV_. */
} rondo_image;

/* Call rondo_image_options_init first, then change what you want. */
typedef struct rondo_image_options {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  /* Rows of the picture in the text, of families in which they follow from its size: at least
   * about so many. More rows see more, and cost more. Default 0: as the model's makers did. */
  uint32_t min_tokens;
  /* At most about so many rows; else as min_tokens. Default 0: as the model's makers did. */
  uint32_t max_tokens;
  uint32_t one_tile; /* 1: the picture is not cut into tiles, where the family does. Default 0. */
  /* NULL, or called behind each slice of the work, and while the call waits for its turn, on
   * the thread of the call: anything but 0 ends it with RONDO_STATUS_CANCELLED. It may call
   * the library, but rondo_media_create on this engine is RONDO_STATUS_BUSY, and on another
   * one it waits for the picture that is being encoded there: two engines whose callbacks
   * make pictures on each other may wait for each other for ever. It must not throw or jump
   * out. */
  int32_t (*progress)(void* progress_user, uint64_t done, uint64_t total);
  void* progress_user; /* Passed on to progress. */
} rondo_image_options;

/* Sets the defaults. `struct_size`: sizeof *options. [any thread, since ABI 13] */
RONDO_API int32_t rondo_image_options_init(rondo_image_options* options, size_t struct_size);

/* What becomes of a picture. Filled by rondo_image_plan and rondo_media_info. */
typedef struct rondo_image_facts {
  uint32_t struct_size;  /* sizeof this struct, as the caller was compiled */
  uint32_t rows;         /* Rows of the text's: what it takes of max_media_rows. */
  uint32_t positions;    /* What it takes of the context: rows, and the tokens around them. */
  uint32_t tile_columns; /* Columns of tiles that it is cut into; 0 where it is not. */
  uint32_t tile_rows;    /* Rows of tiles; 0 where it is not cut. */
  uint32_t tile_pixels;  /* Of a tile's side; 0 where there are none. */
  uint32_t whole_width;  /* The width that the whole is resized to; 0 where only tiles are seen. */
  uint32_t whole_height; /* The height of that; 0 where only tiles are seen. */
  uint64_t patches;      /* Patches that the tower looks at. */
} rondo_image_facts;

/* The facts of a picture of `width` x `height` pixels, upright, without a pixel and without an
 * engine. Fails with RONDO_STATUS_UNSUPPORTED (the model does not see; an option that its pictures
 * do not have), _INVALID_ARGUMENT (it takes no picture of this size, an option's range), _CORRUPT,
 * _VERSION_MISMATCH. [any thread, since ABI 13] */
RONDO_API int32_t rondo_image_plan(const rondo_model* model, uint32_t width, uint32_t height,
                                   const rondo_image_options* options, rondo_image_facts* facts,
                                   char* message, size_t message_bytes);

/* A picture as an engine's rows. It holds a reference to the engine. */
typedef struct rondo_media rondo_media;

/* Encodes a picture: resizes and cuts it as the model's own image processor does, to the bit, and
 * runs what sees for the model, between the passes of sessions, which go on meanwhile. One picture
 * at a time of an engine; calls on other threads wait. Its rows lie in the engine as long as this
 * handle, or a session that remembers a position of them, is open; equal pictures (the same upright
 * pixels, options that come to the same and model) are encoded once, whoever has them, and encoding
 * one again costs a digest of its pixels. The call takes memory for the handle from the system, and
 * for nothing else.
 * Fails with RONDO_STATUS_INVALID_ARGUMENT (what is wrong with the picture or an option; more rows
 * than max_media_rows; rows that see each other, and max_rows is less), _UNSUPPORTED
 * (max_media_rows is 0; an option that its pictures do not have), _KV_POOL_FULL (too few rows are
 * free), _CANCELLED (progress), _BUSY (on a thread that is inside of parallel_for or progress),
 * _OUT_OF_MEMORY, _VERSION_MISMATCH. [any thread, since ABI 13] */
RONDO_API int32_t rondo_media_create(rondo_engine* engine, const rondo_image* image,
                                     const rondo_image_options* options, rondo_media** media,
                                     char* message, size_t message_bytes);

/* Fails with RONDO_STATUS_INVALID_ARGUMENT, _INVALID_HANDLE, _VERSION_MISMATCH.
 * [any thread, since ABI 13] */
RONDO_API int32_t rondo_media_info(const rondo_media* media, rondo_image_facts* facts);

/* NULL is fine. Sessions keep the rows that they have. [any thread, since ABI 13] */
RONDO_API void rondo_media_close(rondo_media* media);

/* Queues `ids`, of which each that is rondo_model_facts.picture_token stands for the next of
 * `media`, 0 to 64: its rows take that token's place, with what the model's processor writes around
 * them (marks, rows and columns of tiles). Chat templates write that token where a message has a
 * part {"type": "image"}; with RONDO_CHAT_PLAIN_CONTENT it never comes of what people wrote.
 * Otherwise as rondo_session_append_inputs: forks, undo, snapshots, the prefix cache and drafts go
 * on. `media` may be closed behind the call. Without any it is rondo_session_append for ids in
 * which no picture may be missing, of whichever model. Fails as rondo_session_append, also with
 * RONDO_STATUS_INVALID_ARGUMENT (`ids` has another number of such tokens than `n_media`; too many
 * media, or of another engine), _INVALID_HANDLE, _UNSUPPORTED (media, and max_media_rows is 0).
 * [one call per session, since ABI 13] */
RONDO_API int32_t rondo_session_append_media(rondo_session* session, const int32_t* ids,
                                             size_t count, rondo_media* const* media,
                                             size_t n_media);

/* Runs one pass for `count` different sessions of the engine (at most limit.sessions; 0 does
 * nothing), of max_rows rows at most, and of rows_per_step where a session decodes: those that
 * decode have one row each, but leave one to prompts where some wait; the rest goes to drafts and
 * prompts, these in the order of `sessions`. Whoever had no rows waits for the next step. No
 * session starves: where more decode than a pass has rows, those that waited longest come first,
 * and so does a prompt that had none in 16 passes; each has rows within 16 passes and as many more
 * as sessions wait. A session whose tokens are then all evaluated samples one token, as
 * rondo_session_next does. What each got, rondo_session_event tells: it must be asked between two
 * steps of a session for every event of a step that has a token, a reason or an error. A session
 * that is cancelled stands as before, and the others do not notice: the step returns at once where
 * its pass has not begun yet, within the time of a layer where all of its sessions are cancelled,
 * else when the pass is over. Fails, and then nothing has happened, with
 * RONDO_STATUS_INVALID_ARGUMENT (a session of another engine, one given twice, one with an event
 * that was not asked for), _BUSY (one is in use by another call), _KV_POOL_FULL. [any thread; the
 * sessions: one call per session, since ABI 3] */
RONDO_API int32_t rondo_engine_step(rondo_engine* engine, rondo_session* const* sessions,
                                    size_t count, char* message, size_t message_bytes);

/* What the last step, or rondo_session_accept, had for this session, once: an event as that of
 * rondo_session_next, or the status that the session's part ended with: RONDO_STATUS_NO_LOGITS,
 * _CANCELLED, _INVALID_ARGUMENT, _CONSTRAINT, as told there. Where there is nothing new (the prompt
 * waits for more passes; the event was taken) it has no token and no text. Where the step verified
 * drafts, ask again: each call generates one more of the tokens that it brought. What is not asked
 * for, the next steps hand out, without a pass. [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_event(rondo_session* session, rondo_event* event);

/* The current logits: of the token after the last one. `*logits` [*count], count being vocab_size,
 * valid until the next call on this session. With rondo_session_accept: for callers that sample
 * for themselves. Fails with RONDO_STATUS_NO_LOGITS, _CANCELLED, _KV_POOL_FULL.
 * [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_logits(rondo_session* session, const float** logits, size_t* count);

/* Proposes tokens that may come next, where the caller knows them: the text that is being edited,
 * the rest of a line of a form. Where the next call runs a pass, it verifies as many of them as
 * max_drafts lets it, in place of drafts of the session's own. No token, text, logits or status is
 * another for it. Any call that changes the tokens, generating one too, forgets them; one that
 * fails keeps them. Fails with RONDO_STATUS_INVALID_ARGUMENT (an id out of range, which).
 * [one call per session, since ABI 6] */
RONDO_API int32_t rondo_session_propose(rondo_session* session, const int32_t* ids, size_t count);

/* Appends one token that the caller chose, also an end token, or one behind an end.
 * rondo_session_event tells its bytes and text, and the reason where the generation ends with it
 * (an end token, a stop string, max_tokens), as rondo_session_next does; the text of what is not
 * asked for comes with the next event, of it the last 1024 bytes at least. Logits and this call
 * know nothing of a grammar: behind a token that it has not, the next generating call is
 * RONDO_STATUS_CONSTRAINT. Fails as rondo_session_prefill. [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_accept(rondo_session* session, int32_t token);

/* Takes the last n tokens back, as if they had never been: text, max_tokens and whether the
 * generation is over are as of those that are left, in the last 8 generations of this session (in
 * none before a fork or restore); else a new one begins. What the last step had and was not taken
 * is dropped, and its text comes with the next event. Under SLIDE max_rows tokens of the furthest
 * position can be undone, more while the ring has not turned over them. Fails with
 * RONDO_STATUS_INVALID_ARGUMENT (more than there are or can be; how many can be). [one call per
 * session, since ABI 3] */
RONDO_API int32_t rondo_session_undo(rondo_session* session, uint64_t n);

/* Takes all tokens back. The options stay; a cancellation that still waits for a call is dropped.
 * [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_reset(rondo_session* session);

/* How many tokens the sequence has. [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_position(rondo_session* session, uint64_t* position);

/* How many more tokens fit; UINT64_MAX under SLIDE. [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_remaining(rondo_session* session, uint64_t* tokens);

/* Under SLIDE: the tokens at positions *begin to *end - 1 made room and are no longer seen. Equal
 * where none are. A layer with a recurrent state (a delta net, Mamba) has seen them all the same:
 * what it kept of them stays. [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_evicted(rondo_session* session, uint64_t* begin, uint64_t* end);

/* How far the session's last prompt is: `*done` of the `*total` tokens of the last
 * rondo_session_prefill, _prefill_logits or _append are evaluated, or were taken over from the
 * prefix cache; it grows pass by pass. Both 0 before the first prompt, after one of these
 * calls failed, and after rondo_session_undo, _reset and _restore. It waits for nobody: for a
 * progress bar ask while another thread is in the call. Fails with RONDO_STATUS_INVALID_ARGUMENT.
 * [any thread, since ABI 4] */
RONDO_API int32_t rondo_session_progress(const rondo_session* session, uint64_t* done,
                                         uint64_t* total);

/* What a session has done since it was opened, whatever was undone or reset since. A fork begins
 * with zeros. */
typedef struct rondo_session_counters {
  uint32_t struct_size;       /* sizeof this struct, as the caller was compiled */
  uint32_t reserved;          /* 0 */
  uint64_t tokens_prefilled;  /* By rondo_session_prefill, ..._logits, _append. */
  uint64_t tokens_generated;  /* By rondo_session_next, _accept and steps. */
  uint64_t tokens_taken_over; /* That the prefix cache had: not evaluated. */
  uint64_t passes;            /* That evaluated tokens of it. */
  uint64_t rows;              /* These tokens; some again, after undo or for logits. */
  /* Nanoseconds that these passes took, whoever was in them, too: those in which it had
   * several tokens to evaluate, and those in which it had one, and drafts. */
  uint64_t prefill_ns;
  uint64_t decode_ns;      /* Nanoseconds that the other passes took. */
  uint64_t sample_ns;      /* Nanoseconds that choosing its tokens took. */
  uint64_t prefix_hits;    /* Times that it began with what the prefix cache had. */
  uint64_t tokens_evicted; /* SLIDE: tokens that made room; again where they were undone between. */
  uint64_t kv_bytes_held;  /* Bytes of KV that it holds now, those that it shares included. */
  uint64_t drafts_proposed; /* That passes verified. Since ABI 6. */
  uint64_t drafts_accepted; /* And that were right and generated: each saved a pass. Since ABI 6. */
} rondo_session_counters;

/* Fills `counters`; its struct_size must be set. Fails with RONDO_STATUS_INVALID_ARGUMENT,
 * _VERSION_MISMATCH. [one call per session, since ABI 4] */
RONDO_API int32_t rondo_session_stats(rondo_session* session, rondo_session_counters* counters);

/* Makes the call that is running on this session, or else the next one that computes, return
 * RONDO_STATUS_CANCELLED, within the time of one layer or of a few rows of the output head, whoever
 * else is served in the same pass, and while it waits for one. The session stands as before that
 * call, but for the exception told at rondo_session_prefill.
 * One that comes when no call runs, or too late for the one that does, waits for the next;
 * rondo_session_reset drops it. Where one call is meant, as by whoever waits for its outcome, use
 * rondo_session_cancel_call: it never ends another. May be called from a signal handler.
 * [any thread, since ABI 3] */
RONDO_API int32_t rondo_session_cancel(rondo_session* session);

/* The number of the call that computes on this session now, or else of the next one that will.
 * Numbers go up by one (where pointers have 32 bits, 0 follows 2^28 - 1), and have no meaning to
 * another session. Each call of rondo_session_prefill, _prefill_logits, _next, _logits and _embed
 * takes one, and a session's part of rondo_engine_step and rondo_engine_embed, whatever it returns
 * but RONDO_STATUS_BUSY; these two take none, either, where they refuse a handle, a NULL, how many
 * sessions there are, or one that is given twice or of another engine. No other call does. May be
 * called from a signal handler. [any thread, since ABI 10] */
RONDO_API int32_t rondo_session_call(const rondo_session* session, uint64_t* number);

/* As rondo_session_cancel, but of the call with this number alone: where that is over, nothing
 * happens; where it is the next one, it returns RONDO_STATUS_CANCELLED as soon as it is made, also
 * if it had nothing to evaluate, unless what it is given is refused. rondo_session_reset drops what
 * waits; a fork has none of it. May be called from a signal handler. Fails with
 * RONDO_STATUS_INVALID_ARGUMENT where the number comes behind the next one's.
 * [any thread, since ABI 10] */
RONDO_API int32_t rondo_session_cancel_call(rondo_session* session, uint64_t number);

/* The sentence about the last call on this session that failed (but for RONDO_STATUS_BUSY); empty
 * if none did. Never NULL (for NULL: empty). Valid until the next call on this session.
 * [one call per session, since ABI 3] */
RONDO_API const char* rondo_session_last_error(const rondo_session* session);

/* ---- Snapshot: a session as bytes ------------------------------------------------------------ */

/* Writes what the session is to `buffer`: its tokens, their keys and values, and where its
 * generation stands, so that nothing is evaluated again after rondo_session_restore. `*bytes` is
 * always the size needed; where it exceeds `capacity` the call is RONDO_STATUS_BUFFER_TOO_SMALL and
 * `buffer` is left alone. (NULL, 0) asks for the size, which changes as the session does: for
 * each token that it holds 4 bytes and at most kv_bytes_per_token, and some hundred beside.
 *
 * The bytes have a version and a checksum. They are the same on every system, and good for every
 * engine of the model, portable or packed, with the same kv_format, context_policy and draft_head,
 * under SLIDE also the same context and sink_tokens, and sessions with the same adapter or none;
 * whatever its kernels, max_rows, max_sessions and threads. They hold the conversation's tokens:
 * keep them as secret as its text. Those of sessions with an adapter from before ABI 10 are refused
 * with RONDO_STATUS_SNAPSHOT_MISMATCH: they name it by a number that others can have.
 *
 * Not in them are the session's options, logits (made again when they are asked for, to the same
 * bits), an event that was not taken yet, and a cancellation that was asked for. Sessions of one
 * engine do not wait for this call. Fails with RONDO_STATUS_BUFFER_TOO_SMALL. [one call per
 * session, since ABI 3] */
RONDO_API int32_t rondo_session_save(rondo_session* session, void* buffer, size_t capacity,
                                     size_t* bytes);

/* The session becomes what was saved, in place of what it was: `bytes` [count], of any alignment,
 * written by rondo_session_save. Everything in them is checked before anything changes. It keeps
 * its own options; where they equal those of the session that was saved, it goes on with the same
 * tokens and text, and on machines whose plans name the same kernels with the same bits. A text
 * that was held back (half a character, the beginning of one of this session's stop strings) comes
 * with the events that follow. What others compute is not mixed with it: the prefix cache takes
 * nothing from a session that was restored. A generation that had ended stays ended, as after its
 * last event. Under SLIDE as many tokens can be undone as in the session that was saved, where this
 * engine's max_rows is not smaller.
 *
 * On failure the session is as before. Fails with RONDO_STATUS_INVALID_ARGUMENT (the bytes are no
 * snapshot), _NEWER_FORMAT, _CORRUPT (truncated or altered, where), _SNAPSHOT_MISMATCH (which of
 * model, adapter and options differs), _CONTEXT_FULL (policy STOP, and more tokens than `context`),
 * _KV_POOL_FULL. [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_restore(rondo_session* session, const void* bytes, size_t count);

/* The tokens that the session remembers, those at positions *begin to the last: all of them under
 * STOP; under SLIDE those that it sees, and the last 4096 at least. Compare a conversation with
 * them to prefill no more than what is new. Where there is a row of an input, the id is -1.
 * `*count` is always their number; where it exceeds `capacity` the call is
 * RONDO_STATUS_BUFFER_TOO_SMALL and `ids` has the first ones. (NULL, 0) asks for the count.
 * [one call per session, since ABI 3] */
RONDO_API int32_t rondo_session_tokens(rondo_session* session, uint64_t* begin, int32_t* ids,
                                       size_t capacity, size_t* count);

/* ---- Chat: a conversation as the text that the model was trained on -------------------------- */

/* Number `index` of the names of the model's chat templates, as a text output. The first serves
 * where no other is asked for. Most models have one, "default"; some another for tools,
 * "tool_use". RONDO_STATUS_INVALID_ARGUMENT behind the last one. [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_chat_template_name(const rondo_model* model, uint32_t index,
                                                 char* buffer, size_t capacity, size_t* length);

/* The Jinja text of the chat template of this name (NULL: the first), as a text output. Fails with
 * RONDO_STATUS_INVALID_ARGUMENT (no such template). [any thread, since ABI 3] */
RONDO_API int32_t rondo_model_chat_template(const rondo_model* model, const char* name,
                                            char* buffer, size_t capacity, size_t* length);

/* Flags of rondo_chat_options. */
enum {
  RONDO_CHAT_ADD_GENERATION_PROMPT = 1, /* The text ends where the assistant's answer begins. */
  /* The text ends inside of the last message, which the model goes on with; not with the flag
   * above. */
  RONDO_CHAT_CONTINUE_FINAL = 2,
  /* In the ids, only what the template itself wrote becomes special tokens: the text of
   * messages, tools and variables stays text, through whatever the template does with it. For
   * chat with strangers. Special is every token that the tokenizer looks for in a text before
   * all else, also where its makers do not call it so ("<think>"), but white space alone. The
   * role of a message is the template's where it is "system", "developer", "user",
   * "assistant", "tool" or "function". Since ABI 8. */
  RONDO_CHAT_PLAIN_CONTENT = 4
};

/* No clock: the template is told that there is none, and most show a date of their own. */
#define RONDO_CHAT_NO_CLOCK INT64_MIN

/* Pointers with a length are JSON texts, not zero-terminated; NULL and 0: not given. Limits on
 * what a template may use up: 128 MiB of memory and 20 million steps, for each byte of messages,
 * tools and variables 16 bytes and 64 steps more, and 400 levels of nesting. Most stay below a
 * hundredth; those that look through all messages for each of them have room for 5,000 of 1 KB.
 * (Before ABI 10 the messages' size did not count.) */
typedef struct rondo_chat_options {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  uint32_t flags;       /* Flags RONDO_CHAT_. Default 1: ADD_GENERATION_PROMPT. */
  /* What the clock on the wall shows, as seconds since 1970-01-01 00:00, for templates that
   * write the date; default RONDO_CHAT_NO_CLOCK. */
  int64_t local_time;
  /* [{"role": "user", "content": "Hello!"}, ...] as the model's makers have it; needed. */
  const char* messages;
  size_t messages_bytes; /* Length of messages. */
  /* The functions that the model may call: [{"type": "function", "function": {"name": "f",
   * "description": "...", "parameters": {a JSON Schema}}}]. */
  const char* tools;
  size_t tools_bytes;     /* Length of tools. */
  const char* variables;  /* An object: more names for the template, {"enable_thinking": false}. */
  size_t variables_bytes; /* Length of variables. */
  /* Of the model; NULL: "tool_use" if there is one and tools are given, else the first. */
  const char* template_name;
  const char* template_text; /* Jinja, in place of the model's own. */
  size_t template_bytes;     /* Length of template_text. */
} rondo_chat_options;

/* Sets the defaults. `struct_size`: sizeof *options. [any thread, since ABI 3] */
RONDO_API int32_t rondo_chat_options_init(rondo_chat_options* options, size_t struct_size);

/* Renders a conversation with the model's chat template, as Hugging Face's transformers does, and
 * gives the text, its token ids (without further BOS: templates write their own), or both.
 *
 * `text`: a text output. `ids`: *ids_count is always the number of ids; where it exceeds
 * `ids_capacity`, `ids` has the first ones. Where either has no room the call is
 * RONDO_STATUS_BUFFER_TOO_SMALL and both sizes are reported, so that (NULL, 0) for both asks for
 * them. text_length NULL: no text is wanted; ids_count NULL: no ids; at least one is.
 * The texts of special tokens in messages become these tokens, unless RONDO_CHAT_PLAIN_CONTENT is
 * set.
 *
 * Takes memory from the system while it runs, within the limits above, and at most 512 KiB of the
 * thread's stack. It is no part of a session's work: what a session does after it was opened
 * allocates nothing.
 * Fails with RONDO_STATUS_INVALID_ARGUMENT (what is not JSON, and at which byte; the template's
 * line and its error, or the sentence with which it refuses the conversation; a limit),
 * _UNSUPPORTED (the model has no chat template; no tokenizer and ids are wanted; a library built
 * without this, see rondo_query), _VERSION_MISMATCH, _OUT_OF_MEMORY. [any thread, since ABI 3] */
RONDO_API int32_t rondo_chat_render(const rondo_model* model, const rondo_chat_options* options,
                                    char* text, size_t text_capacity, size_t* text_length,
                                    int32_t* ids, size_t ids_capacity, size_t* ids_count,
                                    char* message, size_t message_bytes);

/* ---- Answers: what a model says, taken apart ------------------------------------------------- */

/* A model that calls functions or thinks writes so in a form of its own, which its chat template
 * shows: Rondo renders a conversation with and without a call or a thought, and reads off what is
 * put around them. No list of models is behind it.
 *
 * A parser takes the text of one answer as it comes, cut anywhere, and hands out its parts in
 * order. Nothing of the text is lost but what the template puts around: what only looked like a
 * call is content. */
typedef struct rondo_chat_parser rondo_chat_parser;

/* What a part is. */
enum {
  RONDO_CHAT_PART_NONE = 0,      /* Nothing more to hand out yet. */
  RONDO_CHAT_PART_CONTENT = 1,   /* A piece of the answer. */
  RONDO_CHAT_PART_THINKING = 2,  /* A piece of a thought. */
  RONDO_CHAT_PART_CALL = 3,      /* A call begins: `name`, and `id` where the model writes one. */
  RONDO_CHAT_PART_ARGUMENTS = 4, /* A piece of the call's arguments: together they are JSON. */
  RONDO_CHAT_PART_CALL_END = 5   /* The call is whole. */
};

/* Filled by rondo_chat_parser_next. Texts are whole characters, where the answer is UTF-8, not
 * zero-terminated, never NULL, and valid until the next call on this parser. */
typedef struct rondo_chat_part {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  int32_t kind;         /* What it is. One of RONDO_CHAT_PART_. */
  uint64_t call;        /* Number of the call, from 0. */
  const char* text;     /* CONTENT, THINKING, ARGUMENTS. */
  size_t text_bytes;    /* Length of text. */
  const char* name;     /* CALL: of the function. */
  size_t name_bytes;    /* Length of name. */
  const char* id;       /* CALL: that the model gave it; empty where it writes none. */
  size_t id_bytes;      /* Length of id. */
} rondo_chat_part;

/* A parser for answers to what rondo_chat_render makes of the same options; of these it needs the
 * template, tools and variables, and whether the prompt ends inside of a thought. Renders some
 * fifty short conversations, with as much of the thread's stack as rondo_chat_render, as do
 * rondo_chat_grammar and rondo_chat_thinking. Takes memory from the system, here and in _push, at
 * most 16 MiB beside what rondo_chat_render takes meanwhile. Fails as rondo_chat_render, of any of
 * these conversations where it comes to a limit or the system refuses memory, and with
 * RONDO_STATUS_UNSUPPORTED where tools are given and the template shows no form for calls; the
 * message says what of it was not understood. [any thread, since ABI 8] */
RONDO_API int32_t rondo_chat_parser_create(const rondo_model* model,
                                           const rondo_chat_options* options,
                                           rondo_chat_parser** parser, char* message,
                                           size_t message_bytes);

/* Gives the text's next bytes: rondo_event.bytes, which have the texts of special tokens, too, and
 * those of a stop string: what of it was given is content, so leave the event that ends with it
 * out. `last` is 1 with the last ones, of which there may be none. Fails with
 * RONDO_STATUS_INVALID_ARGUMENT (behind the last ones), _OUT_OF_MEMORY (over 8 MiB would wait: hand
 * out parts first; the system refused memory); the parser is as before. [one call per parser, since
 * ABI 8] */
RONDO_API int32_t rondo_chat_parser_push(rondo_chat_parser* parser, const char* bytes, size_t count,
                                         int32_t last);

/* The next part, whose struct_size must be set; RONDO_CHAT_PART_NONE where more text is needed, or
 * all was told. Fails with
 * RONDO_STATUS_INVALID_ARGUMENT, _VERSION_MISMATCH. [one call per parser, since ABI 8] */
RONDO_API int32_t rondo_chat_parser_next(rondo_chat_parser* parser, rondo_chat_part* part);

/* As it was created, for another answer. [one call per parser, since ABI 8] */
RONDO_API int32_t rondo_chat_parser_reset(rondo_chat_parser* parser);

/* Gives the handle up. [any thread, since ABI 8] */
RONDO_API void rondo_chat_parser_close(rondo_chat_parser* parser);

/* Which calls an answer may have. */
enum {
  RONDO_CALLS_AUTO = 0,     /* As many as the model wants, behind content or none. */
  RONDO_CALLS_REQUIRED = 1, /* One at least, and nothing else. */
  RONDO_CALLS_ONE = 2       /* Exactly one, and nothing else. */
};

/* The grammar (RONDO_GRAMMAR_GBNF) of answers whose calls always parse: the template's form, the
 * functions' names, and arguments by the JSON Schemas of `tools`. As a text output, for
 * rondo_grammar_create; with RONDO_SCHEMA_ONE_SPACE there, names and marks are evaluated several
 * tokens a pass. `options`: as for rondo_chat_parser_create; tools are needed. `function`: NULL, or
 * the name of the only one that may be called. Where the prompt ends inside of a thought, or the
 * model may begin with one, use RONDO_GRAMMAR_BEGIN_AFTER_THINKING. Fails as
 * rondo_chat_parser_create, and with RONDO_STATUS_INVALID_ARGUMENT (no such function).
 * [any thread, since ABI 8] */
RONDO_API int32_t rondo_chat_grammar(const rondo_model* model, const rondo_chat_options* options,
                                     int32_t calls, const char* function, char* buffer,
                                     size_t capacity, size_t* length, char* message,
                                     size_t message_bytes);

/* What the model's chat template puts around a thought, as text outputs: what begins one and what
 * ends it, with the white space that it writes. Empty where it has none. `options`: as for
 * rondo_chat_parser_create. Fails as rondo_chat_render. [any thread, since ABI 8] */
RONDO_API int32_t rondo_chat_thinking(const rondo_model* model, const rondo_chat_options* options,
                                      char* begin, size_t begin_capacity, size_t* begin_length,
                                      char* end, size_t end_capacity, size_t* end_length,
                                      char* message, size_t message_bytes);

/* ---- Embedding: texts as vectors, pairs as scores ------------------------------------------- */

/* Some models turn a text into a vector, near those of texts that mean the same, and predict no
 * tokens; some turn a query and a document into a score, which here is a vector of one number.
 * `rondo convert` takes what their makers say of it into the file. Sessions of their engines embed
 * texts and do nothing else: what queues or restores is RONDO_STATUS_UNSUPPORTED, what generates
 * that or RONDO_STATUS_NO_LOGITS. Embedding with any other model is RONDO_STATUS_UNSUPPORTED. Such
 * an engine has no logits and no samplers in its plan, and takes the policy STOP alone. */

/* Which of a text's tokens its vector is made of, as the last layer leaves them. */
enum {
  RONDO_POOLING_MEAN = 0, /* The mean of all. */
  RONDO_POOLING_LAST = 1, /* The last one. */
  RONDO_POOLING_FIRST = 2 /* The first one, which then stands for the whole text: [CLS]. */
};

/* What a model makes of texts. Filled by rondo_model_embedder. */
typedef struct rondo_embedder_facts {
  uint32_t struct_size; /* sizeof this struct, as the caller was compiled */
  /* Numbers of a vector; 0: the model embeds nothing. All below is 0, default_prompt -1. */
  uint32_t dimensions;
  uint32_t max_tokens;  /* Of a text, with those that the model has around it; see whole_texts. */
  uint32_t whole_texts; /* 1: it reads texts whole, so one may have at most max_rows tokens. */
  uint32_t normalized;  /* 1: vectors have length 1, those that are cut, too. */
  /* 1: dimensions is 1, the score, from 0 to 1 as a rule; two numbers can be had: the second
   * is the logit, which the score is made of and which tells high ones apart. */
  uint32_t scores_pairs;
  int32_t pooling;    /* Which of a text's tokens its vector is made of. One of RONDO_POOLING_. */
  uint32_t n_prompts; /* See rondo_model_prompt_name. */
  int32_t default_prompt; /* Number of the one that is used where none is named; -1: none. */
  uint32_t reserved;      /* 0 */
} rondo_embedder_facts;

/* Fills `facts`; its struct_size must be set. Fails with RONDO_STATUS_INVALID_ARGUMENT,
 * _VERSION_MISMATCH. [any thread, since ABI 9] */
RONDO_API int32_t rondo_model_embedder(const rondo_model* model, rondo_embedder_facts* facts);

/* The name of prompt number `index` of n_prompts, a text output: "query", "document". Fails with
 * RONDO_STATUS_INVALID_ARGUMENT behind the last one. [any thread, since ABI 9] */
RONDO_API int32_t rondo_model_prompt_name(const rondo_model* model, uint32_t index, char* buffer,
                                          size_t capacity, size_t* length);

/* What the model reads of `text` for a purpose: the prompt of this name, and the text behind it; a
 * text output. prompt: NULL for the model's default one, which may be none; "" for none. Tokenize
 * the result with RONDO_TOKENIZE_ADD_SPECIAL. Fails with RONDO_STATUS_UNSUPPORTED (the model embeds
 * nothing, or pairs), _INVALID_ARGUMENT (no prompt of this name),
 * _BUFFER_TOO_SMALL. [any thread, since ABI 9] */
RONDO_API int32_t rondo_embedding_text(const rondo_model* model, const char* prompt,
                                       const char* text, size_t text_bytes, char* buffer,
                                       size_t capacity, size_t* length);

/* What a model that scores pairs reads of a query and a document, a text output. instruction: what
 * makes a document fit, in words; NULL for the model's default one. Tokenize the result with
 * RONDO_TOKENIZE_ADD_SPECIAL, and think of what rondo_tokenize says about texts of strangers. Fails
 * with RONDO_STATUS_UNSUPPORTED (the model scores no pairs), _INVALID_ARGUMENT (also where the
 * query has the special token between the two texts, by which some models tell them apart),
 * _BUFFER_TOO_SMALL. [any thread, since ABI 9] */
RONDO_API int32_t rondo_pair_text(const rondo_model* model, const char* instruction,
                                  const char* query, size_t query_bytes, const char* document,
                                  size_t document_bytes, char* buffer, size_t capacity,
                                  size_t* length);

/* Makes the vector of one text, or the score of one pair: its first `dimensions` numbers, 1 to
 * those of the model (of a pair 2, see scores_pairs), go to `vector` [dimensions], which the caller
 * owns. To take fewer is of use
 * where the model was trained for it (Kusupati et al. 2022, "Matryoshka Representation Learning").
 * The vector depends on `ids`, the model, the adapter and the kernel set alone, to the bit: not on
 * other texts in the same passes, on threads or on what the session did before. The session has no
 * tokens behind the call, however it ends. Where rondo_embedder_facts.whole_texts is 0 a text may
 * take several passes, and tokens that the last one's row alone is wanted of may come from the
 * prefix cache. Fails with RONDO_STATUS_UNSUPPORTED (the model embeds nothing), _INVALID_ARGUMENT
 * (no ids, an id out of range, dimensions out of range), _CONTEXT_FULL (the text has more tokens
 * than max_tokens, the engine's context or, where the model reads texts whole, max_rows; the most
 * is told), _KV_POOL_FULL, _CANCELLED; `vector` is then as before, or has part of what it would.
 * [one call per session, since ABI 9] */
RONDO_API int32_t rondo_session_embed(rondo_session* session, const int32_t* ids, size_t count,
                                      float* vector, size_t dimensions);

/* The same for n_texts texts with several sessions of the engine (1 to limit.sessions, distinct),
 * which take one text each and the next when they are done with it: passes serve all of them
 * together, as far as max_rows goes, so weights are read once for many texts. `ids` has the texts'
 * ids one behind the other, `counts` [n_texts] how many each has; `vectors` [n_texts, dimensions].
 * 0 texts do nothing. All texts are looked at before the first pass: where one is refused, which is
 * told, and no vector is written. Fails as rondo_session_embed, and with RONDO_STATUS_BUSY (a
 * session is in use by another call), _INVALID_ARGUMENT (no session, one of another engine or given
 * twice), _CANCELLED where one of the sessions is cancelled; some vectors are then written.
 * [any thread; the sessions: one call per session, since ABI 9] */
RONDO_API int32_t rondo_engine_embed(rondo_engine* engine, rondo_session* const* sessions,
                                     size_t n_sessions, const int32_t* ids, const size_t* counts,
                                     size_t n_texts, float* vectors, size_t dimensions,
                                     char* message, size_t message_bytes);

#ifdef __cplusplus
}
#endif

#endif /* RONDO_RONDO_H_ */
