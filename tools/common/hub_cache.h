// HubCache: models that a hub's clients have downloaded, as they lie on this machine. The layout is
// that of Hugging Face's own clients, which find what we put there and the other way around:
//
//   models--ORG--NAME/blobs/ID               what a file holds; ID is its SHA-256, or git's number
//   models--ORG--NAME/snapshots/COMMIT/FILE  a link to a blob
//   models--ORG--NAME/refs/REVISION          the commit that a branch or tag stood for
#pragma once

#include <filesystem>
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

// HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE (its older name), HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub
// or ~/.cache/huggingface/hub. Variables and a "~" in the values are expanded.
std::filesystem::path HubCacheFolder();
// A model's own folder in it.
std::filesystem::path HubModelFolder(const HubName& name);

// The snapshot that `revision` stood for when it was downloaded last; none where there is none.
std::optional<std::filesystem::path> FindSnapshot(const HubName& name, const std::string& revision);

// What to convert of a snapshot: the folder, or its GGUF file, the first of those that belong
// together. Throws Error where it holds no model, or several.
std::filesystem::path ModelInSnapshot(const std::filesystem::path& snapshot);

}  // namespace rondo::tools
