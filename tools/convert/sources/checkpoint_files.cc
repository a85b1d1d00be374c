#include "tools/convert/sources/checkpoint_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/json_text.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr uint64_t kMaxIndexBytes = 64u << 20;
constexpr uint64_t kMaxModulesBytes = 1u << 20;
constexpr const char* kMergesFile = "merges.txt";
constexpr const char* kVocabFile = "vocab.json";
constexpr const char* kTemplatesFolder = "additional_chat_templates";

// A file of `folder`, which an index calls `name`: some name it by a path of the machine that it
// was written on. Never one outside of the folder; empty where it is no name of a file.
std::string ShardOf(const FolderFiles& all, const std::string& folder, const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  const bool is_inside =
      path.is_relative() && !path.empty() && path != "." && *path.begin() != "..";
  if (is_inside && all.Has(folder + path.generic_string())) return path.generic_string();
  const std::string own = name.substr(name.find_last_of("/\\") + 1);  // of Windows, too
  return own == "." || own == ".." ? "" : own;
}

std::string Taken(const std::string& index, const std::string& name, const std::string& shard) {
  return index + " calls a file " + name + ": " + shard + " beside it is taken";
}

void ReadIndex(const FolderFiles& all, const std::string& folder, WeightFiles& weights) {
  const std::string file = folder + kWeightsIndexFile, called = all.Called(file);
  const json index = ParseJsonObject(all.Read(file, kMaxIndexBytes), called);
  if (!index.contains("weight_map") || !index["weight_map"].is_object()) {
    Fail(called, " has no object weight_map");
  }
  std::set<std::string> files;
  std::string odd;  // the first
  for (const auto& [tensor, value] : index["weight_map"].items()) {
    const std::string name = value.is_string() ? value.get<std::string>() : "";
    const std::string shard = ShardOf(all, folder, name);
    if (shard.empty()) {
      Fail(called, ": weight_map.", tensor, " is not the name of a file in this folder");
    }
    if (odd.empty() && shard != name) odd = Taken(called, name, shard);
    files.insert(folder + shard);
    weights.index[tensor] = folder + shard;
  }
  if (files.empty()) Fail(called, ": weight_map is empty");
  if (!odd.empty()) weights.notes.push_back(odd);
  weights.files.assign(files.begin(), files.end());
}

std::vector<std::string> FilesEnding(const FolderFiles& all, const std::string& folder,
                                     std::string_view ending) {
  std::vector<std::string> names = all.In(folder);
  std::erase_if(names, [&](const std::string& name) { return !name.ends_with(ending); });
  return names;
}

// What is read of one folder of a checkpoint.
void AddFolder(const FolderFiles& all, const std::string& folder, std::set<std::string>& files) {
  const auto add = [&](const std::vector<std::string>& more) {
    files.insert(more.begin(), more.end());
  };
  for (const std::string& name : FilesEnding(all, folder, ".json")) files.insert(folder + name);
  add(FindWeights(all, folder).files);
  add(FindTemplates(all, folder));
  const std::string tokenizer = FindTokenizerFile(all, folder);
  if (!tokenizer.empty()) files.insert(tokenizer);
  if (tokenizer == folder + kVocabFile) files.insert(folder + kMergesFile);
}

}  // namespace

bool DiskFolder::Has(const std::string& path) const {
  std::error_code error;
  return fs::exists(folder_ / path, error);
}

std::vector<std::string> DiskFolder::In(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_ / folder, error)) {
    if (!entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string DiskFolder::Read(const std::string& path, uint64_t max_bytes) const {
  return ReadWholeFile(folder_ / path, max_bytes);
}

WeightFiles FindWeights(const FolderFiles& all, const std::string& folder) {
  WeightFiles weights;
  if (all.Has(folder + kWeightsFile)) {
    weights.files = {folder + kWeightsFile};
  } else if (all.Has(folder + kWeightsIndexFile)) {
    ReadIndex(all, folder, weights);
  }
  return weights;
}

std::string FindTokenizerFile(const FolderFiles& all, const std::string& folder) {
  for (const char* name : {"tokenizer.json", "tokenizer.model", "spiece.model"}) {
    if (all.Has(folder + name)) return folder + name;
  }
  const std::vector<std::string> ranks = FilesEnding(all, folder, ".tiktoken");
  if (ranks.size() > 1) {
    Fail(all.Called(folder), ": holds both ", ranks[0], " and ", ranks[1],
         ", expected one tokenizer");
  }
  if (!ranks.empty()) return folder + ranks[0];
  const bool has_both = all.Has(folder + kVocabFile) && all.Has(folder + kMergesFile);
  return has_both ? folder + kVocabFile : "";
}

std::vector<std::string> FindTemplates(const FolderFiles& all, const std::string& folder) {
  std::vector<std::string> files;
  const std::string usual = folder + "chat_template.jinja";
  if (all.Has(usual)) files.push_back(usual);
  const std::string more = folder + kTemplatesFolder + "/";
  for (const std::string& name : FilesEnding(all, more, ".jinja")) files.push_back(more + name);
  return files;
}

std::vector<SentenceModule> ReadModules(const FolderFiles& all) {
  if (!all.Has(kModulesFile)) return {};
  const std::string called = all.Called(kModulesFile);
  const json list = ParseJson(all.Read(kModulesFile, kMaxModulesBytes), called);
  if (!list.is_array() || list.empty()) Fail(called, " is not a list of modules");
  std::vector<SentenceModule> modules;
  for (const json& one : list) {
    const auto text = [&](const char* key) {
      if (!one.is_object() || !one.contains(key) || !one.at(key).is_string()) {
        Fail(called, ": a module has no ", key);
      }
      return one.at(key).get<std::string>();
    };
    const std::string type = text("type"), folder = text("path");
    if (fs::path(folder).is_absolute() || folder.find("..") != std::string::npos) {
      Fail(called, ": the path of a module, ", folder, ", leads out of the folder");
    }
    const size_t dot = type.rfind('.');
    modules.push_back({dot == std::string::npos ? type : type.substr(dot + 1), folder});
  }
  return modules;
}

std::vector<std::string> FilesOfCheckpoint(const FolderFiles& all) {
  std::set<std::string> files;
  AddFolder(all, "", files);
  for (const SentenceModule& module : ReadModules(all)) {
    std::string folder = fs::path(module.folder).lexically_normal().generic_string();
    if (folder == ".") folder.clear();
    if (folder.empty()) continue;
    AddFolder(all, folder.ends_with('/') ? folder : folder + "/", files);
  }
  return {files.begin(), files.end()};
}

std::vector<std::string> FilesOfAdapter(const FolderFiles& all) {
  std::vector<std::string> files = FilesEnding(all, "", ".json");
  if (all.Has(kAdapterWeightsFile)) files.push_back(kAdapterWeightsFile);
  return files;
}

}  // namespace rondo::convert
