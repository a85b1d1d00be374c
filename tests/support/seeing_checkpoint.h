// A small checkpoint of random weights that sees: SmolVLM's kind, with tiles, marks, a tokenizer
// and a chat template.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/reference_data.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo {

// Pictures become up to 3 x 3 tiles of 4 rows each, and 4 rows of the whole.
inline constexpr int32_t kSeeingVocab = 2072;
inline constexpr const char* kPictureText = "<image>";

inline void WriteSeeingCheckpoint(const std::filesystem::path& directory) {
  using Json = nlohmann::json;
  constexpr uint64_t kHidden = 32, kText = 64, kMlp = 48, kPatch = 8, kSide = 4, kMerge = 2;
  const Json config = {{"model_type", "smolvlm"},
                       {"scale_factor", kMerge},
                       {"tie_word_embeddings", true},
                       {"text_config",
                        {{"model_type", "llama"},
                         {"hidden_size", kText},
                         {"intermediate_size", 96},
                         {"num_hidden_layers", 3},
                         {"num_attention_heads", 4},
                         {"num_key_value_heads", 2},
                         {"max_position_embeddings", 512},
                         {"bos_token_id", 0},
                         {"eos_token_id", 1},
                         {"vocab_size", kSeeingVocab}}},
                       {"vision_config",
                        {{"model_type", "smolvlm_vision"},
                         {"hidden_size", kHidden},
                         {"intermediate_size", kMlp},
                         {"num_hidden_layers", 2},
                         {"num_attention_heads", 2},
                         {"image_size", kPatch * kSide},
                         {"patch_size", kPatch}}}};
  const std::string tower = "model.vision_model.";
  convert::Shapes shapes = {
      {"model.connector.modality_projection.proj.weight", {kText, kHidden * kMerge * kMerge}},
      {tower + "embeddings.patch_embedding.weight", {kHidden, 3, kPatch, kPatch}},
      {tower + "embeddings.patch_embedding.bias", {kHidden}},
      {tower + "embeddings.position_embedding.weight", {kSide * kSide, kHidden}},
      {tower + "post_layernorm.weight", {kHidden}},
      {tower + "post_layernorm.bias", {kHidden}}};
  for (const std::string number : {"0.", "1."}) {
    const std::string layer = tower + "encoder.layers." + number;
    for (const char* norm : {"layer_norm1", "layer_norm2"}) {
      shapes[layer + norm + ".weight"] = shapes[layer + norm + ".bias"] = {kHidden};
    }
    for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
      shapes[layer + "self_attn." + part + ".weight"] = {kHidden, kHidden};
      shapes[layer + "self_attn." + part + ".bias"] = {kHidden};
    }
    shapes[layer + "mlp.fc1.weight"] = {kMlp, kHidden};
    shapes[layer + "mlp.fc1.bias"] = {kMlp};
    shapes[layer + "mlp.fc2.weight"] = {kHidden, kMlp};
    shapes[layer + "mlp.fc2.bias"] = {kHidden};
  }
  convert::WriteCheckpointWith(directory, config.dump(), shapes);

  std::ifstream in(std::filesystem::path(kTestData) / "tiny" / "tokenizer.json");
  Json tokenizer = Json::parse(in);
  int32_t id = 2048;
  const auto add = [&](const std::string& text) {
    tokenizer["added_tokens"].push_back({{"id", id++},
                                         {"content", text},
                                         {"single_word", false},
                                         {"lstrip", false},
                                         {"rstrip", false},
                                         {"normalized", false},
                                         {"special", true}});
  };
  for (const char* text :
       {"<fake_token_around_image>", kPictureText, "<global-img>", "<end_of_utterance>"}) {
    add(text);
  }
  for (const char* row : {"1", "2", "3"}) {
    for (const char* column : {"1", "2", "3"}) {
      add(std::string("<row_") + row + "_col_" + column + ">");
    }
  }
  std::ofstream(directory / "tokenizer.json") << tokenizer.dump();
  const Json processor = {{"image_processor",
                           {{"do_image_splitting", true},
                            {"image_mean", {0.5, 0.5, 0.5}},
                            {"image_std", {0.5, 0.5, 0.5}},
                            {"max_image_size", {{"longest_edge", kPatch * kSide}}},
                            {"size", {{"longest_edge", 3 * kPatch * kSide}}},
                            {"resample", 1}}}};
  std::ofstream(directory / "processor_config.json") << processor.dump();
  std::ofstream(directory / "chat_template.jinja")
      << "{% for m in messages %}{{ m['role'] | capitalize }}:{% if m['content'] is string %} "
         "{{ m['content'] }}{% else %}{% for part in m['content'] %}{% if part['type'] == 'image' "
         "%}{{ '<image>' }}{% else %} {{ part['text'] }}{% endif %}{% endfor %}{% endif %}"
         "<end_of_utterance>\n{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}";
}

}  // namespace rondo
