// An adapter's file is for one model: what has no place there is refused by name.
#include "tools/convert/output/write_adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/adapter_models.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/error_of.h"

namespace rondo::convert {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class WriteAdapterTest : public testing::Test {
 protected:
  WriteAdapterTest() {
    WriteCheckpointOf(folder_ / "checkpoint", R"({"architectures": ["MixtralForCausalLM"],
        "vocab_size": 32, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1,
        "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 64,
        "num_local_experts": 4, "num_experts_per_tok": 2})");
    model_.emplace(folder_ / "checkpoint");
  }

  std::string ErrorOfModules(const PeftModules& modules) {
    WritePeftFolder(folder_ / "peft", modules, R"("r": 2, "lora_alpha": 2)");
    return SentenceOf([&] {
      WriteAdapter({.directory = folder_ / "peft",
                    .model = model_->path(),
                    .output = folder_ / "adapter.rondo"});
    });
  }
  static PeftModule Module(uint64_t outputs, uint64_t inputs) {
    return {outputs, inputs, 2, std::vector<float>(2 * inputs, 0.5f),
            std::vector<float>(2 * outputs, 0.5f)};
  }

  const TempFolder folder_;
  std::optional<ModelOnDisk> model_;
};

TEST_F(WriteAdapterTest, ModulesWithoutAPlace) {
  const std::string layer = "model.layers.0.";
  EXPECT_EQ(ErrorOfModules({{layer + "self_attn.q_proj", Module(16, 16)}}), "");
  EXPECT_EQ(ErrorOfModules({{"layers.0.self_attn.q_proj", Module(16, 16)}}), "");
  const std::pair<std::string, const char*> kRefused[] = {
      {layer + "block_sparse_moe.experts.0.w1", "is of a mixture's experts"},
      {layer + "block_sparse_moe.gate", "chooses a mixture's experts"},
      {layer + "self_attn.kv_b_proj", "is of latent attention, of which only the output"},
      {"model.layers.1.self_attn.q_proj", "none of the matrices"},
      {"model.vision_tower.layers.0.self_attn.q_proj", "none of the matrices"},
      {"lm_head", "is the embedding or the output head"},
      {"model.embed_tokens", "is the embedding or the output head"},
  };
  for (const auto& [name, sentence] : kRefused) {
    const std::string error =
        ErrorOfModules({{layer + "self_attn.q_proj", Module(16, 16)}, {name, Module(16, 16)}});
    EXPECT_THAT(error, HasSubstr("module " + name + " "));
    EXPECT_THAT(error, HasSubstr(sentence));
    EXPECT_THAT(error, HasSubstr("--merge"));
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "adapter.rondo"));  // the first ones'
}

// A converter that knows of no powers finds no sources at all.
TEST_F(WriteAdapterTest, WhatWasScaledIsToldApart) {
  EXPECT_NE(model_->file().model().sources(), nullptr);
  EXPECT_EQ(model_->file().model().changed_sources(), nullptr);
  for (const int8_t power : {3, 64, 65, -65}) {
    model_.emplace(folder_ / "checkpoint", format::TensorFormat::F32, "", [&](DecoderSpec& spec) {
      spec.tensors[spec.layers[0].sublayers[0]->op.AsAttention()->qkv->weight].col_powers.assign(
          16, power);
    });
    EXPECT_EQ(model_->file().model().sources(), nullptr);
    ASSERT_NE(model_->file().model().changed_sources(), nullptr);
    const std::string error = ErrorOfModules({{"model.layers.0.self_attn.q_proj", Module(16, 16)}});
    if (std::abs(power) <= 64) {
      EXPECT_EQ(error, "");
    } else {
      EXPECT_THAT(error, HasSubstr("was made of contradicts its shape"));
    }
  }
}

// PEFT's modules_to_save, where there are tensors of them.
TEST_F(WriteAdapterTest, WhatWasTrainedWholeIsMergedOnly) {
  const fs::path peft = folder_ / "peft";
  WritePeftFolder(peft, {{"model.layers.0.self_attn.q_proj", Module(16, 16)}},
                  R"("r": 2, "lora_alpha": 2, "modules_to_save": ["lm_head"])");
  const auto write = [&] {
    WriteAdapter({.directory = peft, .model = model_->path(), .output = folder_ / "adapter.rondo"});
  };
  EXPECT_EQ(SentenceOf(write), "");
  fs::rename(peft / "adapter_model.safetensors", peft / "model.safetensors");
  CheckpointTensors tensors = ReadTensors(peft);
  tensors["base_model.model.lm_head.weight"] = {{32, 16}, std::vector<float>(32 * 16)};
  WriteTensors(peft, tensors);
  fs::rename(peft / "model.safetensors", peft / "adapter_model.safetensors");
  EXPECT_THAT(SentenceOf(write),
              HasSubstr("tensor base_model.model.lm_head.weight was trained whole, but an "
                        "adapter's file holds low-rank products alone: `rondo convert CHECKPOINT "
                        "--merge` can add it"));
}

TEST_F(WriteAdapterTest, ShapesThatDoNotFit) {
  const std::string q = "model.layers.0.self_attn.q_proj";
  EXPECT_THAT(ErrorOfModules({{q, Module(24, 16)}}),
              HasSubstr(q + " is [24, 16], expected [16, 16]"));
  EXPECT_THAT(ErrorOfModules({{q, Module(16, 24)}}), HasSubstr("is [16, 24], expected [16, 16]"));
  EXPECT_THAT(ErrorOfModules({{q, Module(16, 16)}, {"layers.0.self_attn.q_proj", Module(16, 16)}}),
              HasSubstr("is there by two names"));
}

// As one that an older version converted.
TEST_F(WriteAdapterTest, AModelThatDoesNotSayWhatItWasMadeOf) {
  const ModelBytes older = Rewrite(model_->bytes(), [](format::ModelT& m) { m.sources.clear(); });
  const auto write = [&](const ModelBytes& bytes) {
    std::ofstream out(folder_ / "older.rondo", std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.bytes().data()),
              static_cast<std::streamsize>(bytes.bytes().size()));
    out.close();
    WritePeftFolder(folder_ / "peft", {{"model.layers.0.self_attn.q_proj", Module(16, 16)}},
                    R"("r": 2, "lora_alpha": 2)");
    return SentenceOf([&] {
      WriteAdapter({.directory = folder_ / "peft",
                    .model = folder_ / "older.rondo",
                    .output = folder_ / "adapter.rondo"});
    });
  };
  EXPECT_THAT(write(older), HasSubstr("convert the model again"));
  // Nothing that it says is trusted.
  const std::function<void(format::ModelT&)> kChanges[] = {
      [](auto& m) { m.sources[0]->tensor = 1u << 20; },
      [](auto& m) { m.sources[0]->parts.clear(); },
      [](auto& m) { m.sources[0]->parts[0]->rows = UINT32_MAX; },
      [](auto& m) { m.sources[0]->parts[0]->rows += 1; },
      [](auto& m) { m.sources[0]->parts[0]->first_row = UINT32_MAX; },
      [](auto& m) { m.sources[0]->parts[0]->row_step = UINT32_MAX; },
  };
  for (const auto& change : kChanges) {
    EXPECT_THAT(write(Rewrite(model_->bytes(), change)), HasSubstr("contradicts its shape"));
  }
}

}  // namespace
}  // namespace rondo::convert
