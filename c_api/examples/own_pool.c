/* Runs the engine's work on the program's own pool of threads, here one of three, and writes what
 * the engine has to tell to the program's own log: cc own_pool.c -lrondo -lpthread && ./a.out
 * model.rondo "Once upon a time" */
#include <pthread.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

enum { kThreads = 3 };

struct pool {
  pthread_mutex_t mutex;
  pthread_cond_t work, done;
  rondo_task task; /* of the call that runs, or NULL */
  void* context;
  size_t next, count, running;
  int over;
};

/* Takes parts until there are none; with the mutex. */
static void take_part(struct pool* pool) {
  while (pool->next < pool->count) {
    const size_t index = pool->next++;
    ++pool->running;
    pthread_mutex_unlock(&pool->mutex);
    pool->task(pool->context, index);
    pthread_mutex_lock(&pool->mutex);
    --pool->running;
  }
  if (pool->running == 0) pthread_cond_signal(&pool->done);
}

static void* work(void* user) {
  struct pool* pool = user;
  pthread_mutex_lock(&pool->mutex);
  while (!pool->over) {
    take_part(pool);
    pthread_cond_wait(&pool->work, &pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

static void parallel_for(void* user, size_t count, rondo_task task, void* context) {
  struct pool* pool = user;
  pthread_mutex_lock(&pool->mutex);
  pool->task = task;
  pool->context = context;
  pool->next = 0;
  pool->count = count;
  pthread_cond_broadcast(&pool->work);
  take_part(pool); /* the caller works, too */
  while (pool->running > 0) pthread_cond_wait(&pool->done, &pool->mutex);
  pool->count = 0;
  pthread_mutex_unlock(&pool->mutex);
}

/* Called by several threads at once where several are in calls. */
static void log_line(void* user, int32_t level, const char* message) {
  static const char* const kLevels[] = {"warning", "info", "debug"};
  fprintf(user, "rondo %s: %s\n", level <= RONDO_LOG_DEBUG ? kLevels[level] : "more", message);
}

int main(int argc, char** argv) {
  static struct pool pool = {PTHREAD_MUTEX_INITIALIZER,
                             PTHREAD_COND_INITIALIZER,
                             PTHREAD_COND_INITIALIZER,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0};
  pthread_t threads[kThreads];
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_engine_counters counters;
  rondo_event event;
  int32_t ids[256];
  size_t count = 0;
  char why[256] = "usage: own_pool MODEL PROMPT";
  int32_t status = RONDO_STATUS_OK; /* of rondo_tokenize, which gives no sentence */
  int failed = argc != 3, started = 0;

  while (started < kThreads && pthread_create(&threads[started], NULL, work, &pool) == 0) ++started;
  rondo_engine_options_init(&engine_options, sizeof engine_options);
  engine_options.threads = kThreads + 1;
  engine_options.parallel_for = parallel_for;
  engine_options.parallel_user = &pool;
  engine_options.log = log_line;
  engine_options.log_user = stderr;
  engine_options.log_level = RONDO_LOG_INFO;
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 32;
  counters.struct_size = sizeof counters;
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  failed = failed || rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
           rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
           rondo_session_open(engine, &session_options, &session, why, sizeof why) ||
           (status = rondo_tokenize(model, argv[2], strlen(argv[2]), RONDO_TOKENIZE_ADD_SPECIAL,
                                    ids, 256, &count)) ||
           rondo_session_prefill(session, ids, count);
  while (!failed && event.reason == RONDO_REASON_NONE) {
    failed = rondo_session_next(session, &event);
    fwrite(event.text, 1, event.text_bytes, stdout);
  }
  if (failed) {
    fprintf(stderr, "%s\n",
            status    ? rondo_status_string(status)
            : session ? rondo_session_last_error(session)
                      : why);
  } else if (rondo_engine_stats(engine, &counters) == RONDO_STATUS_OK) {
    printf("\nthe pool did %u times something else than it must\n",
           (unsigned)counters.parallel_faults);
  }
  rondo_session_close(session);
  rondo_engine_close(engine);
  rondo_model_close(model);
  pthread_mutex_lock(&pool.mutex);
  pool.over = 1;
  pthread_cond_broadcast(&pool.work);
  pthread_mutex_unlock(&pool.mutex);
  while (started > 0) pthread_join(threads[--started], NULL);
  return failed ? 1 : 0;
}
