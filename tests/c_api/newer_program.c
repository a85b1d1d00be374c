/* A program of tomorrow: abi_test.sh compiles it against today's header with a higher version, a
 * field `future` at the end of every struct, and a function more. The library of today refuses what
 * it does not know, by a status, and serves what does not use it.
 *   newer_program MODEL */
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

#define REQUIRE(condition)                    \
  do {                                        \
    if (!(condition)) {                       \
      fprintf(stderr, "line %d\n", __LINE__); \
      return 1;                               \
    }                                         \
  } while (0)

int main(int argc, char** argv) {
  const uint32_t older = RONDO_ABI_VERSION - 1;
  rondo_model* model;
  rondo_engine* engine;
  rondo_session* session;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_model_facts facts;
  rondo_memory_plan plan;
  char why[256];

  REQUIRE(argc == 2 && rondo_abi_version() == older);
  REQUIRE(rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ==
          RONDO_STATUS_VERSION_MISMATCH);
  REQUIRE(model == NULL && strstr(why, "compiled for ABI") != NULL);
  puts(why);

  /* It may ask for the older one, and goes without what is new. */
  REQUIRE(rondo_model_open_path(older, argv[1], &model, why, sizeof why) == RONDO_STATUS_OK);
  memset(&facts, 0xff, sizeof facts);
  facts.struct_size = sizeof facts;
  REQUIRE(rondo_model_info(model, &facts) == RONDO_STATUS_OK);
  REQUIRE(facts.vocab_size > 0 && facts.future == 0);

  REQUIRE(rondo_engine_options_init(&engine_options, sizeof engine_options) == RONDO_STATUS_OK);
  engine_options.context = 64;
  engine_options.threads = 1;
  plan.struct_size = sizeof plan;
  engine_options.future = 1;
  REQUIRE(rondo_plan(model, &engine_options, &plan, why, sizeof why) ==
          RONDO_STATUS_VERSION_MISMATCH);
  REQUIRE(plan.context == 0 && plan.future == 0);
  puts(why);
  REQUIRE(rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ==
          RONDO_STATUS_VERSION_MISMATCH);
  engine_options.future = 0;
  REQUIRE(rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ==
          RONDO_STATUS_OK);

  REQUIRE(rondo_session_options_init(&session_options, sizeof session_options) == RONDO_STATUS_OK);
  session_options.future = 1;
  REQUIRE(rondo_session_open(engine, &session_options, &session, why, sizeof why) ==
          RONDO_STATUS_VERSION_MISMATCH);
  puts(why);
  session_options.future = 0;
  REQUIRE(rondo_session_open(engine, &session_options, &session, why, sizeof why) ==
          RONDO_STATUS_OK);
  rondo_session_close(session);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return 0;
}
