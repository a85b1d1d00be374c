// Pass: one forward pass under way, and the steps that sublayers are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platforms/thread_pool.h"
#include "runtime/decoder/activations.h"
#include "runtime/decoder/pass_rows.h"
#include "runtime/decoder/profile.h"
#include "runtime/decoder/sublayer.h"
#include "runtime/kernels/row_ops.h"
#include "runtime/kv/input_store.h"
#include "runtime/model/adapter_file.h"

namespace rondo {

// Output channels of one task of a product, at most; and bytes of its weights, unless one tile has
// more: they stay in a second-level cache of 512 KiB or more while all rows go over them.
inline constexpr size_t kMaxTaskChannels = 256;
inline constexpr size_t kMaxTaskBytes = 256 << 10;

// What passes work with; all of it is planned, and belongs to the decoder.
struct PassResources {
  const KernelSet* set = nullptr;
  const DecoderSpec* spec = nullptr;
  const Weights* weights = nullptr;
  Activations* activations = nullptr;
  ThreadPool* pool = nullptr;
  uint8_t* scratch = nullptr;    // one for each thread
  size_t scratch_bytes = 0;      // of each
  uint8_t* expansion = nullptr;  // of codes, one for each thread
  size_t expansion_bytes = 0;    // of each
  size_t max_rows = 0;
  const InputStore* inputs = nullptr;  // that keys of rows mean; null: there are none
  Profile* profile = nullptr;          // null: none is wanted
};

// What a pass runs of a model: the layers of its text; or what drafts, which is its draft head, or
// all of an assistant.
enum class PassPart : uint8_t { kText, kDrafts };

class Pass {
 public:
  // At most max_rows rows in all; `sequences` outlives the pass.
  Pass(const PassResources& resources, std::span<const SequenceRows> sequences,
       PassPart part = PassPart::kText);
  virtual ~Pass() = default;

  const KernelSet& set() const { return *resources_.set; }
  const DecoderSpec& spec() const { return *resources_.spec; }
  const Weights& weights() const { return *resources_.weights; }
  Sublayer sublayer(size_t i) const { return {spec().sublayers[i], weights().sublayer(i)}; }
  Activations& act() const { return *resources_.activations; }
  ThreadPool& pool() const { return *resources_.pool; }
  size_t max_rows() const { return resources_.max_rows; }
  Profile* profile() const { return resources_.profile; }
  PassPart part() const { return part_; }
  std::span<const SequenceRows> sequences() const { return sequences_; }
  size_t rows() const { return rows_; }
  // Of one of its sequences: the first key that still has a row, and how many have.
  size_t first_key(const SequenceRows& sequence) const {
    return ended_ ? sequence.first_wanted : 0;
  }
  size_t rows_of(const SequenceRows& sequence) const {
    return sequence.keys.size() - first_key(sequence);
  }
  const PassRow& row(size_t r) const { return act().rows[r]; }
  const InputStore& inputs() const { return *resources_.inputs; }
  // Of the layers of a text, the first that add further rows of inputs.
  size_t adding_layers() const {
    return resources_.inputs == nullptr || part_ != PassPart::kText ? 0 : inputs().further();
  }
  // Some row sees another end than its own.
  bool has_ends() const { return has_ends_; }
  // What its rows keep is there (SequenceRows::stored).
  bool stored() const { return !sequences_.empty() && sequences_.front().stored; }
  // What RoPE rotates a row at `position` by, which may be another than its own where it drafts.
  RopePlace CoordinatesOf(const PassRow& row, uint64_t position) const;
  // The rows that nobody wants end here; the others move up to their places.
  void EndUnwanted();
  // Leaves out the rows behind those of the last sequence that has not dropped out.
  void TrimDropped();
  // True where no sequence wants to go on; it stays so until the pass is over. Products and
  // attention are then zeros, which cost nothing and leave nothing but numbers in what is kept.
  bool Cancelled() const;
  uint8_t* Scratch(size_t thread) const {
    return resources_.scratch + thread * resources_.scratch_bytes;
  }
  uint8_t* Expansion(size_t thread) const {
    return resources_.expansion + thread * resources_.expansion_bytes;
  }
  float* ScratchFloats(size_t thread) const { return reinterpret_cast<float*>(Scratch(thread)); }

  // in = rows of norm(residual stream), as the linear wants them; held to a range, if there is one.
  void NormInput(const PackedLinear& linear, const RowNorm& norm, const InputRows& in,
                 const Range* held = nullptr) const;
  // in[r] = `row`.
  void RowInput(const PackedLinear& linear, const float* row, size_t r, const InputRows& in) const;
  // out = linear(in), or out += linear(in); columns over the threads. `last`: threads sleep behind.
  enum class Into { kReplace, kAdd };
  void Linear(const PackedLinear& linear, const InputRows& in, size_t rows, Into into, float* out,
              size_t out_stride, bool last = false) const {
    const Product product = {&linear, 0, rows, out};
    Multiply({&product, 1}, in, into, out_stride, last);
  }
  // The same of channels [begin, end), in their places, as Product has it.
  void LinearPart(const PackedLinear& linear, const InputRows& in, size_t begin, size_t end,
                  float* out, size_t out_stride, const Range* held = nullptr) const {
    const Product product = {&linear, 0, rows_, out, begin, end, held};
    Multiply({&product, 1}, in, Into::kReplace, out_stride, false);
  }
  // The same for several of one size at once.
  void Linears(std::span<const Product> products, const InputRows& in, size_t out_stride) const {
    Multiply(products, in, Into::kReplace, out_stride, false);
  }
  // x = residual_norm(residual_factor * (x + factor * post_norm(linear(in)))), of x in `hidden`;
  // what the linear makes is held to a range, if there is one.
  void AddToResidual(const Sublayer& sublayer, const PackedLinear& linear, const InputRows& in,
                     const Range* held = nullptr) const;
  // x = residual_norm(residual_factor * (x + factor * post_norm(sublayer_out))), likewise.
  void AddSublayerOut(const Sublayer& sublayer) const;

 protected:
  virtual void Multiply(std::span<const Product> products, const InputRows& in, Into into,
                        size_t out_stride, bool last) const;

 private:
  void MoveRow(size_t from, size_t to);
  // Of row r, what its adapter adds to a matrix; null: nothing.
  const AdapterMatrix* Added(size_t r, const PackedLinear& linear) const;
  uint64_t VisibleEnd(const SequenceRows& sequence, size_t i, InputKey key) const;
  uint32_t PlaceOf(const SequenceRows& sequence, size_t i) const;
  // What adapters add to channels [begin, end) of a product.
  void AddAdapters(const PackedLinear& linear, const InputRows& in, size_t rows, size_t begin,
                   size_t end, float* out, size_t out_stride) const;

  const PassResources& resources_;
  const std::span<const SequenceRows> sequences_;
  const PassPart part_;
  size_t rows_ = 0;
  bool ended_ = false;    // those that nobody wants
  bool adapted_ = false;  // some sequence has an adapter
  bool has_ends_ = false;
};

// Layers [begin, end) behind a pooling or a merging, of up to logit_rows() rows, each in its place,
// which has room for the widest. In parallel over channels.
void RunDense(const Pass& pass, std::span<float* const> pooled, size_t begin, size_t end);

// What each layer's LayerEmbedding reads of the pass's tokens, from layer_projection_input.
void MakeLayerEmbeddings(const Pass& pass);

// Floats of a thread's scratch that PredictStreams and CorrectStreams take.
size_t StreamScratchFloats(const DecoderSpec& spec);
// Several residual streams. They are made of what the first layer reads; a layer predicts them all
// and works on the active one, in `hidden`, and then corrects all by what it made of that. What the
// last sublayer makes of 0, behind the correction, is added to all but the first.
void MakeStreams(const Pass& pass);
void PredictStreams(const Pass& pass, size_t layer);
void CorrectStreams(const Pass& pass, size_t layer);
void ClearResidual(const Pass& pass);
void AddToOtherStreams(const Pass& pass);
// hidden = what the final norm reads, in these rows of the last pass, up to logit_rows() of them.
void JoinStreams(const Pass& pass, std::span<const size_t> rows);

}  // namespace rondo
