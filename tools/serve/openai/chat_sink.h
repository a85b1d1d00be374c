// ChatSink: answers as chat completions, whole or in chunks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/serve/generation_fields.h"
#include "tools/serve/http/exchange.h"
#include "tools/serve/sink.h"

namespace rondo::tools::serve {

struct ChatReplyForm {
  std::string model;  // as the request names it
  std::string fingerprint;
  size_t choices = 1;
  bool stream = false;
  bool include_usage = false;
  bool logprobs = false;
};

class ChatSink : public Sink {
 public:
  ChatSink(std::shared_ptr<Exchange> exchange, ChatReplyForm form);

  void Take(size_t choice, const Piece& piece) override;
  void Note(size_t choice, TokenNote note) override;
  void EndChoice(size_t choice, Finish finish, const std::string&) override;
  void End(const Usage& usage) override;
  void Fail(const ApiError& error) override;

 private:
  struct Call {
    std::string id, name, arguments;
    bool whole = false;
  };
  struct Answer {
    std::string content, thinking;
    std::vector<Call> calls;
    Json notes = Json::array();  // not told yet
    const char* finish = nullptr;
  };

  void Send(size_t choice, Json delta, const char* finish);
  // `usage`: of the last one, null in all others.
  void SendChunk(Json choices, const Usage* usage);
  Json TakeLogprobs(Answer* answer) const;
  Json MessageOf(const Answer& answer) const;
  std::string CallId(const Piece& piece);

  const std::shared_ptr<Exchange> exchange_;
  const ChatReplyForm form_;
  IdMaker ids_;
  const std::string id_;
  const int64_t created_;
  std::vector<Answer> answers_;
  bool begun_ = false;
};

}  // namespace rondo::tools::serve
