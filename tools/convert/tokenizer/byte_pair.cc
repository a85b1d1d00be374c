#include "tools/convert/tokenizer/byte_pair.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <unordered_map>

#include "runtime/text/tokenizer_tables.h"
#include "tools/common/interrupt.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/tokenizer/known_patterns.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

struct Family {
  std::string_view name;
  std::string_view pattern;
};

constexpr Family kFamilies[] = {
    {"gpt2", kGpt2Pattern},          {"r50k_base", kGpt2Pattern},   {"p50k_base", kGpt2Pattern},
    {"cl100k_base", kCl100kPattern}, {"o200k_base", kO200kPattern}, {"llama3", kCl100kPattern},
    {"qwen2", kQwen2Pattern},
};

}  // namespace

std::optional<std::string> KnownPattern(std::string_view name) {
  for (const Family& family : kFamilies) {
    if (family.name == name) return std::string(family.pattern);
  }
  return std::nullopt;
}

std::vector<BytePairModel::Token> ReadTiktoken(std::string_view text, const std::string& source) {
  std::vector<BytePairModel::Token> tokens;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto refuse = [&](const char* what) { Fail(source, ": line ", number, " ", what); };
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) refuse("is not a token and its rank");
    const auto bytes = DecodeBase64(line.substr(0, space));
    if (!bytes.has_value() || bytes->empty()) refuse("has a token that is not base64");
    if (bytes->size() > kMaxTokenBytes) refuse("has a token of more than 4096 bytes");
    BytePairModel::Token token{*bytes, 0};
    const std::string_view rank = line.substr(space + 1);
    const auto parsed = std::from_chars(rank.data(), rank.data() + rank.size(), token.id);
    if (parsed.ec != std::errc() || parsed.ptr != rank.data() + rank.size() ||
        token.id >= kMaxVocabSize) {
      refuse("has a rank that is not a whole number below 16777216");
    }
    tokens.push_back(std::move(token));
  }
  if (tokens.empty()) Fail(source, ": has no tokens");
  return tokens;
}

json BytePairJson(const BytePairModel& model, const Surroundings& surroundings) {
  std::vector<const BytePairModel::Token*> by_rank;
  std::unordered_map<std::string_view, uint32_t> ids;
  json vocab = json::object();
  for (const BytePairModel::Token& token : model.tokens) {
    by_rank.push_back(&token);
    ids.emplace(token.bytes, token.id);
    vocab[ToByteAlphabet(token.bytes)] = token.id;
  }
  std::sort(by_rank.begin(), by_rank.end(), [](const auto* a, const auto* b) {
    return std::tie(a->id, a->bytes) < std::tie(b->id, b->bytes);
  });
  json merges = json::array();
  for (const BytePairModel::Token* token : by_rank) {
    tools::CheckInterrupt();
    const std::string_view bytes = token->bytes;
    std::vector<std::tuple<uint32_t, uint32_t, size_t>> ways;
    for (size_t size = 1; size < bytes.size(); ++size) {
      const auto left = ids.find(bytes.substr(0, size));
      const auto right = ids.find(bytes.substr(size));
      if (left == ids.end() || right == ids.end()) continue;
      ways.emplace_back(left->second, right->second, size);
    }
    std::sort(ways.begin(), ways.end());
    for (const auto& [left, right, size] : ways) {
      merges.push_back(
          json::array({ToByteAlphabet(bytes.substr(0, size)), ToByteAlphabet(bytes.substr(size))}));
    }
  }

  const json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  const json split = {{"type", "Split"},
                      {"pattern", {{"Regex", model.pattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  json document = {{"normalizer", nullptr},
                   {"pre_tokenizer",
                    {{"type", "Sequence"}, {"pretokenizers", json::array({split, byte_level})}}},
                   {"decoder", byte_level},
                   {"model",
                    {{"type", "BPE"},
                     {"vocab", std::move(vocab)},
                     {"merges", std::move(merges)},
                     {"ignore_merges", true}}}};
  if (model.nfc) document["normalizer"] = {{"type", "NFC"}};
  PutSurroundings(surroundings, document);
  return document;
}

}  // namespace rondo::convert
