#include "runtime/weights/weights.h"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/format.h"
#include "runtime/model/adaptable.h"
#include "runtime/model/layers.h"
#include "runtime/model/tensor_view.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

constexpr size_t kPackedAlignment = 64;

PackedLinear ShapeOnly(const ModelFile& file, const format::Linear& linear) {
  const TensorView tensor = ViewTensor(file, linear.weight());
  return {LinearShape::Of(tensor), tensor.cols, nullptr, linear.weight()};
}

// Counts CodePairs: tensors that share their tables share those, too, if not too many others lie
// between them.
class SharedTables {
 public:
  // Which CodePairs those of the next tensor are: count() as it was before, where they are new.
  size_t IndexOf(std::span<const uint8_t> tables) {
    for (const Known& known : known_) {
      if (known.tables == tables.data()) return known.index;
    }
    known_[count_ % kKnown] = {tables.data(), count_};
    return count_++;
  }
  size_t count() const { return count_; }

 private:
  static constexpr size_t kKnown = 4;
  struct Known {
    const uint8_t* tables = nullptr;
    size_t index = 0;
  } known_[kKnown];
  size_t count_ = 0;
};

// Bytes of one packed matrix in a region that holds several.
CheckedSize Slot(const KernelSet& set, const PackedLinear& linear) {
  return CheckedSize(linear.shape.PackedBytes(set)).AlignUp(kPackedAlignment);
}

// Names of the sublayer's matrices: one more than the largest.
size_t NamesOf(const format::Sublayer& sublayer) {
  size_t names = 0;
  ForEachMatrix(sublayer,
                [&](size_t name, const format::Linear&) { names = std::max(names, name + 1); });
  return names;
}

// Calls visit(linear of the file, its place, whether it is adaptable) for each matrix of a layer,
// whose sublayers' weights begin at `weights`.
template <typename Visit>
void ForEachPlace(const format::Layer& layer, const SublayerWeights* weights, const Visit& visit) {
  for (const format::Sublayer* sublayer : *layer.sublayers()) {
    ForEachMatrix(*sublayer, [&](size_t name, const format::Linear& linear) {
      visit(linear, &weights->matrices[name], IsAdaptable(sublayer->op_type(), name));
    });
    ++weights;
  }
}

Status ReadNorms(VectorReader& vectors, size_t hidden, const format::Sublayer& sublayer,
                 SublayerWeights* weights) {
  RONDO_ASSIGN(weights->norm, ReadNorm(vectors, sublayer.norm(), hidden));
  RONDO_ASSIGN(weights->post_norm, ReadNorm(vectors, sublayer.post_norm(), hidden));
  RONDO_ASSIGN(weights->residual_norm, ReadNorm(vectors, sublayer.residual_norm(), hidden));
  return Status();
}

Status ReadAltUp(VectorReader& vectors, size_t hidden, const format::LayerAltUp& alt_up,
                 AltUpWeights* weights) {
  RONDO_ASSIGN(weights->router_norm, ReadNorm(vectors, alt_up.router_norm(), hidden));
  RONDO_ASSIGN(weights->router, vectors.Read(alt_up.router()));
  RONDO_ASSIGN(weights->predict, vectors.Read(alt_up.predict()));
  RONDO_ASSIGN(weights->correct, vectors.Read(alt_up.correct()));
  RONDO_ASSIGN(weights->scale, ReadOptional(vectors, alt_up.scale()));
  return Status();
}

// A file packed for other kernels can't be used: says so, and what can be done.
Status CheckLayout(const ModelFile& file, const KernelSet& set) {
  const PackedLayout ours = LayoutOf(set);
  if (file.layout() == nullptr || *file.layout() == ours) return Status();
  const char* theirs = "";
  bool usable = false;  // kernels of this CPU that read it
  for (const NamedLayout& named : NamedLayouts()) {
    if (usable || named.layout != *file.layout()) continue;
    theirs = named.kernels;
    usable = SelectKernelSet(theirs) != nullptr;
  }
  return Status::Error(StatusCode::kUnsupported,
                       "the file is packed as %s (kernels %s), but kernels %s read %s: pack the "
                       "portable file with `rondo pack --cpu %s`%s%s%s",
                       IdOf(*file.layout()).text, theirs, set.name, IdOf(ours).text, set.name,
                       usable ? ", or choose kernels \"" : "", usable ? theirs : "",
                       usable ? "\"" : "");
}

}  // namespace

Result<Weights> Weights::Plan(const ModelFile& file, const KernelSet& set, bool draft_head,
                              MemoryPlan* plan) {
  RONDO_RETURN_IF_ERROR(CheckLayout(file, set));
  const format::Model& model = file.model();
  Weights w;
  w.set_ = &set;
  const Layers layers(model, draft_head);
  w.has_draft_head_ = layers.has_draft_head();
  const size_t n_layers = layers.size();
  size_t n_names = 0;
  for (size_t i = 0; i < n_layers; ++i) {
    for (const format::Sublayer* sublayer : *layers[i].sublayers()) n_names += NamesOf(*sublayer);
  }
  RONDO_ASSIGN(w.sublayers_, HeapArray<SublayerWeights>::Create(layers.CountSublayers()));
  RONDO_ASSIGN(w.matrices_, HeapArray<PackedLinear>::Create(n_names));
  SharedTables tables;
  const auto note_codes = [&](const PackedLinear& matrix) {
    const LinearShape& shape = matrix.shape;
    w.expanded_tile_bytes_ = std::max(w.expanded_tile_bytes_, shape.ExpandedTileBytes(set));
    if (shape.rule().is_codes()) tables.IndexOf(ViewTensor(file, matrix.tensor).tables);
  };
  PackedLinear* matrices = w.matrices_.data();
  SublayerWeights* sublayers = w.sublayers_.data();
  for (size_t l = 0; l < n_layers; ++l) {
    const format::Layer& layer = layers[l];
    for (uint32_t i = 0; i < layer.sublayers()->size(); ++i) {
      const size_t names = NamesOf(*layer.sublayers()->Get(i));
      sublayers[i].matrices = {matrices, names};
      matrices += names;
    }
    ForEachPlace(
        layer, sublayers, [&](const format::Linear& linear, PackedLinear* matrix, bool adaptable) {
          *matrix = ShapeOnly(file, linear);
          matrix->fine_rows =
              adaptable && linear.fine_rows() && linear.bias() < 0 && !matrix->shape.float_rows();
          note_codes(*matrix);
          ++w.n_matrices_;
        });
    sublayers += layer.sublayers()->size();
  }
  const size_t n_streams = model.alt_up() == nullptr ? 0 : model.alt_up()->n_streams();
  const auto* dense = model.embedder() == nullptr ? nullptr : model.embedder()->dense();
  const size_t n_behind = dense == nullptr ? n_streams : dense->size();
  RONDO_ASSIGN(w.own_, HeapArray<PackedLinear>::Create(OwnMatrix::kFromStreams + n_behind));
  RONDO_ASSIGN(w.alt_up_, HeapArray<AltUpWeights>::Create(n_streams > 0 ? n_layers : 0));
  CheckedSize own_bytes = 0;
  ForEachOwnMatrix(model, draft_head, [&](size_t name, const format::Linear& linear) {
    w.own_[name] = ShapeOnly(file, linear);
    note_codes(w.own_[name]);
    own_bytes = own_bytes + Slot(set, w.own_[name]);
    ++w.n_matrices_;
  });
  const bool has_head = model.head() != nullptr;
  if (has_head) {
    w.head_ = ShapeOnly(file, *model.head());
    note_codes(w.head_);
    w.tied_ = model.head()->weight() == model.embedding();
  }
  if (tables.count() > 0) {
    w.code_pairs_region_ = plan->Add(
        Segment::kWorkspace, (CheckedSize(tables.count()) * sizeof(CodePairs)).ValueOrMost(),
        "levels of codes");
  }
  if (file.layout() != nullptr) {
    RONDO_ASSIGN(auto counted, HeapArray<bool>::Create(model.tensors()->size()));
    const auto count = [&](const format::Linear& linear) {
      if (std::exchange(counted[linear.weight()], true)) return;
      w.mapped_bytes_ += model.tensors()->Get(linear.weight())->data()->bytes();
    };
    for (size_t i = 0; i < n_layers; ++i) ForEachLinear(layers[i], count);
    ForEachOwnLinear(model, draft_head, count);
    if (has_head) count(*model.head());
    return w;
  }
  if (own_bytes.ValueOrMost() > 0) {
    w.own_region_ =
        plan->Add(Segment::kWeights, (own_bytes + kOverRead).ValueOrMost(), "beside the layers");
  }
  RONDO_ASSIGN(w.regions_, HeapArray<MemoryPlan::RegionId>::Create(n_layers + 1));
  for (size_t i = 0; i < n_layers; ++i) {
    CheckedSize bytes = kOverRead;
    ForEachLinear(layers[i], [&](const format::Linear& linear) {
      bytes = bytes + Slot(set, ShapeOnly(file, linear));
    });
    char name[PlanRegion::kMaxName];
    Format(name, sizeof name, i < layers.own() ? "layer %zu" : "draft head", i);
    w.regions_[i] = plan->Add(Segment::kWeights, bytes.ValueOrMost(), name);
  }
  if (!has_head) return w;
  w.regions_[n_layers] =
      plan->Add(Segment::kWeights, (Slot(set, w.head_) + kOverRead).ValueOrMost(),
                w.tied_ ? "output head and embedding" : "output head");
  return w;
}

Status Weights::Load(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena,
                     ThreadPool* pool, const LoadProgress& progress, VectorReader& vectors) {
  const format::Model& model = file.model();
  const bool mapped = file.layout() != nullptr;
  const Layers layers(model, has_draft_head_);
  const size_t n_layers = layers.size();
  RONDO_ASSIGN(layer_scales_, HeapArray<float>::Create(n_layers));
  // Beside the matrices of the layers: the head, the embedding, a table of layer embeddings.
  RONDO_ASSIGN(WeightLoader loader, WeightLoader::Create(file, LayoutOf(*set_), n_matrices_ + 3));
  SharedTables tables;
  const auto code_pairs = [&](const TensorView& tensor) -> Result<const CodePairs*> {
    auto* pairs = reinterpret_cast<CodePairs*>(arena + plan.region(code_pairs_region_).offset);
    const size_t before = tables.count();
    const size_t index = tables.IndexOf(tensor.tables);
    if (index == before) {
      if (mapped) RONDO_RETURN_IF_ERROR(CheckLevels(tensor));  // else when it is packed
      new (pairs + index) CodePairs(reinterpret_cast<const int8_t*>(tensor.tables.data()));
    }
    return pairs + index;
  };
  // Takes the matrix from the file as it is, or has it packed.
  const auto add = [&](const format::Linear& linear, PackedLinear* target,
                       uint8_t* packed) -> Status {
    const TensorView tensor = ViewTensor(file, linear.weight());
    if (tensor.rule().is_codes()) {
      RONDO_ASSIGN(target->code_pairs, code_pairs(tensor));
    }
    if (mapped) {
      target->packed = tensor.data.data();
      return Status();
    }
    const float* bias = nullptr;
    if (linear.bias() >= 0) {
      RONDO_ASSIGN(bias, vectors.Read(static_cast<uint32_t>(linear.bias())));
    }
    loader.Add(linear.weight(), target->shape, bias, packed);
    target->packed = packed;
    return Status();
  };
  const auto region = [&](size_t i) {
    return mapped ? nullptr : arena + plan.region(regions_[i]).offset;
  };
  SublayerWeights* sublayers = sublayers_.data();
  for (size_t i = 0; i < n_layers; ++i) {
    const format::Layer& layer = layers[i];
    uint8_t* packed = region(i);
    Status status;
    ForEachPlace(layer, sublayers, [&](const format::Linear& linear, PackedLinear* matrix, bool) {
      if (status.ok()) status = add(linear, matrix, packed);
      if (!mapped) packed += Slot(*set_, *matrix).value();
    });
    RONDO_RETURN_IF_ERROR(status);
    for (const format::Sublayer* sublayer : *layer.sublayers()) {
      RONDO_RETURN_IF_ERROR(ReadNorms(vectors, model.hidden_size(), *sublayer, sublayers++));
    }
    if (layer.alt_up() != nullptr) {
      RONDO_RETURN_IF_ERROR(ReadAltUp(vectors, model.hidden_size(), *layer.alt_up(), &alt_up_[i]));
    }
    layer_scales_[i] = 1;
    if (layer.scale() >= 0) {
      RONDO_ASSIGN(const float* scale, vectors.Read(static_cast<uint32_t>(layer.scale())));
      layer_scales_[i] = *scale;
    }
  }
  if (mapped || own_region_ != MemoryPlan::kNoRegion) {
    uint8_t* packed = mapped ? nullptr : arena + plan.region(own_region_).offset;
    Status status;
    ForEachOwnMatrix(model, has_draft_head_, [&](size_t name, const format::Linear& linear) {
      if (status.ok()) status = add(linear, &own_[name], packed);
      if (!mapped) packed += Slot(*set_, own_[name]).value();
    });
    RONDO_RETURN_IF_ERROR(status);
  }
  if (const format::LayerEmbeddings* embeddings = model.layer_embeddings()) {
    RONDO_ASSIGN(layer_embedding_norm_, ReadNorm(vectors, embeddings->norm(), embeddings->size()));
    const TensorView table = ViewTensor(file, embeddings->table());
    layer_table_shape_ = LinearShape::Of(table);
    layer_table_ = RowsOf(table, nullptr);
    if (!mapped) loader.Add(embeddings->table(), layer_table_shape_, nullptr, nullptr);
  }
  RONDO_ASSIGN(embedding_norm_, ReadNorm(vectors, model.embedding_norm(), model.hidden_size()));
  RONDO_ASSIGN(final_norm_, ReadNorm(vectors, model.final_norm(), model.hidden_size()));
  if (model.positions() >= 0) {
    RONDO_ASSIGN(positions_, vectors.Read(static_cast<uint32_t>(model.positions())));
  }
  RONDO_ASSIGN(embedding_offset_, ReadOptional(vectors, model.embedding_offset()));
  if (model.embedder() != nullptr && model.embedder()->dense() != nullptr) {
    const auto& dense = *model.embedder()->dense();
    RONDO_ASSIGN(dense_norms_, HeapArray<RowNorm>::Create(dense.size()));
    for (uint32_t i = 0; i < dense.size(); ++i) {
      const size_t n = own_[OwnMatrix::Dense(i)].shape.n;
      RONDO_ASSIGN(dense_norms_[i], ReadNorm(vectors, dense.Get(i)->norm(), n));
    }
  }
  if (model.head() != nullptr) {
    RONDO_RETURN_IF_ERROR(add(*model.head(), &head_, region(n_layers)));
  }
  if (has_draft_head_) {
    const format::DraftHead& head = *model.draft_head();
    for (const auto& [norm, from] : {std::pair(&draft_head_.embedding_norm, head.embedding_norm()),
                                     {&draft_head_.hidden_norm, head.hidden_norm()},
                                     {&draft_head_.norm, head.norm()}}) {
      RONDO_ASSIGN(*norm, ReadNorm(vectors, from, model.hidden_size()));
    }
    draft_head_.head = head_;
    draft_head_.head.shape.n = head.n_tokens();
  }
  if (model.assistant() != nullptr) {
    draft_head_.norm = final_norm_;
    draft_head_.head = head_;
    draft_head_.head.shape.n = model.assistant()->n_tokens();
  }
  if (!tied_) {
    const TensorView embedding = ViewTensor(file, model.embedding());
    embedding_shape_ = LinearShape::Of(embedding);
    embedding_rows_ = RowsOf(embedding, nullptr);
    if (!mapped) loader.Add(model.embedding(), embedding_shape_, nullptr, nullptr);
  }
  return mapped ? Status() : loader.Run(pool, progress);
}

void Weights::ReadLayerEmbedding(size_t token, size_t layer, std::span<float> out) const {
  const size_t n_layers = layer_scales_.size();
  const size_t known = token < layer_table_shape_.n / n_layers ? token : 0;
  ReadRow(layer_table_shape_, layer_table_, known * n_layers + layer, out);
}

void Weights::Embed(size_t token, std::span<float> out) const {
  if (tied_) {
    ReadPackedChannel(*set_, head_, token, out);
  } else {
    ReadRow(embedding_shape_, embedding_rows_, token, out);
  }
}

}  // namespace rondo
