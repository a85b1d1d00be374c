/* Opens a model that lies inside of another file, as an asset lies in an Android package (where
 * AAsset_openFileDescriptor64 gives these three numbers):
 * cc open_fd.c -lrondo && ./a.out package OFFSET LENGTH "Once upon a time" */
#include <fcntl.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_event event;
  int32_t ids[256];
  size_t count = 0;
  char why[256] = "usage: open_fd FILE OFFSET LENGTH PROMPT";
  int32_t status = RONDO_STATUS_OK; /* of rondo_tokenize, which gives no sentence */
  int failed = argc != 5;

  if (!failed) {
    const int fd = open(argv[1], O_RDONLY);
    failed = rondo_model_open_fd(RONDO_ABI_VERSION, fd, strtoull(argv[2], NULL, 10),
                                 strtoull(argv[3], NULL, 10), &model, why, sizeof why);
    if (fd >= 0) close(fd); /* the model has mapped what it needs */
  }
  rondo_engine_options_init(&engine_options, sizeof engine_options);
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 16;
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  failed = failed ||
           rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
           rondo_session_open(engine, &session_options, &session, why, sizeof why) ||
           (status = rondo_tokenize(model, argv[4], strlen(argv[4]), RONDO_TOKENIZE_ADD_SPECIAL,
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
  }
  rondo_session_close(session);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
