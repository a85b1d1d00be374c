// WeightLoader: checks and packs a model's matrices on all threads.
//
// A matrix is one thread's task. It goes through the rows piece by piece: checksum, finite values,
// packing, while the piece is in the cache; then the file's pages behind it are given back, so that
// the weights are never in memory twice. Largest matrices go first. A thread for which none is left
// packs the last pieces of those that others are still at: these then read them once more, for the
// checksum alone. Every other byte is read once.
//
// Progress is told on the thread that loads, and never inside of a task of the host's pool: there
// the threads come back after some pieces, in the middle of a matrix, so that it can be told.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

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
  class Pieces;   // of a matrix: which are taken
  class Loading;  // a matrix on its way
  // What the running threads share.
  struct Shared {
    std::atomic<size_t> next{0};
    std::atomic<uint64_t> done{0};
    std::atomic<bool> stop{false};
    std::atomic<bool> cancelled{false};
    LoadProgress progress;
    Pieces* pieces = nullptr;  // of all tasks
  };
  // Goes on with matrices, `loading` the one under way, until it has read so many bytes.
  void Load(std::optional<Loading>* loading, uint64_t bytes, bool reports, Shared* shared);
  // Packs some of another thread's matrix; the bytes, 0 where nothing is left anywhere.
  uint64_t Help(Shared* shared);
  void Report(Shared* shared) const;

  const ModelFile* file_ = nullptr;
  PackedLayout layout_ = {};
  HeapArray<Task> tasks_;
  size_t count_ = 0;
  uint64_t total_ = 0;  // bytes of all tasks
};

}  // namespace rondo
