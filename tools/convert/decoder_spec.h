// DecoderSpec: what an architecture says a model is, before the file is written. The tables of
// runtime/model/rondo.fbs in plain form, and for each tensor the recipe that makes it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace rondo::convert {

enum class TensorRole {
  kVector,     // norm weights and biases: float32 always
  kMatrix,     // [output channels, inputs], in the format of --weights
  kEmbedding,  // embedding and output head, in the format of --embedding
};

// Tensors of the checkpoint stacked by rows; those of a kVector are one-dimensional and are laid
// end to end.
struct TensorRecipe {
  struct Part {
    std::string source;  // name in the checkpoint
    uint64_t rows;       // of a kVector: elements
  };
  std::string name;  // in the Rondo file
  TensorRole role;
  std::vector<Part> parts;
  uint64_t cols;  // of a kVector: 1

  uint64_t rows() const {
    uint64_t sum = 0;
    for (const Part& part : parts) sum += part.rows;
    return sum;
  }
};

struct LinearSpec {
  uint32_t weight;  // index into DecoderSpec::tensors, as all of these
  int32_t bias = -1;
};

struct NormSpec {
  double epsilon;
  uint32_t weight;
};

struct RopeSpec {
  std::vector<double> frequencies;  // radians per position, head_dim / 2 of them
  float scale = 1.0f;
  std::string description;  // for `rondo inspect`
};

struct LayerSpec {
  NormSpec attention_norm;
  uint32_t n_heads, n_kv_heads, head_dim;
  LinearSpec qkv, output;
  int32_t rope;  // index into DecoderSpec::ropes
  float score_scale;
  NormSpec mlp_norm;
  uint32_t intermediate_size;
  LinearSpec gate_up, down;
};

struct DecoderSpec {
  std::string architecture;
  uint32_t vocab_size, hidden_size, context_length;
  int32_t bos_token = -1;
  std::vector<uint32_t> eos_tokens;
  std::vector<TensorRecipe> tensors;  // in the order in which they are written
  uint32_t embedding;
  std::vector<LayerSpec> layers;
  std::vector<RopeSpec> ropes;
  NormSpec final_norm;
  LinearSpec head;
  // Tensors of the checkpoint that may be there and are not needed. Any other that no recipe
  // names is refused: it would mean that the model is not what its config says.
  std::set<std::string> ignored;

  uint32_t Add(TensorRecipe recipe) {
    tensors.push_back(std::move(recipe));
    return static_cast<uint32_t>(tensors.size() - 1);
  }
};

}  // namespace rondo::convert
