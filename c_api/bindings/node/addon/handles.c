/* Objects of JavaScript's that stand for those of the library. What nobody holds any more is closed
 * when it is collected, but not under the hands of a call. */
#include <stdio.h>
#include <stdlib.h>

#include "rondo_node.h"

/* Says of an object that handle_of may look into it. */
static napi_type_tag tag_of(enum handle_kind kind) {
  const napi_type_tag tag = {UINT64_C(0x9b7c1d5e2f6a4830), UINT64_C(0x8e41f07a5c93d600) + kind};
  return tag;
}

static const char* const names[] = {"nothing",   "a Model",   "a Grammar", "an Adapter",
                                    "an Engine", "a Session", "a Media",   "a ChatParser"};

void drop_environment(struct environment* environment) {
  if (--environment->users > 0) return;
  mutex_end(&environment->lock);
  condition_end(&environment->wake);
  condition_end(&environment->answer);
  free((void*)environment->library);
  free(environment);
}

struct logger* made_logger(napi_env env, struct environment* environment, napi_value function) {
  struct logger* logger = calloc(1, sizeof *logger);
  if (logger == NULL) return NULL;
  logger->environment = environment;
  logger->users = 1;
  napi_create_reference(env, function, 1, &logger->function);
  return logger;
}

void drop_logger(napi_env env, struct logger* logger) {
  if (logger == NULL) return;
  lock(&logger->environment->lock); /* threads that log count, too */
  const bool used = --logger->users > 0;
  unlock(&logger->environment->lock);
  if (used) return;
  if (env != NULL) napi_delete_reference(env, logger->function);
  free(logger);
}

static void give_up(napi_env env, struct handle* handle) {
  int64_t ignored;
  if (handle->raw == NULL) return;
  close_raw(handle->environment->library, handle->kind, handle->raw);
  handle->raw = NULL;
  if (handle->bytes > 0) napi_adjust_external_memory(env, -handle->bytes, &ignored);
}

static void forget(napi_env env, struct handle* handle) {
  give_up(env, handle);
  drop_logger(env, handle->logger);
  drop_environment(handle->environment);
  free(handle);
}

static void finalize(napi_env env, void* data, void* hint) {
  struct handle* handle = data;
  (void)hint;
  handle->collected = true;
  if (handle->calls == 0) forget(env, handle);
}

napi_value made_handle(napi_env env, struct environment* environment, enum handle_kind kind,
                       void* raw, struct logger* logger) {
  struct handle* handle = calloc(1, sizeof *handle);
  napi_value object = NULL;
  const napi_type_tag tag = tag_of(kind);
  int64_t all;
  if (handle == NULL) {
    close_raw(environment->library, kind, raw);
    napi_throw_error(env, "ERR_MEMORY_ALLOCATION_FAILED", "the system refused memory");
    return NULL;
  }
  handle->environment = environment;
  handle->kind = kind;
  handle->raw = raw;
  handle->logger = logger;
  if (logger != NULL) {
    lock(&environment->lock);
    ++logger->users;
    unlock(&environment->lock);
  }
  ++environment->users;
  napi_create_object(env, &object);
  napi_wrap(env, object, handle, finalize, NULL, NULL);
  napi_type_tag_object(env, object, &tag);
  if (kind == HANDLE_ENGINE) { /* so that engines are collected for the memory that they have */
    rondo_memory_plan plan = {.struct_size = sizeof plan};
    environment->library->rondo_engine_memory(raw, &plan);
    handle->bytes = (int64_t)plan.arena_bytes;
    napi_adjust_external_memory(env, handle->bytes, &all);
  }
  return object;
}

struct handle* handle_of(napi_env env, const char* name, enum handle_kind kind, napi_value value) {
  napi_valuetype is;
  bool tagged = false;
  void* handle = NULL;
  const napi_type_tag tag = tag_of(kind);
  napi_typeof(env, value, &is);
  if (is == napi_object) napi_check_object_type_tag(env, value, &tag, &tagged);
  if (!tagged || napi_unwrap(env, value, &handle) != napi_ok) {
    refuse(env, true, name, names[kind], value);
    return NULL;
  }
  return handle;
}

/* The call holds it until release_call. */
bool use_handle(napi_env env, struct call* call, struct handle* handle) {
  char message[60];
  if (handle->raw == NULL) {
    snprintf(message, sizeof message, "%s that is closed was given", names[handle->kind]);
    napi_throw_error(env, "RONDO_INVALID_HANDLE", message);
    return false;
  }
  for (size_t i = 0; i < call->n_handles; ++i) {
    if (call->handles[i] == handle) return true;
  }
  struct handle** more = realloc(call->handles, (call->n_handles + 1) * sizeof(struct handle*));
  if (more == NULL) {
    napi_throw_error(env, "ERR_MEMORY_ALLOCATION_FAILED", "the system refused memory");
    return false;
  }
  call->handles = more;
  call->handles[call->n_handles++] = handle;
  ++handle->calls;
  return true;
}

void release_call(napi_env env, struct handle* handle) {
  if (--handle->calls == 0 && handle->collected) forget(env, handle);
}

/* Calls that run on it go on or, of a session, are cancelled: the library waits for them. */
void close_handle(napi_env env, struct handle* handle) { give_up(env, handle); }
