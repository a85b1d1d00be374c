// Decoder: the one forward pass. Rows in, logits out; prefill and decode differ only in how many.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "platforms/thread_pool.h"
#include "runtime/base/status.h"
#include "runtime/decoder/activations.h"
#include "runtime/decoder/attention.h"
#include "runtime/decoder/decoder_spec.h"
#include "runtime/decoder/linear_observer.h"
#include "runtime/kv/kv_ring.h"
#include "runtime/plan/memory_plan.h"
#include "runtime/weights/weights.h"

namespace rondo {

// Some layers instead of the whole model, for measuring it. Where `hidden`, [rows, hidden_size], is
// given, no logits are made, and it takes what leaves layer end - 1; what enters layer `first` is
// taken from it, or for layer 0 from the tokens.
struct LayerRange {
  size_t first = 0;
  size_t end = SIZE_MAX;  // the model's own end is enough
  float* hidden = nullptr;
};

// Rows of one session at consecutive positions.
struct RowBatch {
  KvRing* ring;
  uint64_t position;                // of the first token
  std::span<const int32_t> tokens;  // 1..max_rows ids, all < vocab_size
  size_t first_logits_row;          // rows from here on ask for logits; tokens.size(): none
  bool long_sequence;               // turn by the frequencies for long sequences
  const std::atomic<bool>* cancel;  // looked at once per layer
  LayerRange layers = {};
};

// Takes the logits of one row, [vocab_size]; called in the order of rows.
struct LogitsSink {
  void (*row)(void* user, size_t row, std::span<const float> logits);
  void* user;
};

class Decoder {
 public:
  // Adds weights, activations and per-thread scratch to `plan`.
  static Result<Decoder> Plan(const ModelFile& file, const KernelSet& set, size_t max_rows,
                              size_t threads, const ContextWindow& window, MemoryPlan* plan);
  // After the plan's Layout: loads the weights and takes its places in the arena.
  // Errors: kCorrupt, kCancelled (by `progress`).
  Status Bind(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena, ThreadPool* pool,
              const LoadProgress& progress);

  // Of every Forward from now on.
  void Observe(const LinearObserver& observer) { observer_ = observer; }

  const DecoderSpec& spec() const { return spec_; }
  const Weights& weights() const { return weights_; }

  // A row's logits depend on the tokens before it, the model and the kernel set; not on the other
  // rows, on how a prompt is cut, on threads, or on where in the ring its keys lie.
  // Error: kCancelled; the ring then holds nothing of value at these positions.
  Status Forward(const RowBatch& batch, const LogitsSink& sink);

 private:
  void Embed(const RowBatch& batch);
  void AttentionBlock(size_t layer, const RowBatch& batch);
  void NormalizeHeads(size_t layer, size_t rows);
  void AttendRows(const AttentionCall& call);
  void ConvBlock(size_t layer, const RowBatch& batch);
  void MlpInput(size_t layer, size_t rows);
  void MlpBlock(size_t layer, size_t rows);
  void ExpertsBlock(size_t layer, size_t rows);
  void Logits(const RowBatch& batch, const LogitsSink& sink);

  // in = as the linear wants it: rows of norm(hidden), or of any floats.
  void NormInput(const PackedLinear& linear, const RowNorm& norm, const float* hidden, size_t rows,
                 const Activations::Input& in);
  void RowInput(const PackedLinear& linear, const float* row, size_t r,
                const Activations::Input& in);
  // down_input = activation of the first rows of gate_up.
  void Activated(const LayerSpec& spec, const PackedLinear& down, size_t rows);
  // out = linear(in), or out += linear(in); columns over the threads.
  enum class Into { kReplace, kAdd };
  void Linear(const PackedLinear& linear, const Activations::Input& in, size_t rows, Into into,
              float* out, size_t out_stride, bool last = false);
  // hidden += norm(linear(in)).
  void AddToResidual(const PackedLinear& linear, const Activations::Input& in, const RowNorm& norm,
                     size_t rows);
  void AddBlockOut(const RowNorm& norm, size_t rows);  // hidden += norm(block_out)

  uint8_t* Scratch(size_t thread) { return scratch_ + thread * scratch_bytes_; }

  const KernelSet* set_ = nullptr;
  DecoderSpec spec_;
  Weights weights_;
  Activations act_;
  size_t max_rows_ = 0;
  MemoryPlan::BlockId scratch_id_ = 0;
  size_t scratch_bytes_ = 0;  // per thread
  uint8_t* scratch_ = nullptr;
  ThreadPool* pool_ = nullptr;
  LinearObserver observer_;
};

}  // namespace rondo
