/* What a model says on this system, to compare with others: the greedy text, and a hash of all its
 * logits' bits, for each of the kernels named. bits_program MODEL KERNELS... */
#include <rondo/rondo.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kContext = 256, kPromptTokens = 64 };

static uint64_t hash_of(uint64_t hash, const void* bytes, size_t n) {
  const unsigned char* p = (const unsigned char*)bytes;
  for (size_t i = 0; i < n; ++i) hash = (hash ^ p[i]) * UINT64_C(1099511628211);
  return hash;
}

static int fail(const char* what, const char* why) {
  printf("%s: %s\n", what, why);
  return 1;
}

static int run(rondo_model* model, const char* kernels) {
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options options;
  rondo_session_options sampling;
  rondo_event event;
  char why[256] = "";
  const char* const prompt = "Once upon a time";
  int32_t ids[kPromptTokens];
  size_t count = 0, written = 0;
  uint64_t hash = UINT64_C(14695981039346656037);
  int failed = 0;

  rondo_engine_options_init(&options, sizeof options);
  rondo_session_options_init(&sampling, sizeof sampling);
  options.context = kContext;
  options.kernels = kernels;
  sampling.max_tokens = 64;
  if (rondo_engine_create(model, &options, NULL, 0, &engine, why, sizeof why)) {
    return fail(kernels, why);
  }
  if (rondo_session_open(engine, &sampling, &session, why, sizeof why)) {
    rondo_engine_close(engine);
    return fail(kernels, why);
  }
  rondo_tokenize(model, prompt, strlen(prompt), RONDO_TOKENIZE_ADD_SPECIAL, ids, kPromptTokens,
                 &count);
  failed = rondo_session_prefill(session, ids, count);
  event.struct_size = sizeof event;
  event.reason = RONDO_REASON_NONE;
  printf("%s ", kernels);
  while (!failed && event.reason == RONDO_REASON_NONE) {
    const float* logits = NULL;
    size_t vocab = 0;
    failed = rondo_session_logits(session, &logits, &vocab);
    if (!failed) {
      hash = hash_of(hash, logits, vocab * sizeof *logits);
      failed = rondo_session_next(session, &event);
      if (!failed) written += fwrite(event.text, 1, event.text_bytes, stdout);
    }
  }
  if (failed) {
    fail("", rondo_session_last_error(session));
  } else {
    printf(" %016llx\n", (unsigned long long)hash);
  }
  rondo_session_close(session);
  rondo_engine_close(engine);
  return failed || written == 0;
}

int main(int argc, char** argv) {
  rondo_model* model = NULL;
  char why[256] = "usage: bits_program MODEL KERNELS...";
  int failed = 0;
  if (argc < 3 || rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why)) {
    return fail("bits_program", why);
  }
  for (int i = 2; i < argc; ++i) failed |= run(model, argv[i]);
  rondo_model_close(model);
  return failed;
}
