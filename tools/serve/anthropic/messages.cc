// Messages, as Anthropic's clients write them.
#include <algorithm>

#include "tools/common/library.h"
#include "tools/dialogue/json_text.h"
#include "tools/serve/chat_wish.h"
#include "tools/serve/generation_fields.h"
#include "tools/serve/handler.h"
#include "tools/serve/openai/messages.h"
#include "tools/serve/openai/usage.h"

namespace rondo::tools::serve {
namespace {

Json UsageJson(const Usage& usage) {
  return {{"input_tokens", usage.prompt_tokens - usage.cached_tokens},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", usage.cached_tokens},
          {"output_tokens", usage.completion_tokens}};
}

class MessageSink : public Sink {
 public:
  MessageSink(std::shared_ptr<Exchange> exchange, std::string model, bool stream,
              uint64_t prompt_tokens)
      : exchange_(std::move(exchange)),
        model_(std::move(model)),
        stream_(stream),
        ids_(exchange_->request().id_seed),
        id_(ids_.Next("msg_")) {
    if (stream_) PromiseEvents(exchange_.get(), EventText({{"type", "ping"}}, "ping"));
    before_.prompt_tokens = prompt_tokens;
  }

  void Take(size_t, const Piece& piece) override {
    Begin();
    switch (piece.kind) {
      case PieceKind::kContent:
        Open({{"type", "text"}, {"text", ""}});
        Add("text", piece.text, {{"type", "text_delta"}, {"text", piece.text}});
        break;
      case PieceKind::kThinking:
        Open({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
        Add("thinking", piece.text, {{"type", "thinking_delta"}, {"thinking", piece.text}});
        break;
      case PieceKind::kCall:
        Close();
        arguments_.clear();
        Open({{"type", "tool_use"},
              {"id", piece.id.empty() ? ids_.Next("toolu_") : std::string(piece.id)},
              {"name", piece.name},
              {"input", Json::object()}});
        break;
      case PieceKind::kArguments:
        arguments_ += piece.text;
        Tell("content_block_delta",
             {{"index", content_.size()},
              {"delta", {{"type", "input_json_delta"}, {"partial_json", piece.text}}}});
        break;
      case PieceKind::kCallEnd:
        Close();
        break;
    }
  }
  void Note(size_t, TokenNote) override {}
  void EndChoice(size_t, Finish finish, const std::string& stop) override {
    Begin();
    Close();
    reason_ = finish == Finish::kLength       ? "max_tokens"
              : finish == Finish::kCalls      ? "tool_use"
              : finish == Finish::kStopString ? "stop_sequence"
                                              : "end_turn";
    if (!stop.empty()) stop_ = stop;
  }
  void End(const Usage& usage) override {
    if (!stream_) return AnswerJson(exchange_.get(), Message(usage));
    Tell("message_delta", {{"delta", {{"stop_reason", reason_}, {"stop_sequence", stop_}}},
                           {"usage", UsageJson(usage)}});
    Tell("message_stop", Json::object());
    exchange_->End();
  }
  void Fail(const ApiError& error) override {
    if (exchange_->Answer(ErrorReply(error))) return;
    exchange_->Write(EventText(ErrorBody(error), "error"));
    exchange_->End();
  }

 private:
  Json Message(const Usage& usage) const {
    return {{"id", id_},
            {"type", "message"},
            {"role", "assistant"},
            {"model", model_},
            {"content", content_},
            {"stop_reason", reason_},
            {"stop_sequence", stop_},
            {"usage", UsageJson(usage)}};
  }
  void Tell(const char* type, const Json& members) {
    if (!stream_) return;
    Json event = {{"type", type}};
    event.update(members);
    exchange_->Write(EventText(event, type));
  }
  void Begin() {
    if (std::exchange(begun_, true) || !stream_) return;
    exchange_->Begin();
    Tell("message_start", {{"message", Message(before_)}});
  }
  void Open(Json block) {
    if (!block_.is_null() && block_["type"] == block["type"] && block["type"] != "tool_use") return;
    Close();
    block_ = std::move(block);
    Tell("content_block_start", {{"index", content_.size()}, {"content_block", block_}});
  }
  void Add(const char* member, std::string_view text, Json delta) {
    block_[member] = block_[member].get<std::string>() + std::string(text);
    Tell("content_block_delta", {{"index", content_.size()}, {"delta", std::move(delta)}});
  }
  void Close() {
    if (block_.is_null()) return;
    if (block_["type"] == "tool_use") {
      Json input = ParseJson(arguments_);
      block_["input"] = input.is_object() ? std::move(input) : Json::object();
    }
    Tell("content_block_stop", {{"index", content_.size()}});
    content_.push_back(std::exchange(block_, nullptr));
  }

  const std::shared_ptr<Exchange> exchange_;
  const std::string model_;
  const bool stream_;
  IdMaker ids_;
  const std::string id_;
  Usage before_;
  Json content_ = Json::array(), block_, reason_, stop_;  // the open block; null: none
  std::string arguments_;
  bool begun_ = false;
};

std::string TextOfBlocks(const Json& value, const std::string& pointer) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) RefuseValue(pointer, value, "a text or an array of blocks");
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) {
    Fields block(value[i], PointerTo(pointer, i));
    if (block.RequiredText("type") != "text") block.Refuse("type", "\"text\"");
    text += (text.empty() ? "" : "\n") + block.RequiredText("text");
  }
  return text;
}

void ReadImage(Fields* block, const MediaSource& media, ChatWish* wish) {
  const Json* const object = block->Object("source");
  if (object == nullptr) block->Refuse("source", "an object");
  Fields source(*object, block->PointerOf("source"));
  const std::string type = source.RequiredText("type");
  if (type == "base64") {
    source.Ignore({"media_type"});
    wish->pictures.push_back(
        MediaSource::Decode(source.RequiredText("data"), source.PointerOf("data")));
    wish->picture_pointers.push_back(source.PointerOf("data"));
  } else if (type == "url") {
    wish->pictures.push_back(media.Read(source.RequiredText("url"), source.PointerOf("url")));
    wish->picture_pointers.push_back(source.PointerOf("url"));
  } else {
    source.Refuse("type", "base64 or url");
  }
  source.RefuseOthers();
}

// What a function gave: texts, which are one where there is no picture beside them.
Json ReadResult(Fields* block, const MediaSource& media, ChatWish* wish) {
  const Json* const content = block->Find("content");
  if (content == nullptr) return "";
  const std::string pointer = block->PointerOf("content");
  const auto is_picture = [](const Json& one) { return one.is_object() && one.contains("source"); };
  if (!content->is_array() || std::none_of(content->begin(), content->end(), is_picture)) {
    return TextOfBlocks(*content, pointer);
  }
  Json parts = Json::array();
  for (size_t i = 0; i < content->size(); ++i) {
    Fields part((*content)[i], PointerTo(pointer, i));
    const std::string type = part.RequiredText("type");
    if (type == "image") {
      ReadImage(&part, media, wish);
      parts.push_back({{"type", "image"}});
    } else if (type == "text") {
      parts.push_back({{"type", "text"}, {"text", part.RequiredText("text")}});
    } else {
      part.Refuse("type", "text or image");
    }
  }
  return parts;
}

// A message, and before it those of the results that it brings.
void ReadMessage(const Json& object, const std::string& pointer, const MediaSource& media,
                 ChatWish* wish) {
  Fields fields(object, pointer);
  const std::string role = fields.RequiredText("role");
  if (role != "user" && role != "assistant") fields.Refuse("role", "user or assistant");
  const Json* const content = fields.Find("content");
  if (content == nullptr) fields.Refuse("content", "a text or an array of blocks");
  fields.RefuseOthers();
  if (content->is_string()) {
    wish->messages.push_back({{"role", role}, {"content", *content}});
    return;
  }
  if (!content->is_array()) fields.Refuse("content", "a text or an array of blocks");
  Json message = {{"role", role}, {"content", Json::array()}};
  std::string text;
  bool has_pictures = false;
  for (size_t i = 0; i < content->size(); ++i) {
    Fields block((*content)[i], PointerTo(fields.PointerOf("content"), i));
    const std::string type = block.RequiredText("type");
    if (type == "text") {
      const std::string one = block.RequiredText("text");
      text += one;
      message["content"].push_back({{"type", "text"}, {"text", one}});
      block.Ignore({"citations"});
    } else if (type == "image") {
      ReadImage(&block, media, wish);
      message["content"].push_back({{"type", "image"}});
      has_pictures = true;
    } else if (type == "tool_use") {
      const Json* const input = block.Object("input");
      message["tool_calls"].push_back(
          {{"type", "function"},
           {"id", block.RequiredText("id")},
           {"function",
            {{"name", block.RequiredText("name")},
             {"arguments", input == nullptr ? Json::object() : *input}}}});
    } else if (type == "tool_result") {
      wish->messages.push_back({{"role", "tool"},
                                {"tool_call_id", block.RequiredText("tool_use_id")},
                                {"content", ReadResult(&block, media, wish)}});
      block.Ignore({"is_error"});
    } else if (type == "thinking") {
      message["reasoning_content"] = block.RequiredText("thinking");
      block.Ignore({"signature"});
    } else if (type == "redacted_thinking") {
      block.Ignore({"data"});
    } else {
      block.Refuse("type", "text, image, tool_use, tool_result or thinking");
    }
    block.Ignore({"cache_control"});
    block.RefuseOthers();
  }
  const bool is_empty = message["content"].empty();
  if (!has_pictures) message["content"] = text;
  if (!is_empty || message.contains("tool_calls")) wish->messages.push_back(std::move(message));
}

void ReadToolsOfMessages(Fields* fields, ChatWish* wish) {
  if (const Json* const tools = fields->Array("tools")) {
    for (size_t i = 0; i < tools->size(); ++i) {
      Fields tool((*tools)[i], PointerTo(fields->PointerOf("tools"), i));
      Json made = {{"name", tool.RequiredText("name")}};
      if (const auto about = tool.Text("description")) made["description"] = *about;
      const Json* const schema = tool.Object("input_schema");
      if (schema == nullptr) tool.Refuse("input_schema", "a JSON Schema");
      made["parameters"] = *schema;
      tool.Ignore({"type", "cache_control", "strict", "eager_input_streaming"});
      tool.RefuseOthers();
      wish->tools.push_back({{"type", "function"}, {"function", std::move(made)}});
    }
  }
  const Json* const choice = fields->Object("tool_choice");
  if (choice == nullptr) return;
  Fields its(*choice, fields->PointerOf("tool_choice"));
  const std::string type = its.RequiredText("type");
  wish->one_call = its.Bool("disable_parallel_tool_use").value_or(false);
  if (type == "none") {
    wish->calls = CallsWish::kNone;
  } else if (type == "any") {
    wish->calls = CallsWish::kRequired;
  } else if (type == "tool") {
    wish->calls = CallsWish::kFunction;
    wish->function = its.RequiredText("name");
  } else if (type != "auto") {
    its.Refuse("type", "auto, any, tool or none");
  }
  if ((type == "any" || type == "tool") && wish->tools.empty()) {
    its.Refuse("type", "auto or none, as there are no tools");
  }
  its.RefuseOthers();
}

ChatWish ReadBody(const ServedModel& model, Fields* fields, const MediaSource& media, bool counts) {
  ChatWish wish;
  if (const Json* const system = fields->Find("system")) {
    wish.messages.push_back(
        {{"role", "system"}, {"content", TextOfBlocks(*system, fields->PointerOf("system"))}});
  }
  const Json& messages = fields->RequiredArray("messages");
  const size_t before = wish.messages.size();
  for (size_t i = 0; i < messages.size(); ++i) {
    ReadMessage(messages[i], PointerTo(fields->PointerOf("messages"), i), media, &wish);
  }
  if (wish.messages.size() == before) fields->Refuse("messages", "at least one with content");
  wish.continues = wish.messages.back()["role"] == "assistant";
  ReadToolsOfMessages(fields, &wish);
  ReadSampling(model, fields, &wish.options);
  wish.options.stop = ReadStops(fields, "stop_sequences");
  const auto most = fields->Integer("max_tokens", 1, INT64_MAX);
  if (!most && !counts) fields->Refuse("max_tokens", "an integer of at least 1");
  wish.options.max_tokens = static_cast<uint64_t>(most.value_or(0));
  if (const Json* const thinking = fields->Object("thinking")) {
    Fields its(*thinking, fields->PointerOf("thinking"));
    const std::string type = its.RequiredText("type");
    wish.variables["enable_thinking"] = type != "disabled";
    if (const auto budget = its.Integer("budget_tokens", 1, INT64_MAX)) {
      wish.thinking_tokens = static_cast<uint64_t>(*budget);
    }
    its.Ignore({"display"});
    its.RefuseOthers();
  }
  if (const Json* const output = fields->Object("output_config")) {
    Fields its(*output, fields->PointerOf("output_config"));
    ReadForm(its.Object("format"), its.PointerOf("format"), &wish);
    if (const auto effort = its.Text("effort")) wish.variables["reasoning_effort"] = *effort;
    its.RefuseOthers();
  }
  fields->Ignore({"model", "metadata", "cache_control"});
  return wish;
}

}  // namespace

void Messages(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  const std::string name = fields.Text("model").value_or("");
  const FoundModel found = service.models.Find(name);
  ChatWish wish = ReadBody(*found.model, &fields, service.media, /*counts=*/false);
  const bool stream = fields.Bool("stream").value_or(false);
  fields.Ignore({"service_tier", "container", "context_management"});
  fields.RefuseOthers();
  GenerationWish made = WishOf(found, std::move(wish), *exchange);
  auto sink = std::make_unique<MessageSink>(exchange, name.empty() ? found.model->name() : name,
                                            stream, made.positions);
  Start(service, std::make_unique<Generation>(std::move(made), exchange, std::move(sink)));
}

void CountMessageTokens(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  const FoundModel found = service.models.Find(fields.Text("model").value_or(""));
  ChatWish wish = ReadBody(*found.model, &fields, service.media, /*counts=*/true);
  fields.RefuseOthers();
  const uint64_t tokens = WishOf(found, std::move(wish), *exchange).positions;
  AnswerJson(exchange.get(), {{"input_tokens", tokens}});
}

}  // namespace rondo::tools::serve
