// Options that take a value: how each kind is read, refused and described. All say in the same way
// what they take, and say it in the help and in the error:
//
//     --rows N    Tokens of one pass of a prefill, 1 to 8,192; default: 256
//     rondo inspect: --rows: 0x10 is not an integer from 1 to 8,192
//
// CLI11 itself reads texts only: its own numbers are octal with a leading zero, wrap around, or
// become the largest. Every function adds the option and returns it; its value is set while the
// command line is parsed, which throws CLI::ValidationError for what is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace rondo::tools {

struct IntegerRange {
  uint64_t low, high;
  const char* zero = "";  // what 0 means where that is special: "no limit"
};

// Digits only.
uint64_t ReadInteger(const std::string& name, std::string_view text, const IntegerRange& range);

// `about` is the description without range and default; `absent` the default in words.
CLI::Option* AddIntegerTo(CLI::App* command, const std::string& name, const IntegerRange& range,
                          const std::string& about, const std::string& absent,
                          const std::function<void(uint64_t)>& set);
// The same for a number, or one that may be absent. The range is within its type.
template <typename Value>
CLI::Option* AddInteger(CLI::App* command, const std::string& name, Value* value,
                        const IntegerRange& range, const std::string& about,
                        const std::string& absent) {
  return AddIntegerTo(command, name, range, about, absent, [value](uint64_t number) {
    if constexpr (requires { typename Value::value_type; }) {
      *value = static_cast<typename Value::value_type>(number);
    } else {
      *value = static_cast<Value>(number);
    }
  });
}
// "0,4096": numbers with commas between.
CLI::Option* AddIntegersTo(CLI::App* command, const std::string& name, const IntegerRange& range,
                           const std::string& about, const std::string& absent,
                           const std::function<void(uint64_t)>& add);

struct RealRange {
  double low, high;
  bool with_low, with_high;
  const char* words;  // "from 0", "above 0, at most 1"
};
inline constexpr double kLargestFloat = std::numeric_limits<float>::max();
inline constexpr RealRange kAnyReal = {-kLargestFloat, kLargestFloat, true, true, ""};

// What is read is a float's value: the nearest to the digits.
CLI::Option* AddRealTo(CLI::App* command, const std::string& name, const RealRange& range,
                       const std::string& about, const std::string& absent,
                       const std::function<void(float)>& set);
template <typename Value>
CLI::Option* AddReal(CLI::App* command, const std::string& name, Value* value,
                     const RealRange& range, const std::string& about, const std::string& absent) {
  return AddRealTo(command, name, range, about, absent, [value](float number) { *value = number; });
}

// A size in bytes: "1500000", "1.5M", "2GB" (powers of 1000), "1GiB", "1Gi" (powers of 1024).
CLI::Option* AddSize(CLI::App* command, const std::string& name, uint64_t* bytes,
                     const std::string& description);

// One of some words.
CLI::Option* AddChoice(CLI::App* command, const std::string& name,
                       const std::vector<std::string>& words, const std::string& description,
                       const std::function<void(const std::string&)>& set);

// Texts, one for each time that the option is given, or, of an argument without a name, as many as
// there are. Each stays as it was typed: CLI11 alone takes "[a, b]" for two, and "[]" for none.
CLI::Option* AddTexts(CLI::App* command, const std::string& name, std::vector<std::string>* texts,
                      const std::string& description);

// The name of a file or folder. "-" is refused by name where it does not stand for standard input:
// a file of this name would be taken for an option by other programs.
enum class Dash { kRefused, kIsInput };
CLI::Option* AddFile(CLI::App* command, const std::string& name, std::string* path,
                     const std::string& description, Dash dash = Dash::kRefused);
// Why this cannot be the name of a file; empty where it can.
std::string WrongFileName(const std::string& path);

}  // namespace rondo::tools
