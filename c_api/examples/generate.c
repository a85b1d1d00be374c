/* Continues a text: cc generate.c -lrondo && ./a.out model.rondo "Once upon a time" */
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
  int32_t ids[256];
  size_t count = 0;
  char why[256] = "usage: generate MODEL PROMPT";
  int32_t status = RONDO_STATUS_OK; /* of calls that give no sentence */

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 64;
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  int failed = argc != 3 ||
               rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
               rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
               /* as its makers recommend: */
               (status = rondo_model_session_options(model, &session_options)) ||
               rondo_session_open(engine, &session_options, &session, why, sizeof why) ||
               (status = rondo_tokenize(model, argv[2], strlen(argv[2]), RONDO_TOKENIZE_ADD_SPECIAL,
                                        ids, 256, &count));
  if (!failed) failed = rondo_session_prefill(session, ids, count);
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
  rondo_session_close(session); /* in any order; NULL is fine */
  rondo_engine_close(engine);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
