#include "tests/tools/convert/random_checkpoint.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct RandomTensor {
  std::string name;
  std::vector<uint64_t> shape;
  uint64_t size;  // elements
};

std::vector<RandomTensor> ListTensors(const CheckpointShape& s) {
  std::vector<RandomTensor> list;
  const auto add = [&](const std::string& name, uint64_t rows, uint64_t cols) {
    list.push_back({name, cols == 0 ? std::vector{rows} : std::vector{rows, cols},
                    rows * std::max<uint64_t>(cols, 1)});
  };
  const auto linear = [&](const std::string& name, uint64_t rows, uint64_t cols, bool bias) {
    add(name + ".weight", rows, cols);
    if (bias) add(name + ".bias", rows, 0);
  };
  const uint64_t q = uint64_t{s.n_heads} * s.head_dim, kv = uint64_t{s.n_kv_heads} * s.head_dim;
  add("model.embed_tokens.weight", s.vocab_size, s.hidden_size);
  for (uint32_t i = 0; i < s.n_layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    add(layer + "input_layernorm.weight", s.hidden_size, 0);
    linear(layer + "self_attn.q_proj", q, s.hidden_size, s.attention_bias);
    linear(layer + "self_attn.k_proj", kv, s.hidden_size, s.attention_bias);
    linear(layer + "self_attn.v_proj", kv, s.hidden_size, s.attention_bias);
    linear(layer + "self_attn.o_proj", s.hidden_size, q, s.attention_bias);
    add(layer + "post_attention_layernorm.weight", s.hidden_size, 0);
    linear(layer + "mlp.gate_proj", s.intermediate_size, s.hidden_size, s.mlp_bias);
    linear(layer + "mlp.up_proj", s.intermediate_size, s.hidden_size, s.mlp_bias);
    linear(layer + "mlp.down_proj", s.hidden_size, s.intermediate_size, s.mlp_bias);
  }
  add("model.norm.weight", s.hidden_size, 0);
  if (!s.tied) add("lm_head.weight", s.vocab_size, s.hidden_size);
  return list;
}

void WriteConfig(const fs::path& path, const CheckpointShape& s) {
  const json config = {{"architectures", {"LlamaForCausalLM"}},
                       {"model_type", "llama"},
                       {"vocab_size", s.vocab_size},
                       {"hidden_size", s.hidden_size},
                       {"intermediate_size", s.intermediate_size},
                       {"num_hidden_layers", s.n_layers},
                       {"num_attention_heads", s.n_heads},
                       {"num_key_value_heads", s.n_kv_heads},
                       {"head_dim", s.head_dim},
                       {"max_position_embeddings", s.context_length},
                       {"rms_norm_eps", 1e-5},
                       {"hidden_act", "silu"},
                       {"rope_theta", s.rope_theta},
                       {"rope_scaling", json::parse(s.rope_scaling)},
                       {"attention_bias", s.attention_bias},
                       {"mlp_bias", s.mlp_bias},
                       {"tie_word_embeddings", s.tied},
                       {"bos_token_id", 1},
                       {"eos_token_id", 2}};
  std::ofstream(path) << config.dump(1);
}

// Streams values: norms around 1, biases and matrices around 0, so that activations stay small.
class ValueStream {
 public:
  ValueStream(std::ofstream& out, const CheckpointShape& shape) : out_(out), shape_(shape) {}

  void Write(const RandomTensor& tensor) {
    const bool is_norm = tensor.name.find("norm") != std::string::npos;
    const float deviation =
        is_norm ? 0.1f : 1.0f / std::sqrt(static_cast<float>(tensor.shape.back()));
    for (uint64_t done = 0; done < tensor.size;) {
      const uint64_t step = std::min<uint64_t>(tensor.size - done, 1u << 18);
      buffer_.clear();
      for (uint64_t i = 0; i < step; ++i) Put((is_norm ? 1.0f : 0.0f) + deviation * Next());
      out_.write(reinterpret_cast<const char*>(buffer_.data()),
                 static_cast<std::streamsize>(buffer_.size()));
      done += step;
    }
  }

 private:
  // Nearly normal: the sum of four uniform numbers of 16 bits, of variance 1.
  float Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    const uint64_t sum =
        (state_ & 0xffff) + (state_ >> 16 & 0xffff) + (state_ >> 32 & 0xffff) + (state_ >> 48);
    return (static_cast<float>(sum) / 65536.0f - 2.0f) * 1.7320508f;
  }

  void Put(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if (shape_.dtype == "F32") return PutBytes(bits, 4);
    if (shape_.dtype == "BF16") return PutBytes(ToBfloat16(value), 2);
    // Toward zero, and zero below F16's normal range: any F16 number will do.
    const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127 + 15;
    const uint32_t sign = bits >> 16 & 0x8000;
    PutBytes(
        exponent <= 0 ? sign : sign | static_cast<uint32_t>(exponent) << 10 | (bits >> 13 & 0x3ff),
        2);
  }

  void PutBytes(uint32_t bits, int count) {
    for (int i = 0; i < count; ++i) buffer_.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }

  std::ofstream& out_;
  const CheckpointShape& shape_;
  uint64_t state_ = shape_.seed * 0x9e3779b97f4a7c15 + 1;
  std::vector<uint8_t> buffer_;
};

void WriteFile(const fs::path& path, const std::vector<RandomTensor>& tensors,
               const CheckpointShape& shape, uint64_t element_bytes) {
  json header = {{"__metadata__", {{"format", "pt"}}}};
  uint64_t offset = 0;
  for (const RandomTensor& tensor : tensors) {
    const uint64_t end = offset + tensor.size * element_bytes;
    header[tensor.name] = {
        {"dtype", shape.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t header_bytes = text.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&header_bytes), sizeof(header_bytes));
  out << text;
  if (!shape.zeros) {
    ValueStream values(out, shape);
    for (const RandomTensor& tensor : tensors) values.Write(tensor);
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
  if (shape.zeros) fs::resize_file(path, sizeof(header_bytes) + header_bytes + offset);
}

}  // namespace

void WriteRandomCheckpoint(const fs::path& directory, const CheckpointShape& shape) {
  fs::create_directories(directory);
  WriteConfig(directory / "config.json", shape);
  const uint64_t element_bytes = shape.dtype == "F32" ? 4 : 2;
  std::vector<std::vector<RandomTensor>> shards(1);
  uint64_t shard_bytes = 0;
  for (const RandomTensor& tensor : ListTensors(shape)) {
    const uint64_t bytes = tensor.size * element_bytes;
    if (shape.shard_bytes != 0 && shard_bytes > 0 && shard_bytes + bytes > shape.shard_bytes) {
      shards.emplace_back();
      shard_bytes = 0;
    }
    shards.back().push_back(tensor);
    shard_bytes += bytes;
  }
  if (shape.shard_bytes == 0) {
    WriteFile(directory / "model.safetensors", shards.front(), shape, element_bytes);
    return;
  }
  json map;
  for (size_t i = 0; i < shards.size(); ++i) {
    char name[64];
    std::snprintf(name, sizeof(name), "model-%05zu-of-%05zu.safetensors", i + 1, shards.size());
    CheckpointShape part = shape;
    part.seed += i;
    WriteFile(directory / name, shards[i], part, element_bytes);
    for (const RandomTensor& tensor : shards[i]) map[tensor.name] = name;
  }
  std::ofstream(directory / "model.safetensors.index.json") << json{{"weight_map", map}}.dump(1);
}

}  // namespace rondo::convert
