// A whole model of Llama's kind as a GGUF file, small enough for a test to convert and run.
#pragma once

#include <string>
#include <vector>

#include "tests/tools/convert/sources/gguf/gguf_writer.h"

namespace rondo::convert {

struct SmallGguf {
  std::vector<std::string> tokens = {"<unk>", "<s>", "</s>", "\u2581", "a", "b", "ab", "c"};
  std::vector<int32_t> types = {2, 3, 3, 1, 1, 1, 1, 1};
  uint32_t bos = 1;
  bool epsilon = true;
  bool rope_base = true;

  static constexpr uint64_t kRows = 8, kHidden = 16, kInner = 32;

  GgufWriter Keys() const {
    GgufWriter writer;
    writer.Key("general.architecture", std::string("llama"))
        .Key("llama.block_count", uint32_t{1})
        .Key("llama.context_length", uint32_t{64})
        .Key("llama.embedding_length", static_cast<uint32_t>(kHidden))
        .Key("llama.feed_forward_length", static_cast<uint32_t>(kInner))
        .Key("llama.attention.head_count", uint32_t{2});
    if (epsilon) writer.Key("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    if (rope_base) writer.Key("llama.rope.freq_base", 10000.0f);
    writer.Key("tokenizer.ggml.model", std::string("llama"))
        .Array<std::string>("tokenizer.ggml.tokens", tokens)
        .Array<int32_t>("tokenizer.ggml.token_type", types)
        .Array<float>("tokenizer.ggml.scores", std::vector<float>(tokens.size(), -1))
        .Key("tokenizer.ggml.bos_token_id", bos)
        .Key("tokenizer.ggml.eos_token_id", uint32_t{2});
    return writer;
  }
  // Tensors `first` up to `end` of the ten.
  static void AddTensors(GgufWriter& writer, size_t first = 0, size_t end = 10) {
    const std::pair<const char*, std::vector<uint64_t>> kTensors[] = {
        {"token_embd.weight", {kRows, kHidden}},
        {"output_norm.weight", {kHidden}},
        {"blk.0.attn_norm.weight", {kHidden}},
        {"blk.0.attn_q.weight", {kHidden, kHidden}},
        {"blk.0.attn_k.weight", {kHidden, kHidden}},
        {"blk.0.attn_v.weight", {kHidden, kHidden}},
        {"blk.0.attn_output.weight", {kHidden, kHidden}},
        {"blk.0.ffn_norm.weight", {kHidden}},
        {"blk.0.ffn_up.weight", {kInner, kHidden}},
        {"blk.0.ffn_down.weight", {kHidden, kInner}}};
    for (size_t i = first; i < end; ++i) {
      const auto& [name, shape] = kTensors[i];
      std::vector<float> values(shape[0] * (shape.size() > 1 ? shape[1] : 1));
      for (size_t j = 0; j < values.size(); ++j) {
        values[j] = static_cast<float>((j * 7 + i) % 13) / 13 - 0.4f;
      }
      writer.Floats(name, shape, values);
      if (i == 8) writer.Floats("blk.0.ffn_gate.weight", shape, values);
    }
  }
  GgufWriter Whole() const {
    GgufWriter writer = Keys();
    AddTensors(writer);
    return writer;
  }
};

}  // namespace rondo::convert
