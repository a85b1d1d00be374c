#include "tools/pull/glob.h"

#include <memory>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace rondo::tools {
namespace {

PCRE2_SPTR Bytes(const std::string& text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// The same on every system: PCRE2's own escape differs on Windows.
PCRE2_UCHAR* Expression(const std::string& pattern, size_t* size) {
  const std::unique_ptr<pcre2_convert_context, decltype(&pcre2_convert_context_free)> context(
      pcre2_convert_context_create(nullptr), &pcre2_convert_context_free);
  pcre2_set_glob_escape(context.get(), '\\');
  pcre2_set_glob_separator(context.get(), '/');
  PCRE2_UCHAR* expression = nullptr;
  pcre2_pattern_convert(Bytes(pattern), pattern.size(),
                        PCRE2_CONVERT_GLOB | PCRE2_CONVERT_GLOB_NO_WILD_SEPARATOR, &expression,
                        size, context.get());
  return expression;
}

}  // namespace

bool GlobMatches(const std::string& pattern, const std::string& name) {
  size_t size = 0;
  const std::unique_ptr<PCRE2_UCHAR, decltype(&pcre2_converted_pattern_free)> expression(
      Expression(pattern, &size), &pcre2_converted_pattern_free);
  if (expression == nullptr) return pattern == name;
  int error = 0;
  size_t at = 0;
  const std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code(
      pcre2_compile(expression.get(), size, 0, &error, &at, nullptr), &pcre2_code_free);
  if (code == nullptr) return pattern == name;
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create(1, nullptr), &pcre2_match_data_free);
  return pcre2_match(code.get(), Bytes(name), name.size(), 0, 0, data.get(), nullptr) >= 0;
}

}  // namespace rondo::tools
