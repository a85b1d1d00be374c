#include "runtime/weights/weights.h"

#include <cstdio>

#include "runtime/base/checked.h"
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

// Bytes of one packed matrix in a block that holds several.
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

// The two sublayers that a layer has (DecoderSpec::Read has seen to it).
const format::Sublayer& Mixer(const format::Layer& layer) { return *layer.sublayers()->Get(0); }
const format::Sublayer& Mlp(const format::Layer& layer) { return *layer.sublayers()->Get(1); }
bool IsConv(const format::Layer& layer) { return Mixer(layer).op_as_ShortConv() != nullptr; }

size_t ExpertCount(const format::Layer& layer) {
  const format::Experts* experts = Mlp(layer).op_as_Experts();
  return experts == nullptr ? 0 : experts->experts()->size();
}

// The matrices of a layer's two sublayers, in the order of ForEachLinear.
PackedLinear* Matrix(SublayerWeights* pair, bool conv, bool experts, size_t i) {
  if (conv && i < 2) return i == 0 ? &pair[0].short_conv.in_proj : &pair[0].short_conv.out_proj;
  if (i < 2) return i == 0 ? &pair[0].attention.qkv_proj : &pair[0].attention.o_proj;
  if (!experts) return i == 2 ? &pair[1].mlp.gate_up_proj : &pair[1].mlp.down_proj;
  if (i == 2) return &pair[1].experts.router;
  MlpWeights& expert = pair[1].experts.experts[(i - 3) / 2];
  return (i - 3) % 2 == 0 ? &expert.gate_up_proj : &expert.down_proj;
}

// What lies in the file and is used there.
Status ReadVectors(VectorReader& vectors, size_t hidden, const format::Layer& layer,
                   SublayerWeights* pair) {
  if (const format::ShortConv* conv = Mixer(layer).op_as_ShortConv()) {
    RONDO_ASSIGN(pair[0].short_conv.kernel, vectors.Read(conv->kernel()));
    if (conv->bias() >= 0) {
      RONDO_ASSIGN(pair[0].short_conv.bias, vectors.Read(static_cast<uint32_t>(conv->bias())));
    }
  } else {
    const format::Attention& attention = *Mixer(layer).op_as_Attention();
    const size_t head_dim = attention.head_dim();
    AttentionWeights& weights = pair[0].attention;
    RONDO_ASSIGN(weights.q_norm, Norm(vectors, attention.q_norm(), attention.n_heads() * head_dim));
    RONDO_ASSIGN(weights.k_norm,
                 Norm(vectors, attention.k_norm(), attention.n_kv_heads() * head_dim));
  }
  RONDO_ASSIGN(pair[0].norm, Norm(vectors, Mixer(layer).norm(), hidden));
  RONDO_ASSIGN(pair[0].post_norm, Norm(vectors, Mixer(layer).post_norm(), hidden));
  RONDO_ASSIGN(pair[1].norm, Norm(vectors, Mlp(layer).norm(), hidden));
  RONDO_ASSIGN(pair[1].post_norm, Norm(vectors, Mlp(layer).post_norm(), hidden));
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

Result<Weights> Weights::Plan(const ModelFile& file, const KernelSet& set, MemoryPlan* plan) {
  RONDO_RETURN_IF_ERROR(CheckLayout(file, set));
  const format::Model& model = file.model();
  Weights w;
  w.set_ = &set;
  const size_t n_layers = model.layers()->size();
  RONDO_ASSIGN(w.sublayers_, HeapArray<SublayerWeights>::Create(2 * n_layers));
  size_t n_experts = 0;
  for (const format::Layer* layer : *model.layers()) n_experts += ExpertCount(*layer);
  RONDO_ASSIGN(w.experts_, HeapArray<MlpWeights>::Create(n_experts));
  MlpWeights* experts = w.experts_.data();
  for (size_t i = 0; i < n_layers; ++i) {
    const format::Layer& layer = *model.layers()->Get(static_cast<uint32_t>(i));
    const size_t of_layer = ExpertCount(layer);
    w.sublayers_[2 * i + 1].experts.experts = {experts, of_layer};
    experts += of_layer;
    size_t matrix = 0;
    ForEachLinear(layer, [&](const format::Linear& linear) {
      *Matrix(&w.sublayers_[2 * i], IsConv(layer), of_layer > 0, matrix++) =
          ShapeOnly(file, linear);
    });
    w.n_matrices_ += matrix;
  }
  w.head_ = ShapeOnly(file, *model.head());
  w.tied_ = model.head()->weight() == model.embedding();
  if (file.layout() != nullptr) {
    for (const format::Tensor* tensor : *model.tensors()) {
      if (tensor->packed()) w.mapped_bytes_ += tensor->data()->bytes();
    }
    return w;
  }
  RONDO_ASSIGN(w.blocks_, HeapArray<MemoryPlan::BlockId>::Create(n_layers + 1));
  for (size_t i = 0; i < n_layers; ++i) {
    const format::Layer& layer = *model.layers()->Get(static_cast<uint32_t>(i));
    CheckedSize bytes = kOverRead;
    ForEachLinear(layer, [&](const format::Linear& linear) {
      bytes = bytes + Slot(set, ShapeOnly(file, linear));
    });
    char name[PlanBlock::kMaxName];
    std::snprintf(name, sizeof name, "layer %zu", i);
    w.blocks_[i] = plan->Add(Segment::kWeights, bytes.ValueOrMost(), name);
  }
  w.blocks_[n_layers] = plan->Add(Segment::kWeights, (Slot(set, w.head_) + kOverRead).ValueOrMost(),
                                  w.tied_ ? "output head and embedding" : "output head");
  return w;
}

Status Weights::Load(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena,
                     ThreadPool* pool, const LoadProgress& progress) {
  const format::Model& model = file.model();
  const bool mapped = file.layout() != nullptr;
  RONDO_ASSIGN(VectorReader vectors, VectorReader::Create(file));
  const size_t n_layers = model.layers()->size();
  RONDO_ASSIGN(WeightLoader loader, WeightLoader::Create(file, LayoutOf(*set_), n_matrices_ + 2));
  // Takes the matrix from the file as it is, or has it packed.
  const auto add = [&](const format::Linear& linear, PackedLinear* target,
                       uint8_t* packed) -> Status {
    if (mapped) {
      target->packed = ViewTensor(file, linear.weight()).data.data();
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
  const auto block = [&](size_t i) {
    return mapped ? nullptr : arena + plan.block(blocks_[i]).offset;
  };
  for (size_t i = 0; i < n_layers; ++i) {
    const format::Layer& layer = *model.layers()->Get(static_cast<uint32_t>(i));
    SublayerWeights* pair = &sublayers_[2 * i];
    RONDO_RETURN_IF_ERROR(ReadVectors(vectors, model.hidden_size(), layer, pair));
    uint8_t* packed = block(i);
    size_t matrix = 0;
    Status status;
    ForEachLinear(layer, [&](const format::Linear& linear) {
      PackedLinear* target = Matrix(pair, IsConv(layer), ExpertCount(layer) > 0, matrix++);
      if (status.ok()) status = add(linear, target, packed);
      if (!mapped) packed += Slot(*set_, *target).value();
    });
    RONDO_RETURN_IF_ERROR(status);
  }
  RONDO_ASSIGN(final_norm_, Norm(vectors, model.final_norm(), model.hidden_size()));
  if (model.positions() >= 0) {
    RONDO_ASSIGN(positions_, vectors.Read(static_cast<uint32_t>(model.positions())));
  }
  RONDO_RETURN_IF_ERROR(add(*model.head(), &head_, block(n_layers)));
  if (!tied_) {
    const TensorView embedding = ViewTensor(file, model.embedding());
    embedding_shape_ = LinearShape::Of(embedding);
    embedding_rows_ = {embedding.data.data(), embedding.scales.data(), nullptr};
    if (!mapped) loader.Add(model.embedding(), embedding_shape_, nullptr, nullptr);
  }
  return mapped ? Status() : loader.Run(pool, progress);
}

void Weights::Embed(size_t token, std::span<float> out) const {
  if (tied_) {
    ReadPackedChannel(*set_, head_, token, out);
  } else {
    ReadRow(embedding_shape_, embedding_rows_, token, out);
  }
}

}  // namespace rondo
