// HubCache: models that a hub's clients have downloaded, as they lie on this machine. The layout is
// that of Hugging Face's own clients, which find what we put there and the other way around:
//
//   models--ORG--NAME/blobs/ID               what a file holds; ID is its SHA-256, or git's number
//   models--ORG--NAME/snapshots/COMMIT/FILE  a link to a blob
//   models--ORG--NAME/refs/REVISION          the commit that a branch or tag stood for
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace rondo::tools {

// Of ORG/MODEL.
struct HubName {
  std::string organisation, model;
  std::string text() const { return organisation + "/" + model; }
};

// None where `text` cannot be one: two parts of letters, digits, '-', '_' and '.', at most 96 each.
std::optional<HubName> ParseHubName(const std::string& text);

// Each part of it is the name of a file that any system can have below a folder.
bool IsPlainPath(const std::string& path);

// HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE (its older name), HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub
// or ~/.cache/huggingface/hub. Variables and a "~" in the values are expanded.
std::filesystem::path HubCacheFolder();
// A model's own folder in it.
std::filesystem::path HubModelFolder(const HubName& name);

// Where the hub's own clients keep the token of whoever has logged in: HF_TOKEN_PATH, else "token"
// in HF_HOME or what stands for it.
std::optional<std::filesystem::path> HubTokenFile();

// The snapshot that `revision`, a branch, tag or commit, stood for when it was downloaded last;
// none where there is none.
std::optional<std::filesystem::path> FindSnapshot(const HubName& name, const std::string& revision);
// All there are, by the revisions that stand for them, or their commits where none does.
std::map<std::string, std::filesystem::path> FindSnapshots(const HubName& name);

}  // namespace rondo::tools
