// Vectors of texts by sessions with adapters: one call shares its texts out among its sessions, so
// that all must have the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "runtime/engine/session.h"
#include "tests/support/adapter_models.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr size_t kDimensions = 32;

ModelOnDisk Embedder() {
  const TempFolder folder;
  const auto model = folder / "model";
  convert::WriteCheckpointOf(model, R"({"architectures": ["Qwen3ForCausalLM"],
      "model_type": "qwen3", "vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
      "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
      "max_position_embeddings": 400, "tie_word_embeddings": true})");
  std::filesystem::create_directories(model / "1_Pooling");
  std::ofstream(model / "1_Pooling/config.json") << R"({"pooling_mode_mean_tokens": true})";
  std::ofstream(model / "modules.json") << R"([{"path": "", "type": "a.Transformer"},
      {"path": "1_Pooling", "type": "a.Pooling"}, {"path": "2_Normalize", "type": "a.Normalize"}])";
  return ModelOnDisk(model);
}

class EmbeddingAdapters : public testing::Test {
 protected:
  EmbeddingAdapters() {
    EngineOptions options;
    options.max_sessions = 3;
    options.threads = 2;
    engine_ = model_.NewEngine(options, 2);
    for (size_t i = 0; i < 200; ++i) ids_.push_back(static_cast<int32_t>(i * i % 97));
  }

  // The vectors of four texts by a session with each of these; null: without.
  Status Embed(const std::vector<const AdapterFile*>& adapters) {
    std::vector<Session*> sessions;
    for (const AdapterFile* adapter : adapters) {
      SessionOptions options;
      options.adapter = adapter;
      sessions.push_back(NewSession(*engine_, options));
    }
    const size_t counts[] = {70, 20, 100, 10};
    vectors_.assign(4 * kDimensions, 7);
    Status status = Session::Embed(engine_.get(), sessions,
                                   {ids_.data(), counts, kDimensions, vectors_.data()});
    for (Session* session : sessions) engine_->CloseSession(session);
    return status;
  }

  const ModelOnDisk model_ = Embedder();
  const TestAdapter first_{model_, 2, 1}, second_{model_, 2, 2};
  std::unique_ptr<Engine> engine_;
  std::vector<int32_t> ids_;
  std::vector<float> vectors_;
};

TEST_F(EmbeddingAdapters, AreOneInACall) {
  const AdapterFile* const a = &first_.file();
  const AdapterFile* const b = &second_.file();
  for (const std::vector<const AdapterFile*>& unlike :
       {std::vector{a, b}, {a, nullptr}, {nullptr, a}}) {
    const Status status = Embed(unlike);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("session 1 has another adapter than session 0"));
    EXPECT_THAT(vectors_, Each(7));
  }
  EXPECT_THAT(Embed({a, a, b}).message(), HasSubstr("session 2 has another adapter"));
}

TEST_F(EmbeddingAdapters, GiveTheVectorsOfOneSession) {
  const auto vectors = [&](const std::vector<const AdapterFile*>& adapters) {
    const Status status = Embed(adapters);
    EXPECT_TRUE(status.ok()) << status.message();
    return vectors_;
  };
  const std::vector<float> plain = vectors({nullptr});
  const std::vector<float> first = vectors({&first_.file()});
  const std::vector<float> second = vectors({&second_.file()});
  EXPECT_NE(first, plain);
  EXPECT_NE(first, second);
  EXPECT_EQ(vectors({&first_.file(), &first_.file(), &first_.file()}), first);
  EXPECT_EQ(vectors({&second_.file(), &second_.file()}), second);
  EXPECT_EQ(vectors({nullptr, nullptr}), plain);
}

}  // namespace
}  // namespace rondo
