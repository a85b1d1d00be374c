// Config: a JSON object of a checkpoint (config.json and the like) read with types and ranges, so
// that every complaint names the file and the key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rondo::convert {

// A key that is absent and one that is null are the same. Everything throws Error.
class Config {
 public:
  // Numbers that JSON does not have (Infinity, NaN: Python writes them) are null.
  static Config Load(const std::filesystem::path& path);
  // `where` goes before the key in every complaint: "model.gguf: key ".
  static Config Of(std::string where, nlohmann::json object);

  bool Has(const char* key) const;
  bool Mentions(const char* key) const;  // there, be it null
  bool HoldsList(const char* key) const;
  bool IsText(const char* key) const;
  bool IsNumber(const char* key) const;
  // Integers: low <= value <= high; also written as 1e4 or 8.0, as some exporters do.
  uint64_t Integer(const char* key, uint64_t low, uint64_t high) const;
  uint64_t Integer(const char* key, uint64_t low, uint64_t high, uint64_t if_absent) const;
  // From 1 to `most`, which fits 32 bits.
  uint32_t Count(const char* key, uint64_t most, uint64_t if_absent) const {
    return static_cast<uint32_t>(Integer(key, 1, most, if_absent));
  }
  // Finite.
  double Number(const char* key) const;
  double Number(const char* key, double if_absent) const;
  // Finite and above zero.
  double Positive(const char* key) const;
  double Positive(const char* key, double if_absent) const;
  bool Flag(const char* key, bool if_absent) const;
  std::string Text(const char* key, const std::string& if_absent) const;
  // A list of strings; empty where absent.
  std::vector<std::string> Texts(const char* key) const;
  // Lists of finite numbers, and of integers from 0 to `high`; empty where absent.
  std::vector<double> Numbers(const char* key) const;
  // A list of numbers, of which some may be infinite or null: nothing.
  std::vector<std::optional<double>> NumbersOrNone(const char* key) const;
  std::vector<uint64_t> Integers(const char* key, uint64_t high) const;
  // One integer or a list of them; empty where absent. What is no token of the model is left out,
  // and `notes` say so, once: no logit hangs on it.
  std::vector<uint32_t> Tokens(const char* key, uint64_t vocab_size,
                               std::vector<std::string>& notes) const;
  // Nothing where absent.
  std::optional<Config> Object(const char* key) const;
  // The same but for one key.
  Config With(const char* key, nlohmann::json value) const;
  // What is read is to have the checkpoint's draft head, too, which is no part of the model.
  Config WithDraftHead() const;
  bool wants_draft_head() const { return wants_draft_head_; }
  // This one, where a key is absent with that of `defaults`.
  Config WithDefaults(const nlohmann::json& defaults) const;

  // As it was read.
  const nlohmann::json& object() const { return object_; }

  // Throws "FILE: key KEY ...": `problem` completes the sentence.
  [[noreturn]] void Refuse(const char* key, const std::string& problem) const;

 private:
  Config(std::string where, nlohmann::json object, bool wants_draft_head = false)
      : where_(std::move(where)), object_(std::move(object)), wants_draft_head_(wants_draft_head) {}
  // Never null: a value that is absent is refused.
  const nlohmann::json& Required(const char* key) const;

  std::string where_;  // the file, and the keys that lead to this object: "config.json: a."
  nlohmann::json object_;
  bool wants_draft_head_ = false;
};

}  // namespace rondo::convert
