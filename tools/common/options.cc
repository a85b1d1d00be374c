#include "tools/common/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

// A word as it stands; all else in quotes.
std::string Quoted(std::string_view text) {
  const auto is_plain = [](unsigned char c) { return c > ' ' && c < 0x7f && c != '"'; };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  return "\"" + std::string(text) + "\"";
}

[[noreturn]] void Refuse(const std::string& name, std::string_view text, const std::string& why) {
  // "-t,--threads" is told by its longest name.
  const std::string shown = name.substr(name.rfind(',') + 1);
  throw CLI::ValidationError(shown, Quoted(text) + " is not " + why);
}

CLI::Option* AddRead(CLI::App* command, const std::string& name, const std::string& type,
                     const std::string& description,
                     const std::function<void(const std::string&)>& read) {
  return command->add_option_function<std::string>(name, read, description)->type_name(type);
}

std::string Words(const IntegerRange& range) {
  return FormatCount(range.low) + " to " + FormatCount(range.high);
}

// Ranges that only the type ends say nothing to people.
std::string Described(const std::string& about, const IntegerRange& range,
                      const std::string& absent) {
  const bool is_told = range.high < std::numeric_limits<int32_t>::max();
  const std::string zero = *range.zero == '\0' ? "" : std::string("; 0: ") + range.zero;
  return about + (is_told ? ", " + Words(range) : "") + zero + "; default: " + absent;
}

// Digits with a point and an exponent; no sign, no hexadecimal digits, no "nan". The end of what
// was read in `end`.
std::optional<double> ReadDecimal(std::string_view text, size_t* end) {
  size_t at = 0, digits = 0;
  const auto skip_digits = [&] {
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) ++digits;
  };
  skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  if (digits == 0) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const size_t mantissa = at++;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    digits = 0;
    skip_digits();
    if (digits == 0) at = mantissa;
  }
  *end = at;
  return std::strtod(std::string(text.substr(0, at)).c_str(), nullptr);
}

// "k", "MB", "GiB", ...; nothing for others.
std::optional<double> UnitOf(std::string_view unit) {
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (unit.empty() || unit == "B") return 1;
  const auto letter = static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
  const size_t power = std::string_view("KMGT").find(letter);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = unit.substr(1);
  const bool is_binary = rest == "i" || rest == "iB";
  if (!is_binary && !rest.empty() && rest != "B") return std::nullopt;
  return std::pow(is_binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

}  // namespace

uint64_t ReadInteger(const std::string& name, std::string_view text, const IntegerRange& range) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end || value < range.low ||
      value > range.high) {
    const std::string zero = *range.zero == '\0' ? "" : std::string(" (0: ") + range.zero + ")";
    Refuse(name, text, "an integer from " + Words(range) + zero);
  }
  return value;
}

CLI::Option* AddIntegerTo(CLI::App* command, const std::string& name, const IntegerRange& range,
                          const std::string& about, const std::string& absent,
                          const std::function<void(uint64_t)>& set) {
  return AddRead(
      command, name, "N", Described(about, range, absent),
      [name, range, set](const std::string& text) { set(ReadInteger(name, text, range)); });
}

CLI::Option* AddIntegersTo(CLI::App* command, const std::string& name, const IntegerRange& range,
                           const std::string& about, const std::string& absent,
                           const std::function<void(uint64_t)>& add) {
  return AddRead(command, name, "N,N,...", Described(about, range, absent),
                 [name, range, add](const std::string& text) {
                   const std::string_view numbers = text;
                   for (size_t begin = 0; begin <= numbers.size();) {
                     const size_t end = std::min(numbers.find(',', begin), numbers.size());
                     add(ReadInteger(name, numbers.substr(begin, end - begin), range));
                     begin = end + 1;
                   }
                 });
}

CLI::Option* AddRealTo(CLI::App* command, const std::string& name, const RealRange& range,
                       const std::string& about, const std::string& absent,
                       const std::function<void(float)>& set) {
  const std::string words = range.words;
  return AddRead(
      command, name, "X", about + (words.empty() ? "" : ", " + words) + "; default: " + absent,
      [name, range, words, set](const std::string& text) {
        const bool is_negative = text.starts_with('-');
        std::string_view digits = text;
        digits.remove_prefix(is_negative ? 1 : 0);
        size_t end = 0;
        const std::optional<double> read = ReadDecimal(digits, &end);
        const auto value = static_cast<float>(read.value_or(0) * (is_negative ? -1 : 1));
        const bool holds = (value > range.low || (range.with_low && value == range.low)) &&
                           (value < range.high || (range.with_high && value == range.high));
        if (!read || end != digits.size() || !holds) {
          const char* const too_far = std::isinf(value) ? " and within 3.4e38" : "";
          Refuse(name, text, (words.empty() ? "a number" : "a number " + words) + too_far);
        }
        set(value);
      });
}

CLI::Option* AddSize(CLI::App* command, const std::string& name, uint64_t* bytes,
                     const std::string& description) {
  return AddRead(command, name, "BYTES", description, [name, bytes](const std::string& text) {
    std::string_view rest = text;
    size_t end = 0;
    const std::optional<double> number = ReadDecimal(text, &end);
    rest.remove_prefix(end);
    const std::optional<double> unit = UnitOf(rest);
    const double size = number.value_or(0) * unit.value_or(0);
    if (!(size >= 1) || size >= 0x1p63) {
      Refuse(name, text, "a size in bytes (as 800000000, 800M, 1.5GB or 1GiB)");
    }
    *bytes = static_cast<uint64_t>(size);
  });
}

CLI::Option* AddChoice(CLI::App* command, const std::string& name,
                       const std::vector<std::string>& words, const std::string& description,
                       const std::function<void(const std::string&)>& set) {
  std::string type, list;
  for (const std::string& word : words) {
    type += (type.empty() ? "" : "|") + word;
    list += (!list.empty() ? ", " : words.size() > 1 ? "one of " : "") + word;
  }
  return AddRead(command, name, type, description,
                 [name, words, list, set](const std::string& text) {
                   if (std::find(words.begin(), words.end(), text) == words.end())
                     Refuse(name, text, list);
                   set(text);
                 });
}

CLI::Option* AddTexts(CLI::App* command, const std::string& name, std::vector<std::string>* texts,
                      const std::string& description) {
  CLI::Option* option =
      command->add_option(name, *texts, description)->take_all()->allow_extra_args(false);
  // An argument that takes no extra ones is given those that it lacks: so it lacks very many.
  constexpr int kMostTexts = 1 << 28;
  return option->get_positional() ? option->expected(kMostTexts, kMostTexts) : option->expected(1);
}

std::string WrongFileName(const std::string& path) {
  if (path.empty()) return "\"\" is no name of a file";
  if (path == "-") return "- is no name of a file here; ./- is, for a file of that name";
  return "";
}

CLI::Option* AddFile(CLI::App* command, const std::string& name, std::string* path,
                     const std::string& description, Dash dash) {
  return AddRead(command, name, "FILE", description, [name, path, dash](const std::string& text) {
    const std::string wrong = WrongFileName(text);
    if (!wrong.empty() && !(text == "-" && dash == Dash::kIsInput)) {
      throw CLI::ValidationError(name.substr(name.rfind(',') + 1), wrong);
    }
    *path = text;
  });
}

}  // namespace rondo::tools
