// Embedding: what a model makes of texts, the texts that it reads, their vectors.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "c_api/turn.h"

namespace {

using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::CheckOutput;
using rondo::c_api::Clear;
using rondo::c_api::Code;
using rondo::c_api::ComputingTurn;
using rondo::c_api::Fill;
using rondo::c_api::Held;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenModel;
using rondo::c_api::PutText;
using rondo::c_api::Report;
using rondo::c_api::Turns;

static_assert(RONDO_POOLING_MEAN == static_cast<int>(rondo::format::Pooling::kMean));
static_assert(RONDO_POOLING_LAST == static_cast<int>(rondo::format::Pooling::kLast));
static_assert(RONDO_POOLING_FIRST == static_cast<int>(rondo::format::Pooling::kFirst));

const rondo::format::Embedder* EmbedderOf(const OpenModel& model) {
  return model.file.model().embedder();
}

uint32_t PromptsOf(const rondo::format::Embedder& embedder) {
  return embedder.prompts() == nullptr ? 0 : embedder.prompts()->size();
}

// Numbers of a vector: what the last matrix makes, or the width of the model.
uint32_t DimensionsOf(const rondo::format::Model& model) {
  const auto* dense = model.embedder()->dense();
  if (dense == nullptr || dense->size() == 0) return model.hidden_size();
  const uint32_t weight = dense->Get(dense->size() - 1)->linear()->weight();
  return static_cast<uint32_t>(model.tensors()->Get(weight)->rows());
}

bool ReadsWhole(const rondo::format::Model& model) {
  for (const rondo::format::Layer* layer : *model.layers()) {
    for (const rondo::format::Sublayer* sublayer : *layer->sublayers()) {
      const rondo::format::Attention* attention = sublayer->op_as_Attention();
      if (attention != nullptr && attention->bidirectional()) return true;
    }
  }
  return false;
}

// The prompt of this name; null: of none. False where there is none of the name.
bool FindPrompt(const rondo::format::Embedder& embedder, const char* name,
                const rondo::format::Prompt** found) {
  *found = nullptr;
  if (name == nullptr) {
    const int32_t number = embedder.default_prompt();
    if (number >= 0) *found = embedder.prompts()->Get(static_cast<uint32_t>(number));
    return true;
  }
  if (*name == '\0') return true;
  for (uint32_t i = 0; i < PromptsOf(embedder) && *found == nullptr; ++i) {
    const rondo::format::Prompt* prompt = embedder.prompts()->Get(i);
    if (GetStringView(prompt->name()) == name) *found = prompt;
  }
  return *found != nullptr;
}

// Texts one behind the other as one text output.
class Joined {
 public:
  void Add(std::string_view piece) { pieces_[n_++] = piece; }

  int32_t Put(char* buffer, size_t capacity, size_t* length) const {
    rondo::CheckedSize sum = 0;
    for (size_t i = 0; i < n_; ++i) sum = sum + pieces_[i].size();
    if (!sum.valid()) return RONDO_STATUS_INVALID_ARGUMENT;
    const size_t bytes = static_cast<size_t>(sum.value());
    *length = bytes;
    if (capacity > 0) buffer[0] = '\0';
    if (bytes >= capacity) return RONDO_STATUS_BUFFER_TOO_SMALL;
    for (size_t i = 0; i < n_; ++i) {
      buffer = std::copy(pieces_[i].begin(), pieces_[i].end(), buffer);
    }
    *buffer = '\0';
    return RONDO_STATUS_OK;
  }

 private:
  static constexpr size_t kMost = 7;  // three texts and what stands around them
  std::array<std::string_view, kMost> pieces_;
  size_t n_ = 0;
};

// A pair's text with the three in their places, each of which stands at most once.
Joined FillIn(std::string_view pair, std::string_view instruction, std::string_view query,
              std::string_view document) {
  const std::pair<std::string_view, std::string_view> places[] = {
      {"{instruction}", instruction}, {"{query}", query}, {"{document}", document}};
  Joined joined;
  for (;;) {
    size_t first = pair.npos;
    const std::pair<std::string_view, std::string_view>* place = nullptr;
    for (const auto& one : places) {
      const size_t at = pair.find(one.first);
      if (at < first) {
        first = at;
        place = &one;
      }
    }
    joined.Add(pair.substr(0, first));
    if (place == nullptr) return joined;
    joined.Add(place->second);
    pair.remove_prefix(first + place->first.size());
  }
}

// The second text begins behind the first separator: which a query must not have, then.
bool MovesSecondText(const rondo::format::Embedder& embedder, std::string_view query) {
  if (embedder.separator() < 0) return false;
  const std::string_view pair = GetStringView(embedder.pair());
  const size_t begin = std::min(pair.find("{query}") + std::strlen("{query}"), pair.size());
  const size_t end = pair.find("{document}", begin);
  return end != pair.npos && query.find(pair.substr(begin, end - begin)) != query.npos;
}

Status Embed(const rondo_engine* handle, rondo_session* const* sessions, size_t n_sessions,
             const rondo::Session::Texts& texts) {
  const Held engine(handle);
  if (!engine) return engine.Why("engine");
  if (sessions == nullptr) return NullArgument("sessions");
  if (n_sessions == 0 || n_sessions > rondo::kMaxSessions) {
    return Status::Error(StatusCode::kInvalidArgument, "%zu sessions; 1 to %u are possible",
                         n_sessions, rondo::kMaxSessions);
  }
  if (!texts.counts.empty() && texts.counts.data() == nullptr) return NullArgument("counts");
  if (!texts.counts.empty() && texts.ids == nullptr) return NullArgument("ids");
  if (!texts.counts.empty() && texts.vectors == nullptr) return NullArgument("vectors");
  Turns turns;
  RONDO_RETURN_IF_ERROR(turns.Take(*engine, {sessions, n_sessions}));
  const Status status = rondo::Session::Embed(engine->engine.get(), turns.sessions(), texts);
  for (size_t i = 0; i < texts.counts.size() && status.ok(); ++i) {
    turns[0].CountPrefilled(texts.counts[i]);
  }
  return status;
}

}  // namespace

extern "C" {

int32_t rondo_model_embedder(const rondo_model* handle, rondo_embedder_facts* facts) {
  Clear(facts);
  const Held model(handle);
  if (!model) return model.code();
  if (facts == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  if (const Status status = CheckOutput(facts, "facts"); !status.ok()) return Code(status);
  rondo_embedder_facts f = {};
  f.default_prompt = -1;
  if (const rondo::format::Embedder* embedder = EmbedderOf(*model)) {
    const rondo::format::Model& file = model->file.model();
    f.dimensions = DimensionsOf(file);
    f.max_tokens = embedder->max_tokens() > 0 ? embedder->max_tokens() : file.context_length();
    f.whole_texts = ReadsWhole(file) ? 1 : 0;
    f.normalized = embedder->normalize() ? 1 : 0;
    f.scores_pairs = embedder->pair() != nullptr ? 1 : 0;
    f.pooling = static_cast<int32_t>(embedder->pooling());
    f.n_prompts = PromptsOf(*embedder);
    f.default_prompt = embedder->default_prompt();
  }
  Fill(facts, f);
  return RONDO_STATUS_OK;
}

int32_t rondo_model_prompt_name(const rondo_model* handle, uint32_t index, char* buffer,
                                size_t capacity, size_t* length) {
  if (length != nullptr) *length = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (length == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  const rondo::format::Embedder* embedder = EmbedderOf(*model);
  if (embedder == nullptr || index >= PromptsOf(*embedder)) return RONDO_STATUS_INVALID_ARGUMENT;
  return PutText(GetStringView(embedder->prompts()->Get(index)->name()), buffer, capacity, length);
}

int32_t rondo_embedding_text(const rondo_model* handle, const char* prompt, const char* text,
                             size_t text_bytes, char* buffer, size_t capacity, size_t* length) {
  if (length != nullptr) *length = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (length == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  if (buffer == nullptr && capacity > 0) return RONDO_STATUS_INVALID_ARGUMENT;
  if (text == nullptr && text_bytes > 0) return RONDO_STATUS_INVALID_ARGUMENT;
  const rondo::format::Embedder* embedder = EmbedderOf(*model);
  if (embedder == nullptr || embedder->pair() != nullptr) return RONDO_STATUS_UNSUPPORTED;
  const rondo::format::Prompt* found = nullptr;
  if (!FindPrompt(*embedder, prompt, &found)) return RONDO_STATUS_INVALID_ARGUMENT;
  Joined joined;
  if (found != nullptr) joined.Add(GetStringView(found->text()));
  joined.Add({text, text_bytes});
  return joined.Put(buffer, capacity, length);
}

int32_t rondo_pair_text(const rondo_model* handle, const char* instruction, const char* query,
                        size_t query_bytes, const char* document, size_t document_bytes,
                        char* buffer, size_t capacity, size_t* length) {
  if (length != nullptr) *length = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (length == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  if (buffer == nullptr && capacity > 0) return RONDO_STATUS_INVALID_ARGUMENT;
  if (query == nullptr && query_bytes > 0) return RONDO_STATUS_INVALID_ARGUMENT;
  if (document == nullptr && document_bytes > 0) return RONDO_STATUS_INVALID_ARGUMENT;
  const rondo::format::Embedder* embedder = EmbedderOf(*model);
  if (embedder == nullptr || embedder->pair() == nullptr) return RONDO_STATUS_UNSUPPORTED;
  if (MovesSecondText(*embedder, {query, query_bytes})) return RONDO_STATUS_INVALID_ARGUMENT;
  std::string_view what = instruction == nullptr ? "" : instruction;
  const rondo::format::Prompt* usual = nullptr;
  if (instruction == nullptr && FindPrompt(*embedder, nullptr, &usual) && usual != nullptr) {
    what = GetStringView(usual->text());
  }
  std::string_view pair = GetStringView(embedder->pair());
  // transformers takes an empty second text for none, as is seen where texts have types.
  if (document_bytes == 0 && embedder->separator() >= 0) {
    pair = pair.substr(0, pair.find("{query}") + std::strlen("{query}"));
  }
  return FillIn(pair, what, {query, query_bytes}, {document, document_bytes})
      .Put(buffer, capacity, length);
}

int32_t rondo_session_embed(rondo_session* session, const int32_t* ids, size_t count, float* vector,
                            size_t dimensions) {
  ComputingTurn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (ids == nullptr && count > 0) return turn.Finish(NullArgument("ids"));
  if (vector == nullptr) return turn.Finish(NullArgument("vector"));
  rondo::Session* const self = &*turn;
  const Status status = rondo::Session::Embed(turn.engine().engine.get(), {&self, 1},
                                              {ids, {&count, 1}, dimensions, vector});
  if (status.ok()) turn.CountPrefilled(count);
  return turn.Finish(status);
}

int32_t rondo_engine_embed(rondo_engine* engine, rondo_session* const* sessions, size_t n_sessions,
                           const int32_t* ids, const size_t* counts, size_t n_texts, float* vectors,
                           size_t dimensions, char* message, size_t message_bytes) {
  return Report(Embed(engine, sessions, n_sessions, {ids, {counts, n_texts}, dimensions, vectors}),
                message, message_bytes);
}

}  // extern "C"
