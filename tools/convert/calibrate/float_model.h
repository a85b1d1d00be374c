// FloatModel: a float32 Rondo file that runs, so that calibration can watch it, and whose weights
// can be exchanged, so that it can see what an exchange does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernels/kv_page.h"
#include "runtime/model/model_file.h"
#include "runtime/text/tokenizer.h"
#include "tools/convert/calibrate/watched_pass.h"
#include "tools/system/private_map.h"

namespace rondo::convert {

using TokenChunk = std::vector<int32_t>;

// What layers that run one by one hand on.
struct LayerState {
  std::vector<float> hidden;  // [chunks, chunk length, floats of a row's residual]
  // By KV entry, where later layers read it: keys and values of each chunk.
  std::map<size_t, std::vector<std::vector<uint8_t>>> kv;
};

// Everything throws Error. Runs take the memory of an engine: the weights once more. Chunks are all
// of one length.
class FloatModel {
 public:
  // The file is mapped; what is exchanged stays in this process.
  FloatModel(const std::filesystem::path& path, size_t threads);
  FloatModel(const FloatModel&) = delete;
  FloatModel& operator=(const FloatModel&) = delete;
  ~FloatModel();

  const ModelFile& file() const { return file_; }
  // A tensor's values, row-major.
  std::span<const float> values(uint32_t tensor) const;
  // As many as the tensor has.
  void Exchange(uint32_t tensor, std::span<const float> values);

  // The text as chunks of `length` tokens or, if that is less, the model's context, each with the
  // model's BOS in front; what remains is left out. At most `max_tokens` tokens in all.
  std::vector<TokenChunk> Tokenize(const std::string& text, size_t length, size_t max_tokens) const;

  // Evaluates one layer, of those that run one by one. `state` has what enters it (layer 0 takes
  // the tokens' embeddings instead) and becomes what leaves it. `see` is handed what entered
  // `tensors`, which are the layer's, chunk by chunk.
  void RunLayer(uint32_t layer, const std::vector<TokenChunk>& chunks, LayerState& state,
                std::span<const uint32_t> tensors,
                const std::function<void(size_t chunk, const ChunkInputs& inputs)>& see);

  // From here on Predict rounds to int8 what enters the tensors for which `of` says so, by their
  // index, as matrices in few bits have it; empty: of none.
  void RoundRows(std::vector<bool> of) { rounded_rows_ = std::move(of); }
  // Likewise the cache's format: float32 where it is not given.
  void UseKv(KvFormat format);

  // Evaluates all layers and hands out the logits of each position. `see` must not throw.
  void Predict(
      const std::vector<TokenChunk>& chunks,
      const std::function<void(size_t chunk, size_t position, std::span<const float> logits)>& see);

 private:
  struct Machine;

  Machine& Ready(size_t chunk_length);

  const size_t threads_;
  std::optional<tools::PrivateMap> map_;  // from the begin on
  ModelFile file_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Machine> machine_;  // null after an exchange
  std::vector<bool> rounded_rows_;
  KvFormat kv_format_ = KvFormat::kFloat32;
};

}  // namespace rondo::convert
