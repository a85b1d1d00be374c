// Engines over packed files: the same logits as from the portable file, to the bit, without a copy
// of the weights; and what is hostile in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/support/all_formats.h"
#include "tests/support/packed_model.h"
#include "tests/support/test_model.h"

namespace rondo::packed_file_test {
namespace {

using format::TensorFormat;
using testing::HasSubstr;

struct Case {
  const char* kernels;
  TensorFormat weights, embedding;
  bool tied, bias;
};

std::string Name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.kernels) + "_" + format::EnumNameTensorFormat(c.weights) + "_" +
         format::EnumNameTensorFormat(c.embedding) + (c.tied ? "_tied" : "_untied") +
         (c.bias ? "_bias" : "");
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available()) continue;
    for (const bool tied : {false, true}) {
      for (const bool bias : {false, true}) {
        for (const auto& [weights, embedding] : {std::pair{TensorFormat::F32, TensorFormat::F32},
                                                 {TensorFormat::Q8, TensorFormat::Q8},
                                                 {TensorFormat::Q4B, TensorFormat::Q8},
                                                 {TensorFormat::Q4, TensorFormat::Q8},
                                                 {TensorFormat::Q4, TensorFormat::Q4},
                                                 {TensorFormat::Q3, TensorFormat::Q4},
                                                 {TensorFormat::Q4B, TensorFormat::Q4B}}) {
          cases.push_back({set->name, weights, embedding, tied, bias});
        }
      }
    }
  }
  return cases;
}

convert::CheckpointShape Shape(bool tied, bool bias) {
  convert::CheckpointShape shape;
  shape.vocab_size = 100;  // no multiple of any tile
  shape.hidden_size = 64;
  shape.intermediate_size = 96;
  shape.n_layers = 2;
  shape.n_heads = 4;
  shape.n_kv_heads = 2;
  shape.head_dim = 16;
  shape.tied = tied;
  shape.attention_bias = shape.mlp_bias = bias;
  return shape;
}

EngineOptions Options(const char* kernels) {
  EngineOptions options;
  options.threads = 2;
  options.max_rows = 16;
  options.kernels = kernels;
  return options;
}

std::vector<float> Logits(const ModelFile& file, const EngineOptions& options) {
  auto engine = Engine::Create(file, nullptr, options, nullptr, 0);
  if (!engine.ok()) throw std::runtime_error(engine.status().message());
  std::mt19937 random(5);
  std::vector<int32_t> ids(40);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % (*engine)->limits().vocab_size);
  return AllLogits(*NewSession(**engine), ids);
}

class PackedEngine : public testing::TestWithParam<Case> {};

TEST_P(PackedEngine, GivesTheLogitsOfThePortableFile) {
  const Case& c = GetParam();
  const ConvertedModel model(Shape(c.tied, c.bias), c.weights, c.embedding);
  const ModelBytes portable = model.portable(), packed = model.packed(c.kernels);
  const ModelFile source = *ModelFile::Open(portable.bytes());
  const Result<ModelFile> file = ModelFile::Open(packed.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const std::vector<float> expected = Logits(source, Options(c.kernels));
  const std::vector<float> logits = Logits(*file, Options(c.kernels));
  ASSERT_EQ(logits.size(), expected.size());
  EXPECT_EQ(std::memcmp(logits.data(), expected.data(), logits.size() * sizeof(float)), 0);
  EXPECT_NE(std::count(logits.begin(), logits.end(), logits[0]), static_cast<long>(logits.size()));
}

TEST_P(PackedEngine, TakesNoMemoryForWeights) {
  const Case& c = GetParam();
  const ConvertedModel model(Shape(c.tied, c.bias), c.weights, c.embedding);
  const ModelBytes portable = model.portable(), packed = model.packed(c.kernels);
  const auto before = PlanEngine(*ModelFile::Open(portable.bytes()), nullptr, Options(c.kernels));
  const auto after = PlanEngine(*ModelFile::Open(packed.bytes()), nullptr, Options(c.kernels));
  ASSERT_TRUE(before.ok() && after.ok());
  const size_t weights = before->memory.segment_bytes(Segment::kWeights);
  EXPECT_EQ(before->mapped_bytes, 0u);
  EXPECT_EQ(after->memory.segment_bytes(Segment::kWeights), 0u);
  EXPECT_EQ(after->memory.arena_bytes(), before->memory.arena_bytes() - weights);
  // But for margins and alignment the bytes that the arena had.
  EXPECT_LE(after->mapped_bytes, weights);
  EXPECT_GT(after->mapped_bytes, weights - 10 * (64 + kOverRead));
}

INSTANTIATE_TEST_SUITE_P(All, PackedEngine, testing::ValuesIn(Cases()), Name);

TEST(PackedEngines, OtherKernelsAreRefusedWithBothLayouts) {
  const ConvertedModel model(Shape(true, false), TensorFormat::Q8, TensorFormat::Q8);
  for (const NamedLayout& named : NamedLayouts()) {
    const ModelBytes bytes = model.packed(named.kernels);
    const ModelFile file = *ModelFile::Open(bytes.bytes());
    for (const KernelSet* set : AllKernelSets()) {
      if (!set->available()) continue;
      const Status status = Engine::Create(file, nullptr, Options(set->name), nullptr, 0).status();
      if (LayoutOf(*set) == named.layout) {
        EXPECT_TRUE(status.ok()) << status.message();
        continue;
      }
      EXPECT_EQ(status.code(), StatusCode::kUnsupported);
      EXPECT_THAT(status.message(), HasSubstr(IdOf(named.layout).text));
      EXPECT_THAT(status.message(), HasSubstr(IdOf(LayoutOf(*set)).text));
      EXPECT_THAT(status.message(), HasSubstr("rondo pack --cpu " + std::string(set->name)));
      // The other way out is named to its end where this CPU has it.
      const auto sets = AllKernelSets();
      const auto usable = std::find_if(sets.begin(), sets.end(), [&](const KernelSet* other) {
        return other->available() && LayoutOf(*other) == named.layout;
      });
      if (usable != sets.end()) {
        const std::string choice = "or choose kernels \"" + std::string((*usable)->name) + "\"";
        EXPECT_THAT(status.message(), HasSubstr(choice));
      } else {
        EXPECT_THAT(status.message(), testing::Not(HasSubstr("or choose")));
      }
      EXPECT_EQ(PlanEngine(file, nullptr, Options(set->name)).status().code(),
                StatusCode::kUnsupported);
    }
  }
}

TEST(PackedEngines, TheBestKernelsThatReadTheFileAreChosen) {
  const ConvertedModel model(Shape(true, false), TensorFormat::Q8, TensorFormat::Q8);
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available()) continue;
    const ModelBytes bytes = model.packed(set->name);
    const auto plan = PlanEngine(*ModelFile::Open(bytes.bytes()), nullptr, Options(""));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(LayoutOf(*plan->set), LayoutOf(*set));
    // The first of those that have this layout.
    const auto sets = AllKernelSets();
    EXPECT_EQ(*std::find_if(sets.begin(), sets.end(),
                            [&](const KernelSet* other) {
                              return other->available() && LayoutOf(*other) == LayoutOf(*set);
                            }),
              plan->set);
  }
}

// Weights are not looked at when a packed file is opened. Whatever they are, calls end in a status.
TEST(PackedEngines, AnyBytesForWeightsAreHarmless) {
  std::mt19937 random(3);
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available()) continue;
    for (TensorFormat format : AllFormats()) {
      const ConvertedModel model(Shape(format == TensorFormat::Q8, true), format, format);
      const ModelBytes good = model.packed(set->name);
      for (const int filler : {0xff, 0x7f, 0x80, -1}) {
        ModelBytes bytes = good;
        const ModelFile file = *ModelFile::Open(bytes.bytes());
        for (const format::Tensor* tensor : *file.model().tensors()) {
          if (!tensor->packed()) continue;
          for (uint8_t& byte :
               bytes.bytes().subspan(tensor->data()->offset(), tensor->data()->bytes())) {
            byte = static_cast<uint8_t>(filler >= 0 ? filler : static_cast<int>(random()));
          }
        }
        EXPECT_EQ(file.VerifyAll().code(), StatusCode::kCorrupt);
        for (const KvFormat kv : {KvFormat::kInt8, KvFormat::kFloat32}) {
          EngineOptions options = Options(set->name);
          options.kv_format = kv;
          auto engine = Engine::Create(file, nullptr, options, nullptr, 0);
          ASSERT_TRUE(engine.ok()) << engine.status().message();
          SessionOptions wishes;
          wishes.sampler.temperature = 0.8f;
          wishes.sampler.top_k = 10;
          wishes.sampler.top_p = 0.9f;
          wishes.sampler.repetition_penalty = 1.2f;
          wishes.logprobs = true;
          Session* session = NewSession(**engine, wishes);
          ASSERT_TRUE(session->Prefill(std::vector<int32_t>{1, 2, 3, 99}).ok());
          for (int i = 0; i < 10; ++i) {
            const Result<TokenEvent> event = session->Next();
            if (!event.ok()) break;
            EXPECT_LT(event->token, 100);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rondo::packed_file_test
