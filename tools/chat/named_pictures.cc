#include "tools/chat/named_pictures.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

// Where paths have it between names, it escapes nothing.
constexpr bool kEscapes = fs::path::preferred_separator != '\\';

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
  std::error_code error;
  return fs::is_regular_file(name, error);
}

}  // namespace

std::vector<std::string> NamedPictures(const std::string& line) {
  if (line.find('\n') != line.npos) return {};
  const std::vector<std::string> words = WordsOf(line);
  return std::all_of(words.begin(), words.end(), IsPictureFile) ? words
                                                                : std::vector<std::string>();
}

}  // namespace rondo::tools
