#include "runtime/weights/weights.h"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/format.h"
#include "runtime/model/adaptable.h"
#include "runtime/model/tensor_view.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

constexpr size_t kPackedAlignment = 64;

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

// Bytes of one packed matrix in a region that holds several; of one that there is not, none.
CheckedSize Slot(const KernelSet& set, const PackedLinear& linear) {
  if (linear.shape.n == 0) return 0;
  return CheckedSize(linear.shape.PackedBytes(set)).AlignUp(kPackedAlignment);
}

// Of the weights of a packed file; those that two matrices have count once.
Result<uint64_t> MappedBytes(const ModelFile& file, std::span<const PackedLinear> matrices) {
  RONDO_ASSIGN(auto counted, HeapArray<bool>::Create(file.tensors().size()));
  uint64_t bytes = 0;
  for (const PackedLinear& matrix : matrices) {
    if (matrix.shape.n == 0 || std::exchange(counted[matrix.tensor], true)) continue;
    bytes += file.tensors().Get(matrix.tensor)->data()->bytes();
  }
  return bytes;
}

// Names of the sublayer's matrices: one more than the largest.
size_t NamesOf(const format::Sublayer& sublayer) {
  size_t names = 0;
  ForEachMatrix(sublayer,
                [&](size_t name, const format::Linear&) { names = std::max(names, name + 1); });
  return names;
}

Status ReadNorms(VectorReader& vectors, size_t hidden, const format::Sublayer& sublayer,
                 SublayerWeights* weights) {
  RONDO_ASSIGN(weights->norm, ReadNorm(vectors, sublayer.norm(), hidden));
  RONDO_ASSIGN(weights->post_norm, ReadNorm(vectors, sublayer.post_norm(), hidden));
  RONDO_ASSIGN(weights->residual_norm, ReadNorm(vectors, sublayer.residual_norm(), hidden));
  return Status();
}

// Of its mergers, the usual one and the further ones.
Status ReadMergedNorms(VectorReader& vectors, const format::Model& vision,
                       HeapArray<RowNorm>* norms) {
  const format::Tower& tower = *vision.tower();
  const auto merged = static_cast<size_t>(MergedSize(vision));
  const uint32_t further = tower.mergers() == nullptr ? 0 : tower.mergers()->size();
  RONDO_ASSIGN(*norms, HeapArray<RowNorm>::Create(size_t{1} + further));
  RONDO_ASSIGN((*norms)[0], ReadNorm(vectors, tower.merged_norm(), merged));
  for (uint32_t i = 0; i < further; ++i) {
    RONDO_ASSIGN((*norms)[1 + i], ReadNorm(vectors, tower.mergers()->Get(i)->norm(), merged));
  }
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

// Finds places for all matrices of the file.
Status Weights::List(const ModelFile& file, const Layers& layers, bool draft_head) {
  const format::Model& model = file.model();
  const size_t n_layers = layers.size();
  const size_t n_streams = model.alt_up() == nullptr ? 0 : model.alt_up()->n_streams();
  const size_t n_own = OwnMatrix::kFromStreams + std::max(n_streams, CountDense(model));
  size_t n_names = 0;
  for (size_t i = 0; i < n_layers; ++i) {
    for (const format::Sublayer* sublayer : *layers[i].sublayers()) n_names += NamesOf(*sublayer);
  }
  RONDO_ASSIGN(matrices_, HeapArray<PackedLinear>::Create(n_own + n_names + 1));
  RONDO_ASSIGN(parts_, HeapArray<Part>::Create(n_layers + 2));
  RONDO_ASSIGN(sublayers_, HeapArray<SublayerWeights>::Create(layers.CountSublayers()));
  RONDO_ASSIGN(alt_up_, HeapArray<AltUpWeights>::Create(n_streams > 0 ? n_layers : 0));
  const auto put = [&](const format::Linear& linear, bool adaptable, PackedLinear* matrix) {
    const TensorView tensor = ViewTensor(file, linear.weight());
    *matrix = {LinearShape::Of(tensor), tensor.cols, nullptr, linear.weight()};
    matrix->fine_rows =
        adaptable && linear.fine_rows() && linear.bias() < 0 && !matrix->shape.float_rows();
    if (file.layout() == nullptr) matrix->bias = linear.bias();
  };
  ForEachOwnMatrix(model, draft_head, [&](size_t name, const format::Linear& linear) {
    put(linear, false, &matrices_[name]);
  });
  size_t end = parts_[0].end = n_own;
  SublayerWeights* weights = sublayers_.data();
  for (size_t l = 0; l < n_layers; ++l) {
    for (const format::Sublayer* sublayer : *layers[l].sublayers()) {
      weights->matrices = matrices_.span().subspan(end, NamesOf(*sublayer));
      ForEachMatrix(*sublayer, [&](size_t name, const format::Linear& linear) {
        // No adapter changes a tower.
        const bool adaptable = model.tower() == nullptr && IsAdaptable(sublayer->op_type(), name);
        put(linear, adaptable, &weights->matrices[name]);
      });
      end += weights->matrices.size();
      ++weights;
    }
    parts_[1 + l].end = end;
  }
  parts_[1 + n_layers].end = end + 1;
  if (model.head() != nullptr) put(*model.head(), false, &matrices_[end]);
  tied_ = model.head() != nullptr && model.head()->weight() == model.embedding();
  return Status();
}

Result<Weights> Weights::Plan(const ModelFile& file, const KernelSet& set, bool draft_head,
                              MemoryPlan* plan) {
  RONDO_RETURN_IF_ERROR(CheckLayout(file, set));
  const Layers layers(file.model(), draft_head);
  Weights w;
  w.set_ = &set;
  w.has_draft_head_ = layers.has_draft_head();
  RONDO_RETURN_IF_ERROR(w.List(file, layers, draft_head));
  SharedTables tables;
  for (const PackedLinear& matrix : w.matrices_) {
    if (matrix.shape.n == 0) continue;
    const LinearShape& shape = matrix.shape;
    w.expanded_tile_bytes_ = std::max(w.expanded_tile_bytes_, shape.ExpandedTileBytes(set));
    if (shape.rule().is_codes()) tables.IndexOf(ViewTensor(file, matrix.tensor).tables);
  }
  if (tables.count() > 0) {
    w.code_pairs_region_ = plan->Add(
        Segment::kWorkspace, (CheckedSize(tables.count()) * sizeof(CodePairs)).ValueOrMost(),
        "levels of codes");
  }
  if (file.layout() != nullptr) {
    RONDO_ASSIGN(w.mapped_bytes_, MappedBytes(file, w.matrices_.span()));
    return w;
  }
  size_t i = 0;
  for (size_t p = 0; p < w.parts_.size(); ++p) {
    CheckedSize bytes = 0;
    for (; i < w.parts_[p].end; ++i) bytes = bytes + Slot(set, w.matrices_[i]);
    if (bytes.ValueOrMost() == 0) continue;
    char name[PlanRegion::kMaxName];
    const char* const named = p == 0               ? "beside the layers"
                              : p <= layers.own()  ? "layer %zu"
                              : p <= layers.size() ? "draft head"
                              : w.tied_            ? "output head and embedding"
                                                   : "output head";
    Format(name, sizeof name, named, p - 1);
    w.parts_[p].region = plan->Add(Segment::kWeights, (bytes + kOverRead).ValueOrMost(), name);
  }
  return w;
}

Status Weights::Load(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena,
                     ThreadPool* pool, const LoadProgress& progress, VectorReader& vectors) {
  const format::Model& model = file.model();
  const bool mapped = file.layout() != nullptr;
  const Layers layers(model, has_draft_head_);
  const size_t n_layers = layers.size();
  RONDO_ASSIGN(layer_scales_, HeapArray<float>::Create(n_layers));
  // Beside the matrices: the embedding, a table of layer embeddings.
  RONDO_ASSIGN(WeightLoader loader,
               WeightLoader::Create(file, LayoutOf(*set_), matrices_.size() + 2));
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
  // Each matrix is taken from the file as it is, or packed.
  size_t m = 0;
  for (const Part& part : parts_) {
    uint8_t* packed =
        part.region == MemoryPlan::kNoRegion ? nullptr : arena + plan.region(part.region).offset;
    for (; m < part.end; ++m) {
      PackedLinear& matrix = matrices_[m];
      if (matrix.shape.n == 0) continue;
      const TensorView tensor = ViewTensor(file, matrix.tensor);
      if (tensor.rule().is_codes()) {
        RONDO_ASSIGN(matrix.code_pairs, code_pairs(tensor));
      }
      matrix.packed = mapped ? tensor.data.data() : packed;
      if (mapped) continue;
      const float* bias = nullptr;
      if (matrix.bias >= 0) {
        RONDO_ASSIGN(bias, vectors.Read(static_cast<uint32_t>(matrix.bias)));
      }
      loader.Add(matrix.tensor, matrix.shape, bias, packed);
      packed += Slot(*set_, matrix).value();
    }
  }
  SublayerWeights* sublayers = sublayers_.data();
  for (size_t i = 0; i < n_layers; ++i) {
    const format::Layer& layer = layers[i];
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
  if (const format::LayerEmbeddings* embeddings = model.layer_embeddings()) {
    RONDO_ASSIGN(layer_embedding_norm_, ReadNorm(vectors, embeddings->norm(), embeddings->size()));
    const TensorView table = ViewTensor(file, embeddings->table());
    layer_table_shape_ = LinearShape::Of(table);
    layer_table_ = RowsOf(table, nullptr);
    if (!mapped) loader.Add(embeddings->table(), layer_table_shape_, nullptr, nullptr);
  }
  RONDO_ASSIGN(embedding_norm_, ReadNorm(vectors, model.embedding_norm(), model.hidden_size()));
  RONDO_ASSIGN(final_norm_, ReadNorm(vectors, model.final_norm(), model.hidden_size()));
  RONDO_ASSIGN(positions_, ReadOptional(vectors, model.positions()));
  RONDO_ASSIGN(embedding_offset_, ReadOptional(vectors, model.embedding_offset()));
  RONDO_ASSIGN(dense_norms_, HeapArray<RowNorm>::Create(CountDense(model)));
  Status dense_status;
  ForEachDense(model, [&](size_t i, const format::Dense& dense) {
    const size_t rows = this->dense(i).shape.n;
    const Result<RowNorm> norm =
        ReadNorm(vectors, dense.norm(), dense.norm_first() ? rows : DenseSize(dense, rows));
    if (norm.ok()) {
      dense_norms_[i] = *norm;
    } else {
      dense_status = norm.status();
    }
  });
  RONDO_RETURN_IF_ERROR(dense_status);
  if (const format::Tower* tower = model.tower()) {
    RONDO_ASSIGN(positions_, ReadOptional(vectors, tower->position_table()));
    RONDO_RETURN_IF_ERROR(ReadMergedNorms(vectors, model, &merged_norms_));
    RONDO_ASSIGN(standard_, ReadOptional(vectors, tower->standard()));
    RONDO_ASSIGN(class_row_, ReadOptional(vectors, tower->class_row()));
  }
  if (has_draft_head_) {
    const format::DraftHead& draft_head = *model.draft_head();
    for (const auto& [norm, from] :
         {std::pair(&draft_head_.embedding_norm, draft_head.embedding_norm()),
          {&draft_head_.hidden_norm, draft_head.hidden_norm()},
          {&draft_head_.norm, draft_head.norm()}}) {
      RONDO_ASSIGN(*norm, ReadNorm(vectors, from, model.hidden_size()));
    }
    draft_head_.head = head();
    draft_head_.head.shape.n = draft_head.n_tokens();
  }
  if (model.assistant() != nullptr) {
    draft_head_.norm = final_norm_;
    draft_head_.head = head();
    draft_head_.head.shape.n = model.assistant()->n_tokens();
  }
  if (model.tower() == nullptr && !tied_) {
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
    ReadPackedChannel(*set_, head(), token, out);
  } else {
    ReadRow(embedding_shape_, embedding_rows_, token, out);
  }
}

}  // namespace rondo
