#include "tools/convert/sources/source.h"

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_files.h"
#include "tools/convert/sources/checkpoint_folder.h"
#include "tools/convert/sources/checkpoint_with_parts.h"
#include "tools/convert/sources/gguf/gguf_checkpoint.h"
#include "tools/convert/sources/gguf/gguf_config.h"
#include "tools/convert/sources/gguf/gguf_generation.h"
#include "tools/convert/sources/what_it_is.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

// A snapshot of a hub's cache is called by its commit, and its model two folders above
// (tools/common/hub_cache.h).
std::string NameOf(const fs::path& directory) {
  const fs::path folder = fs::canonical(directory);
  if (folder.parent_path().filename() != "snapshots") return folder.filename().string();
  const std::string name = folder.parent_path().parent_path().filename().string();
  return name.substr(name.rfind("--") == std::string::npos ? 0 : name.rfind("--") + 2);
}

Source OpenFolder(const fs::path& directory) {
  if (!fs::exists(directory / kConfigFile)) {
    Fail(directory.string(), " ", WhatFolderIs(directory, "holds no config.json"));
  }
  const Config config = Config::Load(directory / kConfigFile);
  const Quantisation quantisation = ReadQuantisation(directory, config);
  Source source(NameOf(directory), WithoutQuantisation(config));
  if (const fs::path generation = directory / "generation_config.json"; fs::exists(generation)) {
    source.generation = Config::Load(generation);
    source.own_generation = true;
    source.token_configs.push_back(source.generation);
  }
  source.token_configs.push_back(source.config);
  if (const std::optional<Config> text = source.config.Object("text_config")) {
    source.token_configs.push_back(*text);
  }
  const auto checkpoint = std::make_shared<CheckpointFolder>(directory, quantisation);
  if (checkpoint->is_of_mlx() && config.Text("model_type", "") == "falcon_h1") {
    config.Refuse("model_type",
                  "is falcon_h1, into whose weights MLX has multiplied numbers of the config: "
                  "convert from the checkpoint that it was made of");
  }
  source.notes = checkpoint->notes();
  source.checkpoint = checkpoint;
  source.path = directory;
  return source;
}

// GGUF also holds parts of models, and what belongs to one.
void RefuseOtherKinds(const GgufFile& file) {
  const Config keys = Config::Of(file.path() + ": key ", file.metadata());
  const std::string kind = keys.IsText("general.type") ? keys.Text("general.type", "") : "model";
  if (kind == "adapter") {
    Fail(file.path(),
         " is a LoRA adapter, not a model: merge it into its base first "
         "(llama-export-lora) and convert that");
  }
  if (IsMmproj(file)) {
    Fail(file.path(),
         " is the part of a model that reads pictures or sound (mmproj): name the "
         "file of the text's model, which lies beside it, and this one by --mmproj");
  }
  if (kind == "imatrix") {
    Fail(file.path(), " is an importance matrix, by which models are quantised, not a model");
  }
  if (file.tensors().empty()) {
    Fail(file.path(), " has no tensors: it is a vocabulary, or another part of a model");
  }
}

GgufFile OpenModel(const fs::path& path) {
  GgufFile file(path);
  RefuseOtherKinds(file);
  return file;
}

// The file and its keys live as long as the tensors that are read from them.
struct OpenGguf {
  OpenGguf(const fs::path& path, FindGgufRules find_rules)
      : file(OpenModel(path)), keys(file), rules(find_rules(keys)), checkpoint(keys, rules.names) {}
  const GgufFile file;
  const GgufKeys keys;
  const GgufRules rules;
  const GgufCheckpoint checkpoint;
};

Source OpenGgufFile(const fs::path& path, FindGgufRules find_rules) {
  const auto gguf = std::make_shared<OpenGguf>(path, find_rules);
  const Config& keys = gguf->keys.all();
  // Its keys are those of a config.json, not of the file: complaints say so.
  std::vector<std::string> notes;
  Source source(keys.IsText("general.name") ? keys.Text("general.name", "") : path.stem().string(),
                Config::Of(path.string() + ", read as a config.json: key ",
                           ReadGgufConfig(gguf->keys, gguf->rules, notes)));
  source.notes = gguf->keys.notes();
  source.notes.insert(source.notes.end(), notes.begin(), notes.end());
  source.token_configs.push_back(source.config);
  source.checkpoint = std::shared_ptr<const Checkpoint>(gguf, &gguf->checkpoint);
  source.generation = Config::Of(path.string() + ", read as a generation_config.json: key ",
                                 ReadGgufGeneration(keys));
  source.own_generation = true;
  source.path = path;
  source.gguf = std::shared_ptr<const GgufKeys>(gguf, &gguf->keys);
  return source;
}

}  // namespace

Source OpenSource(const fs::path& path, FindGgufRules find_rules) {
  if (fs::is_directory(path)) return OpenFolder(path);
  if (!fs::exists(path)) Fail(path.string(), " does not exist");
  if (GgufFile::IsGguf(path)) return OpenGgufFile(path, find_rules);
  Fail(path.string(), " ", WhatFileIs(path, "is neither a folder nor a GGUF file"));
}

void AddMmproj(const fs::path& named, FindMmprojRules find_rules, Source& source) {
  if (source.gguf == nullptr) {
    if (named.empty()) return;
    Fail(named.string(), " goes with a GGUF file: a folder has in itself what sees for its model");
  }
  const std::optional<fs::path> path = FindMmproj(source.path, named);
  if (!path) return;
  source.mmproj =
      OpenMmproj(*path, find_rules, source.config.Integer("hidden_size", 1, UINT32_MAX));
  const auto whole = std::make_shared<CheckpointWithParts>(source.checkpoint);
  whole->AddPart("", source.mmproj->checkpoint);
  source.checkpoint = whole;
  if (named.empty()) {
    source.notes.push_back("what sees for the model is taken from " + path->string() +
                           ", which lies beside it");
  }
}

}  // namespace rondo::convert
