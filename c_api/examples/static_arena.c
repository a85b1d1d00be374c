/* Runs a model in memory that is part of the program: nothing is taken from the system for weights,
 * cache or buffers. cc static_arena.c -lrondo && ./a.out model.rondo "Once upon a time" */
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

/* In .bss. rondo_plan says how much a model needs; `rondo inspect MODEL --plan` does so, too. */
static unsigned char memory[16 << 20];

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_memory_plan plan;
  rondo_event event;
  int32_t ids[256];
  size_t count = 0, spare = 0;
  uint32_t context = 0;
  unsigned char* arena = memory;
  char why[256] = "usage: static_arena MODEL PROMPT";
  int32_t status = RONDO_STATUS_OK; /* of rondo_tokenize, which gives no sentence */
  int failed;

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  rondo_session_options_init(&session_options, sizeof session_options);
  plan.struct_size = sizeof plan;
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  engine_options.threads = 1;
  session_options.max_tokens = 32;
  failed = argc != 3 || rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why);
  /* The longest context that fits, and what that takes. */
  if (!failed) {
    engine_options.max_rows = 64;
    failed = rondo_plan(model, &engine_options, &plan, why, sizeof why);
    if (!failed) {
      while ((uintptr_t)(arena + spare) % plan.arena_alignment != 0) ++spare;
      failed =
          rondo_plan_fit(model, &engine_options, sizeof memory - spare, &context, why, sizeof why);
    }
  }
  if (!failed) {
    engine_options.context = context;
    failed = rondo_plan(model, &engine_options, &plan, why, sizeof why) ||
             rondo_engine_create(model, &engine_options, arena + spare, (size_t)plan.arena_bytes,
                                 &engine, why, sizeof why) ||
             rondo_session_open(engine, &session_options, &session, why, sizeof why);
  }
  if (!failed) {
    printf("a context of %u in %u KB of %u\n", (unsigned)context,
           (unsigned)(plan.arena_bytes >> 10), (unsigned)(sizeof memory >> 10));
    failed = (status = rondo_tokenize(model, argv[2], strlen(argv[2]), RONDO_TOKENIZE_ADD_SPECIAL,
                                      ids, 256, &count)) ||
             rondo_session_prefill(session, ids, count);
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
  rondo_engine_close(engine); /* from here on the memory is the program's again */
  rondo_model_close(model);
  return failed ? 1 : 0;
}
