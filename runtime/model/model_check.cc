#include "runtime/model/model_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/base/heap_array.h"
#include "runtime/model/limits.h"

namespace rondo {
namespace {

using format::TensorFormat;
using ull = unsigned long long;

template <typename... Values>
Status Corrupt(const char* format, Values... values) {
  return Status::Error(StatusCode::kCorrupt, format, values...);
}

// What a message calls a part of the model: "layer 3's attention".
struct Place {
  int layer;  // -1: outside of the layers
  const char* part;
};

Status Wrong(Place place, const char* problem) {
  if (place.layer < 0) return Corrupt("the model's %s %s", place.part, problem);
  return Corrupt("layer %d's %s %s", place.layer, place.part, problem);
}

Status UnknownKind(Place place, const char* what, unsigned value) {
  char layer[24] = "the model";
  if (place.layer >= 0) std::snprintf(layer, sizeof(layer), "layer %d", place.layer);
  return Status::Error(StatusCode::kUnsupported,
                       "%s's %s asks for %s %u, which this version of Rondo does not have", layer,
                       place.part, what, value);
}

Status CheckRange(const char* what, uint64_t value, uint64_t low, uint64_t high) {
  if (value >= low && value <= high) return Status();
  return Corrupt("%s is %llu, expected %llu to %llu", what, ull{value}, ull{low}, ull{high});
}

class Checker {
 public:
  Checker(const format::Model& model, const PackedLayout* layout)
      : model_(model), layout_(layout), hidden_(model.hidden_size()) {}

  Status Run() {
    RONDO_RETURN_IF_ERROR(CheckGlobals());
    RONDO_RETURN_IF_ERROR(CheckTensors());
    RONDO_RETURN_IF_ERROR(CheckNames());
    RONDO_RETURN_IF_ERROR(CheckRopes());
    RONDO_RETURN_IF_ERROR(
        CheckShape({-1, "embedding"}, model_.embedding(), model_.vocab_size(), hidden_));
    for (uint32_t i = 0; i < model_.layers()->size(); ++i) {
      const format::Layer* layer = model_.layers()->Get(i);
      RONDO_RETURN_IF_ERROR(CheckAttention(static_cast<int>(i), layer->attention()));
      RONDO_RETURN_IF_ERROR(CheckMlp(static_cast<int>(i), layer->mlp()));
    }
    RONDO_RETURN_IF_ERROR(CheckNorm({-1, "final norm"}, model_.final_norm()));
    RONDO_RETURN_IF_ERROR(CheckLinear({-1, "head"}, model_.head(), model_.vocab_size(), hidden_));
    if (model_.embedding() == model_.head()->weight()) return Status();
    return CheckPacked({-1, "embedding"}, model_.embedding(), false);
  }

 private:
  Status CheckGlobals() {
    if (model_.name() == nullptr || model_.architecture() == nullptr ||
        model_.producer() == nullptr || model_.tensors() == nullptr || model_.layers() == nullptr ||
        model_.ropes() == nullptr) {
      return Corrupt("the metadata lacks name, architecture, producer, tensors, layers or ropes");
    }
    RONDO_RETURN_IF_ERROR(CheckRange("vocab_size", model_.vocab_size(), 1, kMaxVocab));
    RONDO_RETURN_IF_ERROR(CheckRange("hidden_size", hidden_, 1, kMaxHidden));
    RONDO_RETURN_IF_ERROR(CheckRange("context_length", model_.context_length(), 1, kMaxContext));
    RONDO_RETURN_IF_ERROR(
        CheckRange("the number of layers", model_.layers()->size(), 1, kMaxLayers));
    RONDO_RETURN_IF_ERROR(
        CheckRange("the number of tensors", model_.tensors()->size(), 1, kMaxTensors));
    RONDO_RETURN_IF_ERROR(CheckRange("the number of ropes", model_.ropes()->size(), 0, kMaxLayers));
    const int64_t vocab = model_.vocab_size();
    if (model_.bos_token() < -1 || model_.bos_token() >= vocab) {
      return Corrupt("bos_token is %d, expected a token below %lld or -1", model_.bos_token(),
                     static_cast<long long>(vocab));
    }
    if (model_.eos_tokens() != nullptr) {
      RONDO_RETURN_IF_ERROR(
          CheckRange("the number of eos_tokens", model_.eos_tokens()->size(), 0, kMaxEosTokens));
      for (uint32_t token : *model_.eos_tokens()) {
        RONDO_RETURN_IF_ERROR(CheckRange("an eos token", token, 0, model_.vocab_size() - 1));
      }
    }
    if (model_.facts() != nullptr) {
      for (const format::Fact* fact : *model_.facts()) {
        if (fact->key() == nullptr || fact->value() == nullptr) {
          return Corrupt("a fact in the metadata lacks its key or value");
        }
      }
    }
    return Status();
  }

  Status CheckTensors() {
    for (const format::Tensor* tensor : *model_.tensors()) {
      const flatbuffers::String* name = tensor->name();
      if (name == nullptr || name->size() == 0 || name->size() > kMaxNameBytes ||
          !std::all_of(name->begin(), name->end(), [](char c) { return c > ' ' && c <= '~'; })) {
        return Corrupt("a tensor's name is absent or not 1 to %zu printable ASCII characters",
                       kMaxNameBytes);
      }
      RONDO_RETURN_IF_ERROR(CheckStorage(*tensor));
    }
    return Status();
  }

  // Format, block and the lengths of the sections agree with the shape.
  Status CheckStorage(const format::Tensor& tensor) {
    const char* name = tensor.name()->c_str();
    const uint64_t rows = tensor.rows(), cols = tensor.cols(), block = tensor.block();
    CheckedSize data = 0, scales = 0;
    bool block_fits = block == 0;
    switch (tensor.format()) {
      case TensorFormat::F32:
        data = CheckedSize(rows) * cols * sizeof(float);
        break;
      case TensorFormat::Q8:
        data = CheckedSize(rows) * cols;
        scales = CheckedSize(rows) * sizeof(float);
        break;
      case TensorFormat::Q4: {
        block_fits = block == 32 || block == 64 || block == 128;
        if (!block_fits) break;
        const CheckedSize padded = CheckedSize(cols).AlignUp(block);
        if (!padded.valid()) return Corrupt("tensor %s has too many columns", name);
        data = CheckedSize(rows) * (padded.value() / 2);
        scales = CheckedSize(rows) * (padded.value() / block) * sizeof(uint16_t);
        break;
      }
      default:
        return Status::Error(StatusCode::kUnsupported,
                             "tensor %s has format %u, which this version of Rondo does not have",
                             name, static_cast<unsigned>(tensor.format()));
    }
    if (!block_fits) {
      return Corrupt("tensor %s has block %llu, expected %s", name, ull{block},
                     tensor.format() == TensorFormat::Q4 ? "32, 64 or 128" : "0");
    }
    if (rows == 0 || cols == 0 || !data.valid() || !scales.valid()) {
      return Corrupt("tensor %s is %llu x %llu, which no memory holds", name, ull{rows}, ull{cols});
    }
    if (tensor.packed()) return CheckPackedStorage(tensor);
    RONDO_RETURN_IF_ERROR(CheckSection(name, "data", tensor.data(), data.value()));
    if (scales.value() == 0) {
      return tensor.scales() == nullptr ? Status()
                                        : Corrupt("tensor %s is float32 but has scales", name);
    }
    return CheckSection(name, "scales", tensor.scales(), scales.value());
  }

  // The same of a packed tensor, whose shape is one that memory holds.
  Status CheckPackedStorage(const format::Tensor& tensor) {
    const char* name = tensor.name()->c_str();
    if (layout_ == nullptr) return Corrupt("tensor %s is packed, but the file has no layout", name);
    uint64_t k = tensor.cols();
    if (tensor.format() == TensorFormat::Q4) k = CheckedSize(k).AlignUp(tensor.block()).value();
    const CheckedSize bytes =
        PackedBytes(*layout_, tensor.format(), tensor.rows(), k, tensor.block());
    if (!bytes.valid()) {
      return Corrupt("tensor %s is %llu x %llu, which no memory holds", name, ull{tensor.rows()},
                     ull{tensor.cols()});
    }
    if (tensor.scales() != nullptr) {
      return Corrupt("tensor %s is packed but has scales apart", name);
    }
    return CheckSection(name, "data", tensor.data(), bytes.value());
  }

  // The weights of Linears, and they alone, are packed in a file with a layout.
  Status CheckPacked(Place place, uint64_t index, bool is_linear) {
    const format::Tensor* tensor = model_.tensors()->Get(static_cast<uint32_t>(index));
    if (tensor->packed() == (is_linear && layout_ != nullptr)) return Status();
    return Wrong(place, tensor->packed() ? "is packed, and must not be"
                                         : "is not packed, in a file that has a layout");
  }

  Status CheckSection(const char* name, const char* part, const format::Section* section,
                      uint64_t expected) {
    if (section == nullptr) return Corrupt("tensor %s has no %s", name, part);
    if (FindSection(model_, *section) == nullptr) {
      return Corrupt("tensor %s's %s at byte %llu are not a section of this file", name, part,
                     ull{section->offset()});
    }
    if (section->bytes() == expected) return Status();
    return Corrupt("tensor %s's %s have %llu bytes, its shape and format ask for %llu", name, part,
                   ull{section->bytes()}, ull{expected});
  }

  Status CheckNames() {
    RONDO_ASSIGN(auto names, HeapArray<const char*>::Create(model_.tensors()->size()));
    for (uint32_t i = 0; i < model_.tensors()->size(); ++i) {
      names[i] = model_.tensors()->Get(i)->name()->c_str();
    }
    std::sort(names.begin(), names.end(),
              [](const char* a, const char* b) { return std::strcmp(a, b) < 0; });
    for (size_t i = 1; i < names.size(); ++i) {
      if (std::strcmp(names[i - 1], names[i]) == 0) {
        return Corrupt("two tensors are named %s", names[i]);
      }
    }
    return Status();
  }

  Status CheckRopes() {
    for (const format::Rope* rope : *model_.ropes()) {
      if (rope->frequencies() == nullptr) return Corrupt("a rope has no frequencies");
      for (double frequency : *rope->frequencies()) {
        if (!std::isfinite(frequency)) return Corrupt("a rope has a frequency that is not finite");
      }
      if (!std::isfinite(rope->scale()) || rope->scale() <= 0) {
        return Corrupt("a rope's scale is %g, expected a finite number above 0",
                       static_cast<double>(rope->scale()));
      }
    }
    return Status();
  }

  Status CheckShape(Place place, uint64_t index, uint64_t rows, uint64_t cols) {
    if (index >= model_.tensors()->size()) return Wrong(place, "points at a tensor that is absent");
    const format::Tensor* tensor = model_.tensors()->Get(static_cast<uint32_t>(index));
    if (tensor->rows() == rows && tensor->cols() == cols) return Status();
    return Corrupt("tensor %s is %llu x %llu, the model's sizes ask for %llu x %llu",
                   tensor->name()->c_str(), ull{tensor->rows()}, ull{tensor->cols()}, ull{rows},
                   ull{cols});
  }

  // Norm weights and biases: float32 [1, size].
  Status CheckVector(Place place, uint64_t index, uint64_t size) {
    RONDO_RETURN_IF_ERROR(CheckShape(place, index, 1, size));
    const format::Tensor* tensor = model_.tensors()->Get(static_cast<uint32_t>(index));
    if (tensor->format() != TensorFormat::F32) {
      return Corrupt("tensor %s is a vector, which must be float32", tensor->name()->c_str());
    }
    return CheckPacked(place, index, false);
  }

  Status CheckLinear(Place place, const format::Linear* linear, uint64_t rows, uint64_t cols) {
    if (linear == nullptr) return Wrong(place, "is absent");
    RONDO_RETURN_IF_ERROR(CheckShape(place, linear->weight(), rows, cols));
    RONDO_RETURN_IF_ERROR(CheckPacked(place, linear->weight(), true));
    if (linear->bias() < -1) return Wrong(place, "has a negative index for its bias");
    if (linear->bias() == -1) return Status();
    return CheckVector(place, static_cast<uint64_t>(linear->bias()), rows);
  }

  Status CheckNorm(Place place, const format::Norm* norm) {
    if (norm == nullptr) return Wrong(place, "is absent");
    if (norm->kind() != format::NormKind::RmsNorm) {
      return UnknownKind(place, "norm kind", static_cast<unsigned>(norm->kind()));
    }
    if (!std::isfinite(norm->epsilon()) || norm->epsilon() <= 0) {
      return Wrong(place, "has an epsilon that is not a finite number above 0");
    }
    return CheckVector(place, norm->weight(), hidden_);
  }

  Status CheckAttention(int layer, const format::Attention* attention) {
    if (attention == nullptr) return Wrong({layer, "attention"}, "is absent");
    const uint64_t n_heads = attention->n_heads(), n_kv_heads = attention->n_kv_heads();
    const uint64_t head_dim = attention->head_dim();
    if (head_dim == 0 || head_dim > kMaxHeadDim || head_dim % kHeadDimMultiple != 0) {
      return Status::Error(StatusCode::kUnsupported,
                           "layer %d has head_dim %llu, expected a multiple of %llu up to %llu",
                           layer, ull{head_dim}, ull{kHeadDimMultiple}, ull{kMaxHeadDim});
    }
    if (n_heads == 0 || n_heads > kMaxHeads || n_kv_heads == 0 || n_heads % n_kv_heads != 0) {
      return Corrupt(
          "layer %d has %llu heads and %llu KV heads, expected 1 to %llu, divided evenly", layer,
          ull{n_heads}, ull{n_kv_heads}, ull{kMaxHeads});
    }
    if (!std::isfinite(attention->score_scale()) || attention->score_scale() <= 0) {
      return Wrong({layer, "attention"}, "has a score_scale that is not a finite number above 0");
    }
    if (attention->rope() < -1 ||
        attention->rope() >= static_cast<int64_t>(model_.ropes()->size())) {
      return Wrong({layer, "attention"}, "points at a rope that is absent");
    }
    if (attention->rope() >= 0) {
      const format::Rope* rope = model_.ropes()->Get(static_cast<uint32_t>(attention->rope()));
      if (rope->frequencies()->size() * uint64_t{2} != head_dim) {
        return Corrupt("layer %d has head_dim %llu but its rope has %llu frequencies", layer,
                       ull{head_dim}, ull{rope->frequencies()->size()});
      }
    }
    RONDO_RETURN_IF_ERROR(CheckNorm({layer, "attention norm"}, attention->norm()));
    RONDO_RETURN_IF_ERROR(CheckLinear({layer, "qkv"}, attention->qkv(),
                                      (n_heads + 2 * n_kv_heads) * head_dim, hidden_));
    return CheckLinear({layer, "attention output"}, attention->output(), hidden_,
                       n_heads * head_dim);
  }

  Status CheckMlp(int layer, const format::Mlp* mlp) {
    if (mlp == nullptr) return Wrong({layer, "mlp"}, "is absent");
    const uint64_t intermediate = mlp->intermediate_size();
    if (intermediate == 0 || intermediate > kMaxIntermediate) {
      return Corrupt("layer %d has intermediate_size %llu, expected 1 to %llu", layer,
                     ull{intermediate}, ull{kMaxIntermediate});
    }
    if (mlp->activation() != format::Activation::Silu) {
      return UnknownKind({layer, "mlp"}, "activation", static_cast<unsigned>(mlp->activation()));
    }
    RONDO_RETURN_IF_ERROR(CheckNorm({layer, "mlp norm"}, mlp->norm()));
    RONDO_RETURN_IF_ERROR(
        CheckLinear({layer, "gate_up"}, mlp->gate_up(), 2 * intermediate, hidden_));
    return CheckLinear({layer, "down"}, mlp->down(), hidden_, intermediate);
  }

  static constexpr size_t kMaxNameBytes = 160;

  const format::Model& model_;
  const PackedLayout* const layout_;
  const uint64_t hidden_;
};

}  // namespace

Status CheckModel(const format::Model& model, const PackedLayout* layout) {
  return Checker(model, layout).Run();
}

const format::Section* FindSection(const format::Model& model, const format::Section& section) {
  const auto* sections = model.sections();
  uint32_t low = 0, high = sections->size();
  while (low < high) {  // the first at or after the offset
    const uint32_t middle = low + (high - low) / 2;
    if (sections->Get(middle)->offset() < section.offset()) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // Empty sections may share an offset with the one that follows.
  for (; low < sections->size() && sections->Get(low)->offset() == section.offset(); ++low) {
    if (std::memcmp(sections->Get(low), &section, sizeof(section)) == 0) return sections->Get(low);
  }
  return nullptr;
}

}  // namespace rondo
