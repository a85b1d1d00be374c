/* The whole way in C99: proves that rondo.h compiles and works there. Returns 0, or the line that
 * failed. */
#include <stdlib.h>
#include <string.h>

#include "rondo/rondo.h"

#define REQUIRE(condition) \
  do {                     \
    if (!(condition)) {    \
      return __LINE__;     \
    }                      \
  } while (0)

int c99_generation(const char* path, char* text, size_t text_capacity);

int c99_generation(const char* path, char* text, size_t text_capacity) {
  static const char kPrompt[] = "Today's weather is so";
  rondo_model* model;
  rondo_engine* engine;
  rondo_session* session;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_memory_plan plan;
  rondo_event event;
  int32_t ids[64];
  size_t count;
  size_t length = 0;
  char message[256];
  void* block;
  unsigned char* arena;

  REQUIRE(rondo_abi_version() == RONDO_ABI_VERSION);
  REQUIRE(rondo_model_open_path(RONDO_ABI_VERSION, path, &model, message, sizeof message) ==
          RONDO_STATUS_OK);
  REQUIRE(message[0] == '\0');

  /* Memory of our own, exactly as the plan says. */
  REQUIRE(rondo_engine_options_init(&engine_options, sizeof engine_options) == RONDO_STATUS_OK);
  engine_options.context = 128;
  engine_options.threads = 2;
  plan.struct_size = sizeof plan;
  REQUIRE(rondo_plan(model, &engine_options, &plan, NULL, 0) == RONDO_STATUS_OK);
  block = malloc((size_t)(plan.arena_bytes + plan.arena_alignment));
  REQUIRE(block != NULL);
  arena = (unsigned char*)block;
  while ((uintptr_t)arena % plan.arena_alignment != 0) ++arena;
  REQUIRE(rondo_engine_create(model, &engine_options, arena, (size_t)plan.arena_bytes, &engine,
                              message, sizeof message) == RONDO_STATUS_OK);

  REQUIRE(rondo_session_options_init(&session_options, sizeof session_options) == RONDO_STATUS_OK);
  session_options.max_tokens = 24;
  REQUIRE(rondo_session_open(engine, &session_options, &session, message, sizeof message) ==
          RONDO_STATUS_OK);
  REQUIRE(rondo_tokenize(model, kPrompt, strlen(kPrompt), RONDO_TOKENIZE_ADD_SPECIAL, ids, 64,
                         &count) == RONDO_STATUS_OK);
  REQUIRE(rondo_session_prefill(session, ids, count) == RONDO_STATUS_OK);
  event.struct_size = sizeof event;
  do {
    REQUIRE(rondo_session_next(session, &event) == RONDO_STATUS_OK);
    REQUIRE(length + event.text_bytes < text_capacity);
    memcpy(text + length, event.text, event.text_bytes);
    length += event.text_bytes;
  } while (event.reason == RONDO_REASON_NONE);
  text[length] = '\0';

  rondo_model_close(model); /* its children keep it */
  rondo_engine_close(engine);
  rondo_session_close(session);
  free(block);
  return 0;
}
