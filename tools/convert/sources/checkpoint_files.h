// CheckpointFiles: which files of a folder make up a checkpoint. `rondo convert` reads these and
// `rondo pull` downloads them: both ask here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rondo::convert {

// A folder's files, whether they lie on the disk or a hub has them. Paths are below the folder,
// with '/'.
class FolderFiles {
 public:
  virtual ~FolderFiles() = default;
  virtual bool Has(const std::string& path) const = 0;
  // The names of all files directly in `folder`, in order; "": the folder itself.
  virtual std::vector<std::string> In(const std::string& folder) const = 0;
  // The whole of a small file. Throws Error where it is larger than `max_bytes`.
  virtual std::string Read(const std::string& path, uint64_t max_bytes) const = 0;
  // What messages call a file of it; "": the folder itself.
  virtual std::string Called(const std::string& path) const = 0;
};

class DiskFolder final : public FolderFiles {
 public:
  explicit DiskFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  bool Has(const std::string& path) const override;
  std::vector<std::string> In(const std::string& folder) const override;
  std::string Read(const std::string& path, uint64_t max_bytes) const override;
  std::string Called(const std::string& path) const override {
    return (path.empty() ? folder_ : folder_ / path).string();
  }

 private:
  const std::filesystem::path folder_;
};

inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kWeightsIndexFile = "model.safetensors.index.json";
inline constexpr const char* kAdapterConfigFile = "adapter_config.json";
inline constexpr const char* kAdapterWeightsFile = "adapter_model.safetensors";
inline constexpr const char* kModulesFile = "modules.json";

// The files of a checkpoint's tensors; none where there are none.
struct WeightFiles {
  std::vector<std::string> files;            // in order; one the index lists may be absent
  std::map<std::string, std::string> index;  // tensor -> file, of several files
  std::vector<std::string> notes;            // what is odd about the index, a sentence each
};

// All throw Error, naming the file and what is wrong with it. `folder` is "" or "FOLDER/".

// model.safetensors, or the shards that model.safetensors.index.json names.
WeightFiles FindWeights(const FolderFiles& all, const std::string& folder = "");

// tokenizer.json, else tokenizer.model, spiece.model, *.tiktoken, or vocab.json beside merges.txt;
// empty: none of them.
std::string FindTokenizerFile(const FolderFiles& all, const std::string& folder = "");

// chat_template.jinja and additional_chat_templates/*.jinja, from the weakest to the strongest.
std::vector<std::string> FindTemplates(const FolderFiles& all, const std::string& folder = "");

// An entry of modules.json, by which sentence-transformers puts a model together.
struct SentenceModule {
  std::string kind;    // the last part of its type: "Pooling"
  std::string folder;  // below the model's, as it is called there; empty: the model's own
};
// Empty where there is no modules.json.
std::vector<SentenceModule> ReadModules(const FolderFiles& all);

// All that convert reads of a checkpoint: what the above find, merges.txt, and what JSON lies
// beside them; the same of the modules' folders.
std::vector<std::string> FilesOfCheckpoint(const FolderFiles& all);
// The same of a LoRA adapter as PEFT saves it.
std::vector<std::string> FilesOfAdapter(const FolderFiles& all);

}  // namespace rondo::convert
