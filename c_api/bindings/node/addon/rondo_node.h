/* What the addon's parts know of each other. calls.c turns JavaScript's values into those of C and
 * back by the tables in tables.h, which are generated; waiting.c runs calls that wait on threads of
 * their own; handles.c closes what nobody holds. */
#ifndef RONDO_NODE_H_
#define RONDO_NODE_H_

#define NAPI_VERSION 8
#include <node_api.h>
#include <rondo/rondo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library.h"
#include "threads.h"

enum { MAX_PARAMS = 14, MESSAGE_BYTES = 512 };

/* What a field of a struct, or a parameter of a function, is. */
enum kind {
  KIND_U32,
  KIND_I32,
  KIND_U64,
  KIND_I64,
  KIND_SIZE,
  KIND_FLOAT,
  KIND_FLAG,     /* a boolean */
  KIND_ENUM,     /* a name of `enumeration` */
  KIND_TEXT,     /* zero-terminated */
  KIND_CHARS,    /* the same inside of the struct */
  KIND_STRING,   /* with its length at `count` */
  KIND_BYTES,    /* the same, as a Uint8Array */
  KIND_DATA,     /* the elements of a typed array, whose number something else says */
  KIND_HANDLE,   /* of `handle` */
  KIND_U32_LIST, /* these lists have their number of elements at `count` */
  KIND_TEXT_LIST,
  KIND_STRUCT_LIST, /* of `structure` */
  KIND_PROGRESS,    /* a function (done, total), which says whether to go on */
  KIND_LOG,         /* a function (level, message) */
  /* Of parameters alone. */
  PARAM_ABI_VERSION, /* the caller's */
  PARAM_NULL,        /* nothing that JavaScript gives */
  PARAM_FILLED,      /* the length or capacity of another parameter */
  PARAM_CLOSE,       /* a handle that is given up */
  PARAM_CREATE,      /* a handle that is made */
  PARAM_IDS,         /* an Int32Array; its length follows */
  PARAM_BARE_IDS,    /* one without */
  PARAM_SIZES,       /* an array of numbers as size_t; its length follows */
  PARAM_HANDLES,     /* an array of handles; its length follows */
  PARAM_STRUCT,      /* an object of `structure` */
  PARAM_STRUCTS,     /* an array of them; its length follows */
  PARAM_MESSAGE,     /* the sentence about a failure; its capacity follows */
  PARAM_ROW,         /* a function (index, logits) */
  /* What the call gives. */
  OUT_STRUCT, /* an object of `structure` */
  OUT_U32,
  OUT_I32,
  OUT_U64,
  OUT_I64,
  OUT_CURSOR, /* a number that is given, too */
  OUT_TEXT,   /* these three are followed by capacity and needed size */
  OUT_IDS,
  OUT_BYTES,
  OUT_WANTED_TEXT, /* of these a boolean says whether they are wanted */
  OUT_WANTED_IDS,
  OUT_FLOATS,   /* as many as the parameters `count` and, if not 0, `times` say */
  OUT_BORROWED, /* floats of the library's, whose number follows */
  OUT_EVENTS    /* of events.c */
};

/* What a function returns. */
enum result { RESULT_STATUS, RESULT_VOID, RESULT_TEXT, RESULT_U32 };

enum handle_kind {
  HANDLE_NONE,
  HANDLE_MODEL,
  HANDLE_GRAMMAR,
  HANDLE_ADAPTER,
  HANDLE_ENGINE,
  HANDLE_SESSION,
  HANDLE_MEDIA,
  HANDLE_CHAT_PARSER,
  HANDLE_KINDS
};

struct environment;

union slot {
  int32_t i32;
  uint32_t u32;
  uint64_t u64;
  int64_t i64;
  size_t size;
  const void* p;
};

struct enumeration {
  const char* name; /* in JavaScript */
  size_t n_values;
  const char* const* names;
  const int32_t* values;
};

struct field {
  const char* name; /* in JavaScript */
  uint8_t kind;     /* KIND_ */
  uint8_t handle;   /* HANDLE_ */
  uint16_t offset;  /* in the struct */
  uint16_t count;   /* offset of the number of elements */
  uint8_t wide;     /* 1: that is a size_t, else a uint32_t */
  uint16_t chars;   /* KIND_CHARS: how many there are */
  const struct enumeration* enumeration;
  const struct structure* structure;
};

struct structure {
  const char* name; /* in C */
  size_t size;
  bool sized; /* it begins with struct_size */
  /* Sets the defaults; NULL: they are zeros. */
  int32_t (*init)(const struct library* library, void* structure);
  const struct field* fields;
  size_t n_fields;
};

struct param {
  const char* name; /* in JavaScript */
  uint8_t kind;     /* KIND_, PARAM_ or OUT_ */
  uint8_t handle;   /* HANDLE_ */
  uint8_t count;    /* OUT_FLOATS: the parameters that say how many */
  uint8_t times;
  const struct enumeration* enumeration;
  const struct structure* structure;
};

struct function {
  const char* name;
  uint8_t result; /* RESULT_ */
  bool waits;     /* it computes: it runs on a thread of its own and gives a promise */
  bool numbered;  /* sessions count it: rondo_session_call */
  uint8_t n_params;
  const struct param* params;
  /* Calls it; a text, or a number that is no status, goes to the last slot. */
  int32_t (*run)(const struct library* library, union slot* slots);
};

extern const struct function functions[], next_events;
extern const size_t n_functions;
extern const struct structure* const event_structure;
void close_raw(const struct library* library, enum handle_kind kind, void* raw);
/* Fills `library` out of the shared one; the name of a function that is not in it, or NULL. */
const char* fill_library(struct library** library, void* (*find)(void* shared, const char* name),
                         void* shared);

/* Where the messages of an engine's log go, as long as it and what was made of it is there. */
struct logger {
  struct environment* environment;
  napi_ref function;
  int users;
};

/* An object of JavaScript's that stands for one of the library's. All of it belongs to the thread
 * of JavaScript. */
struct handle {
  struct environment* environment;
  enum handle_kind kind;
  void* raw; /* NULL: it was given up */
  int calls; /* that run on it */
  bool collected;
  int64_t bytes; /* that the collector was told of */
  struct logger* logger;
};

struct kept {
  struct kept* next;
};

/* One call, with all that it reads and writes. */
struct call {
  struct call* next; /* in the environment's list, or its queue */
  struct environment* environment;
  const struct function* function;
  uint32_t id;
  union slot slots[MAX_PARAMS + 1];
  union slot out[MAX_PARAMS];
  int32_t status;
  char message[MESSAGE_BYTES];
  struct kept* kept;
  size_t hint; /* about how many bytes a text of it has */
  struct handle** handles;
  size_t n_handles;
  struct logger* logger; /* of the options */
  napi_ref callback;     /* a progress or row function */
  napi_deferred deferred;
  /* Under the environment's lock. */
  bool started, cancelled;
  uint64_t* numbers; /* of the sessions among `handles`, while it runs */
  const void** raws; /* their handles of the library's */
};

/* What a thread hands to that of JavaScript. */
struct notice {
  enum { NOTICE_DONE, NOTICE_PROGRESS, NOTICE_ROW, NOTICE_LOG } kind;
  struct call* call;
  uint64_t done, total; /* or the index of a row and how many logits it has */
  const float* logits;
  struct logger* logger;
  int32_t level;
  char text[256];
  bool answered, stop;
};

/* One for each thread of JavaScript that loads the addon. */
struct environment {
  int users; /* handles, and JavaScript itself */
  napi_env env;
  const struct library* library;
  napi_ref make_error; /* (status, message) => Error */
  napi_threadsafe_function notices;
  struct mutex lock;
  struct condition wake;   /* a thread that has nothing to do */
  struct condition answer; /* a thread that waits for JavaScript */
  struct call *running, *queue, **queue_end;
  struct thread_entry *threads, *ended;
  size_t idle, waiting; /* threads; calls whose promises are open */
  uint32_t last_id;
  bool ending;
};

/* calls.c */
napi_value invoke(napi_env env, napi_callback_info info);
void execute(struct call* call);
napi_value results(napi_env env, struct call* call);
napi_value error_of(napi_env env, struct call* call);
void free_call(napi_env env, struct call* call);
int32_t on_progress(void* user, uint64_t done, uint64_t total);
void on_row(void* user, size_t index, const float* logits, size_t count);
void on_log(void* user, int32_t level, const char* message);

/* values.c: false where an exception is pending. */
bool read_number(napi_env env, const char* name, enum kind kind, napi_value value, void* to);
bool read_string(napi_env env, const char* name, napi_value value, bool terminated,
                 struct call* call, const char** text, size_t* length);
bool read_data(napi_env env, const char* name, napi_value value, int only, struct call* call,
               const void** data, size_t* length);
bool read_struct(napi_env env, napi_value object, const struct structure* structure,
                 struct call* call, void* to);
bool read_enum(napi_env env, const char* name, const struct enumeration* enumeration,
               napi_value value, int32_t* to);
napi_value written_struct(napi_env env, const struct structure* structure, const void* from);
napi_value written_u64(napi_env env, uint64_t value);
napi_value written_bytes(napi_env env, const void* bytes, size_t count);
napi_value written_array(napi_env env, napi_typedarray_type type, const void* elements,
                         size_t count);
bool refuse(napi_env env, bool type, const char* name, const char* wanted, napi_value value);
void* keep(napi_env env, struct call* call, size_t bytes);
bool read_elements(napi_env env, const char* name, napi_value array, uint32_t* count);

/* handles.c */
napi_value made_handle(napi_env env, struct environment* environment, enum handle_kind kind,
                       void* raw, struct logger* logger);
struct handle* handle_of(napi_env env, const char* name, enum handle_kind kind, napi_value value);
bool use_handle(napi_env env, struct call* call, struct handle* handle);
void close_handle(napi_env env, struct handle* handle);
void release_call(napi_env env, struct handle* handle);
void drop_environment(struct environment* environment);
struct logger* made_logger(napi_env env, struct environment* environment, napi_value function);
void drop_logger(napi_env env, struct logger* logger);

/* events.c */
napi_value written_events(napi_env env, struct call* call, size_t i);

/* waiting.c */
bool begin(struct call* call);
bool start_waiting(napi_env env, struct environment* environment);
bool submit(struct call* call);
void cancel(struct call* call);
struct call* running_call(struct environment* environment, uint32_t id);

#endif
