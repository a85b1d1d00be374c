// A Llama checkpoint of random weights in any shape, as transformers would save it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rondo::convert {

struct CheckpointShape {
  uint32_t vocab_size = 32;
  uint32_t hidden_size = 16;
  uint32_t intermediate_size = 24;
  uint32_t n_layers = 1;
  uint32_t n_heads = 2;
  uint32_t n_kv_heads = 1;
  uint32_t head_dim = 8;
  uint32_t context_length = 64;
  bool tied = false;
  bool attention_bias = false;
  bool mlp_bias = false;
  std::string dtype = "BF16";         // F32, F16 or BF16
  std::string rope_scaling = "null";  // JSON
  double rope_theta = 10000.0;
  uint64_t shard_bytes = 0;  // at most so many bytes of data in a file; 0: one file
  bool zeros = false;        // all weights zero, in sparse files
  uint64_t seed = 1;
};

// config.json and model.safetensors, or shards with their index; no tokenizer. `directory` is made
// if it is absent. Needs memory for one buffer, whatever the shape. Throws std::exception.
void WriteRandomCheckpoint(const std::filesystem::path& directory, const CheckpointShape& shape);

}  // namespace rondo::convert
