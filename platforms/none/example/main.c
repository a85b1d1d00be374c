/* A model that is a part of the firmware: it lies in the program as an array, and everything that
 * it needs in one more. Prints a text, the bits of its logits, and what it took. */
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

#include "start.h"

enum { kContext = 128, kTokens = 64 };

extern const unsigned char model_begin[], model_end[]; /* model.S */

/* rondo_plan says how much a model needs. */
static unsigned char arena[8 << 20] __attribute__((aligned(64)));

static uint64_t hash_of(uint64_t hash, const void* bytes, size_t n) {
  const unsigned char* p = (const unsigned char*)bytes;
  for (size_t i = 0; i < n; ++i) hash = (hash ^ p[i]) * UINT64_C(1099511628211);
  return hash;
}

int main(void) {
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options options;
  rondo_session_options sampling;
  rondo_memory_plan plan;
  rondo_event event;
  const char* const prompt = "Once upon a time";
  int32_t ids[64];
  size_t count = 0;
  uint64_t hash = UINT64_C(14695981039346656037);
  char line[256] = "";

  rondo_engine_options_init(&options, sizeof options);
  rondo_session_options_init(&sampling, sizeof sampling);
  plan.struct_size = sizeof plan;
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  options.context = kContext;
  options.max_rows = 16;
  options.threads = 1;
  sampling.max_tokens = kTokens;
  int failed =
      rondo_model_open_memory(RONDO_ABI_VERSION, model_begin, (size_t)(model_end - model_begin),
                              &model, line, sizeof line) ||
      rondo_plan(model, &options, &plan, line, sizeof line) ||
      rondo_engine_create(model, &options, arena, sizeof arena, &engine, line, sizeof line) ||
      rondo_session_open(engine, &sampling, &session, line, sizeof line) ||
      rondo_tokenize(model, prompt, strlen(prompt), RONDO_TOKENIZE_ADD_SPECIAL, ids, 64, &count);
  const unsigned calls_before = heap_calls;
  if (!failed) failed = rondo_session_prefill(session, ids, count);
  print("scalar ");
  while (!failed && event.reason == RONDO_REASON_NONE) {
    const float* logits = NULL;
    size_t vocab = 0;
    failed = rondo_session_logits(session, &logits, &vocab);
    if (failed) break;
    hash = hash_of(hash, logits, vocab * sizeof *logits);
    failed = rondo_session_next(session, &event);
    if (event.text_bytes >= sizeof line) failed = 1;
    if (failed) break;
    memcpy(line, event.text, event.text_bytes);
    line[event.text_bytes] = 0;
    print(line);
  }
  if (failed) {
    print(session != NULL ? rondo_session_last_error(session) : line);
  } else {
    snprintf(line, sizeof line, " %08lx%08lx\n", (unsigned long)(hash >> 32), (unsigned long)hash);
    print(line);
    snprintf(line, sizeof line, "arena %lu bytes, heap %lu; calls of malloc after the start: %u\n",
             (unsigned long)plan.arena_bytes, (unsigned long)heap_bytes(),
             heap_calls - calls_before);
    print(line);
  }
  return failed;
}
