/* Evaluates a system prompt once and forks it for every question:
 * cc fork_prompt.c -lrondo && ./a.out model.rondo "The system prompt." "A question" "Another" */
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

static char why[256] = "usage: fork_prompt MODEL SYSTEM QUESTION...";

/* Keeps the sentence about what a call failed with, where it did. */
static int told(int32_t status, const char* sentence) {
  if (status) snprintf(why, sizeof why, "%s", sentence);
  return status != RONDO_STATUS_OK;
}

static int add(const rondo_model* model, rondo_session* session, const char* text, uint32_t flags) {
  int32_t ids[256];
  size_t count = 0;
  int32_t status = rondo_tokenize(model, text, strlen(text), flags, ids, 256, &count);
  if (told(status, rondo_status_string(status))) return 1;
  status = rondo_session_prefill(session, ids, count);
  return told(status, rondo_session_last_error(session));
}

static int answer(rondo_session* session) {
  rondo_event event;
  event.struct_size = sizeof event;
  do {
    const int32_t status = rondo_session_next(session, &event);
    if (told(status, rondo_session_last_error(session))) return 1;
    fwrite(event.text, 1, event.text_bytes, stdout);
  } while (event.reason == RONDO_REASON_NONE);
  putchar('\n');
  return 0;
}

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* system_prompt = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_engine_counters counters;
  int failed, i;

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  engine_options.max_sessions = 2; /* the system prompt, and one question at a time */
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 16;
  counters.struct_size = sizeof counters;
  failed = argc < 4 || rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
           rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
           rondo_session_open(engine, &session_options, &system_prompt, why, sizeof why) ||
           add(model, system_prompt, argv[2], RONDO_TOKENIZE_ADD_SPECIAL);
  for (i = 3; !failed && i < argc; ++i) {
    rondo_session* question = NULL;
    session_options.seed = (uint64_t)i; /* a fork has options of its own */
    failed = rondo_session_fork(system_prompt, &session_options, &question, why, sizeof why) ||
             add(model, question, argv[i], 0) || answer(question);
    rondo_session_close(question);
  }
  if (!failed) failed = rondo_engine_stats(engine, &counters);
  if (!failed) printf("%u tokens of prompts were evaluated\n", (unsigned)counters.tokens_prefilled);
  if (failed) fprintf(stderr, "failed: %s\n", why);
  rondo_session_close(system_prompt);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
