// Weights: the model's tensors as one kernel set reads them: packed into the arena, or where they
// lie in a file that was packed for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platforms/thread_pool.h"
#include "runtime/base/heap_array.h"
#include "runtime/kernels/packed_linear.h"
#include "runtime/kernels/row_ops.h"
#include "runtime/model/layers.h"
#include "runtime/model/linears.h"
#include "runtime/model/model_file.h"
#include "runtime/model/vector_reader.h"
#include "runtime/plan/memory_plan.h"
#include "runtime/weights/weight_loader.h"

namespace rondo {

// What all sublayers have. The norms' weights lie in the file.
struct SublayerWeights {
  RowNorm norm;
  RowNorm post_norm;
  RowNorm residual_norm;
  std::span<PackedLinear> matrices;  // by the names that the operator's rule gives them
};

// What a layer does with several residual streams; all of it lies in the file.
struct AltUpWeights {
  RowNorm router_norm;
  const float* router = nullptr;   // [n_streams, hidden_size]
  const float* predict = nullptr;  // [n_streams * n_streams, n_streams]
  const float* correct = nullptr;  // [n_streams, n_streams]
  const float* scale = nullptr;    // [hidden_size]; null: all are 1
};

// A draft head's norms, and the channels of the output head that it uses; of an assistant `norm`
// and these.
struct DraftHeadWeights {
  RowNorm embedding_norm = {};
  RowNorm hidden_norm = {};
  RowNorm norm = {};
  PackedLinear head = {};
};

class Weights {
 public:
  // Adds a region per layer and one for the head to `plan`, none of these for a packed file; and
  // one for the levels of codes, where there are any. `draft_head`: it is wanted, too. Sizes are
  // known from here on; pointers only after Load. Error: kUnsupported (packed for other kernels).
  static Result<Weights> Plan(const ModelFile& file, const KernelSet& set, bool draft_head,
                              MemoryPlan* plan);

  // Compares the checksums of all sections it reads, refuses values that are not finite, and packs
  // on all threads. Of a packed file it reads norms and tables only: what else is wrong there makes
  // wrong tokens, but no wrong access. Errors: kCorrupt, kCancelled.
  Status Load(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena, ThreadPool* pool,
              const LoadProgress& progress, VectorReader& vectors);

  // Of weights that are read where they lie in the file; 0 where they are packed into the arena.
  uint64_t mapped_bytes() const { return mapped_bytes_; }
  // What the largest tile of codes takes when it is expanded; 0 where no matrix has any.
  size_t expanded_tile_bytes() const { return expanded_tile_bytes_; }
  const SublayerWeights& sublayer(size_t i) const { return sublayers_[i]; }
  const RowNorm& embedding_norm() const { return embedding_norm_; }
  const RowNorm& final_norm() const { return final_norm_; }
  const PackedLinear& head() const { return *(matrices_.end() - 1); }  // none in an embedder
  // Of the draft head: what makes the input of its layer, which is the last one, and its part of
  // the output head.
  const DraftHeadWeights& draft_head() const { return draft_head_; }
  const PackedLinear& draft_input() const { return matrices_[OwnMatrix::kDraftInput]; }
  // Of an assistant: draft_input and draft_head, and what makes the next row's input.
  const PackedLinear& draft_output() const { return matrices_[OwnMatrix::kDraftOutput]; }
  // One token's embedding, [hidden_size].
  void Embed(size_t token, std::span<float> out) const;
  // What a layer's residual stream is multiplied by at its end.
  float layer_scale(size_t layer) const { return layer_scales_[layer]; }
  // Of a model with layer embeddings: the projection, the norm of one layer's part, and that part
  // of a token's own row.
  const PackedLinear& layer_projection() const { return matrices_[OwnMatrix::kLayerProjection]; }
  const RowNorm& layer_embedding_norm() const { return layer_embedding_norm_; }
  void ReadLayerEmbedding(size_t token, size_t layer, std::span<float> out) const;
  // Of a model with several residual streams: what makes them, [n_streams - 1] of one row beside
  // each other, and what each but the first goes through at the end.
  const PackedLinear& to_streams() const { return matrices_[OwnMatrix::kToStreams]; }
  const PackedLinear& from_stream(size_t i) const { return matrices_[OwnMatrix::FromStream(i)]; }
  // Of an embedder or a tower: its layers behind the pooling or the merging.
  const PackedLinear& dense(size_t i) const { return matrices_[OwnMatrix::Dense(i)]; }
  const RowNorm& dense_norm(size_t i) const { return dense_norms_[i]; }
  const AltUpWeights& alt_up(size_t layer) const { return alt_up_[layer]; }
  // Of a tower: what makes rows of patches, the norm of what a merger has merged, and what is taken
  // away from that before and what it is multiplied by, [2, hidden_size], in the file; null:
  // nothing.
  const PackedLinear& patch() const { return matrices_[OwnMatrix::kPatch]; }
  const RowNorm& merged_norm(size_t merger) const { return merged_norms_[merger]; }
  const float* standard() const { return standard_; }
  // Its row behind the patches, [2, hidden_size] to be added up, in the file; null: none.
  const float* class_row() const { return class_row_; }
  // The table of positions, [max_positions, hidden_size], in the file; of a tower as its
  // PatchPositions say; null: none.
  const float* positions() const { return positions_; }
  // Added to every embedding, [hidden_size] for each text of a pair, in the file; null: nothing.
  const float* embedding_offset() const { return embedding_offset_; }

 private:
  Status List(const ModelFile& file, const Layers& layers, bool draft_head);

  const KernelSet* set_ = nullptr;
  bool has_draft_head_ = false;
  HeapArray<SublayerWeights> sublayers_;  // of all layers, in order
  // All matrices, those that the model has not of no channels: its own, by OwnMatrix, those of each
  // layer, by name, and the head.
  HeapArray<PackedLinear> matrices_;
  // Of the matrices up to `end` from where the part before it ends; in the same order.
  struct Part {
    size_t end = 0;
    MemoryPlan::RegionId region = MemoryPlan::kNoRegion;
  };
  HeapArray<Part> parts_;
  HeapArray<float> layer_scales_;
  MemoryPlan::RegionId code_pairs_region_ = MemoryPlan::kNoRegion;
  uint64_t mapped_bytes_ = 0;
  size_t expanded_tile_bytes_ = 0;
  RowNorm embedding_norm_ = {};
  RowNorm final_norm_ = {};
  HeapArray<RowNorm> merged_norms_;
  const float* standard_ = nullptr;
  const float* class_row_ = nullptr;
  HeapArray<RowNorm> dense_norms_;
  DraftHeadWeights draft_head_ = {};
  const float* positions_ = nullptr;
  const float* embedding_offset_ = nullptr;
  RowNorm layer_embedding_norm_ = {};
  LinearShape layer_table_shape_ = {};
  WeightRows layer_table_ = {};     // in the file
  HeapArray<AltUpWeights> alt_up_;  // of each layer
  bool tied_ = false;
  LinearShape embedding_shape_ = {};
  WeightRows embedding_rows_ = {};  // untied: in the file
};

}  // namespace rondo
