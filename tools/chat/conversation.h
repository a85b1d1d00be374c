// Conversation: messages and the session that has read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/chat/chat_picture.h"
#include "tools/chat/slots.h"
#include "tools/common/library.h"
#include "tools/common/sight.h"
#include "tools/dialogue/answer.h"
#include "tools/dialogue/chat_ids.h"
#include "tools/dialogue/stop_hold.h"

namespace rondo::tools {

// How long the parts of the last turn took.
struct TurnStats {
  size_t kept = 0;       // tokens of the conversation that the session still had
  size_t prefilled = 0;  // tokens that it had to read
  size_t generated = 0;
  double prefill_seconds = 0;
  double decode_seconds = 0;
};

// How a model is talked to.
struct ChatForm {
  std::string system;         // the system prompt; may be empty
  std::string template_text;  // Jinja in place of the model's own, with the end of a turn that it
                              // knows; empty: the model's
  std::string tools;          // the functions that may be called, as JSON; empty: none
  uint64_t thinking_tokens = 0;  // of a thought; 0: any number
  bool special_tokens = false;   // what reads like one in a message becomes one
  bool slides = false;           // the engine's policy, of which advice depends
  ImageOptions image;
};

class Conversation {
 public:
  // `model` and `engine` outlive this. Calls parse always; the options' grammar begins behind
  // thoughts. Throws Error where there is no template, or it has no form for calls or thoughts, and
  // there are tools or a limit of thoughts.
  Conversation(const Model& model, const Engine& engine, const SessionOptions& options,
               ChatForm form);

  // Back to the system prompt.
  void Reset();

  // What the session has computed, for Load.
  std::string Snapshot() const;
  // Goes on with other messages and the snapshot that was taken of them; an empty one: the next
  // turn reads them. Throws Error, and the conversation is as before, where the snapshot is
  // refused.
  void Load(nlohmann::ordered_json messages, std::string_view snapshot);

  bool sees() const { return picture_token_ >= 0; }
  // Encodes the picture of a file, with which the next question begins, behind those before. Its
  // rows stay as long as the conversation has it. Throws Error or Interrupted, and nothing has
  // changed.
  rondo_image_facts Attach(const std::string& path);

  // Begins a turn: asks, and hands the answer out piece by piece. Returns why it ended,
  // RONDO_REASON_NONE for Ctrl-C, which keeps what has been said so far, but no calls; where that
  // is nothing the turn is taken back. So it is where this throws Error (the question is not UTF-8,
  // the template refuses it, the context is full).
  template <typename Show>
  int32_t Ask(const std::string& question, const Show& show) {
    Begin(question);
    return GoOn(SinkOf(show));
  }
  // Calls of the last answer; what they gave is told one by one, and the last time the model goes
  // on as Ask tells. What of a result is not UTF-8 counts as U+FFFD.
  const std::vector<Call>& calls() const { return calls_; }
  template <typename Show>
  int32_t Tell(const Call& call, const std::string& result, bool last, const Show& show) {
    AddResult(call, result);
    return last ? GoOn(SinkOf(show)) : RONDO_REASON_NONE;
  }
  // Back to before the last question: where calls of its answer stay without results.
  void TakeBack();

  // [{"role": ..., "content": ...}, ...]
  const nlohmann::ordered_json& messages() const { return messages_; }
  const TurnStats& stats() const { return stats_; }
  // Tokens in the session, and how many more fit (UINT64_MAX: any number).
  uint64_t position() const;
  uint64_t remaining() const;
  // What helps where the context is full.
  std::string ContextAdvice() const;
  // How its tokens are chosen, for people.
  const std::string& sampling() const { return sampling_; }

 private:
  struct Sink {
    void (*call)(const void* user, Part part, std::string_view text);
    const void* user;

    void operator()(Part part, std::string_view text) const { call(user, part, text); }
  };
  template <typename Show>
  static Sink SinkOf(const Show& show) {
    return {[](const void* user, Part part, std::string_view text) {
              (*static_cast<const Show*>(user))(part, text);
            },
            &show};
  }

  void KeepMessages(size_t count);
  void Begin(const std::string& question);
  void AddResult(const Call& call, const std::string& result);
  // The model's answer to the messages.
  int32_t GoOn(Sink sink);
  // What the template makes of messages with these pictures.
  std::vector<Slot> Render(const nlohmann::ordered_json& messages,
                           const std::vector<ChatPicture>& pictures);
  // The session's slots but for those from number `kept` on, or fewer; how many.
  size_t Undo(size_t kept);
  // Reads what `wanted`, of the messages and their pictures, has behind the session's slots.
  void Read(std::span<const Slot> wanted);
  // Brings the session to `wanted`, keeping what that shares with what it has. False for Ctrl-C.
  bool Feed(std::vector<Slot> wanted);
  int32_t Generate(Sink sink, Answer* answer);
  Session Open(SessionOptions options) const;

  const Model& model_;
  const Engine& engine_;
  const ChatForm form_;
  const int32_t picture_token_;
  MessageForm message_form_;     // of the template
  bool knows_spelling_ = false;  // since a message has calls
  const std::string sampling_;
  const ThinkingMarks thinking_;
  std::optional<AnswerReader> reader_;  // where answers have more than content
  uint32_t context_;                    // of the engine
  StopHold hold_;                       // before the reader
  Session session_;
  std::vector<Slot> slots_;  // in the session
  nlohmann::ordered_json messages_;
  std::vector<ChatPicture> pictures_, waiting_;  // of the messages; of the next question
  size_t n_system_ = 0;                          // messages that Reset keeps
  // Of the last turn: messages before it, and slots of the session that no part of it is in.
  size_t turn_begin_ = 0, turn_kept_ = 0;
  std::vector<Call> calls_;
  TurnStats stats_;
};

}  // namespace rondo::tools
