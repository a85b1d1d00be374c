// Where the loss of a model in few bits comes from: what each of its parts does to the predictions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/kernels/kv_page.h"

namespace rondo::convert {

// The matrices of one kind in a layer; all losses are KL divergences from the model in float32, the
// mean over all positions, in nats.
struct PartLoss {
  int32_t layer;       // -1: in none
  std::string matrix;  // "attention.qkv", "embedding"; all experts' together: "mlp.experts.down"
  std::string format;
  // With nothing else changed: its weights as the file has them; what enters it in int8.
  double of_weights = 0, of_rows = 0;
};

struct PartLosses {
  // Of all matrices together; of the cache alone, in its format; and of everything.
  double of_weights = 0, of_rows = 0, of_cache = 0, all = 0;
  uint64_t positions = 0;
  std::vector<PartLoss> parts;  // in the order of the file; but those in float32
};

// `source`: what the file `model` was made from. Of `chunks`, texts of one length, the first are
// used whose logits take 512 MiB. Runs the model in float32 twice for each part: takes an engine of
// that in memory, and in the model's folder, for a while, room for it. `threads` 0: as many as
// there are performance cores. Throws Error or Interrupted.
PartLosses LossOfParts(const std::filesystem::path& model, const std::filesystem::path& source,
                       const std::vector<std::vector<int32_t>>& chunks, KvFormat kv, size_t threads,
                       const std::function<void(double done)>& progress);

}  // namespace rondo::convert
