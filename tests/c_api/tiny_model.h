// The tiny model as a Rondo file, and handles that close themselves, for tests through rondo.h.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rondo/rondo.h"
#include "tests/support/sanitized.h"

namespace rondo::abi_test {

inline constexpr bool kSanitized = RONDO_SANITIZED;

struct Closer {
  void operator()(rondo_model* model) const { rondo_model_close(model); }
  void operator()(rondo_engine* engine) const { rondo_engine_close(engine); }
  void operator()(rondo_session* session) const { rondo_session_close(session); }
  void operator()(rondo_adapter* adapter) const { rondo_adapter_close(adapter); }
  void operator()(rondo_media* media) const { rondo_media_close(media); }
};
using Model = std::unique_ptr<rondo_model, Closer>;
using Engine = std::unique_ptr<rondo_engine, Closer>;
using Session = std::unique_ptr<rondo_session, Closer>;
using Media = std::unique_ptr<rondo_media, Closer>;
using Adapter = std::unique_ptr<rondo_adapter, Closer>;

// Converted by the tool once per process; removed at its end.
const std::string& TinyModelPath();
// An adapter of rank kTinyAdapterRank for it, likewise.
inline constexpr uint32_t kTinyAdapterRank = 4;
const std::string& TinyAdapterPath();
Adapter OpenTinyAdapter(rondo_model* model);
// A model that sees, likewise.
const std::string& SeeingModelPath();
// The file's bytes, aligned to 64.
std::vector<unsigned char> ReadFile(const std::string& path);

Model OpenTiny();
Model OpenSeeing();
rondo_engine_options EngineOptions();    // context 256, one thread
rondo_session_options SessionOptions();  // greedy, without limits
Engine NewEngine(rondo_model* model, const rondo_engine_options& options = EngineOptions());
Session NewSession(rondo_engine* engine, const rondo_session_options& options = SessionOptions());
std::vector<int32_t> Ids(const rondo_model* model, const std::string& text);

struct Generated {
  std::vector<int32_t> tokens;
  std::string text;
  int32_t reason = RONDO_REASON_NONE;
};
// Calls next until the end, or until `max_events`.
Generated Generate(rondo_session* session, size_t max_events = 1000);

}  // namespace rondo::abi_test
