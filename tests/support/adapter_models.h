// A model on the disk, and adapters for it, for tests of the runtime.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/engine/engine.h"
#include "runtime/model/adapter_file.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/support/peft_folder.h"
#include "tests/temp_folder.h"
#include "tools/convert/convert.h"
#include "tools/convert/output/write_adapter.h"

namespace rondo {

template <typename T>
T Opened(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().message());
  return std::move(*result);
}

class ModelOnDisk {
 public:
  explicit ModelOnDisk(const std::filesystem::path& checkpoint,
                       format::TensorFormat weights = format::TensorFormat::F32,
                       const std::filesystem::path& merge = {},
                       const std::function<void(convert::DecoderSpec&)>& change = nullptr)
      : path_(folder_ / "model.rondo") {
    convert::ConvertOptions options;
    options.directory = checkpoint;
    options.output = path_;
    options.weights = weights;
    options.merge = merge;
    options.change = change;
    if (weights == format::TensorFormat::F32) options.embedding = weights;
    convert::Convert(options, [](uint64_t, uint64_t) {});
    bytes_.emplace(path_);
    file_ = Opened(ModelFile::Open(bytes_->bytes()));
  }

  const std::filesystem::path& path() const { return path_; }
  const ModelFile& file() const { return file_; }
  ModelBytes& bytes() { return *bytes_; }
  const ModelBytes& bytes() const { return *bytes_; }
  std::unique_ptr<Engine> NewEngine(EngineOptions options, uint32_t adapter_rank) const {
    options.adapter_rank = adapter_rank;
    return Opened(Engine::Create(file_, nullptr, options, nullptr, 0));
  }

 private:
  const TempFolder folder_;
  const std::filesystem::path path_;
  std::optional<ModelBytes> bytes_;
  ModelFile file_;
};

// An adapter's file for a model, in memory.
class TestAdapter {
 public:
  TestAdapter(const std::filesystem::path& peft, const ModelOnDisk& model,
              format::AdapterFormat format = format::AdapterFormat::F32) {
    const TempFolder folder;
    const std::filesystem::path path = folder / "adapter.rondo";
    report_ = convert::WriteAdapter(
        {.directory = peft, .model = model.path(), .output = path, .format = format});
    bytes_.emplace(path);
    file_ = Opened(AdapterFile::Open(bytes_->bytes(), model.file()));
  }
  // Of random modules.
  TestAdapter(const ModelOnDisk& model, uint64_t rank, uint32_t seed,
              const std::string& wanted = "",
              format::AdapterFormat format = format::AdapterFormat::F32)
      : TestAdapter(*RandomFolder(model, rank, seed, wanted), model, format) {}

  const AdapterFile& file() const { return file_; }
  const convert::AdapterReport& report() const { return report_; }
  ModelBytes& bytes() { return *bytes_; }
  const ModelBytes& bytes() const { return *bytes_; }

 private:
  TestAdapter(const TempFolder& folder, const ModelOnDisk& model, format::AdapterFormat format)
      : TestAdapter(folder.path(), model, format) {}
  static std::unique_ptr<TempFolder> RandomFolder(const ModelOnDisk& model, uint64_t rank,
                                                  uint32_t seed, const std::string& wanted) {
    auto folder = std::make_unique<TempFolder>();
    WritePeftFolder(folder->path(), RandomModules(model.file(), rank, seed, wanted),
                    "\"r\": " + std::to_string(rank) + ", \"lora_alpha\": " + std::to_string(rank));
    return folder;
  }

  convert::AdapterReport report_;
  std::optional<ModelBytes> bytes_;
  AdapterFile file_;
};

}  // namespace rondo
