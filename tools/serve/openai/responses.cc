// Responses, each by itself: nothing is kept between two.
#include <map>

#include "tools/common/library.h"
#include "tools/serve/chat_wish.h"
#include "tools/serve/generation_fields.h"
#include "tools/serve/handler.h"
#include "tools/serve/openai/chat.h"
#include "tools/serve/openai/messages.h"
#include "tools/serve/openai/usage.h"

namespace rondo::tools::serve {
namespace {

struct ResponseForm {  // NOLINT(bugprone-exception-escape): as FolderTokenizer
  std::string model;
  bool stream = false;
  Json echoed;                                    // what the request said of itself
  std::map<std::string, std::string> namespaces;  // by the functions that are in one
};

Json ResponseUsage(const Usage& usage) {
  return {
      {"input_tokens", usage.prompt_tokens},
      {"input_tokens_details", {{"cached_tokens", usage.cached_tokens}, {"cache_write_tokens", 0}}},
      {"output_tokens", usage.completion_tokens},
      {"output_tokens_details", {{"reasoning_tokens", usage.reasoning_tokens}}},
      {"total_tokens", usage.prompt_tokens + usage.completion_tokens}};
}

// Output items, in the order in which they come: thoughts, a message, calls.
class ResponseSink : public Sink {
 public:
  ResponseSink(std::shared_ptr<Exchange> exchange, ResponseForm form)
      : exchange_(std::move(exchange)),
        form_(std::move(form)),
        ids_(exchange_->request().id_seed),
        id_(ids_.Next("resp_")),
        created_(exchange_->request().time) {
    if (form_.stream) PromiseEvents(exchange_.get());
  }

  void Take(size_t, const Piece& piece) override {
    Begin();
    switch (piece.kind) {
      case PieceKind::kContent:
        Open("message");
        text_ += piece.text;
        Tell("response.output_text.delta",
             {{"content_index", 0}, {"delta", piece.text}, {"logprobs", Json::array()}});
        break;
      case PieceKind::kThinking:
        Open("reasoning");
        text_ += piece.text;
        Tell("response.reasoning_text.delta", {{"content_index", 0}, {"delta", piece.text}});
        break;
      case PieceKind::kCall:
        Close("completed");
        name_ = piece.name;
        call_id_ = piece.id.empty() ? ids_.Next("call_") : std::string(piece.id);
        Open("function_call");
        break;
      case PieceKind::kArguments:
        text_ += piece.text;
        Tell("response.function_call_arguments.delta", {{"delta", piece.text}});
        break;
      case PieceKind::kCallEnd:
        Close("completed");
        break;
    }
  }
  void Note(size_t, TokenNote) override {}
  void EndChoice(size_t, Finish finish, const std::string&) override {
    Begin();
    is_cut_ = finish == Finish::kLength;
    Close(is_cut_ ? "incomplete" : "completed");
  }
  void End(const Usage& usage) override {
    Json whole = Response(is_cut_ ? "incomplete" : "completed");
    whole["usage"] = ResponseUsage(usage);
    if (is_cut_) whole["incomplete_details"] = {{"reason", "max_output_tokens"}};
    if (!form_.stream) return AnswerJson(exchange_.get(), whole);
    TellRaw(is_cut_ ? "response.incomplete" : "response.completed",
            {{"response", std::move(whole)}});
    exchange_->End();
  }
  void Fail(const ApiError& error) override {
    if (exchange_->Answer(ErrorReply(error))) return;
    Begin();
    Json whole = Response("failed");
    whole["error"] = {{"code", "server_error"}, {"message", error.what()}};
    TellRaw("response.failed", {{"response", std::move(whole)}});
    exchange_->End();
  }

 private:
  Json Response(const char* status) const {
    Json response = {{"id", id_},
                     {"object", "response"},
                     {"created_at", created_},
                     {"status", status},
                     {"error", nullptr},
                     {"incomplete_details", nullptr},
                     {"model", form_.model},
                     {"output", output_},
                     {"previous_response_id", nullptr},
                     {"store", false},
                     {"background", false},
                     {"truncation", "disabled"},
                     {"metadata", Json::object()}};
    response.update(form_.echoed);
    return response;
  }
  void TellRaw(const char* type, const Json& members) {
    if (!form_.stream) return;
    Json event = {{"type", type}, {"sequence_number", sequence_++}};
    event.update(members);
    exchange_->Write(EventText(event, type));
  }
  // Of the open item.
  void Tell(const char* type, const Json& members) {
    if (!form_.stream) return;
    Json its = {{"item_id", item_id_}, {"output_index", output_.size()}};
    its.update(members);
    TellRaw(type, its);
  }
  void Begin() {
    if (std::exchange(begun_, true) || !form_.stream) return;
    exchange_->Begin();
    TellRaw("response.created", {{"response", Response("in_progress")}});
    TellRaw("response.in_progress", {{"response", Response("in_progress")}});
  }
  Json Content() const {
    if (type_ == "reasoning") return {{"type", "reasoning_text"}, {"text", text_}};
    return {{"type", "output_text"},
            {"text", text_},
            {"annotations", Json::array()},
            {"logprobs", Json::array()}};
  }
  Json Item(const char* status) const {
    Json item = {{"id", item_id_}, {"type", type_}, {"status", status}};
    if (type_ == "function_call") {
      item["call_id"] = call_id_;
      item["name"] = name_;
      item["arguments"] = text_;
      const auto space = form_.namespaces.find(name_);
      if (space != form_.namespaces.end()) item["namespace"] = space->second;
      return item;
    }
    if (type_ == "message") item["role"] = "assistant";
    if (type_ == "reasoning") item["summary"] = Json::array();
    item["content"] = text_.empty() ? Json::array() : Json::array({Content()});
    return item;
  }
  void Open(const std::string& type) {
    if (type_ == type && type != "function_call") return;
    Close("completed");
    type_ = type;
    text_.clear();
    item_id_ = ids_.Next(type == "message" ? "msg_" : type == "reasoning" ? "rs_" : "fc_");
    Tell("response.output_item.added", {{"item", Item("in_progress")}});
    if (type == "message") {
      Tell("response.content_part.added", {{"content_index", 0}, {"part", Content()}});
    }
  }
  void Close(const char* status) {
    if (type_.empty()) return;
    if (type_ == "message") {
      Tell("response.output_text.done",
           {{"content_index", 0}, {"text", text_}, {"logprobs", Json::array()}});
      Tell("response.content_part.done", {{"content_index", 0}, {"part", Content()}});
    } else if (type_ == "reasoning") {
      Tell("response.reasoning_text.done", {{"content_index", 0}, {"text", text_}});
    } else {
      Tell("response.function_call_arguments.done", {{"name", name_}, {"arguments", text_}});
    }
    Json item = Item(status);
    Tell("response.output_item.done", {{"item", item}});
    output_.push_back(std::move(item));
    type_.clear();
  }

  const std::shared_ptr<Exchange> exchange_;
  const ResponseForm form_;
  IdMaker ids_;
  const std::string id_;
  const int64_t created_;
  Json output_ = Json::array();
  std::string type_, item_id_, text_, name_, call_id_;  // of the open item; type empty: none
  uint64_t sequence_ = 0;
  bool begun_ = false, is_cut_ = false;
};

// An item of the input as a message of chat completions.
Json MessageOf(const Json& item, const std::string& pointer) {
  Fields fields(item, pointer);
  const std::string type = fields.Text("type").value_or("message");
  if (type == "message") {
    return {{"role", fields.RequiredText("role")},
            {"content", fields.Find("content") == nullptr ? Json(nullptr) : item["content"]}};
  }
  if (type == "function_call") {
    return {{"role", "assistant"},
            {"content", nullptr},
            {"tool_calls", Json::array({{{"id", fields.RequiredText("call_id")},
                                         {"type", "function"},
                                         {"function",
                                          {{"name", fields.RequiredText("name")},
                                           {"arguments", fields.RequiredText("arguments")}}}}})}};
  }
  if (type == "function_call_output") {
    return {{"role", "tool"},
            {"tool_call_id", fields.RequiredText("call_id")},
            {"content", fields.Find("output") == nullptr ? Json(nullptr) : item["output"]}};
  }
  if (type == "reasoning") return nullptr;  // earlier thoughts are not read again
  fields.Refuse("type", "message, function_call, function_call_output or reasoning");
}

void ReadInput(Fields* fields, const MediaSource& media, ChatWish* wish) {
  Json messages = Json::array();
  if (const auto instructions = fields->Text("instructions")) {
    messages.push_back({{"role", "system"}, {"content", *instructions}});
  }
  const Json* const input = fields->Find("input");
  if (input == nullptr) fields->Refuse("input", "a text or an array of items");
  const std::string pointer = fields->PointerOf("input");
  if (input->is_string()) {
    messages.push_back({{"role", "user"}, {"content", *input}});
  } else if (input->is_array()) {
    for (size_t i = 0; i < input->size(); ++i) {
      Json message = MessageOf((*input)[i], PointerTo(pointer, i));
      if (message.is_null()) continue;
      const bool joins = message.contains("tool_calls") && !messages.empty() &&
                         messages.back().contains("tool_calls");
      if (joins) {  // calls side by side are of one message
        messages.back()["tool_calls"].push_back(message["tool_calls"][0]);
      } else {
        messages.push_back(std::move(message));
      }
    }
  } else {
    fields->Refuse("input", "a text or an array of items");
  }
  ReadMessages(messages, pointer, media, wish);
}

// Functions stand flat here, or in a namespace, whose name their calls bring.
void AddFunctions(const Json& tools, const std::string& pointer, const std::string& space,
                  Json* chat, ResponseForm* form) {
  for (size_t i = 0; i < tools.size(); ++i) {
    Fields tool(tools[i], PointerTo(pointer, i));
    const std::string type = tool.RequiredText("type");
    if (type == "web_search") continue;  // an offer, which agents make without being asked
    if (type == "namespace") {
      AddFunctions(tool.RequiredArray("tools"), tool.PointerOf("tools"), tool.RequiredText("name"),
                   chat, form);
      continue;
    }
    if (type != "function") tool.Refuse("type", "function or namespace");
    if (!space.empty()) form->namespaces[tool.RequiredText("name")] = space;
    Json function = tools[i];
    function.erase("type");
    chat->push_back({{"type", "function"}, {"function", std::move(function)}});
  }
}

void ReadFlatTools(Fields* fields, ChatWish* wish, ResponseForm* form) {
  Json chat = Json::object();
  if (const Json* const tools = fields->Array("tools")) {
    chat["tools"] = Json::array();
    AddFunctions(*tools, fields->PointerOf("tools"), "", &chat["tools"], form);
  }
  if (const Json* const choice = fields->Find("tool_choice")) chat["tool_choice"] = *choice;
  if (const auto parallel = fields->Bool("parallel_tool_calls")) {
    chat["parallel_tool_calls"] = *parallel;
  }
  Fields its(chat, "");
  ReadTools(&its, wish);
}

ChatWish ReadResponse(const ServedModel& model, Fields* fields, const MediaSource& media,
                      ResponseForm* form) {
  for (const char* const name : {"previous_response_id", "conversation"}) {
    if (fields->Has(name)) {
      throw ApiError(400, fields->PointerOf(name) + " names what is not kept here: send all input",
                     fields->PointerOf(name), "unsupported_parameter");
    }
  }
  if (fields->Bool("background").value_or(false)) fields->Refuse("background", "false");
  ChatWish wish;
  ReadInput(fields, media, &wish);
  ReadFlatTools(fields, &wish, form);
  if (const Json* const text = fields->Object("text")) {
    Fields its(*text, fields->PointerOf("text"));
    ReadForm(its.Object("format"), its.PointerOf("format"), &wish);
    its.Ignore({"verbosity"});
    its.RefuseOthers();
  }
  ReadSampling(model, fields, &wish.options);
  wish.options.max_tokens =
      static_cast<uint64_t>(fields->Integer("max_output_tokens", 1, INT64_MAX).value_or(0));
  if (const Json* const reasoning = fields->Object("reasoning")) {
    Fields its(*reasoning, fields->PointerOf("reasoning"));
    Json chat = Json::object();
    if (const auto effort = its.Text("effort")) chat["reasoning_effort"] = *effort;
    its.Ignore({"summary", "generate_summary"});
    its.RefuseOthers();
    Fields of_chat(chat, "");
    ReadThinking(&of_chat, &wish);
  } else {
    ReadThinking(fields, &wish);
  }
  form->stream = fields->Bool("stream").value_or(false);
  fields->Ignore({"model", "user", "metadata", "store", "include", "service_tier", "truncation",
                  "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
                  "prompt_cache_options", "stream_options", "max_tool_calls", "top_logprobs",
                  "client_metadata"});
  fields->RefuseOthers();
  form->echoed = {
      {"instructions", nullptr},
      {"max_output_tokens", nullptr},
      {"parallel_tool_calls", !wish.one_call},
      {"temperature", wish.options.temperature ? Json(*wish.options.temperature) : Json(nullptr)},
      {"top_p", wish.options.top_p ? Json(*wish.options.top_p) : Json(nullptr)},
      {"tool_choice", "auto"},
      {"tools", Json::array()},
      {"text", {{"format", {{"type", "text"}}}}},
      {"reasoning", {{"effort", nullptr}, {"summary", nullptr}}}};
  return wish;
}

}  // namespace

void Responses(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  ResponseForm form;
  form.model = fields.Text("model").value_or("");
  const FoundModel found = service.models.Find(form.model);
  if (form.model.empty()) form.model = found.model->name();
  ChatWish wish = ReadResponse(*found.model, &fields, service.media, &form);
  for (const char* const name :
       {"tools", "tool_choice", "instructions", "max_output_tokens", "text", "metadata"}) {
    if (body.contains(name) && !body[name].is_null()) form.echoed[name] = body[name];
  }
  GenerationWish made = WishOf(found, std::move(wish), *exchange);
  auto sink = std::make_unique<ResponseSink>(exchange, std::move(form));
  Start(service, std::make_unique<Generation>(std::move(made), exchange, std::move(sink)));
}

void CountResponseTokens(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  ResponseForm form;
  const FoundModel found = service.models.Find(fields.Text("model").value_or(""));
  ChatWish wish = ReadResponse(*found.model, &fields, service.media, &form);
  const uint64_t tokens = WishOf(found, std::move(wish), *exchange).positions;
  AnswerJson(exchange.get(), {{"object", "response.input_tokens"}, {"input_tokens", tokens}});
}

}  // namespace rondo::tools::serve
