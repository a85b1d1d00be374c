// Answers: a parser for them, the grammar of their calls, and what is around a thought.
#include <memory>
#include <new>
#include <string_view>

#include "c_api/chat_request.h"
#include "c_api/turn.h"
#include "runtime/chat/calls/chat_grammar.h"

namespace {

using rondo::ChatCalls;
using rondo::ChatParser;
using rondo::ChatRequest;
using rondo::ChatToken;
using rondo::ChatVocabulary;
using rondo::HeapArray;
using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::CheckOutput;
using rondo::c_api::Clear;
using rondo::c_api::Code;
using rondo::c_api::Fill;
using rondo::c_api::Held;
using rondo::c_api::NewHandle;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenChatParser;
using rondo::c_api::OpenModel;
using rondo::c_api::ParserTurn;
using rondo::c_api::PutText;
using rondo::c_api::ReadAnswerOptions;
using rondo::c_api::Report;

// A text output of the caller's.
struct TextOutput {
  char* buffer;
  size_t capacity;
  size_t* length;

  // Nothing was written yet. `name`: of the buffer, for messages.
  Status Check(const char* name) const {
    if (length != nullptr) *length = 0;
    if (buffer != nullptr && capacity > 0) buffer[0] = '\0';
    if (length == nullptr) return NullArgument("length");
    return buffer == nullptr && capacity > 0 ? NullArgument(name) : Status();
  }
  Status Put(std::string_view text) const {
    if (PutText(text, buffer, capacity, length) == RONDO_STATUS_OK) return Status();
    return Status::Error(StatusCode::kBufferTooSmall, "a buffer is too small for %zu bytes",
                         text.size());
  }
};

// ---- The parser ----

Status CreateParser(const rondo_model* handle, const rondo_chat_options* options,
                    rondo_chat_parser** parser) {
  const Held model(handle);
  if (!model) return model.Why("model");
  HeapArray<ChatToken> tokens;
  ChatRequest request;
  RONDO_RETURN_IF_ERROR(ReadAnswerOptions(*model, options, &tokens, &request));
  NewHandle made;
  RONDO_RETURN_IF_ERROR(made.Check());
  std::unique_ptr<OpenChatParser> open(new (std::nothrow) OpenChatParser);
  if (open == nullptr) return Status::Error(StatusCode::kOutOfMemory, "the system refused memory");
  RONDO_ASSIGN(open->parser, ChatParser::Create(request));
  *parser = made.Open<rondo_chat_parser>(open.release());
  return Status();
}

// ---- The grammar ----

// The model's special tokens. Without a tokenizer, all is text.
ChatVocabulary::Is LookUp(const void* context, std::string_view text) {
  const auto* model = static_cast<const OpenModel*>(context);
  if (model->tokenizer == nullptr) return ChatVocabulary::Is::kText;
  const int32_t id = model->tokenizer->AddedTokenId(text);
  if (id < 0 || !model->tokenizer->IsSpecial(id)) return ChatVocabulary::Is::kText;
  if (const auto* ends = model->file.model().eos_tokens(); ends != nullptr) {
    for (const uint32_t end : *ends) {
      if (end == static_cast<uint32_t>(id)) return ChatVocabulary::Is::kEnd;
    }
  }
  return ChatVocabulary::Is::kSpecial;
}

Status WriteGrammar(const rondo_model* handle, const rondo_chat_options* options, int32_t calls,
                    const char* function, TextOutput out) {
  RONDO_RETURN_IF_ERROR(out.Check("buffer"));
  const Held model(handle);
  if (!model) return model.Why("model");
  if (calls < RONDO_CALLS_AUTO || calls > RONDO_CALLS_ONE) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "calls is %d; it must be 0 (auto), 1 (required) or 2 (one)", calls);
  }
  HeapArray<ChatToken> tokens;
  ChatRequest request;
  RONDO_RETURN_IF_ERROR(ReadAnswerOptions(*model, options, &tokens, &request));
  const auto put = [](void* user, std::string_view text) {
    return static_cast<const TextOutput*>(user)->Put(text);
  };
  return rondo::WriteChatGrammar(request, static_cast<ChatCalls>(calls),
                                 function == nullptr ? std::string_view() : function,
                                 {LookUp, model.get()}, {put, &out});
}

// ---- Thinking ----

struct ThinkingOutput {
  TextOutput begin, end;
};

Status ReadThinking(const rondo_model* handle, const rondo_chat_options* options,
                    ThinkingOutput out) {
  const Status begin = out.begin.Check("begin"), end = out.end.Check("end");
  RONDO_RETURN_IF_ERROR(begin);
  RONDO_RETURN_IF_ERROR(end);
  const Held model(handle);
  if (!model) return model.Why("model");
  HeapArray<ChatToken> tokens;
  ChatRequest request;
  RONDO_RETURN_IF_ERROR(ReadAnswerOptions(*model, options, &tokens, &request));
  const auto put = [](void* user, std::string_view first, std::string_view second) {
    const auto& outputs = *static_cast<const ThinkingOutput*>(user);
    const Status one = outputs.begin.Put(first), other = outputs.end.Put(second);
    return one.ok() ? other : one;
  };
  return rondo::ReadChatThinking(request, {put, &out});
}

}  // namespace

namespace rondo::c_api {

Status ReadAnswerOptions(const OpenModel& model, const rondo_chat_options* theirs,
                         HeapArray<ChatToken>* tokens, ChatRequest* request) {
  RONDO_RETURN_IF_ERROR(ReadChatOptions(model, theirs, tokens, request));
  constexpr std::string_view kMessages = R"([{"role": "user", "content": "Hello"}])";
  if (request->messages.data() == nullptr) request->messages = kMessages;
  request->mark_outside = false;  // nothing becomes tokens
  return Status();
}

}  // namespace rondo::c_api

extern "C" {

int32_t rondo_chat_parser_create(const rondo_model* model, const rondo_chat_options* options,
                                 rondo_chat_parser** parser, char* message, size_t message_bytes) {
  if (parser == nullptr) return Report(NullArgument("parser"), message, message_bytes);
  *parser = nullptr;
  return Report(CreateParser(model, options, parser), message, message_bytes);
}

int32_t rondo_chat_parser_push(rondo_chat_parser* parser, const char* bytes, size_t count,
                               int32_t last) {
  ParserTurn turn(parser);
  if (!turn.taken()) return turn.code();
  if (bytes == nullptr && count > 0) return RONDO_STATUS_INVALID_ARGUMENT;
  return Code(turn->Push({bytes, count}, last != 0));
}

int32_t rondo_chat_parser_next(rondo_chat_parser* parser, rondo_chat_part* part) {
  Clear(part);
  ParserTurn turn(parser);
  if (!turn.taken()) return turn.code();
  if (const Status status = CheckOutput(part, "rondo_chat_part"); !status.ok()) return Code(status);
  const rondo::ChatPart next = turn->Next();
  const auto text = [](std::string_view view) { return view.empty() ? "" : view.data(); };
  rondo_chat_part out = {};
  out.kind = static_cast<int32_t>(next.kind);
  out.call = next.call;
  out.text = text(next.text);
  out.text_bytes = next.text.size();
  out.name = text(next.name);
  out.name_bytes = next.name.size();
  out.id = text(next.id);
  out.id_bytes = next.id.size();
  Fill(part, out);
  return RONDO_STATUS_OK;
}

int32_t rondo_chat_parser_reset(rondo_chat_parser* parser) {
  ParserTurn turn(parser);
  if (!turn.taken()) return turn.code();
  turn->Reset();
  return RONDO_STATUS_OK;
}

void rondo_chat_parser_close(rondo_chat_parser* parser) { rondo::c_api::Close(parser); }

int32_t rondo_chat_grammar(const rondo_model* model, const rondo_chat_options* options,
                           int32_t calls, const char* function, char* buffer, size_t capacity,
                           size_t* length, char* message, size_t message_bytes) {
  return Report(WriteGrammar(model, options, calls, function, {buffer, capacity, length}), message,
                message_bytes);
}

int32_t rondo_chat_thinking(const rondo_model* model, const rondo_chat_options* options,
                            char* begin, size_t begin_capacity, size_t* begin_length, char* end,
                            size_t end_capacity, size_t* end_length, char* message,
                            size_t message_bytes) {
  return Report(
      ReadThinking(model, options,
                   {{begin, begin_capacity, begin_length}, {end, end_capacity, end_length}}),
      message, message_bytes);
}

}  // extern "C"
