// ModelName: what a command line calls a model or an adapter: a path, or the name of what lies in
// the hub's cache; and which files of what was downloaded are the model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rondo::tools {

enum class Named { kModel, kAdapter };

// Of a path, which need not exist, itself; else of ORG/NAME the folder or the GGUF file in the
// cache. An empty `revision`: "main", or the only one there is, which is told. Throws Error where
// the cache has none, or several of which none is named, and where a path has a revision.
std::filesystem::path FindNamed(const std::string& text, const std::string& revision, Named kind);

// Of files by their paths the GGUF files that are models: of one in parts the first; of several not
// those that by their names only belong to a model (a projector's, an importance matrix).
std::vector<std::string> GgufModels(const std::vector<std::string>& files);

// What to convert of a snapshot where `files` of it were asked for: the one GGUF file among them,
// or the folder, where the weights of its model or adapter are among them. Throws Error where no
// model is.
struct FoundModel {
  std::filesystem::path path;
  Named kind;
};
FoundModel ModelAmong(const std::filesystem::path& snapshot, const std::vector<std::string>& files);

}  // namespace rondo::tools
