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

  // A pass: Embed, then RunLayer for each layer of its part in order; what comes of it may then be
  // asked for, of the rows that are wanted. A row depends on the tokens of its sequence before it,
  // the model and the kernel set; not on the other rows, on how a prompt is cut, on threads, or on
  // where its keys lie. Where all sequences are cancelled, their blocks hold nothing of value at
  // these positions.
  //
  // The draft head follows each pass of the text: in a pass of the same rows, while the text's own
  // are still in place, that wants none of them. It proposes in passes of one row for each
  // sequence, and so does an assistant, of which a row carries the token that is not evaluated yet,
  // and the position before it: it sees what lies up to there.
  void Embed(const Pass& pass);
  void RunLayer(Pass& pass, size_t layer);
  size_t first_layer(PassPart part) const {
    return part == PassPart::kDrafts && spec_.has_draft_head ? spec_.n_layers() : 0;
  }
  size_t end_layer(PassPart part) const {
    return first_layer(part) + (first_layer(part) == 0 ? spec_.n_layers() : 1);
  }
  // Of a part of rows that see all of each other: what the others need of these in the layer's
  // first sublayer. It runs behind that, in passes that are `stored`.
  void StoreLayer(const Pass& pass, size_t layer);
  // Where the rows of a tower's next pass lie.
  void PlaceRows(float* hidden, float* rope) {
    activations_.hidden.data = hidden;
    activations_.rope.data = rope;
  }
  // All of that, of the text.
  void Forward(Pass& pass);

  // Rows that Logits takes at a time: at most kMostLogitRows.
  size_t logit_rows() const { return activations_.logit_rows(); }
  // The logits of rows of the pass, up to logit_rows() of them: [rows, vocab_size], or of drafts
  // [rows, weights().draft_head().head.shape.n], until the next call. `last`: the last call of this
  // pass.
  const float* Logits(const Pass& pass, std::span<const size_t> rows, bool last);
  // What drafts of the token behind a row read of it: of the text's rows [hidden_size], of an
  // assistant's [spec().other_hidden_size].
  void KeepHidden(const Pass& pass, size_t row, float* out) const;
  // In place of logits, an embedder's: what a text's vector is made of is gathered pass by pass.
  void Pool(const Pass& pass);

  // Before all else: an assistant's layers read what `model` keeps. Error: kInvalidArgument (none
  // fits).
  Status Assist(const Decoder& model) { return spec_.ReadKeysOf(model.spec_); }
  // Whose tokens an assistant embeds; it outlives the decoder.
  void set_assisted(const Decoder* model) { assisted_ = model; }

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
  // Behind a text's layer, what a tower made for it of the rows of inputs.
  void AddFurtherRows(const Pass& pass, size_t layer);
  void MakeRopeTables(const Pass& pass, size_t row, uint64_t position);
  // What enters what drafts: a row's token, and what the model made of the row before it.
  void EmbedDrafts(const Pass& pass);
  void RunSublayers(Pass& pass, size_t begin, size_t end);
  // A layer of a model with several residual streams.
  void RunOnStreams(Pass& pass, size_t layer);
  // From this sublayer on rows that nobody wants are of no use.
  size_t kept_end(const Pass& pass) const {
    return first_layer(pass.part()) == 0 ? spec_.kept_end : spec_.draft_kept_end;
  }

  DecoderSpec spec_;
  Weights weights_;
  Activations activations_;
  PassResources resources_;
  const Decoder* assisted_ = nullptr;
  MemoryPlan::RegionId scratch_region_ = 0;
  MemoryPlan::RegionId expansion_region_ = MemoryPlan::kNoRegion;
};

}  // namespace rondo
