// Texts as vectors, and documents by how well they answer a query.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "tools/common/embedder.h"
#include "tools/common/library.h"
#include "tools/common/long_texts.h"
#include "tools/common/white_space.h"
#include "tools/serve/generation_fields.h"
#include "tools/serve/handler.h"
#include "tools/serve/openai/usage.h"

namespace rondo::tools::serve {
namespace {

constexpr size_t kMostTexts = 2048;

std::string Base64(const std::vector<float>& values) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) {
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      const bool is_there = i + j <= bytes.size();
      out += is_there ? kDigits[three >> (18 - 6 * j) & 63] : '=';
    }
  }
  return out;
}

bool AreIds(const Json& value) {
  return value.is_array() && !value.empty() && value[0].is_number();
}

// Which is as an array of it.
bool IsOne(const Json& value) { return value.is_string() || AreIds(value); }

Json ReadList(Fields* fields, const char* name) {
  const Json* const value = fields->Find(name);
  if (value == nullptr) fields->Refuse(name, "a text or an array of texts");
  Json list = IsOne(*value) ? Json::array({*value}) : *value;
  if (!list.is_array() || list.empty() || list.size() > kMostTexts) {
    RefuseValue(fields->PointerOf(name), *value,
                "a text, or an array of 1 to " + std::to_string(kMostTexts) + " texts");
  }
  return list;
}

std::string PointerOf(Fields* fields, const char* name, size_t index) {
  const std::string pointer = fields->PointerOf(name);
  return IsOne(*fields->Find(name)) ? pointer : PointerTo(pointer, index);
}

std::string ReadText(const Json& one, const std::string& pointer) {
  if (one.is_object() && one.contains("text") && one["text"].is_string()) {  // as some write it
    return one["text"].get<std::string>();
  }
  if (!one.is_string()) RefuseValue(pointer, one, "a text");
  return one.get<std::string>();
}

std::vector<std::string> ReadTexts(Fields* fields, const char* name) {
  const Json list = ReadList(fields, name);
  std::vector<std::string> texts;
  for (size_t i = 0; i < list.size(); ++i) {
    texts.push_back(ReadText(list[i], PointerOf(fields, name, i)));
  }
  return texts;
}

// That a text is not to be read is its request's fault.
template <typename Call>
auto Reading(const std::string& pointer, const Call& call) {
  try {
    return call();
  } catch (const ApiError&) {
    throw;
  } catch (const Error& error) {
    throw ApiError(400, error.what(), pointer, "invalid_value");
  }
}

void RequireKind(const ServedModel& model, ModelKind kind, const char* what) {
  if (model.kind() == kind) return;
  throw ApiError(400, "the model " + model.name() + " does not make " + what, "/model");
}

// The vectors, each of `dimensions` numbers, in batches that the model's sessions share.
std::vector<std::vector<float>> Embed(ServedModel& model, const std::vector<TokenIds>& texts,
                                      size_t dimensions, const Exchange& exchange) {
  std::vector<std::vector<float>> vectors;
  std::vector<rondo::Session>& sessions = model.embedding_sessions();
  for (size_t begin = 0; begin < texts.size(); begin += sessions.size()) {
    if (exchange.gone()) throw ApiError(499, "the client has gone");
    const size_t count = std::min(sessions.size(), texts.size() - begin);
    std::vector<rondo::Session*> used;
    for (size_t i = 0; i < count; ++i) used.push_back(&sessions[i]);
    const auto first = texts.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<TokenIds> some(first, first + static_cast<std::ptrdiff_t>(count));
    // Between two batches another request has its turn.
    const std::lock_guard lock(model.embedding());
    try {
      for (auto& vector : model.engine().Embed(used, some, dimensions)) {
        vectors.push_back(std::move(vector));
      }
    } catch (const rondo::Error& error) {  // a text that --context has no room for
      const bool is_texts = error.status() == RONDO_STATUS_CONTEXT_FULL ||
                            error.status() == RONDO_STATUS_INVALID_ARGUMENT;
      throw ApiError(is_texts ? 400 : 500, error.what());
    }
  }
  return vectors;
}

size_t CountTokens(const std::vector<TokenIds>& texts) {
  return std::accumulate(texts.begin(), texts.end(), size_t{0},
                         [](size_t sum, const TokenIds& ids) { return sum + ids.size(); });
}

}  // namespace

void Embeddings(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  const std::string name = fields.Text("model").value_or("");
  const FoundModel found = service.models.Find(name);
  ServedModel& model = *found.model;
  RequireKind(model, ModelKind::kEmbeds, "vectors of texts");
  const Json list = ReadList(&fields, "input");
  const auto all = static_cast<int64_t>(model.embedder().dimensions);
  const auto dimensions = static_cast<size_t>(fields.Integer("dimensions", 1, all).value_or(all));
  const std::string format = fields.Text("encoding_format").value_or("float");
  if (format != "float" && format != "base64") fields.Refuse("encoding_format", "float or base64");
  const std::optional<std::string> prompt = fields.Text("prompt_name");
  const TooLong too_long =
      fields.Bool("truncate").value_or(true) ? TooLong::kCut : TooLong::kRefuse;
  fields.Ignore({"model", "user", "input_type"});
  fields.RefuseOthers();
  const LongTexts read(model.model(), too_long, service.cut_told);
  std::vector<TokenIds> ids;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string pointer = PointerOf(&fields, "input", i);
    if (AreIds(list[i])) {
      if (prompt) fields.Refuse("prompt_name", "none, as ids are read as they are");
      ids.push_back(
          Reading(pointer, [&] { return read.Fit(pointer, ReadIds(model, list[i], pointer)); }));
      continue;
    }
    const std::string text = Reading("/prompt_name", [&] {
      return EmbeddingText(model.model(), prompt ? prompt->c_str() : nullptr,
                           ReadText(list[i], pointer));
    });
    ids.push_back(Reading(pointer, [&] { return read.Read(pointer, Stripped(text)); }));
  }
  const auto vectors = Embed(model, ids, dimensions, *exchange);
  Json data = Json::array();
  for (size_t i = 0; i < vectors.size(); ++i) {
    data.push_back({{"object", "embedding"}, {"index", i}});
    if (format == "base64") {
      data.back()["embedding"] = Base64(vectors[i]);
    } else {
      data.back()["embedding"] = vectors[i];
    }
  }
  const size_t tokens = CountTokens(ids);
  AnswerJson(exchange.get(), {{"object", "list"},
                              {"data", std::move(data)},
                              {"model", name.empty() ? model.name() : name},
                              {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
}

// The form that Cohere, Jina and others share.
void Rerank(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  const std::string name = fields.Text("model").value_or("");
  const FoundModel found = service.models.Find(name);
  ServedModel& model = *found.model;
  RequireKind(model, ModelKind::kScores, "scores of documents");
  const std::string query = fields.RequiredText("query");
  const std::vector<std::string> documents = ReadTexts(&fields, "documents");
  const auto count = static_cast<int64_t>(documents.size());
  const auto top = static_cast<size_t>(fields.Integer("top_n", 1, INT32_MAX).value_or(count));
  const bool returns = fields.Bool("return_documents").value_or(false);
  const std::optional<std::string> instruction = fields.Text("instruction");
  fields.Ignore({"model", "user", "max_tokens_per_doc", "truncate"});
  fields.RefuseOthers();
  const LongPairs read(model.model(), TooLong::kCut, instruction ? instruction->c_str() : nullptr,
                       query, service.cut_told);
  std::vector<TokenIds> ids;
  for (size_t i = 0; i < documents.size(); ++i) {
    const std::string pointer = PointerOf(&fields, "documents", i);
    ids.push_back(Reading(pointer, [&] { return read.Read(pointer, documents[i]); }));
  }
  const auto scores = Embed(model, ids, 1, *exchange);
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a][0] > scores[b][0]; });
  order.resize(std::min(order.size(), top));
  Json results = Json::array();
  for (const size_t i : order) {
    results.push_back({{"index", i}, {"relevance_score", scores[i][0]}});
    if (returns) results.back()["document"] = {{"text", documents[i]}};
  }
  const size_t tokens = CountTokens(ids);
  AnswerJson(exchange.get(), {{"object", "list"},
                              {"model", name.empty() ? model.name() : name},
                              {"results", std::move(results)},
                              {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
}

// Pairs, one text with each of others or two lists side by side, as vLLM's clients write them.
void Score(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  const std::string name = fields.Text("model").value_or("");
  const FoundModel found = service.models.Find(name);
  ServedModel& model = *found.model;
  RequireKind(model, ModelKind::kScores, "scores of pairs");
  const std::vector<std::string> first = ReadTexts(&fields, "text_1");
  const std::vector<std::string> second = ReadTexts(&fields, "text_2");
  if (first.size() != 1 && first.size() != second.size()) {
    fields.Refuse("text_1", "one text, or as many as text_2 has");
  }
  fields.Ignore({"model", "user", "truncate_prompt_tokens"});
  fields.RefuseOthers();
  std::vector<TokenIds> ids;
  for (size_t i = 0; i < second.size(); ++i) {
    const LongPairs read(model.model(), TooLong::kCut, nullptr, first[first.size() == 1 ? 0 : i],
                         service.cut_told);
    const std::string pointer = PointerOf(&fields, "text_2", i);
    ids.push_back(Reading(pointer, [&] { return read.Read(pointer, second[i]); }));
  }
  const auto scores = Embed(model, ids, 1, *exchange);
  Json data = Json::array();
  for (size_t i = 0; i < scores.size(); ++i) {
    data.push_back({{"index", i}, {"object", "score"}, {"score", scores[i][0]}});
  }
  const size_t tokens = CountTokens(ids);
  AnswerJson(exchange.get(), {{"object", "list"},
                              {"data", std::move(data)},
                              {"model", name.empty() ? model.name() : name},
                              {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
}

}  // namespace rondo::tools::serve
