// GGUF files of every architecture: config, tensors and logits against the checkpoints that they
// were made from.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/logits_difference.h"
#include "tests/tools/convert/sources/gguf/reference_gguf.h"
#include "tools/convert/architectures/gguf_rules_of.h"
#include "tools/convert/sources/checkpoint_folder.h"
#include "tools/convert/sources/gguf/gguf_checkpoint.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert::gguf_architecture_model_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kFiles = SharedData("gguf");
const fs::path kReferences = SharedData("ref");

std::vector<float> ReadAll(const Checkpoint& checkpoint, const std::string& name) {
  std::vector<float> values(checkpoint.tensors().at(name).elements());
  checkpoint.Read(name, 0, values);
  return values;
}

struct ArchitectureCase {
  const char* name;
  // What the file does not say as the checkpoint's config.json does: a JSON merge patch from that
  // to what the file says. Empty: nothing.
  const char* patch;
};

class GgufArchitecture : public testing::TestWithParam<ArchitectureCase> {
 protected:
  void SetUp() override { RONDO_SKIP_WITHOUT(kFiles); }
  const std::string name_ = GetParam().name;
  const fs::path path_ = kFiles / "arch" / (name_ + "-f32.gguf");
  const fs::path reference_ = kReferences / name_;
};

// Equal, numbers to float32's precision, and of objects what both have.
void ExpectSame(const json& got, const json& expected, const std::string& key) {
  if (got.is_object() && expected.is_object()) {
    for (const auto& [name, value] : got.items()) {
      std::string inner = key + ".";
      inner += name;
      if (expected.contains(name)) ExpectSame(value, expected[name], inner);
    }
  } else if (got.is_number() && expected.is_number()) {
    EXPECT_NEAR(got.get<double>(), expected.get<double>(), std::fabs(expected.get<double>()) * 1e-6)
        << key;
  } else {
    EXPECT_EQ(got, expected) << key;
  }
}

TEST_P(GgufArchitecture, ConfigIsThatOfTheCheckpoint) {
  const GgufFile file(path_);
  const GgufKeys keys(file);
  std::vector<std::string> notes;
  const json config = ReadGgufConfig(keys, GgufRulesOf(keys), notes);
  json expected = json::parse(std::ifstream(reference_ / "config.json"));
  expected.merge_patch(json::parse(GetParam().patch));
  expected["eos_token_id"] = json::array({expected["eos_token_id"]});
  if (name_ == "llama3") expected.erase("rope_parameters");  // here it is worked out
  if (expected.value("head_dim", json()).is_null()) expected.erase("head_dim");  // worked out
  ExpectSame(config, expected, "config");
}

TEST_P(GgufArchitecture, TensorsAreThoseOfTheCheckpoint) {
  const GgufFile file(path_);
  const GgufKeys keys(file);
  const GgufCheckpoint gguf(keys, GgufRulesOf(keys).names);
  const CheckpointFolder folder(reference_);
  EXPECT_EQ(gguf.tensors().size(), folder.tensors().size());
  const bool is_gemma = name_.starts_with("gemma");
  for (const auto& [name, entry] : folder.tensors()) {
    ASSERT_EQ(gguf.tensors().count(name), 1u) << name;
    gguf.Find(name, entry.shape);
    const std::vector<float> expected = ReadAll(folder, name), got = ReadAll(gguf, name);
    // 1 was added to the norms of Gemma in float32.
    const float tolerance = is_gemma && name.find("norm") != std::string::npos ? 1.2e-7f : 0.0f;
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::fabs(got[i] - expected[i]), tolerance) << name << " " << i;
    }
  }
}

// Of the file converted to float32, against those of the checkpoint, over 70 tokens.
LogitsDifference AgainstReference(const fs::path& path, const std::string& reference) {
  const fs::path folder = kReferences / reference;
  const auto expected = ReadTensor<float>(folder / "reference.safetensors", "p70.logits");
  const std::vector<int32_t> ids = PromptOf(folder);
  const LogitsDifference difference =
      Compare(FloatLogits(path, ids), expected, expected.size() / ids.size());
  std::printf("%-14s largest %.2e  divergence %.2e\n", reference.c_str(), difference.largest,
              difference.divergence);
  return difference;
}

// Where the file says less than the checkpoint, against the checkpoint that says the same.
TEST_P(GgufArchitecture, LogitsAreThoseOfTheCheckpoint) {
  if (std::string(GetParam().patch) == "{}") {
    EXPECT_LT(AgainstReference(path_, name_).largest, 1e-4);
    return;
  }
  const TempFolder folder;
  json config = json::parse(std::ifstream(reference_ / "config.json"));
  config.merge_patch(json::parse(GetParam().patch));
  std::ofstream(folder / "config.json") << config;
  fs::create_symlink(reference_ / "model.safetensors", folder / "model.safetensors");
  const std::vector<int32_t> ids = PromptOf(reference_);
  const std::vector<float> expected = FloatLogits(folder.path(), ids);
  const LogitsDifference difference =
      Compare(FloatLogits(path_, ids), expected, expected.size() / ids.size());
  std::printf("%-14s largest %.2e  divergence %.2e  (with %s)\n", name_.c_str(), difference.largest,
              difference.divergence, GetParam().patch);
  EXPECT_LT(difference.largest, 1e-4);
}

// llama.cpp's files have no window for Mistral, no query scale for Gemma 2, and for Gemma 3 only
// its own pattern of layers. Llama 3's scaling of positions is a tensor there.
INSTANTIATE_TEST_SUITE_P(
    All, GgufArchitecture,
    testing::Values(ArchitectureCase{"gemma2", R"({"query_pre_attn_scalar": 32})"},
                    ArchitectureCase{"gemma3",
                                     R"({"layer_types": ["sliding_attention", "sliding_attention",
                             "sliding_attention", "sliding_attention"]})"},
                    ArchitectureCase{"granite", "{}"}, ArchitectureCase{"lfm2", "{}"},
                    ArchitectureCase{"llama3", "{}"},
                    ArchitectureCase{"mistral", R"({"architectures": ["LlamaForCausalLM"],
                                        "model_type": "llama", "sliding_window": null})"},
                    ArchitectureCase{"olmo2", "{}"}, ArchitectureCase{"phi3", "{}"},
                    ArchitectureCase{"qwen2", "{}"}, ArchitectureCase{"qwen3", "{}"},
                    ArchitectureCase{"smollm3", "{}"}),
    [](const auto& param) { return std::string(param.param.name); });

struct WrittenCase {
  const char* reference;
  const char* architecture;
};

class GgufWritten : public testing::TestWithParam<WrittenCase> {};

TEST_P(GgufWritten, LogitsAreThoseOfTheReference) {
  const auto [reference, architecture] = GetParam();
  RONDO_SKIP_WITHOUT(kReferences);
  const TempFolder folder;
  WriteGgufOf(kReferences / reference, architecture, folder / "model.gguf");
  EXPECT_LT(AgainstReference(folder / "model.gguf", reference).largest, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    All, GgufWritten,
    testing::Values(WrittenCase{"mixtral", "llama"}, WrittenCase{"gemma", "gemma"},
                    WrittenCase{"gpt2", "gpt2"}, WrittenCase{"gpt_neox", "gptneox"},
                    WrittenCase{"olmoe", "olmoe"}, WrittenCase{"phi", "phi2"},
                    WrittenCase{"phi3_longrope", "phi3"}, WrittenCase{"qwen3_moe", "qwen3moe"},
                    WrittenCase{"stablelm", "stablelm"}, WrittenCase{"starcoder2", "starcoder2"}),
    [](const auto& param) { return std::string(param.param.reference); });

}  // namespace
}  // namespace rondo::convert::gguf_architecture_model_test
