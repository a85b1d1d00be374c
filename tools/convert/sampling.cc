#include "tools/convert/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "runtime/model/sampling_ranges.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

// What is out of range changes no logit: what comes nearest to it is recommended in its place, and
// where that is not known, or it is no number, nothing.
float Read(const Config& generation, const SamplingRange& range, float if_absent,
           std::vector<std::string>& notes) {
  if (!generation.Has(range.name)) return if_absent;
  const json value = generation.object().at(range.name);
  const double number = value.is_number() ? value.get<double>() : NAN;
  const auto asked = static_cast<float>(std::clamp<double>(number, -kLargestFloat, kLargestFloat));
  if (range.Holds(asked)) return asked;
  float taken = if_absent;
  if (asked <= range.low && range.with_low) {
    taken = static_cast<float>(range.low);
  } else if (asked <= range.low && range.high == 1) {
    taken = std::numeric_limits<float>::min();
  } else if (asked >= range.high && range.high == 1) {
    taken = range.with_high ? 1 : std::nextafter(1.0F, 0.0F);
  }
  std::ostringstream note;
  note.precision(std::numeric_limits<float>::max_digits10);
  note << range.name << ": not followed: " << (value.is_number() ? value.dump() : value.type_name())
       << " (expected " << range.expected << "): " << taken << " is recommended";
  notes.push_back(note.str());
  return taken;
}

bool ReadDoSample(const Config& generation, std::vector<std::string>& notes) {
  const json value = generation.object().value("do_sample", json());
  if (value.is_boolean()) return value.get<bool>();
  if (!value.is_null()) notes.push_back("do_sample: not followed: it is neither true nor false");
  return false;
}

// Some write -1 for "off".
int32_t ReadTopK(const Config& generation, std::vector<std::string>& notes) {
  constexpr int32_t kUsual = 50;  // of transformers
  if (!generation.Has("top_k")) return kUsual;
  const json value = generation.object().at("top_k");
  const double k = value.is_number() ? value.get<double>() : NAN;
  if (k >= 0 && k <= INT32_MAX && k == std::floor(k)) return static_cast<int32_t>(k);
  if (k != -1) {
    notes.push_back("top_k: not followed: " +
                    (value.is_number() ? value.dump() : std::string(value.type_name())) +
                    " (expected a whole number from 0): all tokens are chosen from");
  }
  return 0;
}

// The tokens that a list of ids, or of lists of ids, names, and in words what else it holds.
class TokenList {
 public:
  TokenList(const char* key, const DecoderSpec& spec) : key_(key), spec_(spec) {}

  void Take(const json& item) {
    if (item.is_number_integer() && item >= 0 && item < spec_.vocab_size) {
      tokens_.insert(item.get<int32_t>());
    } else {
      other_ += (other_.empty() ? "" : ", ") + item.dump();
    }
  }
  void Tell(const char* what, std::vector<std::string>& notes) const {
    if (!other_.empty()) notes.push_back(std::string(key_) + ": not followed: " + other_ + what);
  }
  const std::set<int32_t>& tokens() const { return tokens_; }

 private:
  const char* const key_;
  const DecoderSpec& spec_;
  std::set<int32_t> tokens_;
  std::string other_;
};

json List(const Config& generation, const char* key) {
  const json value = generation.object().value(key, json());
  if (value.is_null()) return json::array();
  return value.is_array() ? value : json::array({value});
}

// Tokens that never come: those that are suppressed, and bad words of one token. End tokens are no
// bad words, as transformers has it.
std::vector<format::LogitBias> ReadSuppressed(const Config& generation, const DecoderSpec& spec,
                                              std::vector<std::string>& notes) {
  TokenList suppressed("suppress_tokens", spec);
  for (const json& token : List(generation, "suppress_tokens")) suppressed.Take(token);
  suppressed.Tell(" (no token of the model)", notes);
  TokenList words("bad_words_ids", spec);
  for (const json& word : List(generation, "bad_words_ids")) {
    words.Take(word.is_array() && word.size() == 1 ? word[0] : word);
  }
  words.Tell(" (only words of one token of the model are)", notes);

  std::set<int32_t> tokens = words.tokens();
  for (const uint32_t end : spec.eos_tokens) tokens.erase(static_cast<int32_t>(end));
  tokens.insert(suppressed.tokens().begin(), suppressed.tokens().end());
  std::vector<format::LogitBias> biases;
  for (const int32_t token : tokens) biases.emplace_back(token, -INFINITY);
  if (biases.size() <= kMaxLogitBias) return biases;
  notes.push_back("not followed: " + std::to_string(biases.size()) +
                  " tokens are suppressed or bad words, more than the " +
                  std::to_string(kMaxLogitBias) + " that a session can forbid");
  return {};
}

std::vector<std::string> ReadStopStrings(const Config& generation,
                                         std::vector<std::string>& notes) {
  std::vector<std::string> strings;
  for (const json& item : List(generation, "stop_strings")) {
    const std::string text = item.is_string() ? item.get<std::string>() : "";
    const bool fits = !text.empty() && text.size() <= kMaxStopStringBytes &&
                      text.find('\0') == std::string::npos && strings.size() < kMaxStopStrings;
    if (fits) {
      strings.push_back(text);
    } else {
      notes.push_back("stop_strings: not followed: " + item.dump() + " (a session has up to " +
                      std::to_string(kMaxStopStrings) + " texts of 1 to " +
                      std::to_string(kMaxStopStringBytes) + " bytes)");
    }
  }
  return strings;
}

uint32_t ReadNgram(const Config& generation, std::vector<std::string>& notes) {
  const json value = generation.object().value("no_repeat_ngram_size", json());
  if (value.is_null()) return 0;
  if (value.is_number_integer() && value >= 0 && value <= kMaxNgram) return value.get<uint32_t>();
  notes.push_back("no_repeat_ngram_size: not followed: " + value.dump() + " (a session has up to " +
                  std::to_string(kMaxNgram) + ")");
  return 0;
}

}  // namespace

flatbuffers::Offset<format::Sampling> BuildSampling(const Config& generation,
                                                    const DecoderSpec& spec,
                                                    flatbuffers::FlatBufferBuilder& builder,
                                                    std::vector<std::string>& notes) {
  format::SamplingT sampling;
  const bool samples = ReadDoSample(generation, notes);
  if (samples) {
    sampling.temperature = Read(generation, kTemperatureRange, 1, notes);
    sampling.top_k = ReadTopK(generation, notes);
    sampling.top_p = Read(generation, kTopPRange, 1, notes);
    sampling.min_p = Read(generation, kMinPRange, 0, notes);
  }
  sampling.repetition_penalty = Read(generation, kRepetitionPenaltyRange, 1, notes);
  const bool penalises = sampling.repetition_penalty != 1;
  if (penalises) sampling.penalty_last_n = kMaxPenaltyWindow;
  sampling.no_repeat_ngram_size = ReadNgram(generation, notes);
  sampling.logit_bias = ReadSuppressed(generation, spec, notes);
  sampling.stop_strings = ReadStopStrings(generation, notes);
  if (!samples && !penalises && sampling.no_repeat_ngram_size == 0 && sampling.logit_bias.empty() &&
      sampling.stop_strings.empty()) {
    return {};
  }
  return format::CreateSampling(builder, &sampling);
}

}  // namespace rondo::convert
