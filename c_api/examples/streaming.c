/* Shows text as it comes, stops at a string, and tells how sure the model was of each token:
 * cc streaming.c -lrondo && ./a.out model.rondo "Once upon a time" " and" */
#include <math.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

static const char* const kReasons[] = {"going on", "an end token", "the stop string",
                                       "the limit of tokens", "a full context"};

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_event event;
  const char* stop[1];
  int32_t ids[256];
  size_t count = 0, tokens = 0;
  double sum = 0;
  char why[256] = "usage: streaming MODEL PROMPT STOP";
  int32_t status = RONDO_STATUS_OK; /* of rondo_tokenize, which gives no sentence */
  int failed = argc != 4;

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 64;
  session_options.logprobs = 1;
  if (!failed) {
    stop[0] = argv[3];
    session_options.stop_strings = stop;
    session_options.n_stop_strings = 1;
  }
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
    if (failed) break;
    /* Whole characters only, and nothing of a stop string: what may become one is held back. */
    fwrite(event.text, 1, event.text_bytes, stdout);
    fflush(stdout);
    if (event.token >= 0) {
      sum += event.logprob;
      ++tokens;
    }
  }
  if (failed) {
    fprintf(stderr, "%s\n",
            status    ? rondo_status_string(status)
            : session ? rondo_session_last_error(session)
                      : why);
  } else {
    printf("\n%u tokens, each with a probability of %.3f in the mean; ended by %s\n",
           (unsigned)tokens, exp(sum / (double)tokens), kReasons[event.reason]);
  }
  rondo_session_close(session);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
