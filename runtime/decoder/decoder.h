// Decoder: the one forward pass. Rows in, logits out; prefill and decode differ only in how many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "platforms/thread_pool.h"
#include "runtime/base/status.h"
#include "runtime/decoder/activations.h"
#include "runtime/decoder/decoder_spec.h"
#include "runtime/decoder/pass.h"
#include "runtime/plan/memory_plan.h"
#include "runtime/weights/weights.h"

namespace rondo {

class Decoder {
 public:
  // Adds weights, activations and per-thread scratch to `plan`. `draft_head`: the file's is wanted.
  static Result<Decoder> Plan(const ModelFile& file, const KernelSet& set, const PassLimits& limits,
                              const ContextWindow& window, bool draft_head, MemoryPlan* plan);
  // After the plan's Layout: loads the weights and takes its places in the arena. The decoder must
  // not move afterwards. Errors: kCorrupt, kCancelled (by `progress`).
  Status Bind(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena, ThreadPool* pool,
              const LoadProgress& progress);

  // From here on passes tell `profile`, which outlives the decoder, what they do.
  void set_profile(Profile* profile) { resources_.profile = profile; }
  // Where the rows of inputs are; it outlives the decoder.
  void set_inputs(const InputStore* inputs) { resources_.inputs = inputs; }

  const DecoderSpec& spec() const { return spec_; }
  const Weights& weights() const { return weights_; }
  const PassResources& resources() const { return resources_; }

  // A pass: Embed, then RunLayer for each layer in order; Logits may then be asked for. A row
  // depends on the tokens of its sequence before it, the model and the kernel set; not on the other
  // rows, on how a prompt is cut, on threads, or on where its keys lie. Where all sequences are
  // cancelled, their blocks hold nothing of value at these positions.
  void Embed(const Pass& pass);
  void RunLayer(const Pass& pass, size_t layer);
  // All of that.
  void Forward(const Pass& pass);

  // Rows that Logits takes at a time: at most kMostLogitRows.
  size_t logit_rows() const { return activations_.logit_rows(); }
  // The logits of rows of the pass, up to logit_rows() of them: [rows, vocab_size], until the next
  // call. `last`: the last call of this pass.
  const float* Logits(const Pass& pass, std::span<const size_t> rows, bool last);

  // ---- An embedder's pooling, in place of logits ----
  //
  // Behind the layers of a pass. What a text's vector is made of is gathered pass by pass.
  struct TextRows {
    const SequenceRows* rows;  // of the pass, not dropped
    size_t first;              // of the pass's rows
    float* pooled;             // [spec().embedder.widest], the same in all passes of the text
    bool ends;                 // they are the text's last: `pooled` begins with the vector then
  };
  void Pool(const Pass& pass, std::span<const TextRows> texts);

  // ---- The draft head, where spec() has one ----
  //
  // Behind the logits of a pass it follows: MakeDraftInput, then FollowWithDraftHead, which keeps
  // what later rows see of these. It proposes in passes of its own, of one row for each sequence:
  // Embed, MakeDraftInput, RunDraftHead, DraftLogits.

  // `before`: of each sequence of the pass what KeepHidden gave of the row before its first one;
  // null where that is not known any more, which makes worse drafts.
  void MakeDraftInput(const Pass& pass, std::span<const float* const> before);
  void FollowWithDraftHead(const Pass& pass);
  void RunDraftHead(const Pass& pass);
  // Between these two: what the head will read of a row of the pass. [hidden_size]
  void KeepHidden(size_t row, float* out) const;
  // As Logits, of the tokens below weights().draft_head().head.shape.n; and what the head will read
  // of a row that it has run.
  const float* DraftLogits(const Pass& pass, std::span<const size_t> rows, bool last);
  void KeepDraftHidden(const Pass& pass, size_t row, float* out) const;

  // ---- An assistant, which drafts for another model ----
  //
  // It proposes in passes of one row for each sequence of that model: EnterAssistant, RunLayer for
  // each layer, KeepDraftHidden, DraftLogits. A row carries the token that is not evaluated yet,
  // and the position before it: it sees what lies up to there.

  // Before all else: its layers read what `model` keeps. Error: kInvalidArgument (none fits).
  Status Assist(const Decoder& model) { return spec_.ReadKeysOf(model.spec_); }
  // `before`: of each row what `model` KeepHidden gave, or what KeepDraftHidden did.
  // [spec().other_hidden_size]
  void EnterAssistant(const Pass& pass, const Decoder& model, std::span<const float* const> before);

  // What a layer reads and leaves behind: of each row the residual stream, or all of them.
  float* residual() const {
    return spec_.alt_up.n_streams > 0 ? activations_.streams : activations_.hidden;
  }
  size_t residual_floats() const {  // of a row
    return std::max<size_t>(spec_.alt_up.n_streams, 1) * spec_.hidden_size;
  }

 private:
  // What enters the first layer: a token's embedding, or a row of an input as it is.
  void EmbedKey(const Pass& pass, const PassRow& place, float* row) const;
  void MakeRopeTables(const Pass& pass, size_t row, uint64_t position);
  void EnterDraftHead(const Pass& pass);
  void RunSublayers(const Pass& pass, size_t begin, size_t end);
  // A layer of a model with several residual streams.
  void RunOnStreams(const Pass& pass, size_t layer);

  DecoderSpec spec_;
  Weights weights_;
  Activations activations_;
  PassResources resources_;
  MemoryPlan::RegionId scratch_region_ = 0;
  MemoryPlan::RegionId expansion_region_ = MemoryPlan::kNoRegion;
};

}  // namespace rondo
