// Adapters as PEFT saves them: what they add is read as PEFT reads it, and what is more than
// low-rank products is refused by name.
#include "tools/convert/sources/peft/peft_adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/peft_folder.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/error_of.h"

namespace rondo::convert {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kQ = "model.layers.0.self_attn.q_proj";
constexpr const char* kV = "model.layers.11.self_attn.v_proj";

PeftModules TwoModules(uint64_t q_rank = 2, uint64_t v_rank = 2) {
  const auto module = [](uint64_t rank) {
    return PeftModule{3, 5, rank, std::vector<float>(rank * 5, 0.5f),
                      std::vector<float>(3 * rank, 0.25f)};
  };
  return {{kQ, module(q_rank)}, {kV, module(v_rank)}};
}

class PeftAdapterTest : public testing::Test {
 protected:
  PeftAdapter Read(const std::string& keys, const PeftModules& modules = TwoModules()) {
    WritePeftFolder(folder_.path(), modules, keys);
    return PeftAdapter(folder_.path());
  }
  std::string ErrorOfKeys(const std::string& keys, const PeftModules& modules = TwoModules()) {
    return SentenceOf([&] { Read(keys, modules); });
  }
  // Of a folder with this tensor beside the others.
  std::string ErrorWithTensor(const std::string& name,
                              const std::vector<uint64_t>& shape = {2, 5}) {
    WritePeftFolder(folder_.path(), TwoModules(), R"("r": 2, "lora_alpha": 2)");
    const fs::path tensors = folder_ / "adapter_model.safetensors";
    fs::rename(tensors, folder_ / "model.safetensors");
    CheckpointTensors all = ReadTensors(folder_.path());
    size_t n = 1;
    for (const uint64_t size : shape) n *= size;
    all[name] = {shape, std::vector<float>(n)};
    WriteTensors(folder_.path(), all);
    fs::rename(folder_ / "model.safetensors", tensors);
    return SentenceOf([&] { PeftAdapter read(folder_.path()); });
  }

  const TempFolder folder_;
};

TEST_F(PeftAdapterTest, ModulesWithTheirScales) {
  const PeftAdapter plain = Read(R"("r": 2, "lora_alpha": 3)");
  ASSERT_EQ(plain.modules().size(), 2u);
  const PeftAdapter::Module& q = plain.modules().at(kQ);
  EXPECT_EQ(q.rank, 2u);
  EXPECT_EQ(q.inputs, 5u);
  EXPECT_EQ(q.outputs, 3u);
  EXPECT_EQ(q.scale, 1.5);
  EXPECT_EQ(plain.Down(q), std::vector<float>(10, 0.5f));
  EXPECT_EQ(plain.Up(q), std::vector<float>(6, 0.25f));
  EXPECT_EQ(Read(R"("r": 2, "lora_alpha": 3, "use_rslora": true)").modules().at(kQ).scale,
            3 / std::sqrt(2.0));
}

// PEFT asks for (.*\.)?(KEY)$ of Python's re; of two that fit the first of the file counts.
TEST_F(PeftAdapterTest, Patterns) {
  const PeftAdapter adapter = Read(R"("r": 2, "lora_alpha": 3, "rank_pattern": {"v_proj": 4},
      "alpha_pattern": {"model\\.layers\\.0\\.self_attn\\.q_proj": 8, "11.self_attn.v_proj": 2})",
                                   TwoModules(2, 4));
  EXPECT_EQ(adapter.modules().at(kQ).scale, 4);
  EXPECT_EQ(adapter.modules().at(kV).scale, 0.5);
  EXPECT_EQ(adapter.largest_rank(), 4u);
  const std::pair<const char*, double> kAlphas[] = {
      // A whole part of the name, and not the end of one.
      {R"({"_proj": 8, "1.self_attn.v_proj": 8, "^self_attn.q_proj": 8})", 3},
      {R"({".*q_proj": 8})", 8},
      {R"x({".*\\.layers\\.0\\..*(q_proj|k_proj)": 16})x", 16},
      {R"({".*\\.layers\\.[1-9]\\..*": 16})", 3},
      {R"({"(?:k|q)_proj": 16})", 16},
      {R"({"q_proj": 16, "layers.0.self_attn.q_proj": 2})", 16},
      {R"({"layers.0.self_attn.q_proj": 2, "q_proj": 16})", 2},
      {R"({"k_proj|q_proj": 5})", 5},
  };
  for (const auto& [pattern, alpha] : kAlphas) {
    const std::string keys = R"("r": 2, "lora_alpha": 3, "alpha_pattern": )" + std::string(pattern);
    EXPECT_EQ(Read(keys).modules().at(kQ).scale, alpha / 2) << pattern;
  }
  EXPECT_THAT(ErrorOfKeys(R"("r": 2, "lora_alpha": 3, "alpha_pattern": {"q_proj(": 8})"),
              HasSubstr("key alpha_pattern has the pattern q_proj(, which is no regular "
                        "expression: missing closing parenthesis"));
  EXPECT_THAT(ErrorOfKeys(R"("r": 2, "alpha_pattern": {"(.*.*.*.*.*.*)*qq": 8})"),
              HasSubstr("takes too many steps on model.layers.0"));
}

// The tensors of other modules PEFT does not read.
TEST_F(PeftAdapterTest, TakesWhatIsTargeted) {
  const std::pair<const char*, bool> kTargets[] = {
      {R"("target_modules": ["q_proj", "v_proj"])", true},
      {R"("target_modules": ["self_attn.v_proj"])", true},
      {R"("target_modules": ["model.layers.11.self_attn.v_proj", "q_proj"])", true},
      {R"("target_modules": ["q_proj", "_proj"])", false},
      {R"("target_modules": ".*\\.(q|v)_proj")", true},
      {R"("target_modules": "q_proj|.*\\.v_pro")", false},
      {R"("target_modules": "All-Linear")", true},
      {R"("target_modules": null)", true},
      {R"("exclude_modules": ["v_proj"])", false},
      {R"("exclude_modules": ["v"])", true},
      {R"("exclude_modules": ".*11.*")", false},
      {R"("exclude_modules": "v_proj")", true},
      {R"("modules_to_save": ["v_proj"])", false},
      {R"("target_modules": ["q_proj", "v_proj"], "layers_to_transform": [0, 11])", true},
      {R"("target_modules": ["q_proj", "v_proj"], "layers_to_transform": 0)", false},
      {R"("target_modules": ["q_proj", "v_proj"], "layers_to_transform": [])", true},
      {R"("target_modules": ["v_proj"], "layers_to_transform": [11], "layers_pattern": "h")",
       false},
      {R"("target_modules": ["v_proj"], "layers_to_transform": [11],
          "layers_pattern": ["h", "layers"])",
       true},
      // Which does not count beside a pattern.
      {R"("target_modules": ".*_proj", "layers_to_transform": [0])", true},
  };
  for (const auto& [keys, takes] : kTargets) {
    const std::string all = R"("r": 2, "lora_alpha": 2, )" + std::string(keys);
    const std::string error = ErrorOfKeys(all);
    if (!error.empty()) {
      EXPECT_THAT(error, HasSubstr("no tensors of LoRA for modules that adapter_config.json "));
      EXPECT_FALSE(takes) << keys;
      continue;
    }
    const PeftAdapter adapter(folder_.path());
    EXPECT_EQ(adapter.modules().contains(kV), takes) << keys;
    if (!takes) {
      ASSERT_EQ(adapter.notes().size(), 1u);
      EXPECT_THAT(adapter.notes()[0], HasSubstr(std::string("for module ") + kV + " is left out"));
    }
  }
}

TEST_F(PeftAdapterTest, RanksThatContradictEachOther) {
  EXPECT_THAT(ErrorOfKeys(R"("r": 4, "lora_alpha": 3)"),
              HasSubstr("module model.layers.0.self_attn.q_proj has rank 2, adapter_config.json "
                        "says 4"));
  PeftModules modules = TwoModules();
  modules.at(kQ).up.resize(9);
  WritePeftFolder(folder_.path(), TwoModules(), R"("r": 2, "lora_alpha": 2)");
  EXPECT_THAT(ErrorWithTensor(std::string("base_model.model.") + kQ + ".lora_B.weight", {3, 3}),
              HasSubstr("lora_A has rank 2, lora_B has rank 3"));
}

TEST_F(PeftAdapterTest, WhatIsMoreThanProductsIsRefused) {
  const std::pair<const char*, const char*> kRefused[] = {
      {R"("use_dora": true)", "key use_dora is set: DoRA"},
      {R"("use_dora": 1)", "use_dora"},
      {R"("lora_bias": true)", "key lora_bias is set: biases"},
      {R"("use_bdlora": {"nblocks": 2})", "key use_bdlora is set: BD-LoRA"},
      {R"("kasa_config": {"beta": 1})", "key kasa_config is set: KaSA changes the base"},
      {R"("trainable_token_indices": [5])", "key trainable_token_indices is set"},
      {R"("layer_replication": [[0, 4]])", "key layer_replication is set: layers are repeated"},
      {R"("target_modules": [], "target_parameters": ["q_proj.bias"])",
       "key target_parameters holds q_proj.bias: of parameters"},
      {R"("alora_invocation_tokens": [5])", "key alora_invocation_tokens is set"},
      {R"("peft_type": "LOHA")", "key peft_type is LOHA"},
      {R"("init_lora_weights": "pissa")", "key init_lora_weights is pissa"},
      {R"("init_lora_weights": "pissa_niter_4")", "is pissa_niter_4, which changes the base"},
      {R"("init_lora_weights": "olora")", "key init_lora_weights is olora"},
      {R"("init_lora_weights": "corda")", "key init_lora_weights is corda"},
      {R"("init_lora_weights": "loftq")", "key init_lora_weights is loftq"},
      {R"("init_lora_weights": "lora_ga")", "key init_lora_weights is lora_ga"},
      {R"("a_key_of_tomorrow": 0.5)", "key a_key_of_tomorrow is set, which is not known"},
  };
  for (const auto& [keys, sentence] : kRefused) {
    EXPECT_THAT(ErrorOfKeys(R"("r": 2, "lora_alpha": 2, )" + std::string(keys)),
                HasSubstr(sentence));
  }
  for (const char* keys : {R"("a_key_of_tomorrow": null)", R"("loftq_config": {})",
                           R"("init_lora_weights": "gaussian")", R"("layer_replication": null)",
                           R"("modules_to_save": ["lm_head"])", R"("bias": "lora_only")"}) {
    EXPECT_EQ(ErrorOfKeys(R"("r": 2, "lora_alpha": 2, )" + std::string(keys)), "");
  }
}

TEST_F(PeftAdapterTest, TensorsOfOtherKindsAreRefused) {
  const std::string module = std::string("base_model.model.") + kQ;
  EXPECT_THAT(ErrorWithTensor(module + ".lora_magnitude_vector"), HasSubstr("is of DoRA"));
  EXPECT_THAT(ErrorWithTensor(module + ".lora_B.bias"), HasSubstr("none of a plain LoRA's"));
  EXPECT_THAT(ErrorWithTensor(module + ".token_adapter.trainable_tokens_delta"),
              HasSubstr("is of single tokens that were trained"));
  EXPECT_THAT(ErrorWithTensor("model.x.weight"), HasSubstr("none of a plain LoRA's"));
  EXPECT_THAT(ErrorWithTensor("model.x.lora_A.weight"), HasSubstr("none of a plain LoRA's"));
  EXPECT_THAT(ErrorWithTensor(module + ".base_layer.lora_A.weight"),
              HasSubstr("has the tensors of 2 parameters, of which adapter_config.json targets 1"));
  EXPECT_THAT(ErrorWithTensor("base_model.model.x.lora_A.weight", {2}),
              HasSubstr("is not a matrix"));
  EXPECT_THAT(ErrorWithTensor("base_model.model.x.lora_A.weight"),
              HasSubstr("module x has a tensor lora_A, but no lora_B"));
  EXPECT_THAT(ErrorWithTensor(module + ".lora_A.default.weight"), HasSubstr("is there twice"));
}

TEST_F(PeftAdapterTest, FoldersThatHoldNone) {
  const auto error = [&] { return SentenceOf([&] { PeftAdapter read(folder_.path()); }); };
  EXPECT_THAT(error(), HasSubstr("holds no adapter_config.json"));
  std::ofstream(folder_ / "adapter_config.json") << "{}";
  EXPECT_THAT(error(), HasSubstr("holds no adapter_model.safetensors"));
  std::ofstream(folder_ / "adapter_model.bin") << "x";
  EXPECT_THAT(error(), HasSubstr("adapter_model.bin is not read"));
}

TEST(BareModuleName, LeavesOutWhatClassesBeginWith) {
  EXPECT_EQ(BareModuleName("model.layers.0.mlp"), "layers.0.mlp");
  EXPECT_EQ(BareModuleName("model.language_model.layers.0.mlp"), "layers.0.mlp");
  EXPECT_EQ(BareModuleName("language_model.model.layers.0.mlp"), "layers.0.mlp");
  EXPECT_EQ(BareModuleName("model.vision_tower.layers.0.mlp"), "vision_tower.layers.0.mlp");
  EXPECT_EQ(BareModuleName("transformer.h.0.attn"), "h.0.attn");
}

}  // namespace
}  // namespace rondo::convert
