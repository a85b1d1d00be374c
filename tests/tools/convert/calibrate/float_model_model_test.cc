#include "tools/convert/calibrate/float_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "runtime/model/tensor_view.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/convert.h"

namespace rondo::convert {
namespace {

std::vector<float> LogitsOf(FloatModel& model, const std::vector<TokenChunk>& chunks) {
  std::vector<float> all;
  all.reserve(chunks.size() * chunks[0].size() * model.file().model().vocab_size());
  model.Predict(chunks, [&](size_t, size_t, std::span<const float> row) {
    all.insert(all.end(), row.begin(), row.end());
  });
  return all;
}

class FloatModelTest : public testing::Test {
 protected:
  static std::filesystem::path Convert(const std::filesystem::path& output) {
    ConvertOptions options;
    options.directory = std::filesystem::path(kTestData) / "tiny";
    options.output = output;
    options.weights = options.embedding = format::TensorFormat::F32;
    convert::Convert(options, [](uint64_t, uint64_t) {});
    return output;
  }
  std::vector<float> Logits() { return LogitsOf(model_, chunks_); }
  const format::Model& model() { return model_.file().model(); }

  TempFolder folder_;
  FloatModel model_{Convert(folder_ / "f32.rondo"), 2};
  const std::string text_ =
      "Once upon a time, there was a little girl named Lily. One day she "
      "went to the park and found a shiny stone. What a nice day it was!";
  const std::vector<TokenChunk> chunks_ = model_.Tokenize(text_, 12, 24);
};

TEST_F(FloatModelTest, ChunksBeginWithBos) {
  ASSERT_EQ(chunks_.size(), 2u);
  for (const TokenChunk& chunk : chunks_) {
    EXPECT_EQ(chunk.size(), 12u);
    EXPECT_EQ(chunk[0], model_.file().model().bos_token());
  }
  EXPECT_NE(chunks_[0], chunks_[1]);
  EXPECT_THROW(model_.Tokenize("too short", 12, 24), Error);
}

// Runs the layers one after another: what comes out is what the model predicts by.
void ExpectLayersToBeTheModel(FloatModel& float_model, const std::vector<TokenChunk>& chunks) {
  const format::Model& model = float_model.file().model();
  LayerState state;
  for (uint32_t i = 0; i < model.layers()->size(); ++i) {
    const uint32_t qkv = AttentionOf(model, i).qkv()->weight();
    size_t seen = 0;
    float_model.RunLayer(i, chunks, state, {&qkv, 1}, [&](size_t chunk, const ChunkInputs& inputs) {
      EXPECT_EQ(chunk, seen++);
      EXPECT_EQ(inputs.at(qkv).size(), 12 * ViewTensor(float_model.file(), qkv).cols);
    });
    EXPECT_EQ(seen, chunks.size());
  }
  const size_t n = model.hidden_size(), vocab = model.vocab_size();
  const std::span<const float> head = float_model.values(model.head()->weight());
  const std::span<const float> weight = float_model.values(model.final_norm()->weight());
  const std::vector<float> logits = LogitsOf(float_model, chunks);
  for (size_t row = 0; row < logits.size() / vocab; ++row) {
    const float* x = &state.hidden[row * n];
    double squares = 0;
    for (size_t i = 0; i < n; ++i) squares += double{x[i]} * double{x[i]};
    const double norm =
        1 / std::sqrt(squares / static_cast<double>(n) + model.final_norm()->epsilon());
    for (size_t token = 0; token < vocab; ++token) {
      double sum = 0;
      for (size_t i = 0; i < n; ++i) {
        sum += double{x[i]} * norm * double{weight[i]} * double{head[token * n + i]};
      }
      ASSERT_NEAR(logits[row * vocab + token], sum, 1e-3) << row << " " << token;
    }
  }
}

TEST_F(FloatModelTest, LayersOneByOneAreTheWholeModel) {
  ExpectLayersToBeTheModel(model_, chunks_);
}

TEST_F(FloatModelTest, LayersOneByOneHaveNormsInTheStream) {
  const ModelBytes normed = Rewrite(ModelBytes(folder_ / "f32.rondo"), [](format::ModelT& m) {
    m.embedding_norm = std::make_unique<format::NormT>(*m.final_norm);
    for (size_t i = 0; i < 2; ++i) {
      SublayerAt(m, 1, i).residual_norm = std::make_unique<format::NormT>(*m.final_norm);
    }
  });
  std::ofstream(folder_ / "normed.rondo", std::ios::binary)
      .write(reinterpret_cast<const char*>(normed.bytes().data()),
             static_cast<std::streamsize>(normed.bytes().size()));
  FloatModel model(folder_ / "normed.rondo", 2);
  EXPECT_NE(LogitsOf(model, chunks_), LogitsOf(model_, chunks_));
  ExpectLayersToBeTheModel(model, chunks_);
}

TEST_F(FloatModelTest, InputsAreWhatTheMatrixMultiplies) {
  // The first layer's normed embeddings.
  const uint32_t qkv = AttentionOf(model(), 0).qkv()->weight();
  const size_t n = model().hidden_size();
  LayerState state;
  model_.RunLayer(0, chunks_, state, {&qkv, 1}, [&](size_t chunk, const ChunkInputs& inputs) {
    const std::span<const float> weight = model_.values(SublayerAt(model(), 0, 0).norm()->weight());
    for (size_t r = 0; r < 12; ++r) {
      const float* x =
          &model_.values(model().embedding())[static_cast<size_t>(chunks_[chunk][r]) * n];
      double squares = 0;
      for (size_t i = 0; i < n; ++i) squares += double{x[i]} * double{x[i]};
      const double norm = 1 / std::sqrt(squares / static_cast<double>(n) +
                                        SublayerAt(model(), 0, 0).norm()->epsilon());
      for (size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(inputs.at(qkv)[r * n + i], x[i] * norm * weight[i], 1e-4);
      }
    }
  });
}

TEST_F(FloatModelTest, AnExchangeIsSeenAndCanBeTakenBack) {
  const uint32_t down = MlpOf(model(), 2).down()->weight();
  const std::vector<float> before = Logits();
  const std::vector<float> old(model_.values(down).begin(), model_.values(down).end());
  model_.Exchange(down, std::vector<float>(old.size(), 0.0f));
  EXPECT_NE(Logits(), before);
  model_.Exchange(down, old);
  EXPECT_EQ(Logits(), before);
}

// Several residual streams, and layers that read the keys and values of others: those of their own
// chunk, whatever other chunks ran in between, and with other weights.
TEST(FloatModelOfGemma3n, LayersOneByOneKeepChunksApart) {
  const TempFolder folder;
  WriteCheckpointOf(folder / "model", R"({"architectures": ["Gemma3nForCausalLM"],
      "vocab_size": 2048, "hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 4,
      "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "sliding_window": 9,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
      "full_attention"], "num_kv_shared_layers": 2, "hidden_size_per_layer_input": 8,
      "vocab_size_per_layer_input": 2048, "laurel_rank": 6,
      "activation_sparsity_pattern": [0.9, 0.0, 0.0, 0.0], "bos_token_id": 1})");
  std::filesystem::copy(std::filesystem::path(kTestData) / "tiny" / "tokenizer.json",
                        folder / "model");
  ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "f32.rondo";
  options.weights = options.embedding = format::TensorFormat::F32;
  Convert(options, [](uint64_t, uint64_t) {});
  FloatModel model(options.output, 2);
  const std::vector<TokenChunk> both = {{1, 5, 9, 2, 6, 5, 3, 5}, {1, 8, 9, 7, 9, 3, 2, 3}};
  const auto run = [&](const std::vector<TokenChunk>& chunks, bool exchange) {
    LayerState state;
    const auto& layers = *model.file().model().layers();
    for (uint32_t i = 0; i < layers.size(); ++i) {
      model.RunLayer(i, chunks, state, {}, [](size_t, const ChunkInputs&) {});
      if (!exchange) continue;
      const uint32_t down = layers[i]->sublayers()->Get(2)->op_as_Mlp()->down()->weight();
      const std::span<const float> values = model.values(down);
      model.Exchange(down, std::vector<float>(values.begin(), values.end()));
    }
    return state.hidden;
  };
  const std::vector<float> together = run(both, true);
  EXPECT_EQ(together.size(), 2u * 8 * 4 * 32);
  // A chunk by itself finds its keys and values where they were put.
  std::vector<float> apart = run({both[0]}, false);
  const std::vector<float> second = run({both[1]}, false);
  apart.insert(apart.end(), second.begin(), second.end());
  EXPECT_EQ(together, apart);
}

}  // namespace
}  // namespace rondo::convert
