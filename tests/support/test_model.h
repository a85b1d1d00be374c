// TestModel: a checkpoint converted and opened, for tests of the runtime.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/engine/session.h"
#include "runtime/text/tokenizer.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tests/temp_folder.h"
#include "tools/convert/convert.h"
#include "tools/convert/sources/safetensors.h"

namespace rondo {

class TestModel {
 public:
  TestModel(const std::filesystem::path& directory, format::TensorFormat weights,
            uint32_t block = 32, bool draft_head = false)
      : TestModel(OptionsFor(directory, weights, block, draft_head)) {}

  // Where it is written is seen to here. `change` is for what no conversion chooses.
  explicit TestModel(convert::ConvertOptions options,
                     const std::function<void(format::ModelT&)>& change = nullptr) {
    const TempFolder folder;
    options.output = folder / "model.rondo";
    convert::Convert(options, [](uint64_t, uint64_t) {});
    bytes_.emplace(options.output);
    if (change) bytes_ = Rewrite(*bytes_, change);
    Result<ModelFile> file = ModelFile::Open(bytes_->bytes());
    if (!file.ok()) throw std::runtime_error(file.status().message());
    file_ = *file;
    if (file_.model().tokenizer() != nullptr) {
      auto tokenizer = Tokenizer::Create(file_);
      if (!tokenizer.ok()) throw std::runtime_error(tokenizer.status().message());
      tokenizer_ = std::move(*tokenizer);
    }
  }

  const ModelFile& file() const { return file_; }
  const Tokenizer* tokenizer() const { return tokenizer_.get(); }

  std::unique_ptr<Engine> NewEngine(const EngineOptions& options) const {
    auto engine = Engine::Create(file_, tokenizer(), options, nullptr, 0);
    if (!engine.ok()) throw std::runtime_error(engine.status().message());
    return std::move(*engine);
  }

 private:
  static convert::ConvertOptions OptionsFor(const std::filesystem::path& directory,
                                            format::TensorFormat weights, uint32_t block,
                                            bool draft_head) {
    convert::ConvertOptions options;
    options.directory = directory;
    options.weights = weights;
    options.block = block;
    options.draft_head = draft_head;
    if (weights == format::TensorFormat::F32) options.embedding = weights;
    return options;
  }

  std::optional<ModelBytes> bytes_;
  ModelFile file_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

inline Session* NewSession(Engine& engine, const SessionOptions& options = {}) {
  auto session = engine.OpenSession(options);
  if (!session.ok()) throw std::runtime_error(session.status().message());
  return *session;
}

// What enters the first layer for these tokens, [ids, hidden_size].
inline std::vector<float> EmbeddingsOf(Engine& engine, std::span<const int32_t> ids) {
  const Decoder& decoder = engine.runner().decoder;
  const size_t n = decoder.spec().hidden_size;
  std::vector<float> rows(ids.size() * n);
  for (size_t i = 0; i < ids.size(); ++i) {
    decoder.weights().Embed(static_cast<size_t>(ids[i]), std::span(rows).subspan(i * n, n));
  }
  for (float& value : rows) value *= decoder.spec().embedding_scale;
  return rows;
}

// All rows' logits, [ids, vocab_size], evaluated in one call.
inline std::vector<float> AllLogits(Session& session, const std::vector<int32_t>& ids) {
  std::vector<float> all;
  const LogitsSink sink = {[](void* user, uint64_t, std::span<const float> row) {
                             auto* out = static_cast<std::vector<float>*>(user);
                             out->insert(out->end(), row.begin(), row.end());
                           },
                           &all};
  const Status status = session.PrefillLogits(ids, sink);
  if (!status.ok()) throw std::runtime_error(status.message());
  return all;
}

// A tensor of int32 or float32 values of a .safetensors file.
template <typename T>
std::vector<T> ReadTensor(const std::filesystem::path& path, const std::string& name) {
  const convert::Safetensors file(path);
  const auto& tensor = file.tensors().at(name);
  std::vector<T> values(tensor.bytes / sizeof(T));
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(tensor.begin));
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(tensor.bytes));
  return values;
}

}  // namespace rondo
