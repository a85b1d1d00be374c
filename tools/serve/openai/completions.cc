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

struct CompletionForm {
  std::string model, fingerprint;
  size_t choices = 1;
  bool stream = false, include_usage = false, logprobs = false;
  std::string echo, suffix;  // before and behind each text
};

class CompletionSink : public Sink {
 public:
  CompletionSink(std::shared_ptr<Exchange> exchange, CompletionForm form)
      : exchange_(std::move(exchange)),
        form_(std::move(form)),
        ids_(exchange_->request().id_seed),
        id_(ids_.Next("cmpl-")),
        created_(exchange_->request().time),
        answers_(form_.choices) {
    if (form_.stream) PromiseEvents(exchange_.get());
  }

  void Take(size_t choice, const Piece& piece) override {
    if (piece.kind != PieceKind::kContent) return;
    answers_[choice].text += piece.text;
    if (form_.stream) Send(choice, std::string(piece.text), nullptr);
  }
  void Note(size_t choice, TokenNote note) override {
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
  void EndChoice(size_t choice, Finish finish, const std::string&) override {
    answers_[choice].finish = finish == Finish::kLength ? "length" : "stop";
    if (form_.stream) Send(choice, form_.suffix, answers_[choice].finish);
  }
  void End(const Usage& usage) override {
    if (form_.stream) {
      if (form_.include_usage) SendChunk(Json::array(), &usage);
      exchange_->Write("data: [DONE]\n\n");
      exchange_->End();
      return;
    }
    Json choices = Json::array();
    for (size_t i = 0; i < answers_.size(); ++i) {
      choices.push_back({{"index", i},
                         {"text", form_.echo + answers_[i].text + form_.suffix},
                         {"logprobs", answers_[i].notes},
                         {"finish_reason", answers_[i].finish}});
    }
    Json whole = Head(std::move(choices));
    whole["usage"] = UsageOf(usage);
    whole["timings"] = TimingsOf(usage);
    AnswerJson(exchange_.get(), whole);
  }
  void Fail(const ApiError& error) override {
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
    const char* finish = nullptr;
  };

  Json Head(Json choices) const {
    return {{"id", id_},
            {"object", "text_completion"},
            {"created", created_},
            {"model", form_.model},
            {"system_fingerprint", form_.fingerprint},
            {"choices", std::move(choices)}};
  }
  void Send(size_t choice, const std::string& text, const char* finish) {
    const bool is_first = answers_[choice].text.size() == text.size() && finish == nullptr;
    SendChunk(Json::array({{{"index", choice},
                            {"text", is_first ? form_.echo + text : text},
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
};

// A text, or ids.
std::vector<int32_t> ReadPrompt(const ServedModel& model, Fields* fields, std::string* text) {
  const Json* prompt = fields->Find("prompt");
  if (prompt == nullptr) fields->Refuse("prompt", "a text or an array of token ids");
  if (prompt->is_array() && prompt->size() == 1 && !(*prompt)[0].is_number()) {
    prompt = &(*prompt)[0];  // an array of one prompt
  }
  const std::string pointer = fields->PointerOf("prompt");
  if (prompt->is_string()) {
    *text = prompt->get<std::string>();
    std::vector<int32_t> ids = Tokenize(model.model(), *text, /*add_special=*/true);
    if (ids.empty()) RefuseValue(pointer, *prompt, "a text with a token");
    return ids;
  }
  if (!prompt->is_array() || prompt->empty() || !(*prompt)[0].is_number()) {
    RefuseValue(pointer, *prompt, "a text or an array of token ids; one prompt for each request");
  }
  std::vector<int32_t> ids = ReadIds(model, *prompt, pointer);
  *text = model.model().Detokenize(ids);
  return ids;
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
  std::string text;
  made.ids = ReadPrompt(model, &fields, &text);
  made.positions = made.ids.size();
  CheckRoom(model, made.positions);
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
  if (fields.Bool("echo").value_or(false)) form.echo = text;
  form.suffix = fields.Text("suffix").value_or("");
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
  auto sink = std::make_unique<CompletionSink>(exchange, std::move(form));
  Start(service, std::make_unique<Generation>(std::move(made), exchange, std::move(sink)));
}

}  // namespace rondo::tools::serve
