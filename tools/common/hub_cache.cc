#include "tools/common/hub_cache.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "tools/common/error.h"
#include "tools/system/environment.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPart = 96;
constexpr size_t kMaxPath = 1024;
constexpr size_t kMaxName = 255;

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

// What the hub's clients share beside the cache.
std::optional<fs::path> HubHome() {
  if (auto home = Folder("HF_HOME")) return home;
  if (const auto cache = Folder("XDG_CACHE_HOME")) return *cache / "huggingface";
  if (const auto home = Folder(kHomeVariable)) return *home / ".cache" / "huggingface";
  return std::nullopt;
}

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

}  // namespace

bool IsPlainPath(const std::string& path) {
  if (path.empty() || path.size() > kMaxPath) return false;
  size_t begin = 0;
  while (true) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const bool is_odd = std::any_of(part.begin(), part.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == 0x7f;
    });
    if (part.empty() || part == "." || part == ".." || part.size() > kMaxName || is_odd) {
      return false;
    }
    if (end == path.size()) return true;
    begin = end + 1;
  }
}

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
  if (const auto home = HubHome()) return *home / "hub";
  Fail("there is no folder to keep models in: neither HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME nor ",
       kHomeVariable, " is set");
}

fs::path HubModelFolder(const HubName& name) {
  return HubCacheFolder() / ("models--" + name.organisation + "--" + name.model);
}

std::optional<fs::path> HubTokenFile() {
  if (auto file = Folder("HF_TOKEN_PATH")) return file;
  const auto home = HubHome();
  return home ? std::optional(*home / "token") : std::nullopt;
}

std::optional<fs::path> FindSnapshot(const HubName& name, const std::string& revision) {
  if (!IsPlainPath(revision)) return std::nullopt;
  const fs::path folder = HubModelFolder(name);
  std::ifstream ref(folder / "refs" / revision);
  std::string commit;
  if (!std::getline(ref, commit)) commit = revision;
  if (!IsPart(commit)) return std::nullopt;
  const fs::path snapshot = folder / "snapshots" / commit;
  return IsFolder(snapshot) ? std::optional(snapshot) : std::nullopt;
}

std::map<std::string, fs::path> FindSnapshots(const HubName& name) {
  const fs::path folder = HubModelFolder(name), refs = folder / "refs";
  std::map<std::string, fs::path> all;
  std::set<fs::path> named;
  std::error_code error;
  for (fs::recursive_directory_iterator at(refs, error), end; at != end; at.increment(error)) {
    const std::string revision = at->path().lexically_relative(refs).generic_string();
    const auto snapshot = at->is_directory(error) ? std::nullopt : FindSnapshot(name, revision);
    if (!snapshot) continue;
    all.emplace(revision, *snapshot);
    named.insert(*snapshot);
  }
  for (fs::directory_iterator at(folder / "snapshots", error), end; at != end;
       at.increment(error)) {
    if (!named.contains(at->path()) && IsFolder(*at)) {
      all.emplace(at->path().filename().string(), at->path());
    }
  }
  return all;
}

}  // namespace rondo::tools
