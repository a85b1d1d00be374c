// An assistant against the forward pass in plain loops; and what asks for one that does not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "platforms/memory.h"
#include "tests/runtime/model/plain_forward.h"
#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/identities/scale_at_random.h"

namespace rondo::assistant_test {
namespace {

using nlohmann::json;

// Heads of two sizes, a window, and layers that share keys, so that the last of a kind is not the
// last.
const json kModel = json::parse(R"({"architectures": ["Gemma4ForCausalLM"], "vocab_size": 97,
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 6, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "global_head_dim": 16, "sliding_window": 20,
    "max_position_embeddings": 400, "num_kv_shared_layers": 2, "hidden_size_per_layer_input": 0,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention",
                    "sliding_attention", "full_attention"]})");
const json kAssistant = json::parse(R"({"architectures": ["Gemma4AssistantForCausalLM"],
    "backbone_hidden_size": 32, "text_config": {"vocab_size": 97, "hidden_size": 16,
    "intermediate_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "global_head_dim": 16, "sliding_window": 20,
    "max_position_embeddings": 400, "num_kv_shared_layers": 3, "hidden_size_per_layer_input": 0,
    "layer_types": ["sliding_attention", "full_attention", "full_attention"]}})");

// Scores are not scaled down, and so steep a softmax makes much of what floats round: attention
// adds little to what each of these layers passes on.
TestModel Converted(const json& config, format::TensorFormat weights = format::TensorFormat::F32,
                    bool scaled = false) {
  const TempFolder folder;
  convert::WriteCheckpointWithDraftHead(folder / "model", config.dump());
  if (!scaled) return TestModel(folder / "model", weights);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.weights = options.embedding = weights;
  options.change = std::bind_front(convert::ScaleAtRandom, 2);
  return TestModel(options);
}

// `scaled`: equal models, whose channels have other scales, each by itself.
void ExpectPlainLogits(bool scaled) {
  const TestModel plain_model = Converted(kModel), plain_assistant = Converted(kAssistant);
  const TestModel model = Converted(kModel, format::TensorFormat::F32, scaled);
  const TestModel assistant = Converted(kAssistant, format::TensorFormat::F32, scaled);
  constexpr size_t kDrafts = 4;
  for (const size_t length : {1u, 15u, 50u, 130u}) {
    std::vector<int32_t> ids(length + kDrafts);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>((i * i + 3) % 97);
    const std::vector<double> expected =
        PlainForward(plain_assistant.file())
            .AssistantLogits(PlainForward(plain_model.file()), {ids.begin(), ids.end()}, kDrafts);
    for (const KernelSet* set : AllKernelSets()) {
      if (!set->available()) continue;
      EngineOptions options;
      options.context = 256;
      options.threads = 2;
      options.kernels = set->name;
      options.kv_format = KvFormat::kFloat32;
      options.draft = {&assistant.file(), nullptr};
      const auto engine = model.NewEngine(options);
      Decoder& drafts = engine->draft().decoder;
      Decoder& decoder = engine->runner().decoder;
      std::vector<uint64_t> memory(BlockTable::Bytes(engine->runner().kv) / sizeof(uint64_t) + 1);
      BlockTable table = engine->runner().NewTable(std::as_writable_bytes(std::span(memory)));
      const Cancellation cancel;
      const std::vector<InputKey> keys(ids.begin(), ids.end());
      std::vector<float> before(32);
      ASSERT_TRUE(table.Prepare(0, length));
      for (size_t begin = 0; begin < length; begin += 40) {
        const size_t n = std::min<size_t>(40, length - begin);
        const SequenceRows rows = {&table, begin, std::span(keys).subspan(begin, n),
                                   n,      false, &cancel};
        Pass pass(decoder.resources(), {&rows, 1});
        decoder.Forward(pass);
        decoder.KeepHidden(pass, n - 1, before.data());
      }
      table.Commit();
      std::vector<float> logits;
      for (size_t draft = 0; draft < kDrafts; ++draft) {
        SequenceRows rows = {&table, length - 1, {&keys[length + draft], 1}, 1, false, &cancel};
        rows.before = before.data();
        Pass pass(drafts.resources(), {&rows, 1}, PassPart::kDrafts);
        drafts.Embed(pass);
        for (size_t i = 0; i < drafts.spec().n_layers(); ++i) drafts.RunLayer(pass, i);
        drafts.KeepHidden(pass, 0, before.data());
        const size_t row = 0;
        const float* const made = drafts.Logits(pass, {&row, 1}, false);
        logits.insert(logits.end(), made, made + 97);
      }
      table.Truncate(0);
      ASSERT_EQ(logits.size(), expected.size());
      double largest = 0, difference = 0;
      for (size_t i = 0; i < expected.size(); ++i) {
        largest = std::max(largest, std::abs(expected[i]));
        difference = std::max(difference, std::abs(expected[i] - logits[i]));
      }
      EXPECT_GT(largest, 0.1);
      EXPECT_LT(difference / largest, 2e-5) << set->name << ' ' << length;
    }
  }
}

TEST(Assistant, EqualsPlainLoops) { ExpectPlainLogits(false); }
TEST(Assistant, ReadsTheSameOfEqualModels) { ExpectPlainLogits(true); }

std::string Refused(const TestModel& model, const EngineOptions& options) {
  const auto engine = Engine::Create(model.file(), nullptr, options, nullptr, 0);
  EXPECT_EQ(engine.status().code(), StatusCode::kInvalidArgument);
  return engine.status().message();
}

TEST(Assistant, IsRefusedWhereItDoesNotFit) {
  const TestModel model = Converted(kModel), assistant = Converted(kAssistant);
  EXPECT_THAT(Refused(assistant, {}), testing::HasSubstr("only drafts for another model"));
  const auto beside = [&](const char* pointer, int value) {
    json config = kAssistant;
    config[json::json_pointer(pointer)] = value;
    const TestModel other = Converted(config);
    EngineOptions options;
    options.draft = {&other.file(), nullptr};
    return Refused(model, options);
  };
  EXPECT_THAT(beside("/backbone_hidden_size", 48), testing::HasSubstr("hidden_size of 48"));
  EXPECT_THAT(beside("/text_config/sliding_window", 21), testing::HasSubstr("a window of 21"));
  EXPECT_THAT(beside("/text_config/global_head_dim", 24), testing::HasSubstr("24 channels"));
  EXPECT_THAT(beside("/text_config/num_key_value_heads", 1), testing::HasSubstr("1 heads"));
  EXPECT_THAT(beside("/text_config/vocab_size", 98), testing::HasSubstr("98 tokens"));
}

// What it is planned to take is all that it takes.
TEST(Assistant, KeepsNothingOfItsOwn) {
  const TestModel model = Converted(kModel), assistant = Converted(kAssistant);
  EngineOptions options;
  options.draft = {&assistant.file(), nullptr};
  const auto engine = model.NewEngine(options);
  EXPECT_EQ(engine->draft().kv.slots(), 0u);
  EXPECT_EQ(engine->draft().kv.bytes_per_token(), 0u);
}

}  // namespace
}  // namespace rondo::assistant_test
