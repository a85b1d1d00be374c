#include "tests/tools/chat/script_model.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace rondo {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

// As GPT-2's tokenizers write bytes: those that can be seen as they are, others from U+0100 on.
std::string Written(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    uint32_t code = 0, hidden = 0;
    for (uint32_t b = 0; b <= static_cast<uint8_t>(byte); ++b) {
      const bool seen = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
      code = seen ? b : 256 + hidden++;
    }
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else {
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return text;
}

class Checkpoint {
 public:
  explicit Checkpoint(const Script& script) : script_(script) {
    for (int byte = 0; byte < 256; ++byte) AddToken(std::string(1, static_cast<char>(byte)));
    for (const std::string& chunk : script.chunks) AddToken(chunk);
    for (const std::string& special : script.specials) {
      ids_[special] = n_;
      added_.push_back({{"id", n_++}, {"content", special}, {"special", true}});
      for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) {
        added_.back()[flag] = false;
      }
    }
    width_ = (n_ + 31) / 32 * 32;
  }

  void Write(const fs::path& directory) {
    fs::create_directories(directory);
    const json level = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
    const json tokenizer = {
        {"version", "1.0"},
        {"added_tokens", added_},
        {"normalizer", nullptr},
        {"pre_tokenizer", level},
        {"post_processor", nullptr},
        {"decoder", {{"type", "ByteLevel"}}},
        {"model", {{"type", "BPE"}, {"vocab", vocab_}, {"merges", json::array()}}}};
    std::ofstream(directory / "tokenizer.json") << tokenizer.dump();
    std::ofstream(directory / "tokenizer_config.json")
        << json{{"eos_token", script_.specials[0]}, {"chat_template", script_.chat_template}};
    std::ofstream(directory / "config.json") << json{{"architectures", {"LlamaForCausalLM"}},
                                                     {"model_type", "llama"},
                                                     {"hidden_size", width_},
                                                     {"intermediate_size", 32},
                                                     {"num_hidden_layers", 1},
                                                     {"num_attention_heads", width_ / 32},
                                                     {"num_key_value_heads", 1},
                                                     {"head_dim", 32},
                                                     {"vocab_size", n_},
                                                     {"rms_norm_eps", 1e-6},
                                                     {"max_position_embeddings", script_.context},
                                                     {"hidden_act", "silu"},
                                                     {"tie_word_embeddings", false},
                                                     {"eos_token_id", ids_[script_.specials[0]]}};
    WriteTensors(directory / "model.safetensors");
  }

 private:
  void AddToken(const std::string& bytes) {
    if (ids_.emplace(bytes, n_).second) vocab_[Written(bytes)] = n_++;
  }

  void Add(const std::string& name, std::vector<size_t> shape, const std::vector<float>& values) {
    const size_t begin = data_.size();
    data_.resize(begin + values.size() * sizeof(float));
    std::memcpy(data_.data() + begin, values.data(), values.size() * sizeof(float));
    header_[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, data_.size()}}};
  }

  void WriteTensors(const fs::path& path) {
    const std::vector<float> ones(width_, 1);
    const auto zero = [&](const std::string& name, size_t rows, size_t cols) {
      Add("model.layers.0." + name + ".weight", {rows, cols}, std::vector<float>(rows * cols));
    };
    std::vector<float> embedding(n_ * width_), head(n_ * width_);
    std::vector<size_t> next(n_, ids_[script_.specials[0]]);
    for (const auto& [last, then] : script_.next) next[ids_.at(last)] = ids_.at(then);
    for (size_t i = 0; i < n_; ++i) {
      embedding[i * width_ + i] = 1;
      head[next[i] * width_ + i] = 1;
    }
    Add("model.embed_tokens.weight", {n_, width_}, embedding);
    Add("lm_head.weight", {n_, width_}, head);
    for (const char* norm : {"model.norm", "model.layers.0.input_layernorm",
                             "model.layers.0.post_attention_layernorm"}) {
      Add(std::string(norm) + ".weight", {width_}, ones);
    }
    zero("self_attn.q_proj", width_, width_);
    zero("self_attn.k_proj", 32, width_);
    zero("self_attn.v_proj", 32, width_);
    zero("self_attn.o_proj", width_, width_);
    zero("mlp.gate_proj", 32, width_);
    zero("mlp.up_proj", 32, width_);
    zero("mlp.down_proj", width_, 32);
    const std::string header = header_.dump();
    const uint64_t size = header.size();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << header << data_;
  }

  const Script& script_;
  std::map<std::string, size_t> ids_;
  json vocab_ = json::object(), added_ = json::array(), header_ = json::object();
  size_t n_ = 0, width_ = 0;
  std::string data_;
};

}  // namespace

void WriteScriptModel(const fs::path& directory, const Script& script) {
  Checkpoint(script).Write(directory);
}

std::string ScriptTemplate(bool thoughts) {
  const std::string thought =
      "{% if m.reasoning_content and loop.last %}<think>\n{{ m.reasoning_content }}\n</think>\n\n"
      "{% endif %}";
  return "{% for m in messages %}{% if m.role == 'tool' %}<|im_start|>user\n<tool_response>"
         "{{ m.content }}</tool_response><|im_end|>\n{% else %}<|im_start|>{{ m.role }}\n" +
         (thoughts ? thought : "") +
         "{{ m.content }}{% for c in m.tool_calls %}<tool_call>\n{\"name\": \""
         "{{ c.function.name }}\", \"arguments\": {{ c.function.arguments | tojson }}}\n"
         "</tool_call>{% endfor %}<|im_end|>\n{% endif %}{% endfor %}"
         "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
}

}  // namespace rondo
