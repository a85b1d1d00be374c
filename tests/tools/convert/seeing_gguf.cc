#include "tests/tools/convert/seeing_gguf.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tests/support/places.h"
#include "tests/tools/convert/checkpoint_tensors.h"

namespace rondo::convert {

namespace {

using nlohmann::json;

const std::filesystem::path kFolder = std::filesystem::path(kTestData) / "seeing";
constexpr uint32_t kTextHidden = 64, kTextHeads = 4, kTextKeyHeads = 2, kTextLayers = 3;

using Parts = std::vector<std::pair<std::string, std::string>>;
const Parts kTextParts = {{"model.text_model.", ""},
                          {"embed_tokens", "token_embd"},
                          {"layers.", "blk."},
                          {"input_layernorm", "attn_norm"},
                          {"post_attention_layernorm", "ffn_norm"},
                          {"self_attn.q_proj", "attn_q"},
                          {"self_attn.k_proj", "attn_k"},
                          {"self_attn.v_proj", "attn_v"},
                          {"self_attn.o_proj", "attn_output"},
                          {"mlp.gate_proj", "ffn_gate"},
                          {"mlp.up_proj", "ffn_up"},
                          {"mlp.down_proj", "ffn_down"}};
const Parts kTowerParts = {{"model.connector.modality_projection.proj", "mm.model.fc"},
                           {"model.vision_model.", "v."},
                           {"embeddings.patch_embedding", "patch_embd"},
                           {"embeddings.position_embedding", "position_embd"},
                           {"post_layernorm", "post_ln"},
                           {"encoder.layers.", "blk."},
                           {"layer_norm", "ln"},
                           {"self_attn.q_proj", "attn_q"},
                           {"self_attn.k_proj", "attn_k"},
                           {"self_attn.v_proj", "attn_v"},
                           {"self_attn.out_proj", "attn_out"},
                           {"mlp.fc1", "ffn_up"},
                           {"mlp.fc2", "ffn_down"}};

// A checkpoint's name with its parts as the file calls them.
std::string Called(std::string name, const Parts& parts) {
  for (const auto& [theirs, ours] : parts) {
    const size_t at = name.find(theirs);
    if (at != std::string::npos) name.replace(at, theirs.size(), ours);
  }
  return name == "norm.weight" ? "output_norm.weight" : name;
}

// Rows i and i + half of each head become neighbours, as llama.cpp turns them.
std::vector<float> Paired(const TensorValues& tensor, uint32_t n_heads) {
  const size_t cols = tensor.shape[1], head = tensor.shape[0] / n_heads, half = head / 2;
  std::vector<float> paired(tensor.values.size());
  for (size_t row = 0; row < tensor.shape[0]; ++row) {
    const size_t within = row % head, to = row / head * head + within % half * 2 + within / half;
    std::copy_n(&tensor.values[row * cols], cols, &paired[to * cols]);
  }
  return paired;
}

void AddVocabulary(GgufWriter& writer) {
  std::ifstream file(kFolder / "tokenizer.json");
  const json tokenizer = json::parse(file);
  const json &vocab = tokenizer["model"]["vocab"], &added = tokenizer["added_tokens"];
  std::vector<std::string> tokens(vocab.size() + added.size());
  std::vector<int32_t> types(tokens.size(), 1);
  for (const auto& [text, id] : vocab.items()) tokens[id.get<size_t>()] = text;
  for (const json& token : added) {
    tokens[token["id"].get<size_t>()] = token["content"];
    types[token["id"].get<size_t>()] = 3;
  }
  std::ifstream chat(kFolder / "chat_template.jinja");
  writer.Key("tokenizer.ggml.model", std::string("gpt2"))
      .Key("tokenizer.ggml.pre", std::string("gpt-2"))
      .Array<std::string>("tokenizer.ggml.tokens", tokens)
      .Array<int32_t>("tokenizer.ggml.token_type", types)
      .Array<std::string>("tokenizer.ggml.merges", {})
      .Key("tokenizer.ggml.bos_token_id", uint32_t{256})
      .Key("tokenizer.ggml.eos_token_id", uint32_t{257})
      .Key("tokenizer.chat_template",
           std::string(std::istreambuf_iterator<char>(chat), std::istreambuf_iterator<char>()));
}

}  // namespace

GgufWriter SeeingText() {
  GgufWriter writer;
  writer.Key("general.architecture", std::string("llama"))
      .Key("llama.block_count", kTextLayers)
      .Key("llama.context_length", uint32_t{512})
      .Key("llama.embedding_length", kTextHidden)
      .Key("llama.feed_forward_length", uint32_t{96})
      .Key("llama.attention.head_count", kTextHeads)
      .Key("llama.attention.head_count_kv", kTextKeyHeads)
      .Key("llama.attention.layer_norm_rms_epsilon", 1e-5f)
      .Key("llama.rope.freq_base", 10000.0f);
  AddVocabulary(writer);
  for (const auto& [name, tensor] : ReadTensors(kFolder)) {
    if (!name.starts_with("model.text_model.")) continue;
    const bool is_query = name.find("q_proj") != std::string::npos;
    const bool is_key = name.find("k_proj") != std::string::npos;
    writer.Floats(
        Called(name, kTextParts), tensor.shape,
        is_query || is_key ? Paired(tensor, is_query ? kTextHeads : kTextKeyHeads) : tensor.values);
  }
  return writer;
}

GgufWriter SeeingMmproj::Keys() const {
  GgufWriter writer;
  writer.Key("general.architecture", std::string("clip"))
      .Key("general.type", std::string("mmproj"))
      .Key("clip.has_vision_encoder", sees)
      .Key("clip.projector_type", projector)
      .Key("clip.use_gelu", true)
      .Key("clip.vision.projection_dim", width)
      .Key("clip.vision.image_size", image_size)
      .Key("clip.vision.patch_size", patch_size)
      .Key("clip.vision.embedding_length", hidden)
      .Key("clip.vision.feed_forward_length", uint32_t{48})
      .Key("clip.vision.block_count", n_layers)
      .Key("clip.vision.attention.head_count", n_heads)
      .Key("clip.vision.attention.layer_norm_epsilon", epsilon)
      .Array<float>("clip.vision.image_mean", {0.5f, 0.5f, 0.5f})
      .Array<float>("clip.vision.image_std", {0.5f, 0.5f, 0.5f});
  if (projector == "idefics3") {
    writer.Key("clip.vision.projector.scale_factor", scale_factor)
        .Key("clip.vision.preproc_image_size", uint32_t{96});
  }
  return writer;
}

GgufWriter SeeingMmproj::Whole() const {
  GgufWriter writer = Keys();
  for (const auto& [name, tensor] : ReadTensors(kFolder)) {
    if (name.starts_with("model.text_model.")) continue;
    std::string called = Called(name, kTowerParts);
    if (is_swapped) {
      const bool is_up = called.find("ffn_up") != std::string::npos;
      called =
          Called(called, is_up ? Parts{{"ffn_up", "ffn_down"}} : Parts{{"ffn_down", "ffn_up"}});
    }
    writer.Floats(called, tensor.shape, tensor.values);
  }
  return writer;
}

}  // namespace rondo::convert
