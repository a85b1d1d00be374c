// Sessions of one engine, each with a prompt and options by its number; and what each gives alone.
#pragma once

#include <string>
#include <vector>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {

inline rondo_engine_options Many(uint32_t sessions) {
  rondo_engine_options options = EngineOptions();
  options.max_sessions = sessions;
  options.max_rows = 32;
  return options;
}

inline rondo_session_options Sampled(uint64_t seed, uint64_t max_tokens = 40) {
  rondo_session_options options = SessionOptions();
  options.temperature = seed % 2 == 0 ? 0.0f : 0.9f;
  options.seed = seed;
  options.max_tokens = max_tokens;
  return options;
}

inline std::vector<int32_t> Prompt(const rondo_model* model, size_t i) {
  static const char* const kTexts[] = {
      "Once upon a time, there was a little girl who lived in a big house near the old forest",
      "The cat", "Tom and his dog went to the park. They saw a red ball and ran to it", "Rain"};
  std::vector<int32_t> ids = Ids(model, kTexts[i % 4]);
  const std::vector<int32_t> once = ids;
  for (size_t n = 0; n < i / 4; ++n) ids.insert(ids.end(), once.begin(), once.end());
  return ids;
}

inline Session Open(rondo_engine* engine, const rondo_session_options& options) {
  return NewSession(engine, options);
}

inline Generated Alone(const rondo_model* model, size_t i) {
  const Engine engine = NewEngine(const_cast<rondo_model*>(model), Many(1));
  const Session session = Open(engine.get(), Sampled(i));
  const std::vector<int32_t> ids = Prompt(model, i);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  return Generate(session.get());
}

inline int32_t Event(rondo_session* session, rondo_event* event) {
  *event = {};
  event->struct_size = sizeof *event;
  return rondo_session_event(session, event);
}

inline void ExpectEqual(const Generated& a, const Generated& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.reason, b.reason);
}

}  // namespace rondo::abi_test
