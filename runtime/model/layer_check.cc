#include "runtime/model/layer_check.h"

#include <cmath>
#include <iterator>

#include "runtime/model/check_messages.h"
#include "runtime/model/limits.h"

namespace rondo {
namespace {

using format::TensorFormat;

class LayerChecker {
 public:
  LayerChecker(const format::Model& model, bool packed)
      : model_(model), packed_(packed), hidden_(model.hidden_size()) {}

  Status Run() {
    RONDO_RETURN_IF_ERROR(CheckRopes());
    RONDO_RETURN_IF_ERROR(
        CheckShape({-1, "embedding"}, model_.embedding(), model_.vocab_size(), hidden_));
    RONDO_RETURN_IF_ERROR(CheckFactor({-1, "embedding"}, "scale", model_.embedding_scale()));
    RONDO_RETURN_IF_ERROR(CheckCap({-1, "head"}, model_.logit_soft_cap()));
    if (model_.positions() < -1) return Wrong({-1, "table of positions"}, "has a negative index");
    if (model_.positions() >= 0) {
      RONDO_RETURN_IF_ERROR(CheckFloats({-1, "table of positions"},
                                        static_cast<uint64_t>(model_.positions()),
                                        model_.context_length(), hidden_));
    }
    for (uint32_t i = 0; i < model_.layers()->size(); ++i) {
      RONDO_RETURN_IF_ERROR(CheckLayer(static_cast<int>(i), *model_.layers()->Get(i)));
    }
    if (model_.final_norm() == nullptr) return Wrong({-1, "final norm"}, "is absent");
    RONDO_RETURN_IF_ERROR(CheckNorm({-1, "final norm"}, model_.final_norm(), hidden_));
    RONDO_RETURN_IF_ERROR(CheckLinear({-1, "head"}, model_.head(), model_.vocab_size(), hidden_));
    if (model_.embedding() == model_.head()->weight()) return Status();
    return CheckPacked({-1, "embedding"}, model_.embedding(), false);
  }

 private:
  Status CheckFactor(Place place, const char* what, float factor) {
    if (std::isfinite(factor) && factor > 0) return Status();
    return Corrupt("the model's %s has a %s of %g, expected a finite number above 0", place.part,
                   what, static_cast<double>(factor));
  }

  Status CheckCap(Place place, float cap) {
    if (std::isfinite(cap) && cap >= 0) return Status();
    return Wrong(place, "has a soft cap or clip that is not a finite number of at least 0");
  }

  Status CheckFrequencies(const flatbuffers::Vector<double>& frequencies) {
    // They are used where they lie.
    if (reinterpret_cast<uintptr_t>(frequencies.Data()) % alignof(double) != 0) {
      return Corrupt("a rope's frequencies are not at a multiple of %zu bytes", alignof(double));
    }
    for (double frequency : frequencies) {
      if (!std::isfinite(frequency)) return Corrupt("a rope has a frequency that is not finite");
    }
    return Status();
  }

  Status CheckRopes() {
    for (const format::Rope* rope : *model_.ropes()) {
      if (rope->frequencies() == nullptr || rope->frequencies()->size() == 0) {
        return Corrupt("a rope has no frequencies");
      }
      // Ropes may share them, so their number bounds the work.
      RONDO_RETURN_IF_ERROR(CheckRange("a rope's number of frequencies",
                                       rope->frequencies()->size(), 1, kMaxHeadDim / 2));
      RONDO_RETURN_IF_ERROR(CheckFrequencies(*rope->frequencies()));
      if (!std::isfinite(rope->scale()) || rope->scale() <= 0) {
        return Corrupt("a rope's scale is %g, expected a finite number above 0",
                       static_cast<double>(rope->scale()));
      }
      if (rope->long_frequencies() == nullptr) continue;
      if (rope->long_frequencies()->size() != rope->frequencies()->size()) {
        return Corrupt("a rope has %u frequencies, but %u for long sequences",
                       rope->frequencies()->size(), rope->long_frequencies()->size());
      }
      RONDO_RETURN_IF_ERROR(CheckFrequencies(*rope->long_frequencies()));
      RONDO_RETURN_IF_ERROR(
          CheckRange("a rope's short_context", rope->short_context(), 1, kMaxContext));
    }
    return Status();
  }

  // The weights of Linears, and they alone, are packed in a file with a layout.
  Status CheckPacked(Place place, uint64_t index, bool is_linear) {
    const format::Tensor* tensor = model_.tensors()->Get(static_cast<uint32_t>(index));
    if (tensor->packed() == (is_linear && packed_)) return Status();
    return Wrong(place, tensor->packed() ? "is packed, and must not be"
                                         : "is not packed, in a file that has a layout");
  }

  Status CheckShape(Place place, uint64_t index, uint64_t rows, uint64_t cols) {
    if (index >= model_.tensors()->size()) return Wrong(place, "points at a tensor that is absent");
    const format::Tensor* tensor = model_.tensors()->Get(static_cast<uint32_t>(index));
    if (tensor->rows() == rows && tensor->cols() == cols) return Status();
    return Corrupt("tensor %s is %llu x %llu, the model's sizes ask for %llu x %llu",
                   tensor->name()->c_str(), ull{tensor->rows()}, ull{tensor->cols()}, ull{rows},
                   ull{cols});
  }

  // Norm weights, biases and small tables, which are used as they lie in the file.
  Status CheckFloats(Place place, uint64_t index, uint64_t rows, uint64_t cols) {
    RONDO_RETURN_IF_ERROR(CheckShape(place, index, rows, cols));
    const format::Tensor* tensor = model_.tensors()->Get(static_cast<uint32_t>(index));
    if (tensor->format() != TensorFormat::F32) {
      return Corrupt("tensor %s is of a kind that must be float32", tensor->name()->c_str());
    }
    return CheckPacked(place, index, false);
  }

  Status CheckBias(Place place, int32_t index, uint64_t size) {
    if (index < -1) return Wrong(place, "has a negative index for its bias");
    if (index == -1) return Status();
    return CheckFloats(place, static_cast<uint64_t>(index), 1, size);
  }

  Status CheckLinear(Place place, const format::Linear* linear, uint64_t rows, uint64_t cols) {
    if (linear == nullptr) return Wrong(place, "is absent");
    RONDO_RETURN_IF_ERROR(CheckShape(place, linear->weight(), rows, cols));
    RONDO_RETURN_IF_ERROR(CheckPacked(place, linear->weight(), true));
    return CheckBias(place, linear->bias(), rows);
  }

  // Of `size` channels; absent is fine.
  Status CheckNorm(Place place, const format::Norm* norm, uint64_t size) {
    if (norm == nullptr) return Status();
    if (norm->kind() != format::NormKind::kRmsNorm &&
        norm->kind() != format::NormKind::kLayerNorm) {
      return UnknownKind(place, "norm kind", static_cast<unsigned>(norm->kind()));
    }
    if (!std::isfinite(norm->epsilon()) || norm->epsilon() <= 0) {
      return Wrong(place, "has an epsilon that is not a finite number above 0");
    }
    if (norm->group() != 0 && size % norm->group() != 0) {
      return Wrong(place, "has a group that does not divide its channels");
    }
    if (norm->kind() == format::NormKind::kRmsNorm && norm->bias() != -1) {
      return Wrong(place, "is an RMSNorm with a bias");
    }
    RONDO_RETURN_IF_ERROR(CheckFloats(place, norm->weight(), 1, size));
    return CheckBias(place, norm->bias(), size);
  }

  // What there is to be said of a type of sublayer.
  struct OperatorRule {
    const char* name;
    const char* norm;
    const char* post_norm;
    Status (LayerChecker::*check)(int layer, const format::Sublayer& sublayer);
  };

  static const OperatorRule* RuleOf(format::Operator type) {
    static constexpr OperatorRule kRules[] = {
        {"attention", "attention norm", "norm after attention", &LayerChecker::CheckAttention},
        {"convolution", "convolution norm", "norm after the convolution", &LayerChecker::CheckConv},
        {"mlp", "mlp norm", "norm after mlp", &LayerChecker::CheckMlp},
        {"mixture of experts", "norm before the experts", "norm after the experts",
         &LayerChecker::CheckExperts},
    };
    static_assert(std::size(kRules) == static_cast<size_t>(format::Operator::MAX));
    return &kRules[static_cast<size_t>(type) - 1];
  }

  Status CheckLayer(int index, const format::Layer& layer) {
    const auto* sublayers = layer.sublayers();
    if (sublayers == nullptr || sublayers->size() == 0 || sublayers->size() > kMaxSublayers) {
      return Corrupt("layer %d has %u sublayers, expected 1 to %llu", index,
                     sublayers == nullptr ? 0 : sublayers->size(), ull{kMaxSublayers});
    }
    if (sublayers->Get(0)->reads_previous_input()) {
      return Wrong({index, "first sublayer"},
                   "reads what the one before it read, but is the first");
    }
    for (const format::Sublayer* sublayer : *sublayers) {
      RONDO_RETURN_IF_ERROR(CheckSublayer(index, *sublayer));
    }
    return Status();
  }

  Status CheckSublayer(int layer, const format::Sublayer& sublayer) {
    const format::Operator type = sublayer.op_type();
    if (type > format::Operator::MAX) {
      return UnknownKind({layer, "sublayer"}, "operator", static_cast<unsigned>(type));
    }
    if (type == format::Operator::NONE || sublayer.op() == nullptr) {
      return Wrong({layer, "sublayer"}, "has no operator");
    }
    const OperatorRule& rule = *RuleOf(type);
    if (!std::isfinite(sublayer.factor())) {
      return Wrong({layer, rule.name}, "has a factor that is not finite");
    }
    RONDO_RETURN_IF_ERROR(CheckNorm({layer, rule.norm}, sublayer.norm(), hidden_));
    RONDO_RETURN_IF_ERROR(CheckNorm({layer, rule.post_norm}, sublayer.post_norm(), hidden_));
    return (this->*rule.check)(layer, sublayer);
  }

  Status CheckHeadDim(int layer, const char* what, uint64_t head_dim) {
    if (head_dim > 0 && head_dim <= kMaxHeadDim && head_dim % kHeadDimMultiple == 0) {
      return Status();
    }
    return Status::Error(StatusCode::kUnsupported,
                         "layer %d has %s %llu, expected a multiple of %llu up to %llu", layer,
                         what, ull{head_dim}, ull{kHeadDimMultiple}, ull{kMaxHeadDim});
  }

  Status CheckAttention(int layer, const format::Sublayer& sublayer) {
    const Place place = {layer, "attention"};
    const format::Attention& attention = *sublayer.op_as_Attention();
    const uint64_t n_heads = attention.n_heads(), n_kv_heads = attention.n_kv_heads();
    const uint64_t head_dim = attention.head_dim(), v_head_dim = attention.v_head_dim();
    RONDO_RETURN_IF_ERROR(CheckHeadDim(layer, "head_dim", head_dim));
    RONDO_RETURN_IF_ERROR(CheckHeadDim(layer, "v_head_dim", v_head_dim));
    if (n_heads == 0 || n_heads > kMaxHeads || n_kv_heads == 0 || n_heads % n_kv_heads != 0) {
      return Corrupt(
          "layer %d has %llu heads and %llu KV heads, expected 1 to %llu, divided evenly", layer,
          ull{n_heads}, ull{n_kv_heads}, ull{kMaxHeads});
    }
    if (!std::isfinite(attention.score_scale()) || attention.score_scale() <= 0) {
      return Wrong(place, "has a score_scale that is not a finite number above 0");
    }
    RONDO_RETURN_IF_ERROR(CheckCap(place, attention.soft_cap()));
    RONDO_RETURN_IF_ERROR(CheckCap(place, attention.qkv_clip()));
    if (attention.window() > kMaxContext) return Wrong(place, "has a window beyond any context");
    if (attention.rope() < -1 || attention.rope() >= static_cast<int64_t>(model_.ropes()->size())) {
      return Wrong(place, "points at a rope that is absent");
    }
    if (attention.rope() >= 0) {
      const format::Rope* rope = model_.ropes()->Get(static_cast<uint32_t>(attention.rope()));
      if (rope->frequencies()->size() * uint64_t{2} > head_dim) {
        return Corrupt("layer %d has head_dim %llu but its rope has %u frequencies", layer,
                       ull{head_dim}, rope->frequencies()->size());
      }
    }
    RONDO_RETURN_IF_ERROR(CheckNorm({layer, "q norm"}, attention.q_norm(), n_heads * head_dim));
    RONDO_RETURN_IF_ERROR(CheckNorm({layer, "k norm"}, attention.k_norm(), n_kv_heads * head_dim));
    RONDO_RETURN_IF_ERROR(CheckLinear({layer, "qkv"}, attention.qkv(),
                                      n_heads * head_dim + n_kv_heads * (head_dim + v_head_dim),
                                      hidden_));
    return CheckLinear({layer, "attention output"}, attention.output(), hidden_,
                       n_heads * v_head_dim);
  }

  Status CheckConv(int layer, const format::Sublayer& sublayer) {
    const Place place = {layer, "convolution"};
    const format::ShortConv& conv = *sublayer.op_as_ShortConv();
    if (conv.taps() < 1 || conv.taps() > kMaxConvTaps) {
      return Corrupt("layer %d's convolution has %u taps, expected 1 to %llu", layer, conv.taps(),
                     ull{kMaxConvTaps});
    }
    RONDO_RETURN_IF_ERROR(
        CheckLinear({layer, "convolution input"}, conv.input(), 3 * hidden_, hidden_));
    RONDO_RETURN_IF_ERROR(CheckFloats(place, conv.kernel(), conv.taps(), hidden_));
    RONDO_RETURN_IF_ERROR(CheckBias(place, conv.bias(), hidden_));
    return CheckLinear({layer, "convolution output"}, conv.output(), hidden_, hidden_);
  }

  Status CheckMlpSizes(Place place, uint32_t intermediate, format::Activation activation) {
    if (intermediate == 0 || intermediate > kMaxIntermediate) {
      return Corrupt("layer %d has intermediate_size %u, expected 1 to %llu", place.layer,
                     intermediate, ull{kMaxIntermediate});
    }
    if (activation == format::Activation::kNone || activation > format::Activation::MAX) {
      return UnknownKind(place, "activation", static_cast<unsigned>(activation));
    }
    return Status();
  }

  Status CheckMlp(int layer, const format::Sublayer& sublayer) {
    const format::Mlp& mlp = *sublayer.op_as_Mlp();
    const uint64_t intermediate = mlp.intermediate_size();
    RONDO_RETURN_IF_ERROR(CheckMlpSizes({layer, "mlp"}, mlp.intermediate_size(), mlp.activation()));
    RONDO_RETURN_IF_ERROR(CheckLinear({layer, "gate_up"}, mlp.gate_up(),
                                      mlp.plain() ? intermediate : 2 * intermediate, hidden_));
    return CheckLinear({layer, "down"}, mlp.down(), hidden_, intermediate);
  }

  Status CheckExperts(int layer, const format::Sublayer& sublayer) {
    const Place place = {layer, "mixture of experts"};
    const format::Experts& experts = *sublayer.op_as_Experts();
    const uint64_t intermediate = experts.intermediate_size();
    const uint64_t gate_up = experts.plain() ? intermediate : 2 * intermediate;
    RONDO_RETURN_IF_ERROR(CheckMlpSizes(place, experts.intermediate_size(), experts.activation()));
    const auto* list = experts.experts();
    if (list == nullptr || list->size() == 0 || list->size() > kMaxExperts) {
      return Wrong(place, "has no experts, or too many");
    }
    if (experts.n_used() == 0 || experts.n_used() > list->size()) {
      return Corrupt("layer %d uses %u of %u experts", layer, experts.n_used(), list->size());
    }
    RONDO_RETURN_IF_ERROR(CheckLinear({layer, "router"}, experts.router(), list->size(), hidden_));
    const auto is_float = [this](const format::Linear* linear) {
      return model_.tensors()->Get(linear->weight())->format() == TensorFormat::F32;
    };
    for (const format::Expert* expert : *list) {
      RONDO_RETURN_IF_ERROR(
          CheckLinear({layer, "expert's gate_up"}, expert->gate_up(), gate_up, hidden_));
      RONDO_RETURN_IF_ERROR(
          CheckLinear({layer, "expert's down"}, expert->down(), hidden_, intermediate));
      // Rows are made ready once for all experts.
      if (is_float(expert->gate_up()) != is_float(list->Get(0)->gate_up()) ||
          is_float(expert->down()) != is_float(list->Get(0)->down())) {
        return Wrong(place, "has float32 weights in some experts and not in others");
      }
    }
    return Status();
  }

  const format::Model& model_;
  const bool packed_;
  const uint64_t hidden_;
};

}  // namespace

Status CheckLayers(const format::Model& model, bool packed) {
  return LayerChecker(model, packed).Run();
}

}  // namespace rondo
