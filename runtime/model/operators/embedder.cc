// The check of what makes a model turn texts into vectors.
#include <cstring>
#include <string_view>

#include "runtime/base/utf8.h"
#include "runtime/model/limits.h"
#include "runtime/model/linears.h"
#include "runtime/model/operators/layer_checker.h"

namespace rondo {

namespace {

Status CheckText(const char* what, const flatbuffers::String* text, uint64_t most) {
  if (text == nullptr) return Corrupt("%s is absent", what);
  if (text->size() > most) {
    return Corrupt("%s has %u bytes, expected at most %llu", what, text->size(), ull{most});
  }
  const std::span<const uint8_t> bytes(text->Data(), text->size());
  if (Utf8Prefix(bytes) == bytes.size()) return Status();
  return Corrupt("%s is no UTF-8", what);
}

// Each place stands at most once; of the query and the document, exactly once.
Status CheckPair(const flatbuffers::String* pair) {
  if (pair == nullptr) return Status();
  RONDO_RETURN_IF_ERROR(CheckText("the text of a pair", pair, kMaxPromptBytes));
  const std::string_view text(pair->c_str(), pair->size());
  for (const std::string_view name : {"{query}", "{document}", "{instruction}"}) {
    const size_t at = text.find(name);
    const bool twice = at != text.npos && text.find(name, at + 1) != text.npos;
    if (twice || (at == text.npos && name != "{instruction}")) {
      return Corrupt("the text of a pair has %s %s, expected once", name.data(),
                     twice ? "twice" : "nowhere");
    }
  }
  return Status();
}

// A row's text is told by the rows before it, which therefore are of its pass.
Status CheckSeparator(const format::Model& model) {
  const int32_t separator = model.embedder()->separator();
  if (separator == -1) return Status();
  RONDO_RETURN_IF_ERROR(CheckRange("the separator of pairs", static_cast<uint64_t>(separator), 0,
                                   uint64_t{model.vocab_size()} - 1));
  if (model.embedder()->pair() == nullptr) return Corrupt("a separator is there, but no pair");
  for (const format::Layer* layer : *model.layers()) {
    for (const format::Sublayer* sublayer : *layer->sublayers()) {
      const format::Attention* attention = sublayer->op_as_Attention();
      if (attention != nullptr && attention->bidirectional()) return Status();
    }
  }
  return Corrupt("a separator is there, but no attention sees both sides");
}

Status CheckPrompts(const format::Embedder& embedder) {
  const auto* prompts = embedder.prompts();
  const uint32_t n = prompts == nullptr ? 0 : prompts->size();
  RONDO_RETURN_IF_ERROR(CheckRange("the number of prompts", n, 0, kMaxPrompts));
  for (uint32_t i = 0; i < n; ++i) {
    const format::Prompt& prompt = *prompts->Get(i);
    RONDO_RETURN_IF_ERROR(CheckText("a prompt's name", prompt.name(), kMaxPromptNameBytes));
    if (prompt.text() != nullptr) {  // else it is empty
      RONDO_RETURN_IF_ERROR(CheckText("a prompt's text", prompt.text(), kMaxPromptBytes));
    }
    for (uint32_t j = 0; j < i; ++j) {
      if (std::strcmp(prompts->Get(j)->name()->c_str(), prompt.name()->c_str()) == 0) {
        return Corrupt("two prompts have one name");
      }
    }
  }
  if (embedder.default_prompt() >= -1 && embedder.default_prompt() < static_cast<int64_t>(n)) {
    return Status();
  }
  return Corrupt("the default prompt is number %d of %u", embedder.default_prompt(), n);
}

}  // namespace

Status CheckDense(const LayerChecker& checker, const DenseLayers* all, uint64_t* size) {
  const uint32_t n = all == nullptr ? 0 : all->size();
  const Place place = {-1, "dense layer behind the pooling"};
  RONDO_RETURN_IF_ERROR(CheckRange("the number of dense layers", n, 0, kMaxDense));
  for (uint32_t i = 0; i < n; ++i) {
    const format::Dense& dense = *all->Get(i);
    const format::Linear* linear = dense.linear();
    // A wrong index is CheckLinear's to refuse.
    const bool known = linear != nullptr && linear->weight() < checker.tensors().size();
    const uint64_t rows = known ? checker.tensors().Get(linear->weight())->rows() : 1;
    RONDO_RETURN_IF_ERROR(CheckRange("the size of a dense layer", rows, 1, kMaxHidden));
    RONDO_RETURN_IF_ERROR(checker.CheckLinear(place, linear, rows, *size));
    if (dense.activation() > format::DenseActivation::MAX) {
      return UnknownKind(place, "activation", static_cast<unsigned>(dense.activation()));
    }
    *size = DenseSize(dense, rows);
    if (*size < rows && rows % 2 != 0) return Wrong(place, "gates an odd number of channels");
    RONDO_RETURN_IF_ERROR(
        checker.CheckNorm(place, dense.norm(), dense.norm_first() ? rows : *size));
  }
  return Status();
}

Status CheckEmbedder(const LayerChecker& checker) {
  const format::Model& model = checker.model();
  const format::Embedder* embedder = model.embedder();
  if (embedder == nullptr) return Status();
  const Place place = {-1, "embedder"};
  if (model.head() != nullptr || model.draft_head() != nullptr || model.assistant() != nullptr ||
      model.alt_up() != nullptr || model.logit_soft_cap() != 0) {
    return Wrong(place,
                 "stands beside an output head, a draft head, an assistant, residual streams or "
                 "capped logits");
  }
  if (embedder->pooling() > format::Pooling::MAX) {
    return UnknownKind(place, "pooling", static_cast<unsigned>(embedder->pooling()));
  }
  RONDO_RETURN_IF_ERROR(
      CheckRange("the embedder's max_tokens", embedder->max_tokens(), 0, model.context_length()));
  RONDO_RETURN_IF_ERROR(CheckPrompts(*embedder));
  RONDO_RETURN_IF_ERROR(CheckPair(embedder->pair()));
  RONDO_RETURN_IF_ERROR(CheckSeparator(model));
  uint64_t size = checker.hidden();
  RONDO_RETURN_IF_ERROR(CheckDense(checker, embedder->dense(), &size));
  if (embedder->pair() == nullptr || size == 1) return Status();
  return Corrupt("the model scores pairs, but makes %llu numbers of one, expected 1", ull{size});
}

}  // namespace rondo
