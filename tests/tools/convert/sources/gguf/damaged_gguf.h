// A small GGUF file to be damaged, and everything that the converter does with one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tools/convert/architectures/gguf_rules_of.h"
#include "tools/convert/sources/gguf/gguf_checkpoint.h"
#include "tools/convert/sources/gguf/gguf_config.h"
#include "tools/convert/tokenizer/gguf_tokenizer.h"

namespace rondo::convert {

inline std::string WholeGguf() {
  GgufWriter writer;
  writer.Key("general.architecture", std::string("llama"))
      .Key("llama.block_count", uint32_t{1})
      .Key("llama.embedding_length", uint32_t{32})
      .Key("llama.feed_forward_length", uint32_t{32})
      .Key("llama.context_length", uint32_t{16})
      .Key("llama.attention.head_count", uint32_t{2})
      .Key("llama.attention.layer_norm_rms_epsilon", 1e-5f)
      .Key("tokenizer.ggml.model", std::string("gpt2"))
      .Key("tokenizer.ggml.pre", std::string("llama-bpe"))
      .Key("tokenizer.ggml.bos_token_id", uint32_t{1})
      .Key("tokenizer.ggml.add_bos_token", true)
      .Array<std::string>("tokenizer.ggml.tokens", {"a", "b", "ab", "<s>"})
      .Array<int32_t>("tokenizer.ggml.token_type", {1, 1, 1, 3})
      .Array<float>("tokenizer.ggml.scores", {0, 0, 0, 0})
      .Array<std::string>("tokenizer.ggml.merges", {"a b"})
      .Floats("rope_freqs.weight", {8}, std::vector<float>(8, 1))
      .Floats("token_embd.weight", {4, 32}, std::vector<float>(128, 0.5f))
      .Tensor("blk.0.attn_q.weight", {32, 32}, kQ40, std::string(32 * 18, '\1'))
      .Floats("blk.0.ffn_up.weight", {1, 32}, std::vector<float>(32, 1));
  return writer.Bytes();
}

// All that the converter does with a GGUF file before and while it reads tensors.
inline void ReadWholeGguf(const std::filesystem::path& path) {
  const GgufFile file(path);
  const GgufKeys keys(file);
  const GgufRules rules = GgufRulesOf(keys);
  std::vector<std::string> notes;
  ReadGgufConfig(keys, rules, notes);
  const GgufCheckpoint checkpoint(keys, rules.names);
  for (const auto& [name, entry] : checkpoint.tensors()) {
    uint64_t elements = 1;
    for (const uint64_t size : entry.shape) elements *= size;
    std::vector<float> values(elements);
    checkpoint.Read(name, 0, values);
    if (checkpoint.BlockOfQ4B(name) == 0) continue;
    std::vector<uint8_t> nibbles(elements / 2);
    std::vector<uint16_t> scales(elements / 32);
    checkpoint.ReadQ4B(name, 0, entry.shape[0], nibbles.data(), scales.data());
  }
  ReadGgufTokenizer(keys.all(), file.metadata(), "model.gguf", notes);
}

}  // namespace rondo::convert
