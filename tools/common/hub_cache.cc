#include "tools/common/hub_cache.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "tools/common/error.h"
#include "tools/system/environment.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPart = 96;

bool IsPart(const std::string& part) {
  const auto is_known = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !part.empty() && part.size() <= kMaxPart && part != "." && part != ".." &&
         std::all_of(part.begin(), part.end(), is_known);
}

std::optional<std::string> Variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "$NAME" and "${NAME}" replaced where the variable is set, then "~" at the beginning: unit files
// and .env files give values that no shell has seen, and Python's clients expand them so.
std::string Expanded(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const bool braced = text.compare(i, 2, "${") == 0;
    const size_t begin = i + (braced ? 2 : 1);
    size_t end = begin;
    while (text[i] == '$' && end < text.size() && IsOfName(text[end])) ++end;
    const bool named = end > begin && (!braced || (end < text.size() && text[end] == '}'));
    const auto value = named ? Variable(text.substr(begin, end - begin)) : std::nullopt;
    if (value) {
      result += *value;
      i = end + (braced ? 1 : 0);
    } else {
      result += text[i++];
    }
  }
  const bool of_home = result == "~" || result.starts_with("~/");
  const auto home = of_home ? Variable(kHomeVariable) : std::nullopt;
  return home ? *home + result.substr(1) : result;
}

// An environment variable as a folder; none where it is empty.
std::optional<fs::path> Folder(const char* variable) {
  const auto value = Variable(variable);
  if (!value) return std::nullopt;
  return fs::path(Expanded(*value));
}

// "model-00002-of-00003.gguf": a further part, which the first one leads to.
bool IsFurtherPart(const std::string& name) {
  const size_t of = name.rfind("-of-");
  if (of == std::string::npos || of < 6) return false;
  const std::string number = name.substr(of - 5, 5);
  return name[of - 6] == '-' && number != "00001" &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<HubName> ParseHubName(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  HubName name = {text.substr(0, slash), text.substr(slash + 1)};
  if (!IsPart(name.organisation) || !IsPart(name.model)) return std::nullopt;
  return name;
}

fs::path HubCacheFolder() {
  for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const auto folder = Folder(variable)) return *folder;
  }
  if (const auto home = Folder("HF_HOME")) return *home / "hub";
  if (const auto cache = Folder("XDG_CACHE_HOME")) return *cache / "huggingface" / "hub";
  if (const auto home = Folder(kHomeVariable)) return *home / ".cache" / "huggingface" / "hub";
  Fail("there is no folder to keep models in: neither HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME nor ",
       kHomeVariable, " is set");
}

fs::path HubModelFolder(const HubName& name) {
  return HubCacheFolder() / ("models--" + name.organisation + "--" + name.model);
}

std::optional<fs::path> FindSnapshot(const HubName& name, const std::string& revision) {
  const fs::path folder = HubModelFolder(name);
  std::ifstream ref(folder / "refs" / revision);
  std::string commit;
  if (!std::getline(ref, commit) || !IsPart(commit)) return std::nullopt;
  const fs::path snapshot = folder / "snapshots" / commit;
  std::error_code ignored;
  if (!fs::is_directory(snapshot, ignored)) return std::nullopt;
  return snapshot;
}

fs::path ModelInSnapshot(const fs::path& snapshot) {
  if (fs::exists(snapshot / "config.json")) return snapshot;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(snapshot)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".gguf" && !IsFurtherPart(path.stem().string())) found.push_back(path);
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) Fail(snapshot.string(), " holds neither config.json nor a GGUF file");
  std::sort(found.begin(), found.end());
  Fail(snapshot.string(), " holds ", found.size(), " GGUF files, ", found[0].filename().string(),
       " among them: name the one to convert");
}

}  // namespace rondo::tools
