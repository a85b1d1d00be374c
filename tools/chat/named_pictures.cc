#include "tools/chat/named_pictures.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "tools/system/environment.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

// Where paths have it between names, it escapes nothing.
constexpr bool kEscapes = fs::path::preferred_separator != '\\';

// "%20" and the like become what they stand for.
std::string Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      i += 2;
    } else {
      byte = static_cast<unsigned char>(text[i]);
    }
    out += static_cast<char>(byte);
  }
  return out;
}

// A word as a shell or a file manager means it: below ~, or the URL of a file.
std::string FileName(const std::string& word) {
  constexpr std::string_view kUrl = "file://";
  if (word.starts_with(kUrl)) {
    const size_t root = std::min(word.find('/', kUrl.size()), word.size());
    const size_t begin = kEscapes ? root : std::min(root + 1, word.size());  // /C:/a: C:/a
    return Decoded(word.substr(begin));
  }
  const char* const home = std::getenv(kHomeVariable);
  return word.starts_with("~/") && home != nullptr ? home + word.substr(1) : word;
}

bool IsFile(const std::string& name) {
  std::error_code error;
  return fs::is_regular_file(name, error);
}

// As a shell cuts them; none where a quote does not end.
std::vector<std::string> WordsOf(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (kEscapes && quote == 0 && c == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return quote == 0 ? words : std::vector<std::string>();
}

bool IsPictureFile(const std::string& name) {
  std::string extension = fs::path(name).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".jpg" && extension != ".jpeg" && extension != ".png" && extension != ".webp") {
    return false;
  }
  return IsFile(name);
}

}  // namespace

std::vector<std::string> FileNames(const std::string& text) {
  if (IsFile(text)) return {text};
  std::vector<std::string> names = WordsOf(text);
  std::transform(names.begin(), names.end(), names.begin(), FileName);
  return names;
}

std::vector<std::string> NamedPictures(const std::string& line) {
  if (line.find('\n') != line.npos) return {};
  std::vector<std::string> names = FileNames(line);
  if (!std::all_of(names.begin(), names.end(), IsPictureFile)) names.clear();
  return names;
}

}  // namespace rondo::tools
