/* Calls that wait run on threads of their own, one for each that runs: sessions that wait at the
 * same time are served together, so a pool of few threads would keep them apart. Nothing outlives
 * its environment: at its end calls are cancelled and threads joined. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rondo_node.h"

struct thread_entry {
  struct thread_entry* next;
  struct thread thread;
  struct environment* environment;
};

static void notify(struct environment* environment, struct notice* notice) {
  napi_call_threadsafe_function(environment->notices, notice, napi_tsfn_nonblocking);
}

/* Behind this a cancel finds the calls of the sessions by their numbers. False: it came before. */
bool begin(struct call* call) {
  struct environment* environment = call->environment;
  lock(&environment->lock);
  const bool run = !call->cancelled && !environment->ending;
  for (size_t i = 0; run && call->function->numbered && i < call->n_handles; ++i) {
    if (call->handles[i]->kind != HANDLE_SESSION) continue;
    environment->library->rondo_session_call(call->raws[i], &call->numbers[i]);
  }
  call->started = run;
  unlock(&environment->lock);
  return run;
}

static void run(struct call* call) {
  if (begin(call)) {
    execute(call);
  } else {
    call->status = RONDO_STATUS_CANCELLED;
  }
  lock(&call->environment->lock);
  call->started = false;
  unlock(&call->environment->lock);
}

static struct call* taken(struct environment* environment) {
  struct call* call = environment->queue;
  environment->queue = call->next;
  if (environment->queue == NULL) environment->queue_end = &environment->queue;
  call->next = environment->running;
  environment->running = call;
  return call;
}

static thread_result THREAD_CALL serve(void* user) {
  struct thread_entry* entry = user;
  struct environment* environment = entry->environment;
  bool idle_long = false;
  lock(&environment->lock);
  while (!environment->ending) {
    if (environment->queue != NULL) {
      struct call* call = taken(environment);
      unlock(&environment->lock);
      run(call);
      struct notice* notice = calloc(1, sizeof *notice);
      if (notice == NULL) abort();
      notice->kind = NOTICE_DONE;
      notice->call = call;
      notify(environment, notice);
      lock(&environment->lock);
      idle_long = false;
      continue;
    }
    if (idle_long) break;
    ++environment->idle;
    idle_long = !wait_idle(&environment->wake, &environment->lock);
    --environment->idle;
  }
  struct thread_entry** at = &environment->threads;
  while (*at != entry) at = &(*at)->next;
  *at = entry->next;
  entry->next = environment->ended; /* who joins it frees it */
  environment->ended = entry;
  wake_all(&environment->answer);
  unlock(&environment->lock);
  return (thread_result)0;
}

static void join_ended(struct environment* environment) {
  lock(&environment->lock);
  struct thread_entry* entry = environment->ended;
  environment->ended = NULL;
  unlock(&environment->lock);
  while (entry != NULL) {
    struct thread_entry* next = entry->next;
    thread_join(&entry->thread);
    free(entry);
    entry = next;
  }
}

/* Under the lock. */
static bool start_thread(struct environment* environment) {
  struct thread_entry* entry = calloc(1, sizeof *entry);
  if (entry == NULL) return false;
  entry->environment = environment;
  entry->next = environment->threads;
  environment->threads = entry;
  if (thread_start(&entry->thread, serve, entry)) return true;
  environment->threads = entry->next;
  free(entry);
  return false;
}

bool submit(struct call* call) {
  struct environment* environment = call->environment;
  bool served = true;
  size_t queued = 1;
  call->numbers = calloc(call->n_handles + 1, sizeof *call->numbers);
  call->raws = calloc(call->n_handles + 1, sizeof *call->raws);
  if (call->numbers == NULL || call->raws == NULL) return false;
  for (size_t i = 0; i < call->n_handles; ++i) call->raws[i] = call->handles[i]->raw;
  join_ended(environment);
  lock(&environment->lock);
  for (struct call* other = environment->queue; other != NULL; other = other->next) ++queued;
  if (environment->idle < queued)
    served = start_thread(environment) || environment->threads != NULL;
  if (served) {
    if (++environment->last_id == 0) ++environment->last_id;
    call->id = environment->last_id;
    call->next = NULL;
    *environment->queue_end = call;
    environment->queue_end = &call->next;
    wake_one(&environment->wake);
  }
  unlock(&environment->lock);
  if (served && environment->waiting++ == 0) {
    napi_ref_threadsafe_function(environment->env, environment->notices);
  }
  return served;
}

/* Under the lock. */
static void cancel_locked(struct call* call) {
  call->cancelled = true;
  if (!call->started || !call->function->numbered) return;
  for (size_t i = 0; i < call->n_handles; ++i) {
    if (call->handles[i]->kind != HANDLE_SESSION) continue;
    call->environment->library->rondo_session_cancel_call((rondo_session*)call->raws[i],
                                                          call->numbers[i]);
  }
}

void cancel(struct call* call) {
  lock(&call->environment->lock);
  cancel_locked(call);
  unlock(&call->environment->lock);
}

struct call* running_call(struct environment* environment, uint32_t id) {
  struct call* found = NULL;
  lock(&environment->lock);
  for (struct call* call = environment->running; call != NULL; call = call->next) {
    if (call->id == id) found = call;
  }
  for (struct call* call = environment->queue; call != NULL; call = call->next) {
    if (call->id == id) found = call;
  }
  unlock(&environment->lock);
  return found;
}

/* Asks JavaScript, from another thread; nonzero: the call is to end. */
static int32_t ask(struct notice* notice) {
  struct environment* environment = notice->call->environment;
  lock(&environment->lock);
  if (environment->ending || notice->call->cancelled) {
    unlock(&environment->lock);
    free(notice);
    return 1;
  }
  notify(environment, notice);
  while (!notice->answered && !environment->ending) wait(&environment->answer, &environment->lock);
  const bool answered = notice->answered;
  const bool stop = !answered || notice->stop || notice->call->cancelled;
  unlock(&environment->lock);
  if (answered)
    free(notice); /* else it is still in the queue, which ends with the process's thread */
  return stop;
}

int32_t on_progress(void* user, uint64_t done, uint64_t total) {
  struct call* call = user;
  if (call->callback == NULL) {
    lock(&call->environment->lock);
    const bool stop = call->cancelled || call->environment->ending;
    unlock(&call->environment->lock);
    return stop;
  }
  struct notice* notice = calloc(1, sizeof *notice);
  if (notice == NULL) return 1;
  notice->kind = NOTICE_PROGRESS;
  notice->call = call;
  notice->done = done;
  notice->total = total;
  return ask(notice);
}

void on_row(void* user, size_t index, const float* logits, size_t count) {
  struct call* call = user;
  struct notice* notice = calloc(1, sizeof *notice);
  if (notice == NULL) return;
  notice->kind = NOTICE_ROW;
  notice->call = call;
  notice->done = index;
  notice->total = count;
  notice->logits = logits;
  if (ask(notice) != 0) cancel(call);
}

void on_log(void* user, int32_t level, const char* message) {
  struct logger* logger = user;
  struct notice* notice = calloc(1, sizeof *notice);
  if (notice == NULL) return;
  notice->kind = NOTICE_LOG;
  notice->logger = logger;
  notice->level = level;
  snprintf(notice->text, sizeof notice->text, "%s", message);
  lock(&logger->environment->lock);
  ++logger->users;
  unlock(&logger->environment->lock);
  notify(logger->environment, notice);
}

/* Calls `function` and says whether it wants an end. What it throws nobody catches: callbacks.cjs
 * wraps those whose call can fail by it. */
static bool told(napi_env env, napi_ref reference, size_t n, napi_value* arguments) {
  napi_value function = NULL, global, error, result = NULL;
  bool stop = false;
  napi_get_reference_value(env, reference, &function);
  napi_get_global(env, &global);
  if (napi_call_function(env, global, function, n, arguments, &result) != napi_ok) {
    if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
    return true;
  }
  napi_get_value_bool(env, result, &stop);
  return stop;
}

static void finish(napi_env env, struct environment* environment, struct call* call) {
  lock(&environment->lock);
  struct call** at = &environment->running;
  while (*at != call) at = &(*at)->next;
  *at = call->next;
  unlock(&environment->lock);
  if (--environment->waiting == 0) napi_unref_threadsafe_function(env, environment->notices);
  napi_value value = call->status == RONDO_STATUS_OK ? results(env, call) : NULL;
  if (value != NULL) {
    napi_resolve_deferred(env, call->deferred, value);
  } else {
    napi_value error;
    bool pending = false;
    napi_is_exception_pending(env, &pending);
    if (pending) {
      napi_get_and_clear_last_exception(env, &error);
    } else {
      error = error_of(env, call);
    }
    napi_reject_deferred(env, call->deferred, error);
  }
  free_call(env, call);
}

static void answer(struct environment* environment, struct notice* notice, bool stop) {
  lock(&environment->lock);
  notice->answered = true;
  notice->stop = stop;
  wake_all(&environment->answer);
  unlock(&environment->lock);
}

/* On the thread of JavaScript; env is NULL where its end has come. */
static void on_notice(napi_env env, napi_value function, void* context, void* data) {
  struct environment* environment = context;
  struct notice* notice = data;
  napi_value arguments[2];
  (void)function;
  if (env == NULL || environment->ending) {
    free(notice); /* no thread is left that looks at it */
    return;
  }
  switch (notice->kind) {
    case NOTICE_DONE: {
      struct call* call = notice->call;
      free(notice);
      finish(env, environment, call);
      break;
    }
    case NOTICE_PROGRESS:
      arguments[0] = written_u64(env, notice->done);
      arguments[1] = written_u64(env, notice->total);
      answer(environment, notice, told(env, notice->call->callback, 2, arguments));
      break;
    case NOTICE_ROW:
      arguments[0] = written_u64(env, notice->done);
      arguments[1] = written_array(env, napi_float32_array, notice->logits, (size_t)notice->total);
      answer(environment, notice, told(env, notice->call->callback, 2, arguments));
      break;
    case NOTICE_LOG:
      napi_create_int32(env, notice->level, &arguments[0]);
      napi_create_string_utf8(env, notice->text, NAPI_AUTO_LENGTH, &arguments[1]);
      told(env, notice->logger->function, 2, arguments);
      drop_logger(env, notice->logger);
      free(notice);
  }
}

/* Its handles are closed when they are finalized, which comes next. */
static void abandon(struct call* call) {
  while (call != NULL) {
    struct call* next = call->next;
    for (size_t i = 0; i < call->n_handles; ++i) --call->handles[i]->calls;
    free_call(NULL, call);
    call = next;
  }
}

static void end(void* data) {
  struct environment* environment = data;
  lock(&environment->lock);
  environment->ending = true;
  for (struct call* call = environment->running; call != NULL; call = call->next)
    cancel_locked(call);
  wake_all(&environment->wake);
  wake_all(&environment->answer);
  while (environment->threads != NULL) wait(&environment->answer, &environment->lock);
  unlock(&environment->lock);
  join_ended(environment);
  abandon(environment->running);
  abandon(environment->queue);
}

bool start_waiting(napi_env env, struct environment* environment) {
  napi_value name;
  mutex_init(&environment->lock);
  condition_init(&environment->wake);
  condition_init(&environment->answer);
  environment->queue_end = &environment->queue;
  napi_create_string_utf8(env, "rondo", NAPI_AUTO_LENGTH, &name);
  if (napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, environment,
                                      on_notice, &environment->notices) != napi_ok) {
    return false;
  }
  napi_unref_threadsafe_function(env, environment->notices);
  /* Before the end of what was just made, as hooks run in the reverse order. */
  return napi_add_env_cleanup_hook(env, end, environment) == napi_ok;
}
