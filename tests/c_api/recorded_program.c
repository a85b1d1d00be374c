/* A program as its author compiled it against a recorded header: abi_test.sh builds it with each of
 * them and runs it with the library of today. All structs go in with the sizes that they had then.
 *   recorded_program MODEL: prints the tokens that it generated. */
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char why[256];

#define REQUIRE(call)                                                              \
  do {                                                                             \
    const int32_t status_ = (call);                                                \
    if (status_ != RONDO_STATUS_OK) {                                              \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, rondo_status_string(status_), \
              why[0]    ? why                                                      \
              : session ? rondo_session_last_error(session)                        \
                        : "");                                                     \
      return 1;                                                                    \
    }                                                                              \
  } while (0)

static int32_t generate(rondo_session* session, int tokens) {
  rondo_event event;
  memset(&event, 0xee, sizeof event); /* what the library does not fill would be seen */
  event.struct_size = sizeof event;
  while (tokens-- > 0) {
    const int32_t status = rondo_session_next(session, &event);
    if (status != RONDO_STATUS_OK) return status;
    printf("%d ", (int)event.token);
  }
  return event.pending == 0 && event.reason == RONDO_REASON_NONE ? RONDO_STATUS_OK
                                                                 : RONDO_STATUS_INTERNAL;
}

int main(int argc, char** argv) {
  static const char kPrompt[] = "Today's weather is so";
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_session* fork = NULL;
  rondo_model_facts facts;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_chat_options chat_options;
  rondo_memory_plan plan;
  rondo_memory_region region;
  rondo_engine_counters counters;
  rondo_session* both[2];
  rondo_event event;
  int32_t ids[64];
  size_t count = 0, bytes = 0;
  void* snapshot;
  int i;

  if (argc != 2 || rondo_abi_version() < RONDO_ABI_VERSION) return 1;
  REQUIRE(rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why));
  facts.struct_size = sizeof facts;
  REQUIRE(rondo_model_info(model, &facts));

  REQUIRE(rondo_engine_options_init(&engine_options, sizeof engine_options));
  engine_options.context = 256;
  engine_options.max_sessions = 2;
  engine_options.threads = 1;
  plan.struct_size = sizeof plan;
  REQUIRE(rondo_plan(model, &engine_options, &plan, why, sizeof why));
  region.struct_size = sizeof region;
  REQUIRE(rondo_plan_region(model, &engine_options, plan.n_regions - 1, &region));
  if (region.offset + region.bytes > plan.arena_bytes || plan.context != 256) return 1;
  REQUIRE(rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why));

  REQUIRE(rondo_session_options_init(&session_options, sizeof session_options));
  REQUIRE(rondo_model_session_options(model, &session_options));
  session_options.temperature = 0;
  session_options.ignore_eos = 1;
  REQUIRE(rondo_session_open(engine, &session_options, &session, why, sizeof why));
  REQUIRE(
      rondo_tokenize(model, kPrompt, strlen(kPrompt), RONDO_TOKENIZE_ADD_SPECIAL, ids, 64, &count));
  REQUIRE(rondo_session_prefill(session, ids, count));
  REQUIRE(generate(session, 8));

  rondo_session_save(session, NULL, 0, &bytes);
  snapshot = malloc(bytes);
  if (snapshot == NULL) return 1;
  REQUIRE(rondo_session_save(session, snapshot, bytes, &bytes));
  REQUIRE(generate(session, 8));
  REQUIRE(rondo_session_restore(session, snapshot, bytes));
  free(snapshot);

  REQUIRE(rondo_session_fork(session, &session_options, &fork, why, sizeof why));
  both[0] = session;
  both[1] = fork;
  REQUIRE(rondo_engine_step(engine, both, 2, why, sizeof why));
  for (i = 0; i < 2; ++i) {
    event.struct_size = sizeof event;
    REQUIRE(rondo_session_event(both[i], &event));
    printf("%d ", (int)event.token);
  }
  counters.struct_size = sizeof counters;
  REQUIRE(rondo_engine_stats(engine, &counters));
  if (counters.sessions_open != 2 || counters.tokens_prefilled < count) return 1;

  REQUIRE(rondo_chat_options_init(&chat_options, sizeof chat_options));
  chat_options.messages = "[{\"role\": \"user\", \"content\": \"Hi\"}]";
  chat_options.messages_bytes = strlen(chat_options.messages);
  chat_options.template_text = "{{ messages[0].content }}";
  chat_options.template_bytes = strlen(chat_options.template_text);
  REQUIRE(rondo_chat_render(model, &chat_options, NULL, 0, NULL, ids, 64, &count, why, sizeof why));
  printf("%d\n", (int)count);

  rondo_model_close(model);
  rondo_engine_close(engine);
  rondo_session_close(fork);
  rondo_session_close(session);
  return 0;
}
