// Bodies and replies of completions: texts that go on.
#include <algorithm>

#include "tools/common/library.h"
#include "tools/common/sampling.h"
#include "tools/serve/chat_wish.h"
#include "tools/serve/generation_fields.h"
#include "tools/serve/handler.h"
#include "tools/serve/openai/usage.h"

namespace rondo::tools::serve {
namespace {

constexpr int64_t kMostLogprobs = 20;
constexpr size_t kMostPrompts = 128;

// They run side by side.
void AddTo(Usage* sum, const Usage& one) {
  sum->prompt_tokens += one.prompt_tokens;
  sum->cached_tokens += one.cached_tokens;
  sum->completion_tokens += one.completion_tokens;
  sum->reasoning_tokens += one.reasoning_tokens;
  sum->queue_seconds = std::max(sum->queue_seconds, one.queue_seconds);
  sum->prefill_seconds = std::max(sum->prefill_seconds, one.prefill_seconds);
  sum->decode_seconds = std::max(sum->decode_seconds, one.decode_seconds);
}

struct CompletionForm {
  std::string model, fingerprint;
  size_t choices = 1;  // of each prompt
  bool stream = false, include_usage = false, logprobs = false;
  std::vector<std::string> before;  // each text, by its prompt
};

// The reply, for generations of all prompts. A choice has its place in the reply as its number.
class CompletionReply {
 public:
  CompletionReply(std::shared_ptr<Exchange> exchange, CompletionForm form)
      : exchange_(std::move(exchange)),
        form_(std::move(form)),
        ids_(exchange_->request().id_seed),
        id_(ids_.Next("cmpl-")),
        created_(exchange_->request().time),
        answers_(form_.choices * form_.before.size()),
        open_(form_.before.size()) {
    if (form_.stream) PromiseEvents(exchange_.get());
  }

  void Take(size_t choice, const Piece& piece) {
    if (piece.kind != PieceKind::kContent) return;
    answers_[choice].text += piece.text;
    if (form_.stream) Send(choice, std::string(piece.text), nullptr);
  }
  void Note(size_t choice, const TokenNote& note) {
    Json& notes = answers_[choice].notes;
    if (notes.is_null()) {
      notes = {{"tokens", Json::array()},
               {"token_logprobs", Json::array()},
               {"top_logprobs", Json::array()},
               {"text_offset", Json::array()}};
    }
    Json top = Json::object();
    for (const auto& [bytes, logprob] : note.top) top[bytes] = logprob;
    notes["tokens"].push_back(note.bytes);
    notes["token_logprobs"].push_back(note.logprob);
    notes["top_logprobs"].push_back(std::move(top));
    notes["text_offset"].push_back(answers_[choice].offset);
    answers_[choice].offset += note.bytes.size();
  }
  void EndChoice(size_t choice, Finish finish) {
    answers_[choice].finish = finish == Finish::kLength ? "length" : "stop";
    if (form_.stream) Send(choice, "", answers_[choice].finish);
  }
  // Of one prompt's choices.
  void End(const Usage& usage) {
    AddTo(&usage_, usage);
    if (--open_ > 0) return;
    if (form_.stream) {
      if (form_.include_usage) SendChunk(Json::array(), &usage_);
      exchange_->Write("data: [DONE]\n\n");
      exchange_->End();
      return;
    }
    Json choices = Json::array();
    for (size_t i = 0; i < answers_.size(); ++i) {
      choices.push_back({{"index", i},
                         {"text", Before(i) + answers_[i].text},
                         {"logprobs", answers_[i].notes},
                         {"finish_reason", answers_[i].finish}});
    }
    Json whole = Head(std::move(choices));
    whole["usage"] = UsageOf(usage_);
    whole["timings"] = TimingsOf(usage_);
    AnswerJson(exchange_.get(), whole);
  }
  // The first failure is that of all.
  bool failed() const { return failed_; }
  void Fail(const ApiError& error) {
    if (std::exchange(failed_, true)) return;
    if (exchange_->Answer(ErrorReply(error))) return;
    exchange_->Write(EventText(ErrorBody(error)));
    exchange_->Write("data: [DONE]\n\n");
    exchange_->End();
  }

 private:
  struct Answer {  // NOLINT(bugprone-exception-escape): as FolderTokenizer
    std::string text;
    Json notes;  // not told yet; null: none
    size_t offset = 0;
    bool begun = false;  // its stream
    const char* finish = nullptr;
  };

  const std::string& Before(size_t choice) const { return form_.before[choice / form_.choices]; }
  Json Head(Json choices) const {
    return {{"id", id_},
            {"object", "text_completion"},
            {"created", created_},
            {"model", form_.model},
            {"system_fingerprint", form_.fingerprint},
            {"choices", std::move(choices)}};
  }
  void Send(size_t choice, const std::string& text, const char* finish) {
    const bool is_first = !std::exchange(answers_[choice].begun, true);
    SendChunk(Json::array({{{"index", choice},
                            {"text", is_first ? Before(choice) + text : text},
                            {"logprobs", std::exchange(answers_[choice].notes, nullptr)},
                            {"finish_reason", finish == nullptr ? Json(nullptr) : Json(finish)}}}),
              nullptr);
  }
  // `usage`: of the last one, null in all others.
  void SendChunk(Json choices, const Usage* usage) {
    exchange_->Begin();
    Json chunk = Head(std::move(choices));
    if (form_.include_usage) chunk["usage"] = usage == nullptr ? Json(nullptr) : UsageOf(*usage);
    if (usage != nullptr) chunk["timings"] = TimingsOf(*usage);
    exchange_->Write(EventText(chunk));
  }

  const std::shared_ptr<Exchange> exchange_;
  const CompletionForm form_;
  IdMaker ids_;
  const std::string id_;
  const int64_t created_;
  std::vector<Answer> answers_;
  size_t open_;  // prompts whose choices have not ended
  bool failed_ = false;
  Usage usage_;  // of those that have
};

class PromptSink : public Sink {
 public:
  // `first`: the place of the prompt's first choice.
  PromptSink(std::shared_ptr<CompletionReply> reply, size_t first)
      : reply_(std::move(reply)), first_(first) {}

  void Take(size_t choice, const Piece& piece) override {
    if (reply_->failed()) throw ApiError(500, "another prompt of the request failed");
    reply_->Take(first_ + choice, piece);
  }
  void Note(size_t choice, TokenNote note) override { reply_->Note(first_ + choice, note); }
  void EndChoice(size_t choice, Finish finish, const std::string&) override {
    reply_->EndChoice(first_ + choice, finish);
  }
  void End(const Usage& usage) override { reply_->End(usage); }
  void Fail(const ApiError& error) override { reply_->Fail(error); }

 private:
  const std::shared_ptr<CompletionReply> reply_;  // on the stepper's thread
  const size_t first_;
};

struct Prompt {
  std::string text;
  std::vector<int32_t> ids;
};

// A text, or ids.
Prompt ReadPrompt(const ServedModel& model, const Json& value, const std::string& pointer) {
  Prompt prompt;
  if (value.is_string()) {
    prompt.text = value.get<std::string>();
    prompt.ids = Tokenize(model.model(), prompt.text, /*add_special=*/true);
    if (prompt.ids.empty()) RefuseValue(pointer, value, "a text with a token");
  } else if (value.is_array() && !value.empty()) {
    prompt.ids = ReadIds(model, value, pointer);
    prompt.text = model.model().Detokenize(prompt.ids);
  } else {
    RefuseValue(pointer, value, "a text or an array of token ids");
  }
  CheckRoom(model, prompt.ids.size());
  return prompt;
}

// One of these, or an array of them.
std::vector<Prompt> ReadPrompts(const ServedModel& model, Fields* fields) {
  const Json* const value = fields->Find("prompt");
  if (value == nullptr) fields->Refuse("prompt", "a text or an array of token ids");
  const std::string pointer = fields->PointerOf("prompt");
  if (!value->is_array() || value->empty() || (*value)[0].is_number()) {
    return {ReadPrompt(model, *value, pointer)};
  }
  if (value->size() > kMostPrompts) {
    RefuseValue(pointer, *value, "at most " + std::to_string(kMostPrompts) + " prompts");
  }
  std::vector<Prompt> prompts;
  for (size_t i = 0; i < value->size(); ++i) {
    prompts.push_back(ReadPrompt(model, (*value)[i], PointerTo(pointer, i)));
  }
  return prompts;
}

}  // namespace

void Completions(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  CompletionForm form;
  form.model = fields.Text("model").value_or("");
  const FoundModel found = service.models.Find(form.model);
  const ServedModel& model = *found.model;
  if (form.model.empty()) form.model = model.name();
  form.fingerprint = model.Fingerprint();
  if (model.kind() != ModelKind::kPredicts) {
    throw ApiError(400, "the model " + model.name() + " makes vectors or scores, no text",
                   "/model");
  }
  GenerationWish made;
  made.model = found.model;
  std::vector<Prompt> prompts = ReadPrompts(model, &fields);
  ReadSampling(model, &fields, &made.options);
  made.options.stop = ReadStops(&fields, "stop");
  made.options.max_tokens =
      static_cast<uint64_t>(fields.Integer("max_tokens", 1, INT64_MAX).value_or(16));
  made.choices =
      static_cast<size_t>(fields.Integer("n", 1, model.memory().max_sessions).value_or(1));
  if (fields.Integer("best_of", 1, model.memory().max_sessions).value_or(1) >
      static_cast<int64_t>(made.choices)) {
    fields.Refuse("best_of", "at most n");
  }
  const auto logprobs = fields.Integer("logprobs", 0, kMostLogprobs);
  form.logprobs = logprobs.has_value();
  made.options.logprobs = form.logprobs;
  made.top_logprobs = static_cast<size_t>(logprobs.value_or(0));
  form.stream = fields.Bool("stream").value_or(false);
  if (const Json* const options = fields.Object("stream_options")) {
    form.include_usage =
        Fields(*options, fields.PointerOf("stream_options")).Bool("include_usage").value_or(false);
  }
  const bool echo = fields.Bool("echo").value_or(false);
  for (const Prompt& prompt : prompts) form.before.push_back(echo ? prompt.text : "");
  if (echo && form.logprobs) fields.Refuse("echo", "false, as logprobs are those of the answer");
  if (!fields.Text("suffix").value_or("").empty()) {
    fields.Refuse("suffix", "none: no model here fills a middle");
  }
  form.choices = made.choices;
  if (const auto rules = fields.Text("grammar"); rules && !rules->empty()) {
    made.options.grammar = found.model->GrammarOf(RONDO_GRAMMAR_GBNF, *rules, "/grammar");
  } else if (const auto regex = fields.Text("regex")) {
    made.options.grammar = found.model->GrammarOf(RONDO_GRAMMAR_PATTERN, *regex, "/regex");
  } else if (const Json* const schema = fields.Object("json_schema")) {
    made.options.grammar =
        found.model->GrammarOf(RONDO_GRAMMAR_JSON_SCHEMA, schema->dump(), "/json_schema");
  }
  fields.Ignore({"model", "user", "cache_prompt"});
  fields.RefuseOthers();
  if (found.adapter != nullptr) made.options.adapter = *found.adapter;
  made.stops = StopsOf(model.model(), made.options);
  const auto reply = std::make_shared<CompletionReply>(exchange, std::move(form));
  std::vector<std::unique_ptr<Generation>> generations;
  for (Prompt& prompt : prompts) {
    GenerationWish wish = made;
    wish.positions = prompt.ids.size();
    wish.ids = std::move(prompt.ids);
    auto sink = std::make_unique<PromptSink>(reply, generations.size() * made.choices);
    generations.push_back(std::make_unique<Generation>(std::move(wish), exchange, std::move(sink)));
  }
  Start(service, std::move(generations));
}

}  // namespace rondo::tools::serve
