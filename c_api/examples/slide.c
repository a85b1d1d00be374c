/* Writes on and on: when the context is full, the oldest tokens make room, but for the first ones:
 * cc slide.c -lrondo && ./a.out model.rondo "Once upon a time" */
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_event event;
  uint64_t begin = 0, end = 0, position = 0;
  int32_t ids[256];
  size_t count = 0;
  char why[256] = "usage: slide MODEL PROMPT";
  int32_t status = RONDO_STATUS_OK; /* of rondo_tokenize, which gives no sentence */
  int failed;

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  engine_options.context = 256;
  engine_options.max_rows = 64;
  engine_options.context_policy = RONDO_POLICY_SLIDE;
  engine_options.sink_tokens = 64; /* whole blocks: what the model leans on stays */
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 600; /* more than twice the context */
  session_options.ignore_eos = 1;
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  failed = argc != 3 ||
           rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
           rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
           rondo_session_open(engine, &session_options, &session, why, sizeof why) ||
           (status = rondo_tokenize(model, argv[2], strlen(argv[2]), RONDO_TOKENIZE_ADD_SPECIAL,
                                    ids, 256, &count)) ||
           rondo_session_prefill(session, ids, count);
  while (!failed && event.reason == RONDO_REASON_NONE) {
    failed = rondo_session_next(session, &event);
    fwrite(event.text, 1, event.text_bytes, stdout);
  }
  if (!failed) {
    failed =
        rondo_session_evicted(session, &begin, &end) || rondo_session_position(session, &position);
    printf("\n%u tokens; those from %u to %u are no longer seen\n", (unsigned)position,
           (unsigned)begin, (unsigned)end);
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
