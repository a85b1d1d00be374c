/* Stops a story in the middle, keeps the session in a file, and goes on in another engine:
 *     cc snapshot.c -lrondo && ./a.out model.rondo story.snapshot "Once upon a time" */
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char why[256] = "usage: snapshot MODEL FILE PROMPT";

/* A new engine with one session. */
static int open_session(rondo_model* model, rondo_session** session) {
  rondo_engine* engine = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  int failed;

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 64;
  failed = rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
           rondo_session_open(engine, &session_options, session, why, sizeof why);
  rondo_engine_close(engine); /* the session holds on to it */
  return failed;
}

/* Prints up to `tokens` more. */
static int tell(rondo_session* session, int tokens) {
  rondo_event event;
  event.struct_size = sizeof event;
  while (tokens-- > 0) {
    if (rondo_session_next(session, &event)) return 1;
    fwrite(event.text, 1, event.text_bytes, stdout);
    if (event.reason != RONDO_REASON_NONE) break;
  }
  return 0;
}

static int save(rondo_session* session, const char* path) {
  size_t bytes = 0;
  void* buffer;
  FILE* file;
  int failed;

  rondo_session_save(session, NULL, 0, &bytes); /* how many? */
  buffer = malloc(bytes);
  file = fopen(path, "wb");
  failed = buffer == NULL || file == NULL || rondo_session_save(session, buffer, bytes, &bytes) ||
           fwrite(buffer, 1, bytes, file) != bytes;
  if (file != NULL) failed |= fclose(file) != 0;
  free(buffer);
  return failed;
}

static int restore(rondo_session* session, const char* path) {
  FILE* file = fopen(path, "rb");
  long bytes = -1;
  void* buffer = NULL;
  int failed;

  if (file != NULL && fseek(file, 0, SEEK_END) == 0) bytes = ftell(file);
  if (bytes > 0) buffer = malloc((size_t)bytes);
  failed = buffer == NULL || fseek(file, 0, SEEK_SET) != 0 ||
           fread(buffer, 1, (size_t)bytes, file) != (size_t)bytes ||
           rondo_session_restore(session, buffer, (size_t)bytes);
  if (file != NULL) fclose(file);
  free(buffer);
  return failed;
}

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  rondo_session* first = NULL;
  rondo_session* second = NULL;
  int32_t ids[256];
  size_t count = 0;
  int32_t status = RONDO_STATUS_OK; /* of rondo_tokenize, which gives no sentence */
  int failed = argc != 4 ||
               rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
               open_session(model, &first) ||
               (status = rondo_tokenize(model, argv[3], strlen(argv[3]), RONDO_TOKENIZE_ADD_SPECIAL,
                                        ids, 256, &count));
  if (!failed) {
    failed = rondo_session_prefill(first, ids, count) || tell(first, 20) || save(first, argv[2]);
    if (failed) snprintf(why, sizeof why, "%s", rondo_session_last_error(first));
  }
  rondo_session_close(first); /* and with it its engine: this may be another day */
  if (!failed) failed = open_session(model, &second);
  if (!failed) {
    failed = restore(second, argv[2]) || tell(second, 64);
    if (failed) snprintf(why, sizeof why, "%s", rondo_session_last_error(second));
  }
  if (failed) fprintf(stderr, "failed: %s\n", status ? rondo_status_string(status) : why);
  rondo_session_close(second);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
