// Vectors of texts: the engine against the forward pass in plain loops, and that a vector depends
// on its text alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>

#include "tests/runtime/model/plain_forward.h"
#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::embedding_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

void Write(const std::filesystem::path& path, const json& value) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << value.dump();
}

// Values that no draw decides: what matters is that they differ.
void WriteDense(const std::filesystem::path& folder, size_t outputs, size_t inputs) {
  Write(folder / "config.json", {{"in_features", inputs},
                                 {"out_features", outputs},
                                 {"bias", false},
                                 {"activation_function", "torch.nn.modules.activation.Tanh"}});
  const json header = {{"linear.weight",
                        {{"dtype", "F32"},
                         {"shape", {outputs, inputs}},
                         {"data_offsets", {0, outputs * inputs * sizeof(float)}}}}};
  const std::string text = header.dump();
  const uint64_t length = text.size();
  std::ofstream out(folder / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text;
  for (size_t i = 0; i < outputs * inputs; ++i) {
    const float value = static_cast<float>(std::sin(static_cast<double>(i * i + 1))) / 4;
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

struct Family {
  const char* name;
  const char* config;
  const char* pooling;
  size_t dense = 0;  // outputs of a dense layer; 0: there is none
};

constexpr Family kFamilies[] = {
    {"qwen3", R"({"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": 97,
      "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
      "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
      "max_position_embeddings": 900, "tie_word_embeddings": true})",
     "pooling_mode_lasttoken"},
    {"qwen3_mean", R"({"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3",
      "vocab_size": 97, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
      "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
      "max_position_embeddings": 900, "tie_word_embeddings": false})",
     "pooling_mode_mean_tokens", 40},
    {"gemma3", R"({"architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text",
      "vocab_size": 97, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
      "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 16,
      "max_position_embeddings": 900, "sliding_window": 150, "query_pre_attn_scalar": 16,
      "use_bidirectional_attention": true,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]})",
     "pooling_mode_mean_tokens", 48},
    {"bert", R"({"architectures": ["BertModel"], "model_type": "bert", "vocab_size": 97,
      "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
      "num_attention_heads": 4, "max_position_embeddings": 900})",
     "pooling_mode_cls_token"},
    {"bert_last", R"({"architectures": ["BertModel"], "model_type": "bert", "vocab_size": 97,
      "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
      "num_attention_heads": 4, "max_position_embeddings": 900})",
     "pooling_mode_lasttoken"},
    {"modernbert", R"({"architectures": ["ModernBertModel"], "model_type": "modernbert",
      "vocab_size": 97, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
      "num_attention_heads": 4, "max_position_embeddings": 900, "local_attention": 20,
      "global_attn_every_n_layers": 2})",
     "pooling_mode_mean_tokens"},
};

TestModel Converted(const Family& family,
                    format::TensorFormat weights = format::TensorFormat::F32) {
  const TempFolder folder;
  const auto model = folder / "model";
  convert::WriteCheckpointOf(model, family.config);
  Write(model / "1_Pooling/config.json", {{family.pooling, true}});
  json modules = {{{"path", ""}, {"type", "a.Transformer"}},
                  {{"path", "1_Pooling"}, {"type", "a.Pooling"}}};
  if (family.dense > 0) {
    WriteDense(model / "2_Dense", family.dense, 32);
    modules.push_back({{"path", "2_Dense"}, {"type", "a.Dense"}});
  }
  modules.push_back({{"path", "3_Normalize"}, {"type", "a.Normalize"}});
  Write(model / "modules.json", modules);
  return TestModel(model, weights);
}

std::vector<int32_t> Text(size_t length, size_t seed) {
  std::vector<int32_t> ids(length);
  for (size_t i = 0; i < length; ++i) ids[i] = static_cast<int32_t>((i * i + seed * 31 + 3) % 97);
  return ids;
}

using Texts = std::vector<std::vector<int32_t>>;

// Of all texts by so many sessions.
std::vector<float> Embed(Engine& engine, size_t n_sessions, const Texts& texts,
                         size_t dimensions = 0) {
  std::vector<Session*> sessions;
  for (size_t i = 0; i < n_sessions; ++i) sessions.push_back(NewSession(engine));
  std::vector<int32_t> ids;
  std::vector<size_t> counts;
  for (const auto& text : texts) {
    ids.insert(ids.end(), text.begin(), text.end());
    counts.push_back(text.size());
  }
  if (dimensions == 0) dimensions = engine.plan().runner.decoder.spec().embedder.dimensions;
  std::vector<float> vectors(texts.size() * dimensions);
  const Status status =
      Session::Embed(&engine, sessions, {ids.data(), counts, dimensions, vectors.data()});
  for (Session* session : sessions) {
    EXPECT_EQ(session->position(), 0u);
    engine.CloseSession(session);
  }
  if (!status.ok()) throw std::runtime_error(status.message());
  return vectors;
}

EngineOptions Options(const char* kernels, KvFormat kv, uint32_t rows = 1024, uint32_t sessions = 8,
                      uint32_t threads = 2) {
  EngineOptions options;
  options.kernels = kernels;
  options.kv_format = kv;
  options.max_rows = rows;
  options.max_sessions = sessions;
  options.threads = threads;
  return options;
}

class Vectors : public testing::TestWithParam<Family> {};

TEST_P(Vectors, EqualPlainLoops) {
  const TestModel model = Converted(GetParam());
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available()) continue;
    const auto engine = model.NewEngine(Options(set->name, KvFormat::kFloat32));
    for (const size_t length : {1u, 9u, 64u, 170u, 530u}) {
      const std::vector<int32_t> ids = Text(length, length);
      const std::vector<double> expected =
          PlainForward(model.file()).Vector({ids.begin(), ids.end()});
      const std::vector<float> made = Embed(*engine, 1, {ids});
      ASSERT_EQ(made.size(), expected.size());
      double difference = 0;
      for (size_t i = 0; i < made.size(); ++i) {
        difference = std::max(difference, std::abs(made[i] - expected[i]));
      }
      EXPECT_LT(difference, 2e-5) << set->name << ' ' << length;
    }
  }
}

// To the bit: not on the texts beside it, nor on sessions, threads, passes and the prefix cache.
TEST_P(Vectors, DependOnTheirTextAlone) {
  const TestModel model = Converted(GetParam(), format::TensorFormat::Q8);
  const bool whole = model.NewEngine({})->limits().whole_texts;
  Texts texts;
  for (const size_t length : {5u, 700u, 1u, 64u, 513u, 8u, 129u, 64u, 2u, 300u}) {
    texts.push_back(Text(length, texts.size()));
  }
  texts.push_back(texts[1]);                                    // again
  texts.push_back({texts[1].begin(), texts[1].begin() + 640});  // and begun alike
  for (const KvFormat kv : {KvFormat::kInt8, KvFormat::kFloat32}) {
    std::vector<float> alone;
    const auto first = model.NewEngine(Options("", kv, 1024, 1, 1));
    for (const auto& text : texts) {
      const std::vector<float> one = Embed(*first, 1, {text});
      alone.insert(alone.end(), one.begin(), one.end());
    }
    for (const uint32_t rows : whole ? std::vector{700u, 1024u} : std::vector{1u, 37u, 1024u}) {
      for (const uint32_t sessions : {1u, 3u, 8u}) {
        const auto engine = model.NewEngine(Options("", kv, rows, sessions, sessions));
        EXPECT_EQ(Embed(*engine, sessions, texts), alone) << rows << ' ' << sessions;
      }
    }
  }
}

TEST_P(Vectors, AreCutAndOfLength1) {
  const TestModel model = Converted(GetParam());
  const auto engine = model.NewEngine(Options("", KvFormat::kInt8));
  const std::vector<float> whole = Embed(*engine, 2, {Text(20, 1)});
  const std::vector<float> cut = Embed(*engine, 2, {Text(20, 1)}, 7);
  double squares = 0;
  for (const float x : cut) squares += double{x} * double{x};
  EXPECT_NEAR(squares, 1, 1e-6);
  for (size_t i = 1; i < cut.size(); ++i) {
    EXPECT_NEAR(cut[i] * whole[0], cut[0] * whole[i], 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Vectors, testing::ValuesIn(kFamilies),
                         [](const auto& info) { return info.param.name; });

std::string Refused(Engine& engine, const Texts& texts, size_t dimensions, StatusCode code) {
  Session* const session = NewSession(engine);
  std::vector<int32_t> ids;
  std::vector<size_t> counts;
  for (const auto& text : texts) {
    ids.insert(ids.end(), text.begin(), text.end());
    counts.push_back(text.size());
  }
  std::vector<float> vectors(texts.size() * 100, 7);
  const Status status =
      Session::Embed(&engine, {&session, 1}, {ids.data(), counts, dimensions, vectors.data()});
  EXPECT_EQ(status.code(), code);
  EXPECT_EQ(vectors, std::vector<float>(vectors.size(), 7));
  engine.CloseSession(session);
  return status.message();
}

TEST(Embedding, RefusesWhatItCannotRead) {
  const TestModel model = Converted(kFamilies[3]);
  const auto engine = model.NewEngine(Options("", KvFormat::kInt8, 100));
  EXPECT_THAT(Refused(*engine, {Text(3, 1), Text(101, 1)}, 32, StatusCode::kContextFull),
              HasSubstr("text 1 has 101 tokens; one may have 100, as many as a pass has rows"));
  EXPECT_THAT(Refused(*engine, {Text(3, 1), {}}, 32, StatusCode::kInvalidArgument),
              HasSubstr("text 1 has no tokens"));
  EXPECT_THAT(Refused(*engine, {{5, 97}}, 32, StatusCode::kInvalidArgument),
              HasSubstr("text 0: token id 97 at index 1 is out of range"));
  EXPECT_THAT(Refused(*engine, {Text(3, 1)}, 33, StatusCode::kInvalidArgument),
              HasSubstr("dimensions is 33; the model's vectors have 32"));
  EXPECT_THAT(Refused(*engine, {Text(3, 1)}, 0, StatusCode::kInvalidArgument),
              HasSubstr("dimensions is 0"));
  EngineOptions shorter = Options("", KvFormat::kInt8);
  shorter.context = 50;
  EXPECT_THAT(Refused(*model.NewEngine(shorter), {Text(51, 1)}, 32, StatusCode::kContextFull),
              HasSubstr("one may have 50"));
}

TEST(Embedding, PredictsNothing) {
  const TestModel model = Converted(kFamilies[0]);
  const auto engine = model.NewEngine(Options("", KvFormat::kInt8));
  Session* const session = NewSession(*engine);
  const std::vector<int32_t> ids = {1, 2};
  for (const Status& status :
       {session->Prefill(ids), session->Queue(ids), session->Accept(1), session->Restore({})}) {
    EXPECT_EQ(status.code(), StatusCode::kUnsupported);
    EXPECT_THAT(status.message(), HasSubstr("predicts no tokens"));
  }
  EXPECT_EQ(session->Logits().status().code(), StatusCode::kNoLogits);
  EXPECT_EQ(session->Next().status().code(), StatusCode::kNoLogits);
  const MemoryPlan& memory = engine->plan().memory;
  for (size_t i = 0; i < memory.size(); ++i) {
    const std::string name = memory.region(static_cast<MemoryPlan::RegionId>(i)).name;
    EXPECT_EQ(name.find("logits"), std::string::npos) << name;
  }
  EngineOptions options;
  options.policy = ContextPolicy::kSlide;
  const auto slides = Engine::Create(model.file(), nullptr, options, nullptr, 0);
  EXPECT_EQ(slides.status().code(), StatusCode::kUnsupported);
}

// Keys and values serve one layer at a time: layers alike have one place for theirs.
TEST(Embedding, KeepsKeysOfOneLayer) {
  const auto per_token = [](const Family& family) {
    return Converted(family).NewEngine({})->runner().kv.bytes_per_token();
  };
  Family deeper = kFamilies[3];
  const std::string config = std::regex_replace(
      deeper.config, std::regex("\"num_hidden_layers\": 2"), "\"num_hidden_layers\": 7");
  deeper.config = config.c_str();
  EXPECT_EQ(per_token(deeper), per_token(kFamilies[3]));
  EXPECT_GT(per_token(deeper), 0u);
}

// The others' texts, and later ones, do not notice. Of two sessions one has the text.
TEST(Embedding, IsCancelledWithoutATrace) {
  // Bits of the sessions that are cancelled; the first one has the text.
  for (const auto& [family, cancelled] :
       {std::pair<size_t, unsigned>{0, 1}, {3, 1}, {0, 2}, {3, 2}, {0, 3}, {3, 3}, {0, 6}}) {
    const TestModel model = Converted(kFamilies[family]);
    const auto engine = model.NewEngine(Options("", KvFormat::kInt8));
    const auto fresh = model.NewEngine(Options("", KvFormat::kInt8));
    const Texts texts = {Text(40, 1), Text(50, 2), Text(60, 3)};
    const std::vector<float> expected = Embed(*engine, 3, texts);
    std::vector<Session*> sessions = {NewSession(*engine), NewSession(*engine),
                                      NewSession(*engine)};
    std::vector<int32_t> ids = Text(700, 9);
    const size_t count = ids.size();
    std::vector<float> vector(32);
    for (size_t i = 0; i < sessions.size(); ++i) {
      if ((cancelled >> i & 1) != 0) sessions[i]->Cancel();
    }
    const Status status =
        Session::Embed(engine.get(), sessions, {ids.data(), {&count, 1}, 32, vector.data()});
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << cancelled;
    const Status again =
        Session::Embed(engine.get(), sessions, {ids.data(), {&count, 1}, 32, vector.data()});
    EXPECT_TRUE(again.ok()) << again.message();
    for (Session* session : sessions) engine->CloseSession(session);
    EXPECT_EQ(Embed(*engine, 3, texts), expected);
    for (size_t group = 0; group < engine->runner().kv.groups().size(); ++group) {
      EXPECT_EQ(engine->runner().pool.free_blocks(group), fresh->runner().pool.free_blocks(group));
    }
  }
}

// Calls of several threads share passes.
TEST(Embedding, OfSeveralThreadsIsTheSame) {
  const TestModel model = Converted(kFamilies[2]);
  const auto engine = model.NewEngine(Options("", KvFormat::kInt8, 300));
  Texts texts;
  for (size_t i = 0; i < 12; ++i) texts.push_back(Text(1 + i * 23, i));
  const std::vector<float> expected = Embed(*engine, 1, texts);
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> made(4);
  for (auto& vectors : made) {
    threads.emplace_back([&] { vectors = Embed(*engine, 2, texts); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& vectors : made) EXPECT_EQ(vectors, expected);
}

}  // namespace
}  // namespace rondo::embedding_test
