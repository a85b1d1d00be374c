// Every field of an embedder, out of range, absent or against another: the file is refused, and the
// sentence names what was wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "runtime/engine/engine.h"
#include "tests/runtime/model/operator_models.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/classifier_of.h"
#include "tools/convert/convert.h"

namespace rondo::embedder_check_test {
namespace {

using format::ModelT;

constexpr uint32_t kHuge = UINT32_MAX - 1;

const ModelBytes& Encoder() {
  static const ModelBytes model = Converted(OperatorModelNamed("encoder"));
  return model;
}

// A layer behind the pooling: the first matrix of the MLP, from the model's width to the MLP's.
void AddDense(ModelT& m) {
  auto dense = std::make_unique<format::DenseT>();
  dense->linear = std::make_unique<format::LinearT>(*SublayerAt(m, 0, 1).op.AsMlp()->gate_up);
  m.embedder->dense.push_back(std::move(dense));
}

void AddPrompt(ModelT& m, const char* name, const std::string& text) {
  m.embedder->prompts.push_back(std::make_unique<format::PromptT>());
  m.embedder->prompts.back()->name = name;
  m.embedder->prompts.back()->text = text;
}

struct Case {
  const char* name;
  std::function<void(ModelT&)> change;
  const char* words;  // in the message
};

class EmbedderCheck : public testing::TestWithParam<Case> {};

TEST_P(EmbedderCheck, RefusesByName) {
  const ModelBytes bytes = Rewrite(Encoder(), GetParam().change);
  const Status status = ModelFile::Open(bytes.bytes()).status();
  EXPECT_TRUE(status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), testing::HasSubstr(GetParam().words));
}

const std::vector<Case> kCases = {
    {"Head",
     [](ModelT& m) {
       m.head = std::make_unique<format::LinearT>();
       m.head->weight = m.embedding;
     },
     "stands beside an output head"},
    {"Cap", [](ModelT& m) { m.logit_soft_cap = 3; }, "capped logits"},
    {"NoEmbedder", [](ModelT& m) { m.embedder.reset(); }, "is bidirectional, but"},
    {"NoEmbedderOfDecoder",
     [](ModelT& m) {
       m.embedder.reset();
       for (auto& layer : m.layers) {
         layer->sublayers[0]->op.AsAttention()->bidirectional = false;
       }
     },
     "head"},
    {"Pooling", [](ModelT& m) { m.embedder->pooling = static_cast<format::Pooling>(3); },
     "asks for pooling 3"},
    {"MaxTokens", [](ModelT& m) { m.embedder->max_tokens = 129; }, "max_tokens is 129"},
    {"Chunks", [](ModelT& m) { AttentionOf(m, 0).chunk = 8; }, "bidirectional and has chunks"},
    {"Alibi",
     [](ModelT& m) {
       AttentionOf(m, 0).alibi_slopes = {1, 2};
     },
     "or ALiBi"},
    {"Offset", [](ModelT& m) { m.embedding_offset = 1 << 30; }, "embedding's offset"},
    {"OffsetNegative", [](ModelT& m) { m.embedding_offset = -2; }, "embedding's offset"},
    {"DenseWithoutMatrix",
     [](ModelT& m) { m.embedder->dense.push_back(std::make_unique<format::DenseT>()); },
     "dense layer behind the pooling"},
    {"DenseIndex",
     [](ModelT& m) {
       AddDense(m);
       m.embedder->dense[0]->linear->weight = kHuge;
     },
     "dense layer behind the pooling"},
    {"DenseReadsAnother",
     [](ModelT& m) {
       AddDense(m);
       AddDense(m);
     },
     "48 x 16, the model's sizes ask for 48 x 48"},
    {"DenseActivation",
     [](ModelT& m) {
       AddDense(m);
       m.embedder->dense[0]->activation = static_cast<format::DenseActivation>(5);
     },
     "asks for activation 5"},
    {"DenseNorm",
     [](ModelT& m) {
       AddDense(m);
       m.embedder->dense[0]->norm = std::make_unique<format::NormT>(*m.final_norm);
     },
     "the model's sizes ask for 1 x 48"},
    {"DenseGateOfOneChannel",
     [](ModelT& m) {
       AddDense(m);
       m.embedder->dense[0]->linear->weight = m.final_norm->weight;
       m.embedder->dense[0]->linear->bias = -1;
       m.embedder->dense[0]->activation = format::DenseActivation::kSiluGate;
     },
     "gates an odd number of channels"},
    {"DenseGateNorm",
     [](ModelT& m) {
       AddDense(m);
       m.embedder->dense[0]->norm = std::make_unique<format::NormT>(*m.final_norm);
       m.embedder->dense[0]->activation = format::DenseActivation::kSiluGate;
     },
     "the model's sizes ask for 1 x 24"},
    {"DenseGateNormFirst",
     [](ModelT& m) {
       AddDense(m);
       m.embedder->dense[0]->norm = std::make_unique<format::NormT>(*m.final_norm);
       m.embedder->dense[0]->norm_first = true;
       m.embedder->dense[0]->activation = format::DenseActivation::kSiluGate;
     },
     "the model's sizes ask for 1 x 48"},
    {"ManyDense",
     [](ModelT& m) {
       for (int i = 0; i < 9; ++i) AddDense(m);
     },
     "number of dense layers is 9"},
    {"PromptsOfOneName",
     [](ModelT& m) {
       AddPrompt(m, "query", "a");
       AddPrompt(m, "query", "b");
     },
     "two prompts have one name"},
    {"PromptIsNoText", [](ModelT& m) { AddPrompt(m, "query", "\xff"); }, "is no UTF-8"},
    {"PromptIsTooLong", [](ModelT& m) { AddPrompt(m, "query", std::string(65537, 'a')); },
     "has 65537 bytes"},
    {"DefaultPrompt", [](ModelT& m) { m.embedder->default_prompt = 0; }, "is number 0 of 0"},
    {"DefaultPromptNegative", [](ModelT& m) { m.embedder->default_prompt = -2; },
     "is number -2 of 0"},
    {"PairOfVectors", [](ModelT& m) { m.embedder->pair = "{query}{document}"; },
     "makes 16 numbers of one"},
    {"PairWithoutQuery", [](ModelT& m) { m.embedder->pair = "{document}"; }, "{query} nowhere"},
    {"PairOfTwoDocuments", [](ModelT& m) { m.embedder->pair = "{query}{document} {document}"; },
     "{document} twice"},
};

std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Every, EmbedderCheck, testing::ValuesIn(kCases), NameOf);

// A model may turn nothing.
TEST(EmbedderCheckTest, TakesAModelWithoutRopes) {
  const ModelBytes bytes = Rewrite(Encoder(), [](ModelT& m) {
    m.ropes.clear();
    for (auto& layer : m.layers) layer->sublayers[0]->op.AsAttention()->rope = -1;
  });
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(Engine::Create(*file, nullptr, {}, nullptr, 0).ok());
  const ModelBytes wrong = Rewrite(bytes, [](ModelT& m) { AttentionOf(m, 0).rope = 0; });
  EXPECT_THAT(ModelFile::Open(wrong.bytes()).status().message(),
              testing::HasSubstr("points at a rope that is absent"));
}

// What the cases above begin with is not what they are refused for.
TEST(EmbedderCheckTest, TakesWhatFits) {
  const ModelBytes bytes = Rewrite(Encoder(), [](ModelT& m) {
    AddDense(m);
    AddPrompt(m, "query", "a");
    AddPrompt(m, "document", "");
    m.embedder->default_prompt = 1;
    m.embedder->max_tokens = 128;
  });
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  EXPECT_TRUE(file.ok()) << file.status().message();
}

// A reranker whose second texts have an offset of their own.
TEST(EmbedderCheckTest, RefusesSeparatorsThatFitNothing) {
  const TempFolder folder;
  convert::WriteClassifierOf(folder / "model", convert::BertClassifier());
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  convert::Convert(options, [](uint64_t, uint64_t) {});
  const ModelBytes bytes(options.output);
  EXPECT_TRUE(ModelFile::Open(bytes.bytes()).ok());
  const std::vector<Case> cases = {
      {"", [](ModelT& m) { m.embedder->separator = 97; }, "the separator of pairs is 97"},
      {"", [](ModelT& m) { m.embedder->separator = -2; }, "sizes ask for 1 x 32"},
      {"", [](ModelT& m) { m.embedder->separator = -1; }, "sizes ask for 1 x 32"},
      {"", [](ModelT& m) { m.embedding_offset = -1; }, "is absent beside a separator"},
      {"", [](ModelT& m) { m.embedding_offset = 1 << 30; }, "embedding's offset"},
      {"", [](ModelT& m) { m.embedding_offset = static_cast<int32_t>(m.final_norm->weight); },
       "sizes ask for 2 x 32"},
      {"", [](ModelT& m) { m.embedder->pair.clear(); }, "a separator is there, but no pair"},
      {"",
       [](ModelT& m) {
         for (auto& layer : m.layers) layer->sublayers[0]->op.AsAttention()->bidirectional = false;
       },
       "no attention sees both sides"}};
  for (const Case& one : cases) {
    const ModelBytes changed = Rewrite(bytes, one.change);
    EXPECT_THAT(ModelFile::Open(changed.bytes()).status().message(), testing::HasSubstr(one.words));
  }
}

}  // namespace
}  // namespace rondo::embedder_check_test
