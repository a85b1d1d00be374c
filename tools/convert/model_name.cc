#include "tools/convert/model_name.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "tools/common/error.h"
#include "tools/common/hub_cache.h"
#include "tools/common/output.h"
#include "tools/convert/sources/checkpoint_files.h"
#include "tools/convert/sources/mmproj_name.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

// "model-00002-of-00003": a further part, which the first one leads to.
bool IsFurtherPart(const std::string& stem) {
  const size_t of = stem.rfind("-of-");
  if (of == std::string::npos || of < 6) return false;
  const std::string number = stem.substr(of - 5, 5);
  return stem[of - 6] == '-' && number != "00001" &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// By the name that those who publish them give.
bool IsNamedAsImatrix(std::string stem) {
  std::ranges::transform(stem, stem.begin(), [](unsigned char c) { return std::tolower(c); });
  return stem.starts_with("imatrix") || stem.ends_with("imatrix");
}

std::string List(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::vector<std::string> AllFiles(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) {
      files.push_back(entry.path().lexically_relative(folder).generic_string());
    }
  }
  std::ranges::sort(files);
  return files;
}

fs::path ModelInSnapshot(const fs::path& snapshot) {
  const convert::DiskFolder folder(snapshot);
  if (!convert::FindWeights(folder).files.empty()) return snapshot;
  const std::vector<std::string> gguf = GgufModels(AllFiles(snapshot));
  if (gguf.size() == 1) return snapshot / gguf[0];
  if (gguf.size() > 1) {
    Fail(snapshot.string(), " holds ", gguf.size(), " models, ", List(gguf),
         ": name the one to convert, as ", (snapshot / gguf[0]).string());
  }
  return snapshot;
}

fs::path FindSnapshotOf(const HubName& name, const std::string& revision) {
  const std::string text = name.text();
  if (const auto snapshot = FindSnapshot(name, revision.empty() ? "main" : revision)) {
    return *snapshot;
  }
  std::vector<std::string> revisions;
  std::set<fs::path> snapshots;
  for (const auto& [called, snapshot] : FindSnapshots(name)) {
    revisions.push_back(called);
    snapshots.insert(snapshot);
  }
  if (revision.empty() && snapshots.size() == 1) {
    Tell("note: of ", text, " the cache holds revision ", revisions[0], " alone, which is taken");
    return *snapshots.begin();
  }
  const std::string of_revision = revision.empty() ? "" : " --revision " + revision;
  if (snapshots.empty()) {
    Fail(text, " does not exist, nor is it in the cache ", HubCacheFolder().string(),
         "; `rondo pull ", text, of_revision, "` downloads it");
  }
  Fail("the cache holds ", text, " at ", List(revisions), ", not at ",
       revision.empty() ? "main: --revision names one of these" : revision, "; `rondo pull ", text,
       of_revision, "` downloads it");
}

}  // namespace

fs::path FindNamed(const std::string& text, const std::string& revision, Named kind) {
  const std::optional<HubName> name = ParseHubName(text);
  if (!name || fs::exists(text)) {
    if (!revision.empty()) Fail(text, " is a path, and --revision is of ORG/NAME in the cache");
    return text;
  }
  const fs::path snapshot = FindSnapshotOf(*name, revision);
  return kind == Named::kAdapter ? snapshot : ModelInSnapshot(snapshot);
}

std::vector<std::string> GgufModels(const std::vector<std::string>& files) {
  std::vector<std::string> all, models;
  for (const std::string& file : files) {
    const fs::path path = file;
    if (path.extension() != ".gguf" || IsFurtherPart(path.stem().string())) continue;
    all.push_back(file);
    const bool is_beside =
        convert::IsMmprojName(path.filename().string()) || IsNamedAsImatrix(path.stem().string());
    if (!is_beside) models.push_back(file);
  }
  return models.empty() ? all : models;
}

FoundModel ModelAmong(const fs::path& snapshot, const std::vector<std::string>& files) {
  const auto is_asked_for = [&](const std::string& file) {
    return std::ranges::find(files, file) != files.end();
  };
  const std::vector<std::string> gguf = GgufModels(files);
  if (!gguf.empty()) return {snapshot / gguf[0], Named::kModel};
  const convert::DiskFolder folder(snapshot);
  const std::vector<std::string> weights = convert::FindWeights(folder).files;
  if (std::ranges::any_of(weights, is_asked_for)) return {snapshot, Named::kModel};
  if (is_asked_for(convert::kAdapterWeightsFile)) return {snapshot, Named::kAdapter};
  Fail("nothing was converted, as none of the files asked for is a model; they are in ",
       snapshot.string());
}

}  // namespace rondo::tools
