// WeightLoader: checks and packs a model's matrices on all threads, reading each byte once.
//
// A matrix is one thread's task. It goes through the rows piece by piece: checksum, finite values,
// packing, while the piece is in the cache; then the file's pages behind it are given back, so that
// the weights are never in memory twice. Largest matrices go first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "platforms/thread_pool.h"
#include "runtime/base/heap_array.h"
#include "runtime/kernels/pack_linear.h"
#include "runtime/model/model_file.h"
#include "runtime/weights/load_progress.h"

namespace rondo {

class WeightLoader {
 public:
  // Room for so many Add calls.
  static Result<WeightLoader> Create(const ModelFile& file, const PackedLayout& layout,
                                     size_t max_tensors);

  // Tensor `weight` and the `bias` of its channels (null: none) into `packed`, which has
  // shape.PackedBytes; packed == nullptr: checked only.
  void Add(uint32_t weight, const LinearShape& shape, const float* bias, uint8_t* packed);

  // Errors: kCorrupt (an altered section, a value that is not finite: which and where),
  // kCancelled. What was packed is then of no use.
  Status Run(ThreadPool* pool, const LoadProgress& progress);

 private:
  struct Task {
    uint32_t weight;
    LinearShape shape;
    const float* bias;
    uint8_t* packed;
    uint64_t bytes;  // of the tensor in the file
    Status status;
  };
  // What the running threads share.
  struct Shared {
    std::atomic<size_t> next{0};
    std::atomic<uint64_t> done{0};
    std::atomic<bool> stop{false};
    std::atomic<bool> cancelled{false};
    LoadProgress progress;
  };
  Status Load(const Task& task, bool reports, Shared* shared) const;

  const ModelFile* file_ = nullptr;
  PackedLayout layout_ = {};
  HeapArray<Task> tasks_;
  size_t count_ = 0;
  uint64_t total_ = 0;  // bytes of all tasks
};

}  // namespace rondo
