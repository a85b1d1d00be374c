#include "tools/serve/generation_fields.h"

#include <algorithm>
#include <charconv>
#include <random>

#include "tools/common/limits.h"

namespace rondo::tools::serve {
namespace {

constexpr size_t kMostBiases = 1024;
constexpr double kMostPenalty = 2;

void ReadBias(const ServedModel& model, Fields* fields, std::vector<rondo_logit_bias>* bias) {
  const Json* const object = fields->Object("logit_bias");
  if (object == nullptr) return;
  const std::string pointer = fields->PointerOf("logit_bias");
  if (object->size() > kMostBiases) {
    RefuseValue(pointer, *object, "at most " + std::to_string(kMostBiases) + " tokens");
  }
  for (const auto& [key, value] : object->items()) {
    int32_t token = -1;
    const char* const end = key.data() + key.size();
    const auto [rest, error] = std::from_chars(key.data(), end, token);
    if (error != std::errc() || rest != end || token < 0 ||
        static_cast<uint32_t>(token) >= model.facts().vocab_size) {
      throw ApiError(400,
                     PointerTo(pointer, key) + " names no token, expected an id from 0 to " +
                         std::to_string(model.facts().vocab_size - 1),
                     PointerTo(pointer, key), "invalid_value");
    }
    const double number = value.is_number() ? value.get<double>() : 1e9;
    if (!(number >= -100 && number <= 100)) {
      RefuseValue(PointerTo(pointer, key), value, "a number from -100 to 100");
    }
    // As far as their scale goes, -100 forbids a token.
    const float bias_value =
        number == -100 ? -std::numeric_limits<float>::infinity() : static_cast<float>(number);
    bias->push_back({token, bias_value});
  }
}

}  // namespace

std::vector<std::string> ReadStops(Fields* fields, const char* name) {
  const Json* const value = fields->Find(name);
  if (value == nullptr) return {};
  const std::string pointer = fields->PointerOf(name);
  const std::string expected = "a text, or an array of at most " + std::to_string(kMostStops) +
                               " texts, each of 1 to " + std::to_string(kMostStopBytes) + " bytes";
  const Json list = value->is_string() ? Json::array({*value}) : *value;
  if (!list.is_array() || list.size() > kMostStops) RefuseValue(pointer, *value, expected);
  std::vector<std::string> stops;
  for (const Json& one : list) {
    const auto* const text = one.get_ptr<const std::string*>();
    if (text == nullptr || text->empty() || text->size() > kMostStopBytes ||
        text->find('\0') != text->npos) {
      RefuseValue(pointer, *value, expected);
    }
    stops.push_back(*text);
  }
  return stops;
}

std::vector<int32_t> ReadIds(const ServedModel& model, const Json& list,
                             const std::string& pointer) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < list.size(); ++i) {
    const bool is_id =
        list[i].is_number_unsigned() && list[i].get<uint64_t>() < model.facts().vocab_size;
    if (!is_id) {
      RefuseValue(PointerTo(pointer, i), list[i],
                  "a token id from 0 to " + std::to_string(model.facts().vocab_size - 1));
    }
    ids.push_back(list[i].get<int32_t>());
  }
  return ids;
}

uint64_t RandomSeed() {
  thread_local std::mt19937_64 engine(std::random_device{}() ^
                                      (uint64_t{std::random_device{}()} << 32));
  return engine() >> 11;  // a number that JavaScript holds, too
}

std::string IdMaker::Next(const std::string& begin) {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string id = begin;
  for (int i = 0; i < 24; ++i) id += kLetters[engine_() % kLetters.size()];
  return id;
}

void ReadSampling(const ServedModel& model, Fields* fields, rondo::SessionOptions* options) {
  const auto real = [&](const char* name, double low, double high, std::optional<float>* to) {
    if (const auto number = fields->Number(name, low, high)) *to = static_cast<float>(*number);
  };
  real("temperature", 0, 2, &options->temperature);
  real("top_p", 0, 1, &options->top_p);
  if (options->top_p == 0.0f) {  // the most likely token, as their servers have it
    options->top_p.reset();
    options->temperature = 0;
  }
  real("min_p", 0, 1, &options->min_p);
  real("repetition_penalty", 0.01, 10, &options->repetition_penalty);
  if (const auto k = fields->Integer("top_k", -1, INT32_MAX)) {
    options->top_k = static_cast<int32_t>(std::max<int64_t>(*k, 0));
  }
  options->presence_penalty = static_cast<float>(
      fields->Number("presence_penalty", -kMostPenalty, kMostPenalty).value_or(0));
  options->frequency_penalty = static_cast<float>(
      fields->Number("frequency_penalty", -kMostPenalty, kMostPenalty).value_or(0));
  const auto seed = fields->Integer("seed", INT64_MIN, INT64_MAX);
  options->seed = seed ? static_cast<uint64_t>(*seed) : RandomSeed();
  options->ignore_eos = fields->Bool("ignore_eos").value_or(false);
  options->speculation = model.wish().speculation;
  ReadBias(model, fields, &options->bias);
}

}  // namespace rondo::tools::serve
