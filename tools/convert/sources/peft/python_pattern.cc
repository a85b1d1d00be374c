#include "tools/convert/sources/peft/python_pattern.h"

#include <charconv>
#include <new>
#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace rondo::convert {
namespace {

// More than any pattern takes that is meant for names.
constexpr uint32_t kMostSteps = 100'000;

PCRE2_SPTR Bytes(const std::string& text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

pcre2_match_data* AsMatchData(void* data) { return static_cast<pcre2_match_data*>(data); }

}  // namespace

PythonPattern::PythonPattern(const Config& config, const char* key, std::string written,
                             const std::string& pattern)
    : config_(&config), key_(key), written_(std::move(written)) {
  int error = 0;
  size_t at = 0;
  pcre2_code* const code = pcre2_compile(
      Bytes(pattern), pattern.size(), PCRE2_ANCHORED | PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr);
  if (code == nullptr) {
    char reason[128] = {};
    pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(reason), sizeof reason);
    config.Refuse(key,
                  "has the pattern " + written_ + ", which is no regular expression: " + reason);
  }
  code_ = std::shared_ptr<void>(code,
                                [](void* one) { pcre2_code_free(static_cast<pcre2_code*>(one)); });
}

std::shared_ptr<void> PythonPattern::Find(const std::string& name) const {
  auto* const code = static_cast<pcre2_code*>(code_.get());
  const std::shared_ptr<void> data(pcre2_match_data_create_from_pattern(code, nullptr),
                                   [](void* one) { pcre2_match_data_free(AsMatchData(one)); });
  const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context(
      pcre2_match_context_create(nullptr), &pcre2_match_context_free);
  if (data == nullptr || context == nullptr) throw std::bad_alloc();
  pcre2_set_match_limit(context.get(), kMostSteps);
  const int found =
      pcre2_match(code, Bytes(name), name.size(), 0, 0, AsMatchData(data.get()), context.get());
  if (found < 0 && found != PCRE2_ERROR_NOMATCH) {
    config_->Refuse(key_,
                    "has the pattern " + written_ + ", which takes too many steps on " + name);
  }
  return found < 0 ? nullptr : data;
}

bool PythonPattern::Matches(const std::string& name) const { return Find(name) != nullptr; }

std::optional<uint64_t> PythonPattern::Number(const std::string& name) const {
  const std::shared_ptr<void> data = Find(name);
  if (data == nullptr || pcre2_get_ovector_count(AsMatchData(data.get())) < 2) return std::nullopt;
  const size_t* const ends = pcre2_get_ovector_pointer(AsMatchData(data.get()));
  if (ends[2] == PCRE2_UNSET) return std::nullopt;
  uint64_t number = 0;
  const char* const last = name.data() + ends[3];
  const auto [end, problem] = std::from_chars(name.data() + ends[2], last, number);
  return problem == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace rondo::convert
