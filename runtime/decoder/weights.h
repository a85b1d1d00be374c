// Weights: the model's tensors as one kernel set reads them: packed into the arena, or where they
// lie in a file that was packed for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platforms/thread_pool.h"
#include "runtime/base/heap_array.h"
#include "runtime/decoder/weight_loader.h"
#include "runtime/kernels/packed_linear.h"
#include "runtime/model/model_file.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

struct LayerWeights {
  const float* attention_norm;  // [hidden_size], in the file
  const float* mlp_norm;        // [hidden_size], in the file
  PackedLinear qkv;
  PackedLinear output;
  PackedLinear gate_up;
  PackedLinear down;
};

class Weights {
 public:
  // Adds a block per layer and one for the head to `plan`; nothing for a packed file. Sizes are
  // known from here on; pointers only after Load. Error: kUnsupported (packed for other kernels).
  static Result<Weights> Plan(const ModelFile& file, const KernelSet& set, MemoryPlan* plan);

  // Compares the checksums of all sections it reads, refuses values that are not finite, and packs
  // on all threads. Of a packed file it reads the norms only: what else is wrong there makes wrong
  // tokens, but no wrong access. Errors: kCorrupt, kCancelled.
  Status Load(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena, ThreadPool* pool,
              const LoadProgress& progress);

  // Of weights that are read where they lie in the file; 0 where they are packed into the arena.
  uint64_t mapped_bytes() const { return mapped_bytes_; }
  const LayerWeights& layer(size_t i) const { return layers_[i]; }
  const float* final_norm() const { return final_norm_; }
  const PackedLinear& head() const { return head_; }
  // One token's embedding, [hidden_size].
  void Embed(size_t token, std::span<float> out) const;

 private:
  const KernelSet* set_ = nullptr;
  HeapArray<LayerWeights> layers_;
  HeapArray<MemoryPlan::BlockId> blocks_;  // one per layer, then the head's
  uint64_t mapped_bytes_ = 0;
  const float* final_norm_ = nullptr;
  PackedLinear head_ = {};
  bool tied_ = false;
  LinearShape embedding_shape_ = {};
  WeightRows embedding_rows_ = {};  // untied: in the file
};

}  // namespace rondo
