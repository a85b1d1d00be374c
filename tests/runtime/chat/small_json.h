// A small tokenizer.json, put together by a test.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace rondo::test {

class SmallJson {
 public:
  // Parts that a test may set as raw JSON; empty: none.
  bool byte_level = true;  // pre-tokeniser and decoder, unless set below
  std::string normalizer;
  std::string pre_tokenizer;
  std::string post_processor;
  std::string decoder;
  std::string model_options;  // further members of "model"

  // Gives the text the next id; false where it has one.
  bool Token(const std::string& text) {
    return vocab_.emplace(text, static_cast<int32_t>(vocab_.size() + added_)).second;
  }
  // Adds the merge and its result; false where the merge is there.
  bool Merge(const std::string& left, const std::string& right) {
    for (const auto& merge : merges_) {
      if (merge == std::vector<std::string>{left, right}) return false;
    }
    merges_.push_back({left, right});
    Token(left + right);
    return true;
  }
  // Adds an added token with the next id and returns that.
  int32_t Added(const std::string& text, bool normalized = false, bool lstrip = false,
                bool rstrip = false, bool single_word = false, bool special = true) {
    const int32_t id = static_cast<int32_t>(vocab_.size() + added_++);
    added_tokens_.push_back({{"id", id},
                             {"content", text},
                             {"normalized", normalized},
                             {"lstrip", lstrip},
                             {"rstrip", rstrip},
                             {"single_word", single_word},
                             {"special", special}});
    return id;
  }
  std::optional<int32_t> Id(const std::string& text) const {
    const auto found = vocab_.find(text);
    if (found == vocab_.end()) return std::nullopt;
    return found->second;
  }

  std::string Text() const {
    const auto raw = [](const std::string& text) { return text.empty() ? "null" : text; };
    const std::string bytes =
        R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})";
    const std::string fuse =
        R"({"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]})";
    std::string text = "{\"added_tokens\": " + added_tokens_.dump();
    text += ", \"normalizer\": " + raw(normalizer);
    text += ", \"pre_tokenizer\": " +
            (pre_tokenizer.empty() && byte_level ? bytes : raw(pre_tokenizer));
    text += ", \"post_processor\": " + raw(post_processor);
    text += ", \"decoder\": " + (!decoder.empty() ? decoder : byte_level ? bytes : fuse);
    text += ", \"model\": {\"type\": \"BPE\", \"vocab\": " + nlohmann::json(vocab_).dump();
    text += ", \"merges\": " + nlohmann::json(merges_).dump();
    if (!model_options.empty()) text += ", " + model_options;
    return text + "}}";
  }

 private:
  std::map<std::string, int32_t> vocab_;
  std::vector<std::vector<std::string>> merges_;
  nlohmann::json added_tokens_ = nlohmann::json::array();
  size_t added_ = 0;
};

}  // namespace rondo::test
