// The library as the tool's commands use it: handles that close themselves, errors as exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rondo/rondo.h"
#include "tools/common/error.h"

namespace rondo::tools {

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
using Adapter = std::unique_ptr<rondo_adapter, Closer>;
using Media = std::unique_ptr<rondo_media, Closer>;

// That the system refused memory answers nothing: throws Error, so that it is not taken for a no.
inline void RequireMemory(int32_t status) {
  if (status == RONDO_STATUS_OUT_OF_MEMORY) throw Error(rondo_status_string(status));
}

// The text that `call(buffer, capacity, &length)`, a text output of the library, gives; empty where
// it has none.
template <typename Call>
std::string TextOutput(const Call& call) {
  size_t length = 0;
  RequireMemory(call(nullptr, 0, &length));
  std::string text(length + 1, '\0');
  RequireMemory(call(text.data(), text.size(), &length));
  text.resize(length);
  return text;
}

// Each throws Error with the library's sentence, and what to do about it where that is known;
// Interrupted where a signal ended it.
Model OpenModel(const std::string& path);
// The same of one that predicts tokens: of those that make vectors of texts it says so.
Model OpenPredictor(const std::string& path);
rondo_model_facts Facts(const rondo_model* model);
// The fact's text; empty where the file does not have it.
std::string Fact(const rondo_model* model, const char* key);
std::vector<int32_t> Tokenize(const rondo_model* model, std::string_view text, bool add_special);
// The tokens that the tokenizer puts around every text: a BOS, [CLS] and [SEP].
struct TokensAround {
  std::vector<int32_t> before, behind;
};
TokensAround FindTokensAround(const rondo_model* model);

rondo_engine_options EngineDefaults();
rondo_session_options SessionDefaults();
// With a bar while the weights are packed, where standard error is a terminal.
Engine CreateEngine(rondo_model* model, rondo_engine_options options);
rondo_memory_plan Memory(const rondo_engine* engine);

// What a session is opened with; `stop`, where there are any, are the options' stop strings.
struct SessionSetup {
  rondo_session_options options = SessionDefaults();
  std::vector<std::string> stop;
};
Session OpenSession(rondo_engine* engine, const SessionSetup& setup = {});
// The model that drafts for sessions of `setup`, which both options then say. `path` empty: none.
Model OpenDraft(const std::string& path, rondo_engine_options* engine, SessionSetup* setup);

// The adapter of sessions of `setup`, for which both options then have room. `path` empty: none.
Adapter OpenAdapter(const std::string& path, rondo_model* model, rondo_engine_options* engine,
                    SessionSetup* setup);
rondo_adapter_facts Facts(const rondo_adapter* adapter);

// Throws Error with the library's sentence; OptionRefused where it names an engine's option that
// people can type.
[[noreturn]] void Refuse(const std::string& sentence);

// Throws Error with the library's sentence and what to do about it, or Interrupted, unless `status`
// is RONDO_STATUS_OK.
void Require(int32_t status, const char* message);

// Throws Error with the session's own sentence unless `status` is RONDO_STATUS_OK.
void Check(const rondo_session* session, int32_t status);

}  // namespace rondo::tools
