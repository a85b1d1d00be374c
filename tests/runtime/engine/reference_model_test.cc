// Converted checkpoints against Hugging Face transformers: logits, greedy tokens, and what
// quantisation costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/test_model.h"

namespace rondo::reference_model_test {
namespace {

EngineOptions Options(KvFormat kv) {
  EngineOptions options;
  options.kv_format = kv;
  options.threads = 2;
  return options;
}

std::vector<int32_t> Greedy(Session& session, const std::vector<int32_t>& prompt, size_t n) {
  EXPECT_TRUE(session.Prefill(prompt).ok());
  std::vector<int32_t> ids;
  while (ids.size() < n) {
    const auto event = session.Next();
    if (!event.ok()) throw std::runtime_error(event.status().message());
    ids.push_back(event->token);
  }
  return ids;
}

struct Divergence {
  double kl = 0;    // mean over rows of KL(reference || ours), in nats
  double top1 = 0;  // share of rows with the same most likely token
};

Divergence Compare(const std::vector<float>& reference, const std::vector<float>& ours,
                   size_t vocab) {
  Divergence d;
  const size_t rows = reference.size() / vocab;
  size_t same = 0;
  for (size_t r = 0; r < rows; ++r) {
    const float* a = reference.data() + r * vocab;
    const float* b = ours.data() + r * vocab;
    const auto log_sum = [&](const float* x) {
      const double max = *std::max_element(x, x + vocab);
      double sum = 0;
      for (size_t i = 0; i < vocab; ++i) sum += std::exp(x[i] - max);
      return max + std::log(sum);
    };
    const double la = log_sum(a);
    const double lb = log_sum(b);
    for (size_t i = 0; i < vocab; ++i) {
      d.kl += std::exp(a[i] - la) * ((a[i] - la) - (b[i] - lb)) / static_cast<double>(rows);
    }
    same += std::max_element(a, a + vocab) - a == std::max_element(b, b + vocab) - b ? 1 : 0;
  }
  d.top1 = static_cast<double>(same) / static_cast<double>(rows);
  return d;
}

class ReferenceModel : public testing::TestWithParam<const char*> {
 protected:
  std::filesystem::path Folder() const { return SharedData("ref") / GetParam(); }
  std::filesystem::path Reference() const { return Folder() / "reference.safetensors"; }
};

TEST_P(ReferenceModel, FloatLogitsAndGreedyTokensMatch) {
  RONDO_SKIP_WITHOUT(Folder());
  const TestModel model(Folder(), format::TensorFormat::F32);
  const auto engine = model.NewEngine(Options(KvFormat::kFloat32));
  SessionOptions session_options;
  session_options.ignore_eos = true;
  Session* session = NewSession(*engine, session_options);
  for (const std::string prompt : {"p24", "p70"}) {
    const auto ids = ReadTensor<int32_t>(Reference(), prompt + ".ids");
    const auto expected = ReadTensor<float>(Reference(), prompt + ".logits");
    session->Reset();
    const auto actual = AllLogits(*session, ids);
    ASSERT_EQ(actual.size(), expected.size());
    double worst = 0;
    for (size_t i = 0; i < actual.size(); ++i) {
      worst = std::max<double>(worst, std::abs(actual[i] - expected[i]));
    }
    RecordProperty(prompt + " max |logit difference|", std::to_string(worst));
    std::printf("%s %s: max |logit difference| %.2e\n", GetParam(), prompt.c_str(), worst);
    EXPECT_LE(worst, 2e-4);
    session->Reset();
    EXPECT_EQ(Greedy(*session, ids, 32), ReadTensor<int32_t>(Reference(), prompt + ".greedy"));
  }
}

TEST_P(ReferenceModel, EightBitStaysClose) {
  RONDO_SKIP_WITHOUT(Folder());
  const TestModel model(Folder(), format::TensorFormat::Q8);
  const auto engine = model.NewEngine(Options(KvFormat::kInt8));
  Session* session = NewSession(*engine);
  const auto ids = ReadTensor<int32_t>(Reference(), "p70.ids");
  const auto expected = ReadTensor<float>(Reference(), "p70.logits");
  const auto actual = AllLogits(*session, ids);
  const Divergence d = Compare(expected, actual, model.file().model().vocab_size());
  std::printf("%s q8, int8 KV: KL %.2e, top-1 agreement %.1f %%\n", GetParam(), d.kl, 100 * d.top1);
  // Random weights exaggerate the loss (a trained model's is below 0.005): these bounds only catch
  // a broken path.
  EXPECT_LE(d.kl, 0.05);
  EXPECT_GE(d.top1, 0.8);
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceModel,
                         testing::Values("gemma", "gemma2", "gemma3", "gpt2", "gpt_neox", "granite",
                                         "lfm2", "llama2", "llama2_f16", "llama3", "llama32_tied",
                                         "llama_k256", "llama_yarn", "mistral", "mixtral", "olmo2",
                                         "olmoe", "phi", "phi3", "phi3_longrope", "qwen2", "qwen3",
                                         "qwen3_moe", "smollm3", "stablelm", "starcoder2"),
                         [](const auto& info) { return std::string(info.param); });

TEST(TinyModel, FloatLogitsMatch) {
  const TestModel model(TestData("tiny"), format::TensorFormat::F32);
  const auto engine = model.NewEngine(Options(KvFormat::kFloat32));
  Session* session = NewSession(*engine);
  const auto reference = TestData("tiny/reference.safetensors");
  const auto actual = AllLogits(*session, ReadTensor<int32_t>(reference, "ids"));
  const auto expected = ReadTensor<float>(reference, "logits");
  ASSERT_EQ(actual.size(), expected.size());
  double worst = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    worst = std::max<double>(worst, std::abs(actual[i] - expected[i]));
  }
  std::printf("tiny: max |logit difference| %.2e\n", worst);
  EXPECT_LE(worst, 2e-4);
}

// Prompts, their ids and the greedy continuation that another implementation gave in float32.
void ExpectOracle(const std::filesystem::path& folder) {
  const TestModel model(folder, format::TensorFormat::F32);
  const auto engine = model.NewEngine(Options(KvFormat::kFloat32));
  SessionOptions options;
  options.ignore_eos = true;
  Session* session = NewSession(*engine, options);
  std::ifstream in(folder / "greedy_oracle.json");
  const auto cases = nlohmann::json::parse(in);
  for (const auto& c : cases) {
    const std::vector<int32_t> prompt = c.at("prompt_ids");
    std::vector<int32_t> expected = c.at("ids");
    if (expected.size() > prompt.size() &&
        std::equal(prompt.begin(), prompt.end(), expected.begin())) {
      expected.erase(expected.begin(), expected.begin() + static_cast<long>(prompt.size()));
    }
    session->Reset();
    EXPECT_EQ(Greedy(*session, prompt, expected.size()), expected) << c.at("prompt");
  }
}

TEST(TinyModel, GreedyTokensMatchTheOracle) { ExpectOracle(TestData("tiny")); }

TEST(Stories260K, GreedyTokensMatchTheOracle) {
  RONDO_SKIP_WITHOUT(SharedData("trained/stories260K"));
  ExpectOracle(SharedData("trained/stories260K"));
}

}  // namespace
}  // namespace rondo::reference_model_test
