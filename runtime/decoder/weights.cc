#include "runtime/decoder/weights.h"

#include <cstdio>

#include "runtime/base/checked.h"
#include "runtime/model/tensor_view.h"

namespace rondo {

namespace {

constexpr size_t kPackedAlignment = 64;
constexpr size_t kMatricesOfLayer = 4;

LinearShape Shape(const TensorView& tensor) {
  switch (tensor.format) {
    case format::TensorFormat::F32:
      return {WeightFormat::kF32, tensor.rows, tensor.cols, 0};
    case format::TensorFormat::Q8:
      return {WeightFormat::kQ8, tensor.rows, tensor.cols, 0};
    default:
      return {WeightFormat::kQ4, tensor.rows, tensor.padded_cols, tensor.block};
  }
}

PackedLinear ShapeOnly(const ModelFile& file, const format::Linear& linear) {
  const TensorView tensor = ViewTensor(file, linear.weight());
  return {Shape(tensor), tensor.cols, nullptr};
}

// Bytes of one packed matrix in a block that holds several.
size_t Slot(const KernelSet& set, const PackedLinear& linear) {
  return RoundUp(linear.shape.PackedBytes(set), kPackedAlignment);
}

// A checked vector of floats, used where it lies in the file.
Result<const float*> Vector(const ModelFile& file, uint32_t index) {
  RONDO_RETURN_IF_ERROR(VerifyTensor(file, index));
  const TensorView tensor = ViewTensor(file, index);
  RONDO_RETURN_IF_ERROR(CheckFinite(tensor));
  return tensor.f32().data();
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
  RONDO_ASSIGN(w.layers_, HeapArray<LayerWeights>::Create(n_layers));
  for (size_t i = 0; i < n_layers; ++i) {
    const format::Layer& layer = *model.layers()->Get(static_cast<uint32_t>(i));
    LayerWeights& l = w.layers_[i];
    l.qkv = ShapeOnly(file, *layer.attention()->qkv());
    l.output = ShapeOnly(file, *layer.attention()->output());
    l.gate_up = ShapeOnly(file, *layer.mlp()->gate_up());
    l.down = ShapeOnly(file, *layer.mlp()->down());
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
    const LayerWeights& l = w.layers_[i];
    char name[PlanBlock::kMaxName];
    std::snprintf(name, sizeof name, "layer %zu", i);
    w.blocks_[i] = plan->Add(Segment::kWeights,
                             Slot(set, l.qkv) + Slot(set, l.output) + Slot(set, l.gate_up) +
                                 Slot(set, l.down) + kOverRead,
                             name);
  }
  w.blocks_[n_layers] = plan->Add(Segment::kWeights, Slot(set, w.head_) + kOverRead,
                                  w.tied_ ? "output head and embedding" : "output head");
  return w;
}

Status Weights::Load(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena,
                     ThreadPool* pool, const LoadProgress& progress) {
  const format::Model& model = file.model();
  const bool mapped = file.layout() != nullptr;
  RONDO_ASSIGN(WeightLoader loader,
               WeightLoader::Create(file, LayoutOf(*set_), layers_.size() * kMatricesOfLayer + 2));
  // Takes the matrix from the file as it is, or has it packed.
  const auto add = [&](const format::Linear& linear, PackedLinear* target,
                       uint8_t* packed) -> Status {
    if (mapped) {
      target->packed = ViewTensor(file, linear.weight()).data.data();
      return Status();
    }
    const float* bias = nullptr;
    if (linear.bias() >= 0) {
      RONDO_ASSIGN(bias, Vector(file, static_cast<uint32_t>(linear.bias())));
    }
    loader.Add(linear.weight(), target->shape, bias, packed);
    target->packed = packed;
    return Status();
  };
  const auto block = [&](size_t i) {
    return mapped ? nullptr : arena + plan.block(blocks_[i]).offset;
  };
  for (size_t i = 0; i < layers_.size(); ++i) {
    const format::Layer& layer = *model.layers()->Get(static_cast<uint32_t>(i));
    LayerWeights& l = layers_[i];
    RONDO_ASSIGN(l.attention_norm, Vector(file, layer.attention()->norm()->weight()));
    RONDO_ASSIGN(l.mlp_norm, Vector(file, layer.mlp()->norm()->weight()));
    uint8_t* packed = block(i);
    const std::pair<const format::Linear*, PackedLinear*> parts[kMatricesOfLayer] = {
        {layer.attention()->qkv(), &l.qkv},
        {layer.attention()->output(), &l.output},
        {layer.mlp()->gate_up(), &l.gate_up},
        {layer.mlp()->down(), &l.down}};
    for (const auto& [linear, target] : parts) {
      RONDO_RETURN_IF_ERROR(add(*linear, target, packed));
      if (!mapped) packed += Slot(*set_, *target);
    }
  }
  RONDO_ASSIGN(final_norm_, Vector(file, model.final_norm()->weight()));
  RONDO_RETURN_IF_ERROR(add(*model.head(), &head_, block(layers_.size())));
  if (!tied_) {
    const TensorView embedding = ViewTensor(file, model.embedding());
    embedding_shape_ = Shape(embedding);
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
