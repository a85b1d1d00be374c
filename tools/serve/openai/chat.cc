#include "tools/serve/openai/chat.h"

#include "tools/common/limits.h"
#include "tools/serve/generation_fields.h"
#include "tools/serve/handler.h"
#include "tools/serve/openai/messages.h"

namespace rondo::tools::serve {
namespace {

constexpr int64_t kMostTopLogprobs = 20;

void ReadLogprobs(Fields* fields, ChatWish* wish, ChatReplyForm* form) {
  form->logprobs = fields->Bool("logprobs").value_or(false);
  wish->options.logprobs = form->logprobs;
  const int64_t top = fields->Integer("top_logprobs", 0, kMostTopLogprobs).value_or(0);
  if (top > 0 && !form->logprobs) fields->Refuse("top_logprobs", "to go with logprobs: true");
  wish->top_logprobs = static_cast<size_t>(top);
}

// What a text must be, as vLLM's and llama.cpp's clients say it, too.
void ReadGrammar(Fields* fields, ChatWish* wish) {
  if (const Json* const schema = fields->Object("json_schema")) {
    wish->form = {RONDO_GRAMMAR_JSON_SCHEMA, schema->dump(), fields->PointerOf("json_schema")};
  }
  if (const auto regex = fields->Text("regex")) {
    wish->form = {RONDO_GRAMMAR_PATTERN, *regex, fields->PointerOf("regex")};
  }
  if (const auto rules = fields->Text("grammar"); rules && !rules->empty()) {
    wish->form = {RONDO_GRAMMAR_GBNF, *rules, fields->PointerOf("grammar")};
  }
}

void ReadStream(Fields* fields, ChatReplyForm* form) {
  form->stream = fields->Bool("stream").value_or(false);
  const Json* const options = fields->Object("stream_options");
  if (options == nullptr) return;
  if (!form->stream) fields->Refuse("stream_options", "to go with stream: true");
  Fields its(*options, fields->PointerOf("stream_options"));
  form->include_usage = its.Bool("include_usage").value_or(false);
  its.Ignore({"include_obfuscation", "continuous_usage_stats"});
  its.RefuseOthers();
}

// What stands behind the last message.
void ReadEnd(Fields* fields, ChatWish* wish) {
  const bool is_said = fields->Bool("continue_final_message").value_or(false);
  wish->continues = is_said && wish->messages.back()["role"] == "assistant";
  const auto asks = fields->Bool("add_generation_prompt");
  if (wish->continues && asks == true) {
    fields->Refuse("add_generation_prompt", "false, as the last message goes on");
  }
  wish->asks = asks.value_or(true);
}

std::string ReadPrediction(Fields* fields) {
  const Json* const prediction = fields->Object("prediction");
  if (prediction == nullptr) return "";
  Fields its(*prediction, fields->PointerOf("prediction"));
  if (its.RequiredText("type") != "content") its.Refuse("type", "\"content\"");
  const Json* const content = its.Find("content");
  if (content == nullptr) its.Refuse("content", "a text or an array of parts");
  if (content->is_string()) return content->get<std::string>();
  std::string text;
  for (size_t i = 0; i < its.RequiredArray("content").size(); ++i) {
    Fields part((*content)[i], PointerTo(its.PointerOf("content"), i));
    text += part.RequiredText("text");
  }
  return text;
}

}  // namespace

void ReadThinking(Fields* fields, ChatWish* wish) {
  if (const Json* const variables = fields->Object("chat_template_kwargs")) {
    wish->variables = *variables;
  }
  if (const auto effort = fields->Text("reasoning_effort")) {
    wish->variables["reasoning_effort"] = *effort;
    if (!wish->variables.contains("enable_thinking")) {
      wish->variables["enable_thinking"] = *effort != "none" && *effort != "minimal";
    }
  }
  for (const char* const name : {"thinking_budget", "thinking_budget_tokens"}) {
    const auto budget = fields->Integer(name, -1, INT64_MAX);
    if (!budget || *budget < 0) continue;
    if (*budget == 0) wish->variables["enable_thinking"] = false;
    wish->thinking_tokens = static_cast<uint64_t>(*budget);
  }
}

ChatWish ReadChat(const ServedModel& model, Fields* fields, const MediaSource& media,
                  ChatReplyForm* form) {
  ChatWish wish;
  ReadMessages(fields->RequiredArray("messages"), fields->PointerOf("messages"), media, &wish);
  ReadTools(fields, &wish);
  ReadForm(fields->Object("response_format"), fields->PointerOf("response_format"), &wish);
  ReadGrammar(fields, &wish);
  ReadSampling(model, fields, &wish.options);
  wish.options.stop = ReadStops(fields, "stop");
  const auto most = fields->Integer("max_tokens", 1, INT64_MAX);
  const auto most_completion = fields->Integer("max_completion_tokens", 1, INT64_MAX);
  wish.options.max_tokens = static_cast<uint64_t>(most_completion.value_or(most.value_or(0)));
  ReadThinking(fields, &wish);
  ReadLogprobs(fields, &wish, form);
  ReadStream(fields, form);
  wish.choices =
      static_cast<size_t>(fields->Integer("n", 1, model.memory().max_sessions).value_or(1));
  form->choices = wish.choices;
  wish.prediction = ReadPrediction(fields);
  ReadEnd(fields, &wish);
  const Json* const modalities = fields->Array("modalities");
  if (modalities != nullptr && *modalities != Json::array({"text"})) {
    fields->Refuse("modalities", "[\"text\"]");
  }
  fields->Ignore({"model", "user", "metadata", "store", "service_tier", "safety_identifier",
                  "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options",
                  "cache_prompt", "verbosity"});
  fields->RefuseOthers();
  return wish;
}

void ChatCompletions(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  ChatReplyForm form;
  form.model = fields.Text("model").value_or("");
  const FoundModel found = service.models.Find(form.model);
  if (form.model.empty()) form.model = found.model->name();
  form.fingerprint = found.model->Fingerprint();
  ChatWish wish = ReadChat(*found.model, &fields, service.media, &form);
  GenerationWish made = WishOf(found, std::move(wish), *exchange);
  auto sink = std::make_unique<ChatSink>(exchange, std::move(form));
  Start(service, std::make_unique<Generation>(std::move(made), exchange, std::move(sink)));
}

}  // namespace rondo::tools::serve
