/* rondo.h for rondo.Native: handles are longs, texts are bytes of UTF-8 (JNI's own strings are
 * not), and what fails throws rondo.RondoException. Nothing is kept between calls. */
#include <jni.h>
#include <stdlib.h>

#include "planes.h"
#include "records.h"

#define MESSAGE_BYTES 512
#define FN(type, name) JNIEXPORT type JNICALL Java_rondo_Native_##name

/* The object that handles of longs stand for. */
#define MODEL(handle) ((rondo_model*)(intptr_t)(handle))
#define ENGINE(handle) ((rondo_engine*)(intptr_t)(handle))
#define SESSION(handle) ((rondo_session*)(intptr_t)(handle))
#define GRAMMAR(handle) ((rondo_grammar*)(intptr_t)(handle))
#define ADAPTER(handle) ((rondo_adapter*)(intptr_t)(handle))
#define MEDIA(handle) ((rondo_media*)(intptr_t)(handle))
#define PARSER(handle) ((rondo_chat_parser*)(intptr_t)(handle))
#define HANDLE(pointer) ((jlong)(intptr_t)(pointer))

/* ---- Failures, texts and arrays -------------------------------------------------------------- */

static jbyteArray bytes_of(JNIEnv* env, const char* text, size_t count) {
  jbyteArray array = (*env)->NewByteArray(env, (jsize)count);
  if (array != NULL && count > 0) {
    (*env)->SetByteArrayRegion(env, array, 0, (jsize)count, (const jbyte*)text);
  }
  return array;
}

static void throw_status(JNIEnv* env, int32_t status, const char* message) {
  if ((*env)->ExceptionCheck(env)) return; /* what a callback threw */
  const char* text = message != NULL && *message != '\0' ? message : rondo_status_string(status);
  jclass type = (*env)->FindClass(env, "rondo/RondoException");
  jmethodID make = type == NULL ? NULL : (*env)->GetMethodID(env, type, "<init>", "(I[B)V");
  jbyteArray bytes = make == NULL ? NULL : bytes_of(env, text, strlen(text));
  jobject thrown = bytes == NULL ? NULL : (*env)->NewObject(env, type, make, (jint)status, bytes);
  if (thrown != NULL) (*env)->Throw(env, (jthrowable)thrown);
}

static void throw_memory(JNIEnv* env) {
  throw_status(env, RONDO_STATUS_OUT_OF_MEMORY,
               "no memory for what a call of Java's gives or takes");
}

static int fails(JNIEnv* env, int32_t status, const char* message) {
  if (status == RONDO_STATUS_OK) return 0;
  throw_status(env, status, message);
  return 1;
}

/* Where it is busy, the message belongs to the other call. */
static int session_fails(JNIEnv* env, jlong session, int32_t status) {
  const int mine = status != RONDO_STATUS_OK && status != RONDO_STATUS_BUSY;
  return fails(env, status, mine ? rondo_session_last_error(SESSION(session)) : NULL);
}

/* A zero-terminated copy, which the caller frees; NULL of null, and with an exception. */
static char* copy_text(JNIEnv* env, jbyteArray array, size_t* count) {
  if (count != NULL) *count = 0;
  if (array == NULL) return NULL;
  const jsize length = (*env)->GetArrayLength(env, array);
  char* text = malloc((size_t)length + 1);
  if (text == NULL) {
    throw_memory(env);
    return NULL;
  }
  (*env)->GetByteArrayRegion(env, array, 0, length, (jbyte*)text);
  text[length] = '\0';
  if (count != NULL) *count = (size_t)length;
  return text;
}

/* A copy, which the caller frees; NULL with an exception. */
static int32_t* copy_ids(JNIEnv* env, jintArray array, size_t* count) {
  *count = (size_t)(*env)->GetArrayLength(env, array);
  int32_t* ids = malloc(*count * sizeof *ids + 1);
  if (ids == NULL) {
    throw_memory(env);
    return NULL;
  }
  (*env)->GetIntArrayRegion(env, array, 0, (jsize)*count, (jint*)ids);
  return ids;
}

static jintArray ids_of(JNIEnv* env, const int32_t* ids, size_t count) {
  jintArray array = (*env)->NewIntArray(env, (jsize)count);
  if (array != NULL) (*env)->SetIntArrayRegion(env, array, 0, (jsize)count, (const jint*)ids);
  return array;
}

static jlongArray longs_of(JNIEnv* env, const jlong* numbers, size_t count) {
  jlongArray array = (*env)->NewLongArray(env, (jsize)count);
  if (array != NULL) (*env)->SetLongArrayRegion(env, array, 0, (jsize)count, numbers);
  return array;
}

/* texts[0] of the caller's becomes this one. */
static void put_text(JNIEnv* env, jobjectArray texts, const char* text) {
  jbyteArray bytes = text == NULL ? NULL : bytes_of(env, text, strlen(text));
  (*env)->SetObjectArrayElement(env, texts, 0, bytes);
}

/* A text of any length: what a call of the form (model, ..., buffer, capacity, length) gives. */
#define TEXT_OUTPUT(env, call)                                                            \
  do {                                                                                    \
    size_t capacity = 256, length = 0;                                                    \
    for (;;) {                                                                            \
      char* buffer = malloc(capacity);                                                    \
      if (buffer == NULL) return throw_memory(env), NULL;                                 \
      const int32_t status = call;                                                        \
      if (status == RONDO_STATUS_OK) {                                                    \
        jbyteArray bytes = bytes_of(env, buffer, length);                                 \
        free(buffer);                                                                     \
        return bytes;                                                                     \
      }                                                                                   \
      free(buffer);                                                                       \
      if (status != RONDO_STATUS_BUFFER_TOO_SMALL) return fails(env, status, NULL), NULL; \
      capacity = length + 1;                                                              \
    }                                                                                     \
  } while (0)

/* ---- Options ----------------------------------------------------------------------------------
 */

/* Fields by their names, each with a number. 0 with an exception. */
#define SET_FIELDS(env, type, options, names, values)                                        \
  do {                                                                                       \
    const jsize n_fields = (*env)->GetArrayLength(env, names);                               \
    for (jsize i = 0; i < n_fields; ++i) {                                                   \
      jbyteArray name = (*env)->GetObjectArrayElement(env, names, i);                        \
      jlong value = 0;                                                                       \
      char* field = copy_text(env, name, NULL);                                              \
      if (field == NULL) return 0;                                                           \
      (*env)->GetLongArrayRegion(env, values, i, 1, &value);                                 \
      const int known = type##_set(options, field, value);                                   \
      free(field);                                                                           \
      (*env)->DeleteLocalRef(env, name);                                                     \
      if (!known) {                                                                          \
        throw_status(env, RONDO_STATUS_INVALID_ARGUMENT, "there is no option of that name"); \
        return 0;                                                                            \
      }                                                                                      \
    }                                                                                        \
  } while (0)

/* CPUs that are named, at most. */
enum { MOST_CPUS = 256 };

/* `numbers` [MOST_CPUS] has those of `cpus` as long as the options are read. */
static int engine_options(JNIEnv* env, rondo_engine_options* options, jobjectArray names,
                          jlongArray values, jlong draft, jintArray cpus, uint32_t* numbers) {
  if (fails(env, rondo_engine_options_init(options, sizeof *options), NULL)) return 0;
  SET_FIELDS(env, rondo_engine_options, options, names, values);
  options->draft = MODEL(draft);
  const jsize n_cpus = (*env)->GetArrayLength(env, cpus);
  if (n_cpus > MOST_CPUS) {
    throw_status(env, RONDO_STATUS_INVALID_ARGUMENT, "at most 256 CPUs are named");
    return 0;
  }
  (*env)->GetIntArrayRegion(env, cpus, 0, n_cpus, (jint*)numbers);
  options->cpus = n_cpus == 0 ? NULL : numbers;
  options->n_cpus = (uint32_t)n_cpus;
  return 1;
}

/* What a session's options point to. */
struct lists {
  rondo_logit_bias* bias;
  char** stop;
  size_t n_stop;
  char* thinking_begin;
  char* thinking_end;
};

static void free_lists(struct lists* lists) {
  for (size_t i = 0; i < lists->n_stop; ++i) free(lists->stop[i]);
  free(lists->stop);
  free(lists->bias);
  free(lists->thinking_begin);
  free(lists->thinking_end);
}

static int session_options(JNIEnv* env, rondo_session_options* options, struct lists* lists,
                           jlong recommended_by, jobjectArray names, jlongArray values,
                           jobjectArray stop, jintArray tokens, jfloatArray biases,
                           jobjectArray thinking) {
  if (fails(env, rondo_session_options_init(options, sizeof *options), NULL)) return 0;
  if (recommended_by != 0 &&
      fails(env, rondo_model_session_options(MODEL(recommended_by), options), NULL)) {
    return 0;
  }
  SET_FIELDS(env, rondo_session_options, options, names, values);
  const jsize n_stop = (*env)->GetArrayLength(env, stop);
  const jsize n_bias = (*env)->GetArrayLength(env, tokens);
  lists->stop = calloc((size_t)n_stop + 1, sizeof *lists->stop);
  lists->bias = calloc((size_t)n_bias + 1, sizeof *lists->bias);
  if (lists->stop == NULL || lists->bias == NULL) return throw_memory(env), 0;
  for (; lists->n_stop < (size_t)n_stop; ++lists->n_stop) {
    jbyteArray text = (*env)->GetObjectArrayElement(env, stop, (jsize)lists->n_stop);
    lists->stop[lists->n_stop] = copy_text(env, text, NULL);
    if (lists->stop[lists->n_stop] == NULL) return 0;
    (*env)->DeleteLocalRef(env, text);
  }
  for (jsize i = 0; i < n_bias; ++i) {
    jint token = 0;
    (*env)->GetIntArrayRegion(env, tokens, i, 1, &token);
    (*env)->GetFloatArrayRegion(env, biases, i, 1, &lists->bias[i].bias);
    lists->bias[i].token = token;
  }
  lists->thinking_begin = copy_text(env, (*env)->GetObjectArrayElement(env, thinking, 0), NULL);
  lists->thinking_end = copy_text(env, (*env)->GetObjectArrayElement(env, thinking, 1), NULL);
  if ((*env)->ExceptionCheck(env)) return 0;
  options->thinking_begin = lists->thinking_begin;
  options->thinking_end = lists->thinking_end;
  if (n_stop > 0) {
    options->stop_strings = (const char* const*)lists->stop;
    options->n_stop_strings = lists->n_stop;
  }
  if (n_bias > 0) {
    options->logit_bias = lists->bias;
    options->n_logit_bias = (size_t)n_bias;
  }
  return 1;
}

/* ---- The library -------------------------------------------------------------------------------
 */

FN(jint, abiVersion)(JNIEnv* env, jclass self) {
  (void)env, (void)self;
  return (jint)rondo_abi_version();
}

FN(jbyteArray, version)(JNIEnv* env, jclass self) {
  (void)self;
  return bytes_of(env, rondo_version_string(), strlen(rondo_version_string()));
}

FN(jlong, query)(JNIEnv* env, jclass self, jbyteArray name) {
  (void)self;
  char* text = copy_text(env, name, NULL);
  int64_t value = 0;
  if (text != NULL) fails(env, rondo_query(text, &value), NULL);
  free(text);
  return value;
}

/* ---- Models ------------------------------------------------------------------------------------
 */

FN(jlong, openPath)(JNIEnv* env, jclass self, jbyteArray path) {
  (void)self;
  char* text = copy_text(env, path, NULL);
  if (text == NULL) return 0;
  rondo_model* model = NULL;
  char message[MESSAGE_BYTES] = "";
  const int32_t status =
      rondo_model_open_path(RONDO_ABI_VERSION, text, &model, message, sizeof message);
  free(text);
  fails(env, status, message);
  return HANDLE(model);
}

FN(jlong, openDescriptor)(JNIEnv* env, jclass self, jint fd, jlong offset, jlong length) {
  (void)self;
  rondo_model* model = NULL;
  char message[MESSAGE_BYTES] = "";
  fails(env,
        rondo_model_open_fd(RONDO_ABI_VERSION, fd, (uint64_t)offset, (uint64_t)length, &model,
                            message, sizeof message),
        message);
  return HANDLE(model);
}

/* A direct buffer stays where it is; Model keeps it. */
FN(jlong, openBuffer)(JNIEnv* env, jclass self, jobject buffer, jlong count) {
  (void)self;
  rondo_model* model = NULL;
  char message[MESSAGE_BYTES] = "";
  fails(env,
        rondo_model_open_memory(RONDO_ABI_VERSION, (*env)->GetDirectBufferAddress(env, buffer),
                                (size_t)count, &model, message, sizeof message),
        message);
  return HANDLE(model);
}

FN(void, closeModel)(JNIEnv* env, jclass self, jlong model) {
  (void)env, (void)self;
  rondo_model_close(MODEL(model));
}

/* Fills a struct of `type` by `call`, and gives its numbers, and its text to texts[0]. */
#define RECORD(env, type, call, message)      \
  type record = {0};                          \
  jlong numbers[type##_NUMBERS];              \
  record.struct_size = sizeof record;         \
  if (fails(env, call, message)) return NULL; \
  type##_numbers(&record, numbers);           \
  jlongArray result = longs_of(env, numbers, type##_NUMBERS)

FN(jlongArray, info)(JNIEnv* env, jclass self, jlong model) {
  (void)self;
  RECORD(env, rondo_model_facts, rondo_model_info(MODEL(model), &record), NULL);
  return result;
}

FN(jint, eosToken)(JNIEnv* env, jclass self, jlong model, jint index) {
  (void)self;
  int32_t token = 0;
  fails(env, rondo_model_eos_token(MODEL(model), (uint32_t)index, &token), NULL);
  return token;
}

FN(jbyteArray, fact)(JNIEnv* env, jclass self, jlong model, jbyteArray key) {
  (void)self;
  char name[128];
  size_t count = 0;
  char* text = copy_text(env, key, &count);
  if (text == NULL) return NULL;
  if (count >= sizeof name) count = sizeof name - 1; /* longer than any: there is no such fact */
  memcpy(name, text, count);
  name[count] = '\0';
  free(text);
  TEXT_OUTPUT(env, rondo_model_fact(MODEL(model), name, buffer, capacity, &length));
}

FN(jbyteArray, factKey)(JNIEnv* env, jclass self, jlong model, jint index) {
  (void)self;
  TEXT_OUTPUT(env, rondo_model_fact_key(MODEL(model), (uint32_t)index, buffer, capacity, &length));
}

FN(jintArray, tokenize)(JNIEnv* env, jclass self, jlong model, jbyteArray text, jint flags) {
  (void)self;
  size_t bytes = 0, count = 0;
  char* copy = copy_text(env, text, &bytes);
  if (copy == NULL) return NULL;
  size_t capacity = bytes / 2 + 16;
  int32_t* ids = NULL;
  int32_t status = RONDO_STATUS_BUFFER_TOO_SMALL;
  while (status == RONDO_STATUS_BUFFER_TOO_SMALL) {
    free(ids);
    ids = malloc(capacity * sizeof *ids);
    if (ids == NULL) {
      free(copy);
      return throw_memory(env), NULL;
    }
    status = rondo_tokenize(MODEL(model), copy, bytes, (uint32_t)flags, ids, capacity, &count);
    capacity = count + 1;
  }
  jintArray result = fails(env, status, NULL) ? NULL : ids_of(env, ids, count);
  free(ids);
  free(copy);
  return result;
}

/* The text behind ids that are copied already. */
static jbyteArray detokenized(JNIEnv* env, jlong model, const int32_t* ids, size_t count,
                              jint flags) {
  TEXT_OUTPUT(
      env, rondo_detokenize(MODEL(model), ids, count, (uint32_t)flags, buffer, capacity, &length));
}

FN(jbyteArray, detokenize)(JNIEnv* env, jclass self, jlong model, jintArray ids, jint flags) {
  (void)self;
  size_t count = 0;
  int32_t* copy = copy_ids(env, ids, &count);
  if (copy == NULL) return NULL;
  jbyteArray text = detokenized(env, model, copy, count, flags);
  free(copy);
  return text;
}

FN(jbyteArray, chatTemplateName)(JNIEnv* env, jclass self, jlong model, jint index) {
  (void)self;
  TEXT_OUTPUT(env, rondo_model_chat_template_name(MODEL(model), (uint32_t)index, buffer, capacity,
                                                  &length));
}

static jbyteArray template_text(JNIEnv* env, jlong model, const char* name) {
  TEXT_OUTPUT(env, rondo_model_chat_template(MODEL(model), name, buffer, capacity, &length));
}

FN(jbyteArray, chatTemplate)(JNIEnv* env, jclass self, jlong model, jbyteArray name) {
  (void)self;
  char* copy = copy_text(env, name, NULL);
  if (copy == NULL) return NULL;
  jbyteArray text = template_text(env, model, copy);
  free(copy);
  return text;
}

/* ---- Chat --------------------------------------------------------------------------------------
 */

/* rondo_chat_options and what they point to. */
struct chat {
  rondo_chat_options options;
  char* copies[5];
};

static void free_chat(struct chat* chat) {
  for (int i = 0; i < 5; ++i) free(chat->copies[i]);
}

static int chat_fields(JNIEnv* env, rondo_chat_options* options, jobjectArray names,
                       jlongArray values) {
  SET_FIELDS(env, rondo_chat_options, options, names, values);
  return 1;
}

/* `texts`: messages, tools, variables, template, its name. 0 with an exception; free_chat behind
 * it in any case. */
static int chat_options(JNIEnv* env, struct chat* chat, jobjectArray names, jlongArray values,
                        jobjectArray texts) {
  rondo_chat_options* options = &chat->options;
  size_t counts[5] = {0};
  memset(chat, 0, sizeof *chat);
  if (fails(env, rondo_chat_options_init(options, sizeof *options), NULL)) return 0;
  for (int i = 0; i < 5; ++i) {
    jbyteArray text = (*env)->GetObjectArrayElement(env, texts, i);
    chat->copies[i] = copy_text(env, text, &counts[i]);
  }
  options->messages = chat->copies[0], options->messages_bytes = counts[0];
  options->tools = chat->copies[1], options->tools_bytes = counts[1];
  options->variables = chat->copies[2], options->variables_bytes = counts[2];
  options->template_text = chat->copies[3], options->template_bytes = counts[3];
  options->template_name = chat->copies[4];
  return !(*env)->ExceptionCheck(env) && chat_fields(env, options, names, values);
}

/* Bytes, or ids where `ids` is true. */
static jobject rendered(JNIEnv* env, jlong model, const rondo_chat_options* options, jboolean ids) {
  size_t capacity = 4096, count = 0;
  for (;;) {
    char message[MESSAGE_BYTES] = "";
    void* out = malloc(capacity * sizeof(int32_t));
    if (out == NULL) return throw_memory(env), NULL;
    const int32_t status = ids ? rondo_chat_render(MODEL(model), options, NULL, 0, NULL, out,
                                                   capacity, &count, message, sizeof message)
                               : rondo_chat_render(MODEL(model), options, out, capacity, &count,
                                                   NULL, 0, NULL, message, sizeof message);
    if (status == RONDO_STATUS_OK) {
      jobject result = ids ? (jobject)ids_of(env, out, count) : (jobject)bytes_of(env, out, count);
      free(out);
      return result;
    }
    free(out);
    if (status != RONDO_STATUS_BUFFER_TOO_SMALL) return fails(env, status, message), NULL;
    capacity = count + 1;
  }
}

FN(jobject, renderChat)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jobjectArray texts,
 jboolean ids) {
  (void)self;
  struct chat chat;
  jobject result = NULL;
  if (chat_options(env, &chat, names, values, texts)) {
    result = rendered(env, model, &chat.options, ids);
  }
  free_chat(&chat);
  return result;
}

static jbyteArray rules_of(JNIEnv* env, jlong model, const rondo_chat_options* options,
                           int32_t calls, const char* function) {
  size_t capacity = 4096, count = 0;
  for (;;) {
    char message[MESSAGE_BYTES] = "";
    char* out = malloc(capacity);
    if (out == NULL) return throw_memory(env), NULL;
    const int32_t status = rondo_chat_grammar(MODEL(model), options, calls, function, out, capacity,
                                              &count, message, sizeof message);
    jbyteArray result = status == RONDO_STATUS_OK ? bytes_of(env, out, count) : NULL;
    free(out);
    if (status == RONDO_STATUS_OK) return result;
    if (status != RONDO_STATUS_BUFFER_TOO_SMALL) return fails(env, status, message), NULL;
    capacity = count + 1;
  }
}

FN(jbyteArray, chatGrammar)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jobjectArray texts,
 jint calls, jbyteArray function) {
  (void)self;
  struct chat chat;
  jbyteArray result = NULL;
  char* only = NULL;
  if (chat_options(env, &chat, names, values, texts)) {
    only = copy_text(env, function, NULL);
    if (!(*env)->ExceptionCheck(env)) result = rules_of(env, model, &chat.options, calls, only);
  }
  free(only);
  free_chat(&chat);
  return result;
}

/* around[0] and [1] become what begins a thought and what ends it. */
static void put_thinking(JNIEnv* env, jlong model, const rondo_chat_options* options,
                         jobjectArray around) {
  size_t rooms[2] = {256, 256}, counts[2] = {0};
  int32_t status = RONDO_STATUS_BUFFER_TOO_SMALL;
  while (status == RONDO_STATUS_BUFFER_TOO_SMALL) {
    char message[MESSAGE_BYTES] = "";
    char* out[2] = {malloc(rooms[0]), malloc(rooms[1])};
    if (out[0] == NULL || out[1] == NULL) {
      throw_memory(env);
      status = RONDO_STATUS_OUT_OF_MEMORY;
    } else {
      status = rondo_chat_thinking(MODEL(model), options, out[0], rooms[0], &counts[0], out[1],
                                   rooms[1], &counts[1], message, sizeof message);
      if (status != RONDO_STATUS_BUFFER_TOO_SMALL) fails(env, status, message);
    }
    for (int i = 0; i < 2; ++i) {
      if (status == RONDO_STATUS_OK) {
        (*env)->SetObjectArrayElement(env, around, i, bytes_of(env, out[i], counts[i]));
      }
      free(out[i]);
      rooms[i] = counts[i] + 1;
    }
  }
}

FN(void, chatThinking)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jobjectArray texts,
 jobjectArray around) {
  (void)self;
  struct chat chat;
  if (chat_options(env, &chat, names, values, texts)) {
    put_thinking(env, model, &chat.options, around);
  }
  free_chat(&chat);
}

FN(jlong, createParser)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jobjectArray texts) {
  (void)self;
  struct chat chat;
  rondo_chat_parser* parser = NULL;
  if (chat_options(env, &chat, names, values, texts)) {
    char message[MESSAGE_BYTES] = "";
    fails(env,
          rondo_chat_parser_create(MODEL(model), &chat.options, &parser, message, sizeof message),
          message);
  }
  free_chat(&chat);
  return HANDLE(parser);
}

FN(void, closeParser)(JNIEnv* env, jclass self, jlong parser) {
  (void)env, (void)self;
  rondo_chat_parser_close(PARSER(parser));
}

FN(void, resetParser)(JNIEnv* env, jclass self, jlong parser) {
  (void)self;
  fails(env, rondo_chat_parser_reset(PARSER(parser)), NULL);
}

FN(void, push)(JNIEnv* env, jclass self, jlong parser, jbyteArray bytes, jboolean last) {
  (void)self;
  size_t count = 0;
  char* copy = copy_text(env, bytes, &count);
  if (copy == NULL) return;
  fails(env, rondo_chat_parser_push(PARSER(parser), copy, count, last), NULL);
  free(copy);
}

/* texts: the part's text, name and id; numbers: its kind, and the number of its call. */
FN(jlongArray, part)(JNIEnv* env, jclass self, jlong parser, jobjectArray texts) {
  (void)self;
  rondo_chat_part part = {0};
  part.struct_size = sizeof part;
  if (fails(env, rondo_chat_parser_next(PARSER(parser), &part), NULL)) return NULL;
  (*env)->SetObjectArrayElement(env, texts, 0, bytes_of(env, part.text, part.text_bytes));
  (*env)->SetObjectArrayElement(env, texts, 1, bytes_of(env, part.name, part.name_bytes));
  (*env)->SetObjectArrayElement(env, texts, 2, bytes_of(env, part.id, part.id_bytes));
  const jlong numbers[] = {part.kind, (jlong)part.call};
  return longs_of(env, numbers, 2);
}

/* ---- Grammars ----------------------------------------------------------------------------------
 */

static int grammar_options(JNIEnv* env, rondo_grammar_options* options, jobjectArray names,
                           jlongArray values) {
  if (fails(env, rondo_grammar_options_init(options, sizeof *options), NULL)) return 0;
  SET_FIELDS(env, rondo_grammar_options, options, names, values);
  return 1;
}

FN(jlong, createGrammar)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jbyteArray text) {
  (void)self;
  rondo_grammar_options options;
  if (!grammar_options(env, &options, names, values)) return 0;
  size_t count = 0;
  char* copy = copy_text(env, text, &count);
  if (copy == NULL) return 0;
  rondo_grammar* grammar = NULL;
  char message[MESSAGE_BYTES] = "";
  const int32_t status = rondo_grammar_create(MODEL(model), &options, copy, count, NULL, 0,
                                              &grammar, message, sizeof message);
  free(copy);
  fails(env, status, message);
  return HANDLE(grammar);
}

FN(jlong, planGrammar)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jlong length) {
  (void)self;
  rondo_grammar_options options;
  if (!grammar_options(env, &options, names, values)) return 0;
  uint64_t bytes = 0;
  char message[MESSAGE_BYTES] = "";
  fails(env,
        rondo_grammar_plan(MODEL(model), &options, (size_t)length, &bytes, message, sizeof message),
        message);
  return (jlong)bytes;
}

FN(void, closeGrammar)(JNIEnv* env, jclass self, jlong grammar) {
  (void)env, (void)self;
  rondo_grammar_close(GRAMMAR(grammar));
}

/* ---- Adapters ----------------------------------------------------------------------------------
 */

FN(jlong, openAdapter)(JNIEnv* env, jclass self, jlong model, jbyteArray path) {
  (void)self;
  char* text = copy_text(env, path, NULL);
  if (text == NULL) return 0;
  rondo_adapter* adapter = NULL;
  char message[MESSAGE_BYTES] = "";
  const int32_t status =
      rondo_adapter_open_path(MODEL(model), text, &adapter, message, sizeof message);
  free(text);
  fails(env, status, message);
  return HANDLE(adapter);
}

/* A direct buffer stays where it is; Adapter keeps it. */
FN(jlong, openAdapterBuffer)
(JNIEnv* env, jclass self, jlong model, jobject buffer, jlong count) {
  (void)self;
  rondo_adapter* adapter = NULL;
  char message[MESSAGE_BYTES] = "";
  fails(env,
        rondo_adapter_open_memory(MODEL(model), (*env)->GetDirectBufferAddress(env, buffer),
                                  (size_t)count, &adapter, message, sizeof message),
        message);
  return HANDLE(adapter);
}

FN(jlongArray, adapterInfo)(JNIEnv* env, jclass self, jlong adapter) {
  (void)self;
  RECORD(env, rondo_adapter_facts, rondo_adapter_info(ADAPTER(adapter), &record), NULL);
  return result;
}

FN(void, closeAdapter)(JNIEnv* env, jclass self, jlong adapter) {
  (void)env, (void)self;
  rondo_adapter_close(ADAPTER(adapter));
}

/* ---- Embedding ---------------------------------------------------------------------------------
 */

FN(jlongArray, embedder)(JNIEnv* env, jclass self, jlong model) {
  (void)self;
  RECORD(env, rondo_embedder_facts, rondo_model_embedder(MODEL(model), &record), NULL);
  return result;
}

FN(jbyteArray, promptName)(JNIEnv* env, jclass self, jlong model, jint index) {
  (void)self;
  TEXT_OUTPUT(env,
              rondo_model_prompt_name(MODEL(model), (uint32_t)index, buffer, capacity, &length));
}

static jbyteArray embedding_text(JNIEnv* env, jlong model, const char* prompt, const char* text,
                                 size_t count) {
  TEXT_OUTPUT(env,
              rondo_embedding_text(MODEL(model), prompt, text, count, buffer, capacity, &length));
}

FN(jbyteArray, embeddingText)
(JNIEnv* env, jclass self, jlong model, jbyteArray prompt, jbyteArray text) {
  (void)self;
  size_t count = 0;
  char* name = copy_text(env, prompt, NULL);
  char* copy = copy_text(env, text, &count);
  jbyteArray result =
      (*env)->ExceptionCheck(env) ? NULL : embedding_text(env, model, name, copy, count);
  free(copy);
  free(name);
  return result;
}

static jbyteArray pair_text(JNIEnv* env, jlong model, const char* instruction, const char* query,
                            size_t query_bytes, const char* document, size_t document_bytes) {
  TEXT_OUTPUT(env, rondo_pair_text(MODEL(model), instruction, query, query_bytes, document,
                                   document_bytes, buffer, capacity, &length));
}

FN(jbyteArray, pairText)
(JNIEnv* env, jclass self, jlong model, jbyteArray instruction, jbyteArray query,
 jbyteArray document) {
  (void)self;
  size_t asked = 0, found = 0;
  char* what = copy_text(env, instruction, NULL);
  char* one = copy_text(env, query, &asked);
  char* other = copy_text(env, document, &found);
  jbyteArray result =
      (*env)->ExceptionCheck(env) ? NULL : pair_text(env, model, what, one, asked, other, found);
  free(other);
  free(one);
  free(what);
  return result;
}

/* `vector` has room for what the library writes: `dimensions`, where it takes them. */
FN(void, embed)
(JNIEnv* env, jclass self, jlong session, jintArray ids, jfloatArray vector, jint dimensions) {
  (void)self;
  size_t count = 0;
  int32_t* copy = copy_ids(env, ids, &count);
  jfloat* numbers = copy == NULL ? NULL : (*env)->GetFloatArrayElements(env, vector, NULL);
  if (numbers != NULL) {
    const int32_t status =
        rondo_session_embed(SESSION(session), copy, count, numbers, (size_t)dimensions);
    (*env)->ReleaseFloatArrayElements(env, vector, numbers, 0);
    session_fails(env, session, status);
  }
  free(copy);
}

/* As many sessions as an engine has at most. */
enum { MOST_SESSIONS = 64 };

/* `handles` [MOST_SESSIONS] become those of `sessions`; their number, -1 with an exception. */
static jsize session_handles(JNIEnv* env, jlongArray sessions, rondo_session** handles) {
  const jsize count = (*env)->GetArrayLength(env, sessions);
  if (count > MOST_SESSIONS) {
    throw_status(env, RONDO_STATUS_INVALID_ARGUMENT, "a call is for at most 64 sessions");
    return -1;
  }
  for (jsize i = 0; i < count; ++i) {
    jlong handle = 0;
    (*env)->GetLongArrayRegion(env, sessions, i, 1, &handle);
    handles[i] = SESSION(handle);
  }
  return count;
}

/* Sizes of an array of ints, which the caller frees; NULL with an exception. */
static size_t* copy_sizes(JNIEnv* env, jintArray array, size_t* count) {
  int32_t* numbers = copy_ids(env, array, count);
  size_t* sizes = numbers == NULL ? NULL : malloc(*count * sizeof *sizes + 1);
  if (numbers != NULL && sizes == NULL) throw_memory(env);
  for (size_t i = 0; sizes != NULL && i < *count; ++i) sizes[i] = (size_t)numbers[i];
  free(numbers);
  return sizes;
}

/* `vectors` as in embed, for all texts. */
FN(void, embedAll)
(JNIEnv* env, jclass self, jlong engine, jlongArray sessions, jintArray ids, jintArray counts,
 jfloatArray vectors, jint dimensions) {
  (void)self;
  rondo_session* handles[MOST_SESSIONS];
  const jsize n_sessions = session_handles(env, sessions, handles);
  if (n_sessions < 0) return;
  size_t n_ids = 0, n_texts = 0;
  int32_t* all = copy_ids(env, ids, &n_ids);
  size_t* sizes = all == NULL ? NULL : copy_sizes(env, counts, &n_texts);
  jfloat* numbers = sizes == NULL ? NULL : (*env)->GetFloatArrayElements(env, vectors, NULL);
  if (numbers != NULL) {
    char message[MESSAGE_BYTES] = "";
    const int32_t status =
        rondo_engine_embed(ENGINE(engine), handles, (size_t)n_sessions, all, sizes, n_texts,
                           numbers, (size_t)dimensions, message, sizeof message);
    (*env)->ReleaseFloatArrayElements(env, vectors, numbers, 0);
    fails(env, status, message);
  }
  free(sizes);
  free(all);
}

/* ---- Plans and engines -------------------------------------------------------------------------
 */

FN(jlongArray, plan)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jbyteArray kernels,
 jlong draft, jintArray cpus, jobjectArray texts) {
  (void)self;
  uint32_t cpu_numbers[MOST_CPUS];
  rondo_engine_options options;
  if (!engine_options(env, &options, names, values, draft, cpus, cpu_numbers)) return NULL;
  char* set = copy_text(env, kernels, NULL);
  options.kernels = set;
  rondo_memory_plan plan = {0};
  plan.struct_size = sizeof plan;
  char message[MESSAGE_BYTES] = "";
  const int32_t status = rondo_plan(MODEL(model), &options, &plan, message, sizeof message);
  free(set);
  if (fails(env, status, message)) return NULL;
  jlong numbers[rondo_memory_plan_NUMBERS];
  rondo_memory_plan_numbers(&plan, numbers);
  put_text(env, texts, rondo_memory_plan_text(&plan));
  return longs_of(env, numbers, rondo_memory_plan_NUMBERS);
}

FN(jlongArray, planRegion)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jbyteArray kernels,
 jlong draft, jintArray cpus, jint index, jobjectArray texts) {
  (void)self;
  uint32_t cpu_numbers[MOST_CPUS];
  rondo_engine_options options;
  if (!engine_options(env, &options, names, values, draft, cpus, cpu_numbers)) return NULL;
  char* set = copy_text(env, kernels, NULL);
  options.kernels = set;
  rondo_memory_region region = {0};
  region.struct_size = sizeof region;
  const int32_t status = rondo_plan_region(MODEL(model), &options, (uint32_t)index, &region);
  free(set);
  if (fails(env, status, NULL)) return NULL;
  jlong numbers[rondo_memory_region_NUMBERS];
  rondo_memory_region_numbers(&region, numbers);
  put_text(env, texts, rondo_memory_region_text(&region));
  return longs_of(env, numbers, rondo_memory_region_NUMBERS);
}

FN(jint, planFit)
(JNIEnv* env, jclass self, jlong model, jlong bytes, jobjectArray names, jlongArray values,
 jbyteArray kernels, jlong draft, jintArray cpus) {
  (void)self;
  uint32_t cpu_numbers[MOST_CPUS];
  rondo_engine_options options;
  if (!engine_options(env, &options, names, values, draft, cpus, cpu_numbers)) return 0;
  char* set = copy_text(env, kernels, NULL);
  options.kernels = set;
  uint32_t context = 0;
  char message[MESSAGE_BYTES] = "";
  const int32_t status =
      rondo_plan_fit(MODEL(model), &options, (uint64_t)bytes, &context, message, sizeof message);
  free(set);
  fails(env, status, message);
  return (jint)context;
}

/* A callback of Kotlin's, which is called on the thread that made the call. */
struct callback {
  JNIEnv* env;
  jobject object;
  jmethodID method;
};

static int32_t tell_progress(void* user, uint64_t done, uint64_t total) {
  const struct callback* to = user;
  JNIEnv* env = to->env;
  if ((*env)->ExceptionCheck(env)) return 1;
  const jboolean goes_on =
      (*env)->CallBooleanMethod(env, to->object, to->method, (jlong)done, (jlong)total);
  return (*env)->ExceptionCheck(env) || !goes_on;
}

/* Where `progress` is not null, what tell_progress is to be told; 0 with an exception. */
static int progress_callback(JNIEnv* env, jobject progress, struct callback* to) {
  *to = (struct callback){env, progress, NULL};
  if (progress == NULL) return 1;
  to->method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, progress), "tell", "(JJ)Z");
  return to->method != NULL;
}

FN(jlong, createEngine)
(JNIEnv* env, jclass self, jlong model, jobjectArray names, jlongArray values, jbyteArray kernels,
 jlong draft, jintArray cpus, jobject progress) {
  (void)self;
  uint32_t cpu_numbers[MOST_CPUS];
  rondo_engine_options options;
  if (!engine_options(env, &options, names, values, draft, cpus, cpu_numbers)) return 0;
  struct callback to;
  if (!progress_callback(env, progress, &to)) return 0;
  if (progress != NULL) {
    options.progress = tell_progress;
    options.progress_user = &to;
  }
  char* set = copy_text(env, kernels, NULL);
  options.kernels = set;
  rondo_engine* engine = NULL;
  char message[MESSAGE_BYTES] = "";
  const int32_t status =
      rondo_engine_create(MODEL(model), &options, NULL, 0, &engine, message, sizeof message);
  free(set);
  fails(env, status, message);
  return HANDLE(engine);
}

FN(void, closeEngine)(JNIEnv* env, jclass self, jlong engine) {
  (void)env, (void)self;
  rondo_engine_close(ENGINE(engine));
}

FN(jlongArray, memory)(JNIEnv* env, jclass self, jlong engine, jobjectArray texts) {
  (void)self;
  RECORD(env, rondo_memory_plan, rondo_engine_memory(ENGINE(engine), &record), NULL);
  put_text(env, texts, rondo_memory_plan_text(&record));
  return result;
}

FN(jlongArray, memoryRegion)
(JNIEnv* env, jclass self, jlong engine, jint index, jobjectArray texts) {
  (void)self;
  RECORD(env, rondo_memory_region,
         rondo_engine_memory_region(ENGINE(engine), (uint32_t)index, &record), NULL);
  put_text(env, texts, rondo_memory_region_text(&record));
  return result;
}

FN(jlongArray, engineStats)(JNIEnv* env, jclass self, jlong engine) {
  (void)self;
  RECORD(env, rondo_engine_counters, rondo_engine_stats(ENGINE(engine), &record), NULL);
  return result;
}

/* cursor[0] goes on; null: there is no event yet. */
FN(jlongArray, profile)
(JNIEnv* env, jclass self, jlong engine, jlongArray cursor, jobjectArray texts) {
  (void)self;
  jlong at = 0;
  (*env)->GetLongArrayRegion(env, cursor, 0, 1, &at);
  uint64_t next = (uint64_t)at;
  RECORD(env, rondo_profile_event, rondo_engine_profile(ENGINE(engine), &next, &record), NULL);
  at = (jlong)next;
  (*env)->SetLongArrayRegion(env, cursor, 0, 1, &at);
  put_text(env, texts, rondo_profile_event_text(&record));
  return record.name == NULL ? NULL : result;
}

FN(void, step)(JNIEnv* env, jclass self, jlong engine, jlongArray sessions) {
  (void)self;
  rondo_session* handles[MOST_SESSIONS];
  const jsize count = session_handles(env, sessions, handles);
  if (count < 0) return;
  char message[MESSAGE_BYTES] = "";
  fails(env, rondo_engine_step(ENGINE(engine), handles, (size_t)count, message, sizeof message),
        message);
}

/* ---- Pictures ----------------------------------------------------------------------------------
 */

static int image_options(JNIEnv* env, rondo_image_options* options, jobjectArray names,
                         jlongArray values) {
  if (fails(env, rondo_image_options_init(options, sizeof *options), NULL)) return 0;
  SET_FIELDS(env, rondo_image_options, options, names, values);
  return 1;
}

FN(jlongArray, imagePlan)
(JNIEnv* env, jclass self, jlong model, jint width, jint height, jobjectArray names,
 jlongArray values) {
  (void)self;
  rondo_image_options options;
  if (!image_options(env, &options, names, values)) return NULL;
  char message[MESSAGE_BYTES] = "";
  RECORD(env, rondo_image_facts,
         rondo_image_plan(MODEL(model), (uint32_t)width, (uint32_t)height, &options, &record,
                          message, sizeof message),
         message);
  return result;
}

/* How many facts Image.facts has: the format, the sides, the rotation, mirror, the range, the
 * matrix, and how far U is from the next U. */
enum { IMAGE_FACTS = 8 };

/* `buffers`: direct ones, of each plane; `strides` [MOST_PLANES]. */
FN(jlong, createMedia)
(JNIEnv* env, jclass self, jlong engine, jobjectArray buffers, jintArray strides, jintArray facts,
 jobjectArray names, jlongArray values, jobject progress) {
  (void)self;
  jint fact[IMAGE_FACTS], stride[MOST_PLANES];
  (*env)->GetIntArrayRegion(env, facts, 0, IMAGE_FACTS, fact);
  (*env)->GetIntArrayRegion(env, strides, 0, MOST_PLANES, stride);
  if ((*env)->ExceptionCheck(env)) return 0;
  rondo_image image = {.struct_size = sizeof image,
                       .format = fact[0],
                       .width = (uint32_t)fact[1],
                       .height = (uint32_t)fact[2],
                       .rotation = (uint32_t)fact[3],
                       .mirror = (uint32_t)fact[4],
                       .yuv_range = fact[5],
                       .yuv_matrix = fact[6]};
  struct plane planes[MOST_PLANES] = {{0}};
  char message[MESSAGE_BYTES] = "";
  find_planes(env, buffers, planes);
  if (!set_planes(&image, planes, stride, fact[7] == 2, message, sizeof message)) {
    throw_status(env, RONDO_STATUS_INVALID_ARGUMENT, message);
    return 0;
  }
  rondo_image_options options;
  struct callback to;
  if (!image_options(env, &options, names, values)) return 0;
  if (!progress_callback(env, progress, &to)) return 0;
  if (progress != NULL) {
    options.progress = tell_progress;
    options.progress_user = &to;
  }
  rondo_media* media = NULL;
  fails(env, rondo_media_create(ENGINE(engine), &image, &options, &media, message, sizeof message),
        message);
  return HANDLE(media);
}

FN(jlongArray, mediaInfo)(JNIEnv* env, jclass self, jlong media) {
  (void)self;
  RECORD(env, rondo_image_facts, rondo_media_info(MEDIA(media), &record), NULL);
  return result;
}

FN(void, closeMedia)(JNIEnv* env, jclass self, jlong media) {
  (void)env, (void)self;
  rondo_media_close(MEDIA(media));
}

/* ---- Sessions ----------------------------------------------------------------------------------
 */

/* Of an engine, or a fork of a session where that is not 0. */
FN(jlong, openSession)
(JNIEnv* env, jclass self, jlong engine, jlong session, jlong recommended_by, jobjectArray names,
 jlongArray values, jobjectArray stop, jintArray tokens, jfloatArray biases, jlong grammar,
 jlong adapter, jobjectArray thinking) {
  (void)self;
  rondo_session_options options;
  struct lists lists = {0};
  rondo_session* opened = NULL;
  if (session_options(env, &options, &lists, recommended_by, names, values, stop, tokens, biases,
                      thinking)) {
    char message[MESSAGE_BYTES] = "";
    options.grammar = GRAMMAR(grammar);
    options.adapter = ADAPTER(adapter);
    fails(env,
          session != 0
              ? rondo_session_fork(SESSION(session), &options, &opened, message, sizeof message)
              : rondo_session_open(ENGINE(engine), &options, &opened, message, sizeof message),
          message);
  }
  free_lists(&lists);
  return HANDLE(opened);
}

FN(void, closeSession)(JNIEnv* env, jclass self, jlong session) {
  (void)env, (void)self;
  rondo_session_close(SESSION(session));
}

#define WITH_IDS(name, function)                                            \
  FN(void, name)(JNIEnv * env, jclass self, jlong session, jintArray ids) { \
    (void)self;                                                             \
    size_t count = 0;                                                       \
    int32_t* copy = copy_ids(env, ids, &count);                             \
    if (copy == NULL) return;                                               \
    session_fails(env, session, function(SESSION(session), copy, count));   \
    free(copy);                                                             \
  }
WITH_IDS(prefill, rondo_session_prefill)
WITH_IDS(append, rondo_session_append)
WITH_IDS(propose, rondo_session_propose)

/* As many inputs as a call takes at most; the kind of those that are ids, where rows have
 * RONDO_ROWS_; and how many facts Input.facts gives: the kind, the count, sees_whole. */
enum { MOST_INPUTS = 64, INPUT_IDS = -1, INPUT_FACTS = 3 };

/* Java's arrays of an input, and where they lie while the library reads them. */
struct arrays {
  jobject numbers;
  jobject coordinates;
  void* at;
  jint* coordinates_at;
};

static void take_arrays(JNIEnv* env, jint kind, struct arrays* arrays) {
  if (kind == RONDO_ROWS_FLOAT32) {
    arrays->at = (*env)->GetFloatArrayElements(env, arrays->numbers, NULL);
  } else if (kind == RONDO_ROWS_BFLOAT16) {
    arrays->at = (*env)->GetShortArrayElements(env, arrays->numbers, NULL);
  } else {
    arrays->at = (*env)->GetIntArrayElements(env, arrays->numbers, NULL);
  }
  if (arrays->at != NULL && arrays->coordinates != NULL) {
    arrays->coordinates_at = (*env)->GetIntArrayElements(env, arrays->coordinates, NULL);
  }
}

/* Nothing was written, so that nothing is copied back. */
static void release_arrays(JNIEnv* env, jint kind, const struct arrays* arrays) {
  if (arrays->coordinates_at != NULL) {
    (*env)->ReleaseIntArrayElements(env, arrays->coordinates, arrays->coordinates_at, JNI_ABORT);
  }
  if (arrays->at == NULL) return;
  if (kind == RONDO_ROWS_FLOAT32) {
    (*env)->ReleaseFloatArrayElements(env, arrays->numbers, arrays->at, JNI_ABORT);
  } else if (kind == RONDO_ROWS_BFLOAT16) {
    (*env)->ReleaseShortArrayElements(env, arrays->numbers, arrays->at, JNI_ABORT);
  } else {
    (*env)->ReleaseIntArrayElements(env, arrays->numbers, arrays->at, JNI_ABORT);
  }
}

/* `numbers`: an array of each input; `coordinates`: of each one or null. */
FN(void, appendInputs)
(JNIEnv* env, jclass self, jlong session, jobjectArray numbers, jobjectArray coordinates,
 jintArray facts) {
  (void)self;
  rondo_input inputs[MOST_INPUTS];
  struct arrays arrays[MOST_INPUTS] = {{0}};
  jint told[MOST_INPUTS * INPUT_FACTS];
  const jsize count = (*env)->GetArrayLength(env, numbers);
  if (count > MOST_INPUTS) {
    throw_status(env, RONDO_STATUS_INVALID_ARGUMENT, "a call is for at most 64 inputs");
    return;
  }
  if ((*env)->EnsureLocalCapacity(env, 2 * MOST_INPUTS) < 0) return;
  (*env)->GetIntArrayRegion(env, facts, 0, count * INPUT_FACTS, told);
  int whole = 1;
  jsize taken = 0;
  for (; whole && taken < count; ++taken) {
    const jint* fact = &told[taken * INPUT_FACTS];
    struct arrays* from = &arrays[taken];
    from->numbers = (*env)->GetObjectArrayElement(env, numbers, taken);
    from->coordinates = (*env)->GetObjectArrayElement(env, coordinates, taken);
    take_arrays(env, fact[0], from);
    inputs[taken] = (rondo_input){.struct_size = sizeof(rondo_input),
                                  .row_format = fact[0] == INPUT_IDS ? 0 : fact[0],
                                  .ids = fact[0] == INPUT_IDS ? from->at : NULL,
                                  .rows = fact[0] == INPUT_IDS ? NULL : from->at,
                                  .count = (size_t)fact[1],
                                  .coordinates = from->coordinates_at,
                                  .sees_whole = (uint32_t)fact[2]};
    whole = from->at != NULL && (from->coordinates == NULL || from->coordinates_at != NULL);
  }
  int32_t status = RONDO_STATUS_OUT_OF_MEMORY;
  if (whole) status = rondo_session_append_inputs(SESSION(session), inputs, (size_t)count);
  while (taken-- > 0) release_arrays(env, told[taken * INPUT_FACTS], &arrays[taken]);
  if (whole) {
    session_fails(env, session, status);
  } else {
    throw_memory(env);
  }
}

/* As many pictures as a call takes at most. */
enum { MOST_MEDIA = 64 };

FN(void, appendMedia)
(JNIEnv* env, jclass self, jlong session, jintArray ids, jlongArray media) {
  (void)self;
  const jsize n_media = (*env)->GetArrayLength(env, media);
  if (n_media > MOST_MEDIA) {
    throw_status(env, RONDO_STATUS_INVALID_ARGUMENT, "a call is for at most 64 pictures");
    return;
  }
  jlong numbers[MOST_MEDIA];
  rondo_media* handles[MOST_MEDIA];
  (*env)->GetLongArrayRegion(env, media, 0, n_media, numbers);
  for (jsize i = 0; i < n_media; ++i) handles[i] = MEDIA(numbers[i]);
  size_t count = 0;
  int32_t* copy = copy_ids(env, ids, &count);
  if (copy == NULL) return;
  session_fails(
      env, session,
      rondo_session_append_media(SESSION(session), copy, count, handles, (size_t)n_media));
  free(copy);
}

static void tell_row(void* user, size_t index, const float* logits, size_t count) {
  const struct callback* to = user;
  JNIEnv* env = to->env;
  if ((*env)->ExceptionCheck(env)) return;
  jfloatArray array = (*env)->NewFloatArray(env, (jsize)count);
  if (array == NULL) return;
  (*env)->SetFloatArrayRegion(env, array, 0, (jsize)count, logits);
  (*env)->CallVoidMethod(env, to->object, to->method, (jint)index, array);
  (*env)->DeleteLocalRef(env, array);
}

FN(void, prefillLogits)(JNIEnv* env, jclass self, jlong session, jintArray ids, jobject row) {
  (void)self;
  struct callback to = {env, row, NULL};
  to.method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, row), "take", "(I[F)V");
  size_t count = 0;
  int32_t* copy = to.method == NULL ? NULL : copy_ids(env, ids, &count);
  if (copy == NULL) return;
  session_fails(env, session,
                rondo_session_prefill_logits(SESSION(session), copy, count, tell_row, &to));
  free(copy);
}

/* texts: the token's bytes, the text; numbers: token, logprob's bits, reason, pending, taken over,
 * channel. */
static jlongArray event_of(JNIEnv* env, jlong session, jobjectArray texts,
                           int32_t (*call)(rondo_session*, rondo_event*)) {
  rondo_event event = {0};
  event.struct_size = sizeof event;
  if (session_fails(env, session, call(SESSION(session), &event))) return NULL;
  int32_t logprob;
  memcpy(&logprob, &event.logprob, sizeof logprob);
  (*env)->SetObjectArrayElement(env, texts, 0, bytes_of(env, event.bytes, event.bytes_count));
  (*env)->SetObjectArrayElement(env, texts, 1, bytes_of(env, event.text, event.text_bytes));
  const jlong numbers[] = {
      event.token,  logprob, event.reason, (jlong)event.pending, (jlong)event.taken_over,
      event.channel};
  return longs_of(env, numbers, sizeof numbers / sizeof *numbers);
}

FN(jlongArray, next)(JNIEnv* env, jclass self, jlong session, jobjectArray texts) {
  (void)self;
  return event_of(env, session, texts, rondo_session_next);
}

FN(jlongArray, event)(JNIEnv* env, jclass self, jlong session, jobjectArray texts) {
  (void)self;
  return event_of(env, session, texts, rondo_session_event);
}

FN(jfloatArray, logits)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  const float* logits = NULL;
  size_t count = 0;
  if (session_fails(env, session, rondo_session_logits(SESSION(session), &logits, &count))) {
    return NULL;
  }
  jfloatArray array = (*env)->NewFloatArray(env, (jsize)count);
  if (array != NULL) (*env)->SetFloatArrayRegion(env, array, 0, (jsize)count, logits);
  return array;
}

FN(void, accept)(JNIEnv* env, jclass self, jlong session, jint token) {
  (void)self;
  session_fails(env, session, rondo_session_accept(SESSION(session), token));
}

FN(void, undo)(JNIEnv* env, jclass self, jlong session, jlong n) {
  (void)self;
  session_fails(env, session, rondo_session_undo(SESSION(session), (uint64_t)n));
}

FN(void, reset)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  session_fails(env, session, rondo_session_reset(SESSION(session)));
}

FN(jlong, position)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  uint64_t position = 0;
  session_fails(env, session, rondo_session_position(SESSION(session), &position));
  return (jlong)position;
}

FN(jlong, remaining)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  uint64_t tokens = 0;
  session_fails(env, session, rondo_session_remaining(SESSION(session), &tokens));
  return (jlong)tokens;
}

FN(jlongArray, evicted)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  uint64_t begin = 0, end = 0;
  if (session_fails(env, session, rondo_session_evicted(SESSION(session), &begin, &end)))
    return NULL;
  const jlong both[] = {(jlong)begin, (jlong)end};
  return longs_of(env, both, 2);
}

FN(jlongArray, progress)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  uint64_t done = 0, total = 0;
  if (fails(env, rondo_session_progress(SESSION(session), &done, &total), NULL)) return NULL;
  const jlong both[] = {(jlong)done, (jlong)total};
  return longs_of(env, both, 2);
}

FN(jlongArray, sessionStats)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  RECORD(env, rondo_session_counters, rondo_session_stats(SESSION(session), &record),
         rondo_session_last_error(SESSION(session)));
  return result;
}

FN(jintArray, tokens)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  uint64_t position = 0, begin = 0;
  size_t count = 0;
  if (session_fails(env, session, rondo_session_position(SESSION(session), &position))) return NULL;
  int32_t* ids = malloc((size_t)position * sizeof *ids + 1);
  if (ids == NULL) return throw_memory(env), NULL;
  const int32_t status =
      rondo_session_tokens(SESSION(session), &begin, ids, (size_t)position, &count);
  jintArray result = session_fails(env, session, status) ? NULL : ids_of(env, ids, count);
  free(ids);
  return result;
}

FN(jlong, callNumber)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  uint64_t number = 0;
  fails(env, rondo_session_call(SESSION(session), &number), NULL);
  return (jlong)number;
}

FN(void, cancelCall)(JNIEnv* env, jclass self, jlong session, jlong number) {
  (void)self;
  fails(env, rondo_session_cancel_call(SESSION(session), (uint64_t)number), NULL);
}

FN(void, cancel)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  fails(env, rondo_session_cancel(SESSION(session)), NULL);
}

FN(jbyteArray, save)(JNIEnv* env, jclass self, jlong session) {
  (void)self;
  size_t count = 0;
  int32_t status = rondo_session_save(SESSION(session), NULL, 0, &count);
  if (status != RONDO_STATUS_BUFFER_TOO_SMALL && session_fails(env, session, status)) return NULL;
  char* bytes = malloc(count + 1);
  if (bytes == NULL) return throw_memory(env), NULL;
  status = rondo_session_save(SESSION(session), bytes, count, &count);
  jbyteArray result = session_fails(env, session, status) ? NULL : bytes_of(env, bytes, count);
  free(bytes);
  return result;
}

FN(void, restore)(JNIEnv* env, jclass self, jlong session, jbyteArray snapshot) {
  (void)self;
  size_t count = 0;
  char* bytes = copy_text(env, snapshot, &count);
  if (bytes == NULL) return;
  session_fails(env, session, rondo_session_restore(SESSION(session), bytes, count));
  free(bytes);
}
