#include "runtime/weights/weights.h"

#include <algorithm>
#include <cstdio>
#include <new>

#include "runtime/base/checked.h"
#include "runtime/base/portable_math.h"
#include "runtime/model/linears.h"
#include "runtime/model/tensor_view.h"
#include "runtime/model/vector_reader.h"

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

// A norm of n channels; kNone where it is absent.
Result<RowNorm> Norm(VectorReader& vectors, const format::Norm* norm, size_t n) {
  RowNorm result;
  if (norm == nullptr) return result;
  result.kind = norm->kind();
  result.epsilon = static_cast<float>(norm->epsilon());
  result.group = norm->group() != 0 ? norm->group() : n;
  RONDO_ASSIGN(result.weight, vectors.Read(norm->weight()));
  if (norm->bias() >= 0) {
    RONDO_ASSIGN(result.bias, vectors.Read(static_cast<uint32_t>(norm->bias())));
  }
  return result;
}

// Matrix i of a sublayer, in the order of ForEachLinear.
PackedLinear* Matrix(SublayerWeights& weights, format::Operator type, size_t i) {
  switch (type) {
    case format::Operator::Attention:
      return i == 0 ? &weights.attention.qkv_proj : &weights.attention.o_proj;
    case format::Operator::ShortConv:
      return i == 0 ? &weights.short_conv.in_proj : &weights.short_conv.out_proj;
    case format::Operator::GatedDeltaNet:
    case format::Operator::Mamba2:
      return i == 0   ? &weights.recurrent.in_proj
             : i == 1 ? &weights.recurrent.gates_proj
                      : &weights.recurrent.out_proj;
    case format::Operator::Experts: {
      if (i == 0) return &weights.experts.router;
      const std::span<MlpWeights> experts = weights.experts.experts;
      const size_t n = (i - 1) / 2;
      MlpWeights& expert = n < experts.size() ? experts[n] : weights.experts.shared;
      return i % 2 == 1 ? &expert.gate_up_proj : &expert.down_proj;
    }
    case format::Operator::LatentAttention: {
      LatentAttentionWeights& w = weights.latent_attention;
      if (!w.has_q_down) ++i;
      PackedLinear* const first[] = {&w.q_down, &w.q_proj, &w.kv_down};
      if (i < std::size(first)) return first[i];
      i -= std::size(first);
      if (i < w.key_up.size()) return &w.key_up[i];
      i -= w.key_up.size();
      return i < w.value_up.size() ? &w.value_up[i] : &w.o_proj;
    }
    case format::Operator::LayerEmbedding:
      return i == 0 ? &weights.layer_embedding.gate_proj : &weights.layer_embedding.down_proj;
    case format::Operator::Laurel:
      return i == 0 ? &weights.laurel.left : &weights.laurel.right;
    default:
      return i == 0 ? &weights.mlp.gate_up_proj : &weights.mlp.down_proj;
  }
}

// Calls visit(linear of the file, its place) for each matrix of a layer, whose sublayers' weights
// begin at `weights`.
template <typename Visit>
void ForEachMatrix(const format::Layer& layer, SublayerWeights* weights, const Visit& visit) {
  for (const format::Sublayer* sublayer : *layer.sublayers()) {
    size_t i = 0;
    ForEachLinear(*sublayer, [&](const format::Linear& linear) {
      visit(linear, Matrix(*weights, sublayer->op_type(), i++));
    });
    ++weights;
  }
}

// A vector of the file; null where the index is -1.
Result<const float*> OptionalVector(VectorReader& vectors, int32_t index) {
  if (index < 0) return static_cast<const float*>(nullptr);
  return vectors.Read(static_cast<uint32_t>(index));
}

Status ReadExpertVectors(VectorReader& vectors, size_t hidden, const format::Experts& experts,
                         ExpertsWeights* weights) {
  RONDO_ASSIGN(weights->router_norm, Norm(vectors, experts.router_norm(), hidden));
  RONDO_ASSIGN(weights->shared_norm, Norm(vectors, experts.shared_norm(), hidden));
  RONDO_ASSIGN(weights->experts_post_norm, Norm(vectors, experts.experts_post_norm(), hidden));
  RONDO_ASSIGN(weights->shared_post_norm, Norm(vectors, experts.shared_post_norm(), hidden));
  RONDO_ASSIGN(weights->choice_bias, OptionalVector(vectors, experts.choice_bias()));
  RONDO_ASSIGN(weights->weight_scales, OptionalVector(vectors, experts.weight_scales()));
  return Status();
}

size_t ExpertCount(const format::Sublayer& sublayer) {
  const format::Experts* experts = sublayer.op_as_Experts();
  return experts == nullptr ? 0 : experts->experts()->size();
}

// Heads of latent attention: of each there are two matrices.
size_t LatentHeads(const format::Sublayer& sublayer) {
  const format::LatentAttention* attention = sublayer.op_as_LatentAttention();
  return attention == nullptr ? 0 : attention->n_heads();
}

template <typename Table>  // GatedDeltaNet, or Mamba2
Status ReadRecurrent(VectorReader& vectors, const Table& table, size_t inner_size,
                     RecurrentWeights* weights) {
  RONDO_ASSIGN(weights->kernel, vectors.Read(table.kernel()));
  if (table.bias() >= 0) {
    RONDO_ASSIGN(weights->bias, vectors.Read(static_cast<uint32_t>(table.bias())));
  }
  RONDO_ASSIGN(weights->decay, vectors.Read(table.decay()));
  RONDO_ASSIGN(weights->dt_bias, vectors.Read(table.dt_bias()));
  RONDO_ASSIGN(weights->norm, Norm(vectors, table.norm(), inner_size));
  return Status();
}

Result<XieluNumbers> ReadXielu(VectorReader& vectors, int32_t index) {
  if (index < 0) return XieluNumbers{};
  RONDO_ASSIGN(const float* numbers, vectors.Read(static_cast<uint32_t>(index)));
  const float beta = numbers[2];
  return XieluNumbers{.positive = static_cast<float>(Softplus(numbers[0])),
                      .negative = beta + static_cast<float>(Softplus(numbers[1])),
                      .beta = beta,
                      .epsilon = numbers[3]};
}

// What lies in the file and is used there.
Status ReadVectors(VectorReader& vectors, size_t hidden, const format::Sublayer& sublayer,
                   SublayerWeights* weights) {
  RONDO_ASSIGN(weights->norm, Norm(vectors, sublayer.norm(), hidden));
  RONDO_ASSIGN(weights->post_norm, Norm(vectors, sublayer.post_norm(), hidden));
  RONDO_ASSIGN(weights->residual_norm, Norm(vectors, sublayer.residual_norm(), hidden));
  if (const format::Attention* attention = sublayer.op_as_Attention()) {
    const size_t head_dim = attention->head_dim(), v_head_dim = attention->v_head_dim();
    const size_t n_heads = attention->n_heads(), n_kv_heads = attention->n_kv_heads();
    AttentionWeights& w = weights->attention;
    RONDO_ASSIGN(w.q_norm, Norm(vectors, attention->q_norm(), n_heads * head_dim));
    RONDO_ASSIGN(w.k_norm, Norm(vectors, attention->k_norm(), n_kv_heads * head_dim));
    RONDO_ASSIGN(w.v_norm, Norm(vectors, attention->v_norm(), n_kv_heads * v_head_dim));
    RONDO_ASSIGN(w.output_norm, Norm(vectors, attention->output_norm(), n_heads * v_head_dim));
    if (attention->sink_logits() >= 0) {
      RONDO_ASSIGN(w.sink_logits, vectors.Read(static_cast<uint32_t>(attention->sink_logits())));
    }
  } else if (const format::LatentAttention* latent = sublayer.op_as_LatentAttention()) {
    LatentAttentionWeights& w = weights->latent_attention;
    RONDO_ASSIGN(w.q_norm, Norm(vectors, latent->q_norm(), w.q_down.shape.n));
    RONDO_ASSIGN(w.latent_norm, Norm(vectors, latent->latent_norm(), latent->latent_dim()));
  } else if (const format::ShortConv* conv = sublayer.op_as_ShortConv()) {
    RONDO_ASSIGN(weights->short_conv.kernel, vectors.Read(conv->kernel()));
    if (conv->bias() >= 0) {
      RONDO_ASSIGN(weights->short_conv.bias, vectors.Read(static_cast<uint32_t>(conv->bias())));
    }
  } else if (const format::Laurel* laurel = sublayer.op_as_Laurel()) {
    RONDO_ASSIGN(weights->laurel.norm, Norm(vectors, laurel->norm(), hidden));
  } else if (const format::Mlp* mlp = sublayer.op_as_Mlp()) {
    RONDO_ASSIGN(weights->mlp.xielu, ReadXielu(vectors, mlp->xielu()));
  } else if (const format::Experts* experts = sublayer.op_as_Experts()) {
    return ReadExpertVectors(vectors, hidden, *experts, &weights->experts);
  } else if (const format::GatedDeltaNet* net = sublayer.op_as_GatedDeltaNet()) {
    const size_t inner_size = size_t{net->n_value_heads()} * net->value_head_dim();
    RONDO_RETURN_IF_ERROR(ReadRecurrent(vectors, *net, inner_size, &weights->recurrent));
  } else if (const format::Mamba2* mamba = sublayer.op_as_Mamba2()) {
    const size_t inner_size = size_t{mamba->n_heads()} * mamba->head_dim();
    RONDO_RETURN_IF_ERROR(ReadRecurrent(vectors, *mamba, inner_size, &weights->recurrent));
    RONDO_ASSIGN(weights->recurrent.skip, vectors.Read(mamba->skip()));
  }
  return Status();
}

Status ReadAltUp(VectorReader& vectors, size_t hidden, const format::LayerAltUp& alt_up,
                 AltUpWeights* weights) {
  RONDO_ASSIGN(weights->router_norm, Norm(vectors, alt_up.router_norm(), hidden));
  RONDO_ASSIGN(weights->router, vectors.Read(alt_up.router()));
  RONDO_ASSIGN(weights->predict, vectors.Read(alt_up.predict()));
  RONDO_ASSIGN(weights->correct, vectors.Read(alt_up.correct()));
  RONDO_ASSIGN(weights->scale, OptionalVector(vectors, alt_up.scale()));
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

template <typename Visit>
void Weights::ForEachOwn(const format::Model& model, const Visit& visit) {
  size_t i = model.layer_embeddings() == nullptr ? 1 : 0;  // in the order of ForEachOwnLinear
  ForEachOwnLinear(model, [&](const format::Linear& linear) {
    visit(linear, i == 0 ? &layer_projection_ : i == 1 ? &to_streams_ : &from_streams_[i - 2]);
    ++i;
  });
}

Result<Weights> Weights::Plan(const ModelFile& file, const KernelSet& set, MemoryPlan* plan) {
  RONDO_RETURN_IF_ERROR(CheckLayout(file, set));
  const format::Model& model = file.model();
  Weights w;
  w.set_ = &set;
  const size_t n_layers = model.layers()->size();
  size_t n_sublayers = 0, n_experts = 0, n_latent_heads = 0;
  for (const format::Layer* layer : *model.layers()) {
    for (const format::Sublayer* sublayer : *layer->sublayers()) {
      ++n_sublayers;
      n_experts += ExpertCount(*sublayer);
      n_latent_heads += LatentHeads(*sublayer);
    }
  }
  RONDO_ASSIGN(w.sublayers_, HeapArray<SublayerWeights>::Create(n_sublayers));
  RONDO_ASSIGN(w.experts_, HeapArray<MlpWeights>::Create(n_experts));
  RONDO_ASSIGN(w.head_matrices_, HeapArray<PackedLinear>::Create(2 * n_latent_heads));
  SharedTables tables;
  const auto note_codes = [&](const PackedLinear& matrix) {
    if (!matrix.shape.IsCodes()) return;
    tables.IndexOf(ViewTensor(file, matrix.tensor).tables);
    w.expanded_tile_bytes_ = std::max(w.expanded_tile_bytes_, matrix.shape.WorkingTileBytes(set));
  };
  MlpWeights* experts = w.experts_.data();
  PackedLinear* heads = w.head_matrices_.data();
  SublayerWeights* sublayers = w.sublayers_.data();
  for (const format::Layer* layer : *model.layers()) {
    for (size_t i = 0; i < layer->sublayers()->size(); ++i) {
      const format::Sublayer& sublayer = *layer->sublayers()->Get(static_cast<uint32_t>(i));
      const size_t n = ExpertCount(sublayer);
      sublayers[i].experts.experts = {experts, n};
      experts += n;
      if (const format::LatentAttention* latent = sublayer.op_as_LatentAttention()) {
        const size_t n_heads = latent->n_heads();
        sublayers[i].latent_attention.has_q_down = latent->q_down() != nullptr;
        sublayers[i].latent_attention.key_up = {heads, n_heads};
        sublayers[i].latent_attention.value_up = {heads + n_heads, n_heads};
        heads += 2 * n_heads;
      }
    }
    ForEachMatrix(*layer, sublayers, [&](const format::Linear& linear, PackedLinear* matrix) {
      *matrix = ShapeOnly(file, linear);
      note_codes(*matrix);
      ++w.n_matrices_;
    });
    sublayers += layer->sublayers()->size();
  }
  const size_t n_streams = model.alt_up() == nullptr ? 0 : model.alt_up()->n_streams();
  RONDO_ASSIGN(w.from_streams_, HeapArray<PackedLinear>::Create(n_streams > 0 ? n_streams - 1 : 0));
  RONDO_ASSIGN(w.alt_up_, HeapArray<AltUpWeights>::Create(n_streams > 0 ? n_layers : 0));
  CheckedSize own_bytes = 0;
  w.ForEachOwn(model, [&](const format::Linear& linear, PackedLinear* matrix) {
    *matrix = ShapeOnly(file, linear);
    note_codes(*matrix);
    own_bytes = own_bytes + Slot(set, *matrix);
    ++w.n_matrices_;
  });
  w.head_ = ShapeOnly(file, *model.head());
  note_codes(w.head_);
  w.tied_ = model.head()->weight() == model.embedding();
  if (tables.count() > 0) {
    w.code_pairs_region_ = plan->Add(
        Segment::kWorkspace, (CheckedSize(tables.count()) * sizeof(CodePairs)).ValueOrMost(),
        "levels of codes");
  }
  if (file.layout() != nullptr) {
    for (const format::Tensor* tensor : *model.tensors()) {
      if (tensor->packed()) w.mapped_bytes_ += tensor->data()->bytes();
    }
    return w;
  }
  if (own_bytes.ValueOrMost() > 0) {
    w.own_region_ =
        plan->Add(Segment::kWeights, (own_bytes + kOverRead).ValueOrMost(), "beside the layers");
  }
  RONDO_ASSIGN(w.regions_, HeapArray<MemoryPlan::RegionId>::Create(n_layers + 1));
  for (size_t i = 0; i < n_layers; ++i) {
    const format::Layer& layer = *model.layers()->Get(static_cast<uint32_t>(i));
    CheckedSize bytes = kOverRead;
    ForEachLinear(layer, [&](const format::Linear& linear) {
      bytes = bytes + Slot(set, ShapeOnly(file, linear));
    });
    char name[PlanRegion::kMaxName];
    std::snprintf(name, sizeof name, "layer %zu", i);
    w.regions_[i] = plan->Add(Segment::kWeights, bytes.ValueOrMost(), name);
  }
  w.regions_[n_layers] =
      plan->Add(Segment::kWeights, (Slot(set, w.head_) + kOverRead).ValueOrMost(),
                w.tied_ ? "output head and embedding" : "output head");
  return w;
}

Status Weights::Load(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena,
                     ThreadPool* pool, const LoadProgress& progress) {
  const format::Model& model = file.model();
  const bool mapped = file.layout() != nullptr;
  RONDO_ASSIGN(VectorReader vectors, VectorReader::Create(file));
  const size_t n_layers = model.layers()->size();
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
    if (IsCodes(tensor.format)) {
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
    const format::Layer& layer = *model.layers()->Get(static_cast<uint32_t>(i));
    uint8_t* packed = region(i);
    Status status;
    ForEachMatrix(layer, sublayers, [&](const format::Linear& linear, PackedLinear* matrix) {
      if (status.ok()) status = add(linear, matrix, packed);
      if (!mapped) packed += Slot(*set_, *matrix).value();
    });
    RONDO_RETURN_IF_ERROR(status);
    for (const format::Sublayer* sublayer : *layer.sublayers()) {
      RONDO_RETURN_IF_ERROR(ReadVectors(vectors, model.hidden_size(), *sublayer, sublayers++));
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
    ForEachOwn(model, [&](const format::Linear& linear, PackedLinear* matrix) {
      if (status.ok()) status = add(linear, matrix, packed);
      if (!mapped) packed += Slot(*set_, *matrix).value();
    });
    RONDO_RETURN_IF_ERROR(status);
  }
  if (const format::LayerEmbeddings* embeddings = model.layer_embeddings()) {
    RONDO_ASSIGN(layer_embedding_norm_, Norm(vectors, embeddings->norm(), embeddings->size()));
    const TensorView table = ViewTensor(file, embeddings->table());
    layer_table_shape_ = LinearShape::Of(table);
    layer_table_ = RowsOf(table, nullptr);
    if (!mapped) loader.Add(embeddings->table(), layer_table_shape_, nullptr, nullptr);
  }
  RONDO_ASSIGN(embedding_norm_, Norm(vectors, model.embedding_norm(), model.hidden_size()));
  RONDO_ASSIGN(final_norm_, Norm(vectors, model.final_norm(), model.hidden_size()));
  if (model.positions() >= 0) {
    RONDO_ASSIGN(positions_, vectors.Read(static_cast<uint32_t>(model.positions())));
  }
  RONDO_RETURN_IF_ERROR(add(*model.head(), &head_, region(n_layers)));
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
