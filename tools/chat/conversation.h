// Conversation: messages and the session that has read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/common/library.h"

namespace rondo::tools {

// How long the parts of the last turn took.
struct TurnStats {
  size_t kept = 0;       // tokens of the conversation that the session still had
  size_t prefilled = 0;  // tokens that it had to read
  size_t generated = 0;
  double prefill_seconds = 0;
  double decode_seconds = 0;
};

// What helps where the context is full.
inline constexpr const char* kContextAdvice =
    "/reset begins anew here; a larger --context, or --policy slide, needs a new start";

class Conversation {
 public:
  // `model` and `engine` outlive this. `system`: the system prompt, may be empty. `template_text`:
  // Jinja in place of the model's own template, with the end of a turn that it knows; empty: the
  // model's. Throws Error where there is none.
  Conversation(const rondo_model* model, rondo_engine* engine, const SessionSetup& setup,
               const std::string& system, std::string template_text);

  // Back to the system prompt.
  void Reset();

  // What the session has computed, for Load.
  std::string Snapshot() const;
  // Goes on with other messages and the snapshot that was taken of them; an empty one: the next
  // turn reads them. Throws Error, and the conversation is as before, where the snapshot is
  // refused.
  void Load(nlohmann::ordered_json messages, std::string_view snapshot);

  // Asks, and hands the answer out piece by piece. Returns why it ended, RONDO_REASON_NONE for
  // Ctrl-C, which keeps what has been said so far. Throws Error where the question cannot be asked
  // (the template refuses it, the context is full): the conversation is then as before.
  template <typename Show>
  int32_t Ask(const std::string& question, const Show& show) {
    return Ask(question, Sink{[](const void* user, std::string_view text) {
                                (*static_cast<const Show*>(user))(text);
                              },
                              &show});
  }

  // [{"role": ..., "content": ...}, ...]
  const nlohmann::ordered_json& messages() const { return messages_; }
  const TurnStats& stats() const { return stats_; }
  // Tokens in the session, and how many more fit (UINT64_MAX: any number).
  uint64_t position() const;
  uint64_t remaining() const;
  // How its tokens are chosen, for people.
  const std::string& sampling() const { return sampling_; }

 private:
  struct Sink {
    void (*call)(const void* user, std::string_view text);
    const void* user;
  };

  int32_t Ask(const std::string& question, Sink sink);
  std::vector<int32_t> Render() const;
  // Brings the session to `ids`, keeping what they share with what it has. False for Ctrl-C.
  bool Feed(const std::vector<int32_t>& ids);
  int32_t Answer(Sink sink, std::string* answer);
  void Check(int32_t status) const { tools::Check(session_.get(), status); }

  const rondo_model* model_;
  const std::string template_text_;
  const std::string sampling_;
  Session session_;
  // Those in the session; those that a snapshot of a sliding context no longer knew: kForgotten.
  std::vector<int32_t> tokens_;
  nlohmann::ordered_json messages_;
  size_t n_system_ = 0;  // messages that Reset keeps
  TurnStats stats_;
};

}  // namespace rondo::tools
