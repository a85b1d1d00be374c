// A small model to be damaged, and everything that is done with a model that was opened.
#pragma once

#include "runtime/engine/engine.h"
#include "runtime/engine/session.h"
#include "runtime/model/layers.h"
#include "runtime/model/linears.h"
#include "runtime/model/model_file.h"
#include "runtime/model/tensor_view.h"
#include "tests/support/packed_model.h"

namespace rondo {

// About 10 kB: small enough to try every byte. Portable, or packed for `kernels`.
inline ModelBytes SmallModel(const char* kernels) {
  convert::CheckpointShape shape;
  shape.vocab_size = 12;
  shape.hidden_size = 8;
  shape.intermediate_size = 12;
  shape.n_heads = shape.n_kv_heads = 1;
  shape.attention_bias = true;
  const ConvertedModel model(shape, format::TensorFormat::Q4B, format::TensorFormat::Q4);
  return *kernels == '\0' ? model.portable() : model.packed(kernels);
}

// Everything that the runtime reads of an opened file.
inline uint64_t ReadAll(const ModelFile& file) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < file.model().tensors()->size(); ++i) {
    const TensorView tensor = ViewTensor(file, i);
    for (uint8_t byte : tensor.data) sum += byte;
    for (uint8_t byte : tensor.scales) sum += byte;
    for (uint8_t byte : tensor.tables) sum += byte;
    sum += CheckValues(tensor).ok();
  }
  ForEachOwnLinear(file.model(), true,
                   [&](const format::Linear& linear) { sum += linear.weight(); });
  const Layers layers(file.model(), true);
  for (size_t i = 0; i < layers.size(); ++i) {
    ForEachLinear(layers[i], [&](const format::Linear& linear) { sum += linear.weight(); });
    for (const format::Sublayer* sublayer : *layers[i].sublayers()) {
      if (sublayer->norm() != nullptr) sum += sublayer->norm()->weight();
    }
  }
  return sum;
}

// What is opened can be run. A packed file's weights are taken as they are.
inline void RunIt(const ModelFile& file) {
  EngineOptions options;
  options.kernels = "scalar";
  options.context = 64;
  options.threads = 1;
  options.max_rows = 2;
  options.draft_head = Layers::HasHead(file.model());
  const auto engine = Engine::Create(file, nullptr, options, nullptr, 0);
  if (!engine.ok()) return;
  SessionOptions session_options;
  if (options.draft_head) session_options.speculation = Speculation::kDraftHead;
  const Result<Session*> session = (*engine)->OpenSession(session_options);
  if (!session.ok()) return;
  if ((*engine)->is_embedder()) {
    const std::vector<int32_t> ids = {0, 0};
    const size_t count = ids.size();
    float number;
    Session* const one = *session;
    static_cast<void>(
        Session::Embed(engine->get(), {&one, 1}, {ids.data(), {&count, 1}, 1, &number}));
    return;
  }
  if (!(*session)->Prefill(std::vector<int32_t>{0, 0, 0}).ok()) return;
  for (int i = 0; i < (options.draft_head ? 3 : 1); ++i) static_cast<void>((*session)->Next());
  static_cast<void>((*session)->Undo(2));
  static_cast<void>((*session)->Logits());
}

}  // namespace rondo
