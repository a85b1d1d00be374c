/* Cancels a long prompt from another thread, and goes on with the session as if it had never come:
 * cc cancel.c -lrondo -lpthread && ./a.out model.rondo "Once upon a time" */
#include <pthread.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

enum { kLong = 4096 };

struct prompt {
  rondo_session* session;
  int32_t ids[kLong];
  int32_t status;
};

static void* prefill(void* user) {
  struct prompt* prompt = user;
  prompt->status = rondo_session_prefill(prompt->session, prompt->ids, kLong);
  return NULL;
}

int main(int argc, char** argv) {
  static struct prompt prompt;
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_event event;
  pthread_t thread;
  uint64_t before = 0, after = 0;
  int32_t ids[256];
  size_t count = 0, i;
  char why[256] = "usage: cancel MODEL PROMPT";
  int32_t status = RONDO_STATUS_OK; /* of rondo_tokenize, which gives no sentence */
  int failed;

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  engine_options.context = kLong + 256;
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 16;
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  failed = argc != 3 ||
           rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
           rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
           rondo_session_open(engine, &session_options, &session, why, sizeof why) ||
           (status = rondo_tokenize(model, argv[2], strlen(argv[2]), RONDO_TOKENIZE_ADD_SPECIAL,
                                    ids, 256, &count)) ||
           rondo_session_prefill(session, ids, count) || rondo_session_position(session, &before);
  if (!failed) {
    for (i = 0; i < kLong; ++i) prompt.ids[i] = ids[i % count];
    prompt.session = session;
    failed = pthread_create(&thread, NULL, prefill, &prompt);
  }
  if (!failed) {
    /* Whichever comes first: the call that runs is cancelled, or else the next one. */
    rondo_session_cancel(session);
    pthread_join(thread, NULL);
    printf("the long prompt: %s\n", rondo_status_string(prompt.status));
    failed = rondo_session_position(session, &after);
    if (prompt.status == RONDO_STATUS_OK) { /* too late: then it cancels the next call */
      failed = failed || rondo_session_undo(session, after - before);
      rondo_session_next(session, &event);
    } else {
      failed = failed || prompt.status != RONDO_STATUS_CANCELLED || before != after;
    }
  }
  while (!failed && event.reason == RONDO_REASON_NONE) {
    failed = rondo_session_next(session, &event);
    fwrite(event.text, 1, event.text_bytes, stdout);
  }
  if (failed) {
    fprintf(stderr, "%s\n",
            status    ? rondo_status_string(status)
            : session ? rondo_session_last_error(session)
                      : why);
  }
  rondo_session_close(session);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
