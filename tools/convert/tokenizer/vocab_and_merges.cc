#include "tools/convert/tokenizer/vocab_and_merges.h"

#include <sstream>
#include <string>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/json_text.h"
#include "tools/convert/sources/what_it_is.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxBytes = 256u << 20;

// A line for each merge, two tokens with a space between; the best first.
json ReadMerges(const std::filesystem::path& path) {
  const std::string text = ReadWholeFile(path, kMaxBytes);
  RefuseWebPage(text, path);
  std::istringstream lines(text);
  json merges = json::array();
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.starts_with("#version")) continue;
    const size_t space = line.find(' ');
    if (space == std::string::npos || space == 0 || space + 1 == line.size() ||
        line.find(' ', space + 1) != std::string::npos) {
      Fail(path.string(), ": line ", number, " is not two tokens with a space between");
    }
    merges.push_back(json::array({line.substr(0, space), line.substr(space + 1)}));
  }
  return merges;
}

}  // namespace

json VocabAndMergesJson(const std::filesystem::path& vocab, const std::filesystem::path& merges) {
  json ids = ParseJsonObject(ReadWholeFile(vocab, kMaxBytes), vocab.string());
  return {{"model", {{"type", "BPE"}, {"vocab", std::move(ids)}, {"merges", ReadMerges(merges)}}}};
}

}  // namespace rondo::convert
