/* Continues several texts at once, one pass for all of them, and forks the first one's beginning:
 * cc many_sessions.c -lrondo && ./a.out model.rondo "Once upon a time" "The cat" "A dog" */
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

enum { kMost = 8 };

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* sessions[kMost] = {NULL};
  rondo_session* running[kMost];
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_event event;
  char texts[kMost][1024] = {""};
  int32_t ids[256];
  size_t count = 0, n_sessions = 0, n_running = 0, i;
  char why[256] = "usage: many_sessions MODEL PROMPT...";
  int32_t status = RONDO_STATUS_OK; /* of calls that give no sentence */
  int failed = argc < 3 || argc - 1 > kMost;

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  engine_options.max_sessions = kMost;
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 32;
  event.struct_size = sizeof event;
  failed = failed || rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
           rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why);
  for (; !failed && n_sessions + 2 < (size_t)argc; ++n_sessions) {
    const char* prompt = argv[n_sessions + 2];
    failed = rondo_session_open(engine, &session_options, &sessions[n_sessions], why, sizeof why) ||
             (status = rondo_tokenize(model, prompt, strlen(prompt), RONDO_TOKENIZE_ADD_SPECIAL,
                                      ids, 256, &count)) ||
             (status = rondo_session_append(sessions[n_sessions], ids, count));
  }
  if (!failed) { /* another ending for the first: same tokens, options of its own */
    session_options.temperature = 1;
    session_options.seed = 7;
    failed =
        rondo_session_fork(sessions[0], &session_options, &sessions[n_sessions], why, sizeof why);
    ++n_sessions;
  }
  for (i = 0; i < n_sessions; ++i) running[n_running++] = sessions[i];
  while (!failed && n_running > 0) {
    size_t still = 0;
    failed = rondo_engine_step(engine, running, n_running, why, sizeof why);
    for (i = 0; !failed && i < n_running; ++i) {
      size_t which = 0;
      failed = (status = rondo_session_event(running[i], &event)) != RONDO_STATUS_OK;
      while (sessions[which] != running[i]) ++which;
      strncat(texts[which], event.text, event.text_bytes);
      if (event.reason == RONDO_REASON_NONE) running[still++] = running[i];
    }
    n_running = still;
  }
  for (i = 0; !failed && i < n_sessions; ++i) printf("%s\n", texts[i]);
  if (failed) fprintf(stderr, "%s\n", status ? rondo_status_string(status) : why);
  for (i = 0; i < kMost; ++i) rondo_session_close(sessions[i]);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
