#include "runtime/model/layer_check.h"

#include <cmath>

#include "runtime/model/limits.h"
#include "runtime/model/operators/attention.h"
#include "runtime/model/operators/operators.h"

namespace rondo {
namespace {

class LayersCheck {
 public:
  LayersCheck(const format::Model& model, const Tensors& tensors, bool packed)
      : model_(model), checker_(model, tensors, packed) {}

  Status RunTower(const format::Model& text) {
    RONDO_RETURN_IF_ERROR(CheckRopes());
    RONDO_RETURN_IF_ERROR(CheckNormsAndLayers());
    return CheckTower(checker_, text);
  }

  Status Run() {
    RONDO_RETURN_IF_ERROR(CheckRopes());
    RONDO_RETURN_IF_ERROR(checker_.CheckShape({-1, "embedding"}, model_.embedding(),
                                              model_.vocab_size(), checker_.hidden()));
    RONDO_RETURN_IF_ERROR(
        checker_.CheckFactor({-1, "embedding"}, "scale", model_.embedding_scale()));
    RONDO_RETURN_IF_ERROR(checker_.CheckCap({-1, "head"}, model_.logit_soft_cap()));
    if (model_.positions() < -1) return Wrong({-1, "table of positions"}, "has a negative index");
    if (model_.positions() >= 0) {
      RONDO_RETURN_IF_ERROR(checker_.CheckFloats({-1, "table of positions"},
                                                 static_cast<uint64_t>(model_.positions()),
                                                 model_.context_length(), checker_.hidden()));
    }
    RONDO_RETURN_IF_ERROR(CheckOffset());
    RONDO_RETURN_IF_ERROR(CheckLayerEmbeddings(checker_));
    RONDO_RETURN_IF_ERROR(CheckAltUp(checker_));
    RONDO_RETURN_IF_ERROR(CheckNormsAndLayers());
    RONDO_RETURN_IF_ERROR(CheckDraftHead());
    RONDO_RETURN_IF_ERROR(CheckAssistant());
    RONDO_RETURN_IF_ERROR(CheckPrefix());
    RONDO_RETURN_IF_ERROR(CheckEmbedder(checker_));
    if (model_.final_norm() == nullptr) return Wrong({-1, "final norm"}, "is absent");
    if (model_.embedder() == nullptr) {
      RONDO_RETURN_IF_ERROR(checker_.CheckLinear({-1, "head"}, model_.head(), model_.vocab_size(),
                                                 checker_.hidden()));
      if (model_.embedding() == model_.head()->weight()) return Status();
    }
    return checker_.CheckPacked({-1, "embedding"}, model_.embedding(), false);
  }

 private:
  Status CheckNormsAndLayers() {
    RONDO_RETURN_IF_ERROR(
        checker_.CheckNorm({-1, "embedding norm"}, model_.embedding_norm(), checker_.hidden()));
    for (uint32_t i = 0; i < model_.layers()->size(); ++i) {
      RONDO_RETURN_IF_ERROR(CheckLayer(static_cast<int>(i), *model_.layers()->Get(i)));
    }
    return checker_.CheckNorm({-1, "final norm"}, model_.final_norm(), checker_.hidden());
  }

  // Of every row, or of those of each text of a pair.
  Status CheckOffset() {
    const format::Embedder* embedder = model_.embedder();
    const Place place = {-1, "embedding's offset"};
    if (embedder == nullptr || embedder->separator() < 0) {
      return checker_.CheckBias(place, model_.embedding_offset(), checker_.hidden());
    }
    if (model_.embedding_offset() < 0) return Wrong(place, "is absent beside a separator");
    return checker_.CheckFloats(place, static_cast<uint64_t>(model_.embedding_offset()), 2,
                                checker_.hidden());
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
    RONDO_RETURN_IF_ERROR(CheckLayerAltUp(checker_, index, layer));
    return checker_.CheckBias({index, "scale"}, layer.scale(), 1);
  }

  // Its layer counts as the one behind the model's own.
  Status CheckDraftHead() {
    const format::DraftHead* head = model_.draft_head();
    if (head == nullptr) return Status();
    const Place place = {-1, "draft head"};
    const uint64_t hidden = checker_.hidden();
    if (model_.alt_up() != nullptr || model_.layer_embeddings() != nullptr) {
      return Wrong(place, "stands beside residual streams or layer embeddings");
    }
    if (head->layer() == nullptr) return Wrong(place, "has no layer");
    for (const auto& [what, norm] :
         {std::pair("draft head's embedding norm", head->embedding_norm()),
          {"draft head's hidden norm", head->hidden_norm()},
          {"draft head's norm", head->norm()}}) {
      RONDO_RETURN_IF_ERROR(checker_.CheckNorm({-1, what}, norm, hidden));
    }
    RONDO_RETURN_IF_ERROR(
        checker_.CheckLinear({-1, "draft head's input"}, head->input(), hidden, 2 * hidden));
    RONDO_RETURN_IF_ERROR(
        CheckRange("the draft head's n_tokens", head->n_tokens(), 1, model_.vocab_size()));
    const auto index = static_cast<int>(model_.layers()->size());
    RONDO_RETURN_IF_ERROR(CheckLayer(index, *head->layer()));
    for (const format::Sublayer* sublayer : *head->layer()->sublayers()) {
      const format::Operator type = sublayer->op_type();
      const format::Attention* attention = sublayer->op_as_Attention();
      const bool fits = attention != nullptr ? attention->kv_layer() == kOwnKeys
                                             : type == format::Operator::LatentAttention ||
                                                   type == format::Operator::Mlp ||
                                                   type == format::Operator::Experts;
      if (!fits) {
        return Wrong(place, "has a sublayer that is no attention of its own, MLP or experts");
      }
    }
    return Status();
  }

  Status CheckAssistant() {
    const format::Assistant* assistant = model_.assistant();
    if (assistant == nullptr) return Status();
    const Place place = {-1, "assistant"};
    if (model_.draft_head() != nullptr || model_.alt_up() != nullptr ||
        model_.layer_embeddings() != nullptr || model_.positions() >= 0 ||
        model_.embedding_norm() != nullptr || model_.logit_soft_cap() != 0) {
      return Wrong(place,
                   "stands beside a draft head, residual streams, layer embeddings, positions, a "
                   "norm of embeddings or capped logits");
    }
    const uint64_t hidden = checker_.hidden(), other = assistant->other_hidden_size();
    RONDO_RETURN_IF_ERROR(CheckRange("the assistant's other_hidden_size", other, 1, kMaxHidden));
    RONDO_RETURN_IF_ERROR(
        CheckRange("the assistant's n_tokens", assistant->n_tokens(), 1, model_.vocab_size()));
    RONDO_RETURN_IF_ERROR(
        checker_.CheckLinear({-1, "assistant's input"}, assistant->input(), hidden, 2 * other));
    RONDO_RETURN_IF_ERROR(
        checker_.CheckLinear({-1, "assistant's output"}, assistant->output(), other, hidden));
    return CheckPlainLayers(place);
  }

  Status CheckPrefix() {
    if (!model_.prefix_sees_whole()) return Status();
    const Place place = {-1, "prefix"};
    if (model_.draft_head() != nullptr || model_.assistant() != nullptr ||
        model_.embedder() != nullptr) {
      return Wrong(place, "stands beside a draft head, an assistant or an embedder");
    }
    for (uint32_t i = 0; model_.ropes() != nullptr && i < model_.ropes()->size(); ++i) {
      if (model_.ropes()->Get(i)->short_context() == 0) continue;
      return Wrong(place, "stands beside frequencies for long sequences");
    }
    return CheckPlainLayers(place);
  }

  Status CheckPlainLayers(const Place& place) {
    for (const format::Layer* layer : *model_.layers()) {
      for (const format::Sublayer* sublayer : *layer->sublayers()) {
        const format::Operator type = sublayer->op_type();
        if (type == format::Operator::Attention || type == format::Operator::Mlp ||
            type == format::Operator::Experts) {
          continue;
        }
        return Wrong(place, "has a sublayer that is no attention, MLP or experts");
      }
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
    const OperatorRule& rule = RuleOf(type);
    if (!std::isfinite(sublayer.factor()) || !std::isfinite(sublayer.residual_factor())) {
      return Wrong({layer, rule.name}, "has a factor that is not finite");
    }
    RONDO_RETURN_IF_ERROR(
        checker_.CheckNorm({layer, rule.norm}, sublayer.norm(), checker_.hidden()));
    RONDO_RETURN_IF_ERROR(
        checker_.CheckNorm({layer, rule.post_norm}, sublayer.post_norm(), checker_.hidden()));
    RONDO_RETURN_IF_ERROR(checker_.CheckNorm({layer, "norm of the residual stream"},
                                             sublayer.residual_norm(), checker_.hidden()));
    return rule.check(checker_, layer, sublayer);
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

  Status CheckAxes(const format::Rope& rope) {
    if (rope.axes() == nullptr) return Status();
    if (rope.axes()->size() != rope.frequencies()->size()) {
      return Corrupt("a rope has %u frequencies, but axes of %u", rope.frequencies()->size(),
                     rope.axes()->size());
    }
    for (const uint8_t axis : *rope.axes()) {
      if (axis >= kRopeAxes) {
        return Corrupt("a rope turns by axis %u, expected 0 to %u", axis, kRopeAxes - 1);
      }
    }
    return Status();
  }

  Status CheckRopes() {
    if (model_.ropes() == nullptr) return Status();
    for (const format::Rope* rope : *model_.ropes()) {
      if (rope->frequencies() == nullptr || rope->frequencies()->size() == 0) {
        return Corrupt("a rope has no frequencies");
      }
      // Ropes may share them, so their number bounds the work.
      RONDO_RETURN_IF_ERROR(CheckRange("a rope's number of frequencies",
                                       rope->frequencies()->size(), 1, kMaxHeadDim / 2));
      RONDO_RETURN_IF_ERROR(CheckFrequencies(*rope->frequencies()));
      RONDO_RETURN_IF_ERROR(CheckAxes(*rope));
      if (!std::isfinite(rope->scale()) || rope->scale() <= 0) {
        return Corrupt("a rope's scale is %g, expected a finite number above 0",
                       static_cast<double>(rope->scale()));
      }
      if (!std::isfinite(rope->long_scale()) || rope->long_scale() < 0) {
        return Corrupt(
            "a rope's scale for long sequences is %g, expected a finite number above 0, or 0 for "
            "none",
            static_cast<double>(rope->long_scale()));
      }
      if (rope->long_frequencies() == nullptr) {
        if (rope->short_context() != 0 && rope->short_context() != model_.context_length()) {
          return Corrupt("a rope ends at %u tokens, expected the model's context_length, %u",
                         rope->short_context(), model_.context_length());
        }
        if (rope->long_scale() == 0) continue;
        return Corrupt("a rope has a scale for long sequences, but no frequencies for them");
      }
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

  const format::Model& model_;
  const LayerChecker checker_;
};

}  // namespace

Status CheckLayers(const format::Model& model, bool packed) {
  return LayersCheck(model, *model.tensors(), packed).Run();
}

Status CheckVision(const format::Model& whole, bool packed) {
  return LayersCheck(*whole.vision(), *whole.tensors(), packed).RunTower(whole);
}

}  // namespace rondo
