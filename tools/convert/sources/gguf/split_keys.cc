#include "tools/convert/sources/gguf/split_keys.h"

#include <cinttypes>
#include <cstdio>

#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {
namespace {

constexpr const char* kNumber = "split.no";
constexpr const char* kCount = "split.count";
constexpr const char* kTensors = "split.tensors.count";
constexpr uint64_t kMaxParts = 1000;

// "-00002-of-00003.gguf": parts are counted from 1 here.
std::string Ending(uint64_t number, uint64_t count) {
  char text[64];
  std::snprintf(text, sizeof text, "-%05" PRIu64 "-of-%05" PRIu64 ".gguf", number + 1, count);
  return text;
}

}  // namespace

SplitKeys SplitKeys::Read(const std::string& path, const nlohmann::json& metadata) {
  nlohmann::json own = nlohmann::json::object();
  for (const char* key : {kNumber, kCount, kTensors}) {
    if (metadata.contains(key)) own[key] = metadata[key];
  }
  const Config keys = Config::Of(path + ": key ", std::move(own));
  SplitKeys split;
  split.count = keys.Integer(kCount, 0, kMaxParts, 1);
  if (split.count <= 1) return {};  // llama.cpp writes 0 for "not split"
  split.number = keys.Integer(kNumber, 0, split.count - 1);
  split.n_tensors = keys.Integer(kTensors, 1, kMaxTensors);
  return split;
}

std::filesystem::path PartPath(const std::filesystem::path& path, uint64_t number, uint64_t count) {
  const std::string name = path.filename().string(), ending = Ending(0, count);
  if (!name.ends_with(ending)) {
    Fail(path.string(), " is the first of ", count, " parts, but its name does not end in ", ending,
         ": the others cannot be found");
  }
  return path.parent_path() / (name.substr(0, name.size() - ending.size()) + Ending(number, count));
}

void CheckPart(const std::string& path, uint64_t number, const nlohmann::json& metadata,
               const SplitKeys& first, const nlohmann::json& first_metadata) {
  const SplitKeys split = SplitKeys::Read(path, metadata);
  if (split.number != number || split.count != first.count) {
    Fail(path, " says that it is part ", split.number + 1, " of ", split.count,
         ", its name that it is part ", number + 1, " of ", first.count);
  }
  for (const auto& [key, value] : metadata.items()) {
    if (key == kNumber || !first_metadata.contains(key) || first_metadata[key] == value) continue;
    Fail(path, ": key ", key, " is not as in the first part: they are parts of different models");
  }
}

}  // namespace rondo::convert
