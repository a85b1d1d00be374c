// DecoderSpec: what the forward pass does, layer by layer, read once from the model file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/heap_array.h"
#include "runtime/decoder/operator.h"
#include "runtime/model/model_file.h"

namespace rondo {

struct RopeSpec {
  const double* frequencies;       // [dim / 2], in the file
  const uint8_t* axes;             // the same: by which coordinate; null: all by the first
  const double* long_frequencies;  // the same for long sequences, or null
  size_t dim;
  float scale;
  float long_scale;  // of long sequences
};

// What one sublayer adds to the residual stream: factor * post_norm(operator(norm(input))). Some
// models normalise the stream itself behind it.
struct SublayerSpec {
  const OperatorType* type = nullptr;
  std::unique_ptr<Operator> op;
  bool reads_previous_input = false;  // what the sublayer before it read, not the residual stream
  bool has_post_norm = false;
  float factor = 1;
  float residual_factor = 1;  // of the stream itself, behind the addition
  KvLayout::Entry kv;         // what it keeps of a sequence; or what another does, for it, too
  size_t kv_entry = 0;        // where it lies in the KV layout, where it keeps something
  bool shares_kv = false;     // another layer keeps it, or another model's

  bool keeps_state() const { return kv.state_floats > 0; }
  bool keeps_positions() const { return kv.n_kv_heads > 0 || kv.floats > 0; }
  // Something of its own: passes behind read what this one's rows put in.
  bool keeps() const { return !shares_kv && (keeps_state() || keeps_positions()); }
};

// Several residual streams, of which layers work on one; of no number: there is one.
struct AltUpSpec {
  size_t n_streams = 0;
  size_t active = 0;
};

// What a text's vector is made of its rows, in a model that makes such; of no dimensions: it
// predicts tokens.
struct EmbedderSpec {
  format::Pooling pooling = format::Pooling::kMean;
  bool normalize = false;
  int32_t separator = -1;  // as in the schema
  size_t dimensions = 0;   // of the vector
  size_t widest = 0;       // of what is pooled and what the layers make
  bool has_logit = false;  // a pair's: behind the one number, what it was before the last layer's
                           // activation
};

// In which order patches are rows: window by window, and in these, square by square of `merge` a
// side, row by row.
struct RowOrder {
  uint32_t merge = 1;
  uint32_t window = 0;  // patches a side, a multiple of `merge`; 0: there is one

  uint64_t side() const { return window > 0 ? window : UINT32_MAX; }
};

// How a tower makes rows of patches, as in the schema; of no `patch_values`: it is none.
struct TowerSpec {
  size_t patch_values = 0;
  uint32_t merge = 1;
  RowOrder order;         // of its rows
  RowOrder source_order;  // of the patches that it is given
  bool averages = false;
  float scale = 1;
  format::PatchPositions positions = format::PatchPositions::kNone;
  size_t side = 0;        // of the table of positions
  size_t class_rows = 0;  // behind the patches: 1, or none
  size_t merged = 0;      // channels of what becomes one row
  size_t widest = 0;      // of that and of what the layers make
  bool norm_before_positions = false;
};

struct DenseSpec {
  format::DenseActivation activation = format::DenseActivation::kIdentity;
  bool norm_first = false;
};

// What makes rows of patches, of what a layer of a tower leaves.
struct MergerSpec {
  size_t layer = 0;
  size_t dense_begin = 0;  // these two: of DecoderSpec::dense
  size_t dense_end = 0;
};

struct DecoderSpec {
  size_t vocab_size = 0;
  size_t hidden_size = 0;
  float embedding_scale = 1;
  float logit_soft_cap = 0;    // 0: none
  uint64_t max_positions = 0;  // of a model that learned its positions one by one; 0: no such limit
  uint64_t max_context = 0;    // of one that turns longer texts otherwise, each; 0: no such limit
  uint64_t short_context = 0;  // longer sequences turn by long_frequencies; 0: none does
  // Of all layers, in order; behind them those of the draft head's layer.
  HeapArray<SublayerSpec> sublayers;
  HeapArray<size_t> layer_ends;  // layer i's are [layer_ends[i - 1], layer_ends[i])
  HeapArray<RopeSpec> ropes;
  // From this sublayer on none of the layers keeps anything, and from that one on none of the draft
  // head's: rows whose outcome nobody wants end before it.
  size_t kept_end = 0;
  size_t draft_kept_end = 0;
  size_t n_kv_entries = 0;
  size_t layer_embedding_size = 0;  // channels that each layer gets of a token's own; 0: none
  float layer_table_scale = 1;      // of the table's rows, and of what is made of them
  float layer_embedding_scale = 1;
  AltUpSpec alt_up;
  EmbedderSpec embedder;
  TowerSpec tower;
  // Of an embedder's layers behind the pooling, or a tower's behind the merging, in order.
  HeapArray<DenseSpec> dense;
  // Of a tower: that of the last layer, whose rows stand in a text, then those whose rows its
  // layers add, by ascending layer.
  HeapArray<MergerSpec> mergers;
  bool sees_ahead = false;  // a row reads what rows behind it make: texts are evaluated whole
  bool prefix_sees_whole = false;  // those of a text's prefix do, which is evaluated whole
  size_t other_hidden_size =
      0;  // of the model that this one, an assistant, drafts for; 0: it is none
  bool has_draft_head = false;
  bool draft_chains_normed = false;  // behind a token that it proposed, the head reads its own norm

  bool is_embedder() const { return embedder.dimensions > 0; }
  bool is_tower() const { return tower.patch_values > 0; }
  // Floats of what a draft's row is made of; 0: nothing here makes drafts' rows.
  size_t draft_input_size() const {
    return has_draft_head ? 2 * hidden_size : 2 * other_hidden_size;
  }
  // An assistant's layers read what those of `model` keep. Error: kInvalidArgument (none fits).
  Status ReadKeysOf(const DecoderSpec& model);

  size_t n_layers() const { return layer_ends.size() - (has_draft_head ? 1 : 0); }
  size_t layer_begin(size_t layer) const { return layer == 0 ? 0 : layer_ends[layer - 1]; }

  // `file` has passed ModelFile::Open, so that everything here is consistent. `draft_head`: that is
  // wanted, too. Error: kUnsupported (a layer that the forward pass cannot run).
  static Result<DecoderSpec> Read(const ModelFile& file, bool draft_head = false);
};

}  // namespace rondo
