#include "tools/serve/openai/chat_sink.h"

#include "tools/serve/generation_fields.h"
#include "tools/serve/openai/usage.h"

namespace rondo::tools::serve {
namespace {

const char* FinishText(Finish finish) {
  return finish == Finish::kLength ? "length" : finish == Finish::kCalls ? "tool_calls" : "stop";
}

}  // namespace

ChatSink::ChatSink(std::shared_ptr<Exchange> exchange, ChatReplyForm form)
    : exchange_(std::move(exchange)),
      form_(std::move(form)),
      ids_(exchange_->request().id_seed),
      id_(ids_.Next("chatcmpl-")),
      created_(exchange_->request().time),
      answers_(form_.choices) {
  if (form_.stream) PromiseEvents(exchange_.get());
}

void ChatSink::SendChunk(Json choices, const Usage* usage) {
  if (!begun_) {
    begun_ = true;
    exchange_->Begin();
    for (size_t i = 0; i < answers_.size(); ++i)
      Send(i, {{"role", "assistant"}, {"content", ""}}, nullptr);
  }
  Json chunk = {{"id", id_},
                {"object", "chat.completion.chunk"},
                {"created", created_},
                {"model", form_.model},
                {"system_fingerprint", form_.fingerprint},
                {"choices", std::move(choices)}};
  if (form_.include_usage) chunk["usage"] = usage == nullptr ? Json(nullptr) : UsageOf(*usage);
  if (usage != nullptr) chunk["timings"] = TimingsOf(*usage);
  exchange_->Write(EventText(chunk));
}

void ChatSink::Send(size_t choice, Json delta, const char* finish) {
  Json one = {{"index", choice},
              {"delta", std::move(delta)},
              {"logprobs", nullptr},
              {"finish_reason", finish == nullptr ? Json(nullptr) : Json(finish)}};
  const bool has_notes = form_.logprobs && !answers_[choice].notes.empty();
  if (has_notes) one["logprobs"] = TakeLogprobs(&answers_[choice]);
  SendChunk(Json::array({std::move(one)}), nullptr);
}

Json ChatSink::TakeLogprobs(Answer* answer) const {
  Json all = {{"content", std::move(answer->notes)}, {"refusal", nullptr}};
  answer->notes = Json::array();
  return all;
}

void ChatSink::Note(size_t choice, TokenNote note) {
  Json told = LogprobOf(note.bytes, note.logprob);
  told["top_logprobs"] = Json::array();
  for (const auto& [bytes, logprob] : note.top) {
    told["top_logprobs"].push_back(LogprobOf(bytes, logprob));
  }
  answers_[choice].notes.push_back(std::move(told));
}

std::string ChatSink::CallId(const Piece& piece) {
  return piece.id.empty() ? ids_.Next("call_") : std::string(piece.id);
}

void ChatSink::Take(size_t choice, const Piece& piece) {
  Answer& answer = answers_[choice];
  Json delta;
  switch (piece.kind) {
    case PieceKind::kContent:
      answer.content += piece.text;
      delta = {{"content", piece.text}};
      break;
    case PieceKind::kThinking:  // clients read one name or the other
      answer.thinking += piece.text;
      delta = {{"reasoning_content", piece.text}, {"reasoning", piece.text}};
      break;
    case PieceKind::kCall:
      answer.calls.push_back({CallId(piece), std::string(piece.name), "", false});
      delta = {
          {"tool_calls", Json::array({{{"index", answer.calls.size() - 1},
                                       {"id", answer.calls.back().id},
                                       {"type", "function"},
                                       {"function", {{"name", piece.name}, {"arguments", ""}}}}})}};
      break;
    case PieceKind::kArguments:
      answer.calls.back().arguments += piece.text;
      delta = {{"tool_calls", Json::array({{{"index", answer.calls.size() - 1},
                                            {"function", {{"arguments", piece.text}}}}})}};
      break;
    case PieceKind::kCallEnd:
      answer.calls.back().whole = true;
      return;
  }
  if (form_.stream) Send(choice, std::move(delta), nullptr);
}

void ChatSink::EndChoice(size_t choice, Finish finish, const std::string&) {
  answers_[choice].finish = FinishText(finish);
  if (form_.stream) Send(choice, Json::object(), answers_[choice].finish);
}

// Calls that the answer ended within stay, as streams have told them; their arguments are not
// whole, which finish_reason says.
Json ChatSink::MessageOf(const Answer& answer) const {
  Json message = {{"role", "assistant"}, {"content", answer.content}, {"refusal", nullptr}};
  if (!answer.thinking.empty()) {
    message["reasoning_content"] = answer.thinking;
    message["reasoning"] = answer.thinking;
  }
  if (answer.calls.empty()) return message;
  if (answer.content.empty()) message["content"] = nullptr;
  for (const Call& call : answer.calls) {
    message["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return message;
}

void ChatSink::End(const Usage& usage) {
  if (form_.stream) {
    if (form_.include_usage) SendChunk(Json::array(), &usage);
    exchange_->Write("data: [DONE]\n\n");
    exchange_->End();
    return;
  }
  Json choices = Json::array();
  for (size_t i = 0; i < answers_.size(); ++i) {
    choices.push_back({{"index", i},
                       {"message", MessageOf(answers_[i])},
                       {"logprobs", form_.logprobs ? TakeLogprobs(&answers_[i]) : Json(nullptr)},
                       {"finish_reason", answers_[i].finish}});
  }
  const Json whole = {{"id", id_},
                      {"object", "chat.completion"},
                      {"created", created_},
                      {"model", form_.model},
                      {"system_fingerprint", form_.fingerprint},
                      {"choices", std::move(choices)},
                      {"usage", UsageOf(usage)},
                      {"timings", TimingsOf(usage)}};
  Reply reply;
  reply.body = whole.dump(-1, ' ', false, Json::error_handler_t::replace);
  exchange_->Answer(std::move(reply));
}

void ChatSink::Fail(const ApiError& error) {
  if (exchange_->Answer(ErrorReply(error))) return;
  exchange_->Write(EventText(ErrorBody(error)));
  exchange_->Write("data: [DONE]\n\n");
  exchange_->End();
}

}  // namespace rondo::tools::serve
