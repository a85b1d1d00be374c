// PythonPattern: a regular expression in a config of PEFT's, which Python's re reads there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/convert/sources/config.h"

namespace rondo::convert {

// Everything throws Error, naming the file, the key and the pattern.
class PythonPattern {
 public:
  // `config` holds it at `key`, and outlives it. `pattern`: as re is given it, with what PEFT puts
  // around `written`.
  PythonPattern(const Config& config, const char* key, std::string written,
                const std::string& pattern);

  // As re.match: from the begin of `name`, not necessarily to its end.
  bool Matches(const std::string& name) const;
  // The first group of the match, a number in decimal; nothing: no match, or no such number.
  std::optional<uint64_t> Number(const std::string& name) const;

 private:
  // What a match found; null: there is none.
  std::shared_ptr<void> Find(const std::string& name) const;

  const Config* config_;
  const char* key_;
  std::string written_;
  std::shared_ptr<void> code_;  // pcre2_code
};

}  // namespace rondo::convert
