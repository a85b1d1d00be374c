// What the tests of behaviours share: checks, the models that RONDO_TEST_... name, a session's
// texts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <rondo/rondo.hpp>
#include <string>
#include <vector>

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

// The status that a call fails with, whose sentence has these words; RONDO_STATUS_OK: it does not
// fail.
template <typename Call>
int32_t Refusal(Call call, const std::string& words = "") {
  try {
    call();
  } catch (const rondo::Error& error) {
    if (std::string(error.what()).find(words) != std::string::npos) return error.status();
    std::fprintf(stderr, "not '%s': %s\n", words.c_str(), error.what());
    return -1;
  }
  return RONDO_STATUS_OK;
}

inline std::string Path(const char* name) {
  const char* const path = std::getenv(name);
  CHECK(path != nullptr);
  return path;
}

constexpr const char* kPrompt = "Today's weather is so";

inline rondo::EngineOptions Small(uint32_t sessions = 4) {
  rondo::EngineOptions options;
  options.context = 256;
  options.max_sessions = sessions;
  return options;
}

inline rondo::SessionOptions Limited(uint64_t tokens = 16) {
  rondo::SessionOptions options;
  options.max_tokens = tokens;
  return options;
}

inline std::string Said(const rondo::Engine& engine,
                        const rondo::SessionOptions& options = Limited()) {
  return rondo::Session(engine, options).Generate(kPrompt);
}

// What main runs, in this order.
void TestModels();
void TestOptions();
void TestTexts();
void TestMore();
void TestCancels();
void TestLife();
void TestState();
