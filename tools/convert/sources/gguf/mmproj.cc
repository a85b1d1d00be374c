#include "tools/convert/sources/gguf/mmproj.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/gguf/gguf_checkpoint.h"
#include "tools/convert/sources/mmproj_name.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kWithoutIt = "; --text-only converts the text's model alone";

// The number that whoever wrote a float32 meant: the shortest that is this one.
double AsWritten(double number) {
  const auto value = static_cast<float>(number);
  char text[32];
  for (int digits = 6; digits <= 9; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    if (std::strtof(text, nullptr) == value) return std::strtod(text, nullptr);
  }
  return number;
}

void AddNormalization(const GgufKeys& keys, json& processor) {
  for (const char* key : {"image_mean", "image_std"}) {
    json& values = processor[key] = json::array();
    for (const double value : keys.Numbers(key)) values.push_back(AsWritten(value));
  }
}

// What the keys and tensors of all projectors say. The length of an MLP is that of its matrices:
// some files say another.
void AddCommon(const GgufKeys& keys, MmprojConfigs& configs) {
  json& vision = configs.vision;
  const uint64_t hidden = keys.Count("embedding_length", kMaxHidden);
  vision["hidden_size"] = hidden;
  vision["num_hidden_layers"] = keys.Count("block_count", kMaxLayers);
  vision["num_attention_heads"] = keys.Count("attention.head_count", kMaxHeads);
  vision["patch_size"] = keys.Count("patch_size", kMaxHidden);
  vision["image_size"] = keys.Count("image_size", kMaxHidden);
  vision["layer_norm_eps"] = AsWritten(keys.Number("attention.layer_norm_epsilon"));
  for (const char* key : {"feed_forward_length", "projection_dim", "projector_type"}) keys.Has(key);
  const auto up = keys.file().tensors().find("v.blk.0.ffn_up.weight");
  if (up == keys.file().tensors().end()) {
    Fail(keys.file().path(), ": tensor v.blk.0.ffn_up.weight is missing");
  }
  const std::vector<uint64_t>& shape = up->second.shape;
  vision["intermediate_size"] = shape.front() == hidden ? shape.back() : shape.front();
  AddNormalization(keys, configs.processor);
}

// In some older files up and down are called by each other's name.
bool IsSwapped(const GgufKeys& keys) {
  const auto& tensors = keys.file().tensors();
  const auto up = tensors.find("v.blk.0.ffn_up.weight");
  const uint64_t hidden = keys.Count("embedding_length", kMaxHidden);
  return up != tensors.end() && up->second.shape.front() == hidden &&
         up->second.shape.back() != hidden;
}

NameRules SwappedIfNeeded(const GgufKeys& keys, NameRules names) {
  if (!IsSwapped(keys)) return names;
  for (NameRule& rule : names) {
    if (rule.gguf == "v.blk.{}.ffn_up") {
      rule.gguf = "v.blk.{}.ffn_down";
    } else if (rule.gguf == "v.blk.{}.ffn_down") {
      rule.gguf = "v.blk.{}.ffn_up";
    }
  }
  return names;
}

void CheckWidth(const GgufKeys& keys, uint64_t text_hidden) {
  const char* const kWidth = "projection_dim";
  const uint64_t width = keys.Count(kWidth, kMaxHidden, text_hidden);
  if (width == text_hidden) return;
  keys.Refuse(kWidth,
              "is " + std::to_string(width) + ", but the text's model has a hidden size of " +
                  std::to_string(text_hidden) + ": it belongs to another model" + kWithoutIt);
}

void CheckIsSight(const GgufFile& file) {
  if (!IsMmproj(file)) {
    Fail(file.path(), " is no mmproj: it holds a model, or another part of one");
  }
  const Config keys = Config::Of(file.path() + ": key ", file.metadata());
  if (!keys.Flag("clip.has_vision_encoder", true)) {
    keys.Refuse("clip.has_vision_encoder",
                std::string("is false: it has nothing that sees") + kWithoutIt);
  }
}

// They live as long as the tensors that are read from them.
struct OpenFile {
  OpenFile(const fs::path& path, FindMmprojRules find_rules, uint64_t text_hidden)
      : file(Checked(path)),
        keys(file, "clip.vision"),
        rules(RulesOf(keys, find_rules, text_hidden)),
        checkpoint(keys, SwappedIfNeeded(keys, rules.names)) {}
  static GgufFile Checked(const fs::path& path) {
    GgufFile file(path);
    CheckIsSight(file);
    return file;
  }
  static MmprojRules RulesOf(const GgufKeys& keys, FindMmprojRules find_rules,
                             uint64_t text_hidden) {
    MmprojRules rules = find_rules(keys);
    CheckWidth(keys, text_hidden);
    return rules;
  }
  const GgufFile file;
  const GgufKeys keys;
  const MmprojRules rules;
  const GgufCheckpoint checkpoint;
};

}  // namespace

bool IsMmproj(const GgufFile& file) {
  const Config keys = Config::Of(file.path() + ": key ", file.metadata());
  const auto is = [&](const char* key, const char* text) {
    return keys.IsText(key) && keys.Text(key, "") == text;
  };
  return is("general.type", "mmproj") || is("general.architecture", "clip");
}

std::optional<fs::path> FindMmproj(const fs::path& model, const fs::path& named) {
  if (!named.empty()) {
    if (!fs::exists(named)) Fail(named.string(), " does not exist");
    if (fs::is_directory(named) || !GgufFile::IsGguf(named)) {
      Fail(named.string(), " is no GGUF file, as a mmproj is");
    }
    return named;
  }
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  std::vector<fs::path> found;
  std::error_code error;  // a folder that cannot be listed: the file is read without it
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (IsMmprojName(entry.path().filename().string()) && !entry.is_directory(error)) {
      found.push_back(entry.path());
    }
  }
  if (found.empty()) return std::nullopt;
  std::ranges::sort(found);
  if (found.size() == 1) return found.front();
  std::string names;
  for (const fs::path& path : found) {
    names += (names.empty() ? "" : ", ") + path.filename().string();
  }
  Fail("beside ", model.string(), " lie ", found.size(), " files of what sees for a model, ", names,
       ": --mmproj names the one to take", kWithoutIt);
}

Mmproj OpenMmproj(const fs::path& path, FindMmprojRules find_rules, uint64_t text_hidden) {
  const auto open = std::make_shared<OpenFile>(path, find_rules, text_hidden);
  MmprojConfigs configs;
  configs.whole["model_type"] = open->rules.model_type;
  AddCommon(open->keys, configs);
  open->rules.add(open->keys, configs);
  open->keys.CheckAllRead();
  const std::string read_as = path.string() + ", read as a ";
  return {
      path, std::move(configs.whole),
      Config::Of(read_as + "vision_config: key ", std::move(configs.vision)),
      Config::Of(read_as + "preprocessor_config.json: key ", std::move(configs.processor)),
      std::make_shared<JoinedCheckpoint>(std::shared_ptr<const Checkpoint>(open, &open->checkpoint),
                                         std::move(configs.joined))};
}

}  // namespace rondo::convert
