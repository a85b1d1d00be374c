#include "tools/convert/sources/config.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/json_text.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxConfigBytes = 16u << 20;
constexpr double kLargestFloat = std::numeric_limits<float>::max();
constexpr double kSmallestFloat = std::numeric_limits<float>::min();

// Only a number or null: other values may be of any size.
std::string Shown(const json& value) {
  return value.is_number() || value.is_null() ? value.dump()
                                              : std::string("a value of type ") + value.type_name();
}

}  // namespace

Config Config::Load(const std::filesystem::path& path) {
  const std::string text = ReadWholeFile(path, kMaxConfigBytes);
  return Config(path.string() + ": key ", ParseJsonObject(text, path.string()));
}

Config Config::Of(std::string where, json object) {
  return Config(std::move(where), std::move(object));
}

bool Config::Has(const char* key) const {
  const auto found = object_.find(key);
  return found != object_.end() && !found->is_null();
}

bool Config::Mentions(const char* key) const { return object_.contains(key); }

bool Config::HoldsList(const char* key) const { return Has(key) && object_.at(key).is_array(); }
bool Config::IsText(const char* key) const { return Has(key) && object_.at(key).is_string(); }
bool Config::IsNumber(const char* key) const { return Has(key) && object_.at(key).is_number(); }

const json& Config::Required(const char* key) const {
  if (!Has(key)) Refuse(key, "is missing");
  return object_.at(key);
}

uint64_t Config::Integer(const char* key, uint64_t low, uint64_t high) const {
  const double value = Number(key);
  if (value != std::floor(value) || value < static_cast<double>(low) ||
      value > static_cast<double>(high)) {
    std::ostringstream problem;
    problem << "is " << Required(key).dump() << ", expected an integer from " << low << " to "
            << high;
    Refuse(key, problem.str());
  }
  return static_cast<uint64_t>(value);
}

uint64_t Config::Integer(const char* key, uint64_t low, uint64_t high, uint64_t if_absent) const {
  return Has(key) ? Integer(key, low, high) : if_absent;
}

double Config::Number(const char* key) const {
  const json& value = Required(key);
  if (!value.is_number()) Refuse(key, "is not a number");
  const double number = value.get<double>();
  if (!std::isfinite(number)) Refuse(key, "is not a finite number");
  // What is made of it is a float, as a rule.
  if (std::fabs(number) > kLargestFloat) {
    Refuse(key, "is " + value.dump() + ", which is too large for a float");
  }
  return number;
}

double Config::Number(const char* key, double if_absent) const {
  return Has(key) ? Number(key) : if_absent;
}

double Config::Positive(const char* key) const {
  const double number = Number(key);
  if (number <= 0) Refuse(key, "is " + Required(key).dump() + ", expected a number above 0");
  if (number < kSmallestFloat) {
    Refuse(key, "is " + Required(key).dump() + ", which is too small for a float");
  }
  return number;
}

double Config::Positive(const char* key, double if_absent) const {
  return Has(key) ? Positive(key) : if_absent;
}

bool Config::Flag(const char* key, bool if_absent) const {
  if (!Has(key)) return if_absent;
  if (!Required(key).is_boolean()) Refuse(key, "is neither true nor false");
  return Required(key).get<bool>();
}

std::string Config::Text(const char* key, const std::string& if_absent) const {
  if (!Has(key)) return if_absent;
  if (Required(key).is_binary()) Refuse(key, "is not UTF-8");
  if (!Required(key).is_string()) Refuse(key, "is not a string");
  return Required(key).get<std::string>();
}

std::vector<std::string> Config::Texts(const char* key) const {
  if (!Has(key)) return {};
  std::vector<std::string> texts;
  if (!Required(key).is_array()) Refuse(key, "is not a list of strings");
  for (const json& text : Required(key)) {
    if (!text.is_string()) Refuse(key, "is not a list of strings");
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

std::vector<double> Config::Numbers(const char* key) const {
  if (!Has(key)) return {};
  std::vector<double> numbers;
  if (!Required(key).is_array()) Refuse(key, "is not a list of numbers");
  for (const json& number : Required(key)) {
    if (!number.is_number() || !std::isfinite(number.get<double>())) {
      Refuse(key, "is not a list of finite numbers");
    }
    numbers.push_back(number.get<double>());
    if (std::fabs(numbers.back()) > kLargestFloat) {
      Refuse(key, "has " + number.dump() + ", which is too large for a float");
    }
  }
  return numbers;
}

std::vector<std::optional<double>> Config::NumbersOrNone(const char* key) const {
  if (!Has(key)) return {};
  std::vector<std::optional<double>> numbers;
  if (!Required(key).is_array()) Refuse(key, "is not a list of numbers");
  for (const json& number : Required(key)) {
    // transformers 5 writes {"__float__": "Infinity"}.
    const bool infinite = number.is_null() || number.is_object();
    if (!infinite && !number.is_number()) Refuse(key, "is not a list of numbers");
    numbers.push_back(infinite ? std::nullopt : std::optional(number.get<double>()));
    if (numbers.back() && !std::isfinite(*numbers.back())) numbers.back().reset();
  }
  return numbers;
}

std::vector<uint64_t> Config::Integers(const char* key, uint64_t high) const {
  std::vector<uint64_t> integers;
  for (const double number : Numbers(key)) {
    if (number < 0 || number > static_cast<double>(high) || number != std::floor(number)) {
      Refuse(key, "is not a list of integers from 0 to " + std::to_string(high));
    }
    integers.push_back(static_cast<uint64_t>(number));
  }
  return integers;
}

std::vector<uint32_t> Config::Tokens(const char* key, uint64_t vocab_size,
                                     std::vector<std::string>& notes) const {
  if (!Has(key)) return {};
  const json& value = Required(key);
  const json list = value.is_array() ? value : json::array({value});
  std::vector<uint32_t> tokens;
  for (const json& token : list) {
    const double id = token.is_number() ? token.get<double>() : -1;
    if (id == std::floor(id) && id >= 0 && id < static_cast<double>(vocab_size)) {
      tokens.push_back(static_cast<uint32_t>(id));
    } else {
      // More than one reader may ask for a key.
      const std::string told = where_ + key + " holds " + Shown(token) +
                               ", which is no token of the model, whose ids are below ";
      if (std::ranges::none_of(notes, [&](const auto& note) { return note.starts_with(told); })) {
        notes.push_back(told + std::to_string(vocab_size) + ": left out");
      }
    }
  }
  return tokens;
}

std::optional<Config> Config::Object(const char* key) const {
  if (!Has(key)) return std::nullopt;
  if (!Required(key).is_object()) Refuse(key, "is not an object");
  return Config(where_ + key + ".", Required(key), wants_draft_head_);
}

Config Config::With(const char* key, json value) const {
  Config changed = *this;
  changed.object_[key] = std::move(value);
  return changed;
}

Config Config::WithDefaults(const json& defaults) const {
  json object = defaults;
  object.update(object_);
  return Config(where_, std::move(object), wants_draft_head_);
}

Config Config::WithDraftHead() const {
  Config changed = *this;
  changed.wants_draft_head_ = true;
  return changed;
}

void Config::Refuse(const char* key, const std::string& problem) const {
  Fail(where_, key, " ", problem);
}

}  // namespace rondo::convert
