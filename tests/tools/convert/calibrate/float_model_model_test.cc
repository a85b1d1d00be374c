#include "tools/convert/calibrate/float_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/model/tensor_view.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/temp_folder.h"
#include "tools/convert/convert.h"
#include "tools/convert/fail.h"

namespace rondo::convert {
namespace {

class FloatModelTest : public testing::Test {
 protected:
  static std::filesystem::path Convert(const std::filesystem::path& output) {
    ConvertOptions options;
    options.directory = std::filesystem::path(RONDO_TEST_DATA) / "tiny";
    options.output = output;
    options.weights = options.embedding = format::TensorFormat::F32;
    convert::Convert(options, [](uint64_t, uint64_t) {});
    return output;
  }
  std::vector<float> Logits() {
    std::vector<float> all;
    all.reserve(chunks_.size() * chunks_[0].size() * model_.file().model().vocab_size());
    model_.Predict(chunks_, [&](size_t, size_t, std::span<const float> row) {
      all.insert(all.end(), row.begin(), row.end());
    });
    return all;
  }
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

TEST_F(FloatModelTest, LayersOneByOneAreTheWholeModel) {
  std::vector<float> hidden, first;
  for (uint32_t i = 0; i < model_.file().model().layers()->size(); ++i) {
    const uint32_t qkv = AttentionOf(model(), i).qkv()->weight();
    size_t seen = 0;
    model_.RunLayer(i, chunks_, hidden, {&qkv, 1}, [&](size_t chunk, const ChunkInputs& inputs) {
      EXPECT_EQ(chunk, seen++);
      EXPECT_EQ(inputs.at(qkv).size(), 12 * ViewTensor(model_.file(), qkv).cols);
    });
    EXPECT_EQ(seen, chunks_.size());
  }
  const format::Model& model = model_.file().model();
  const size_t n = model.hidden_size(), vocab = model.vocab_size();
  const std::span<const float> head = model_.values(model.head()->weight());
  const std::span<const float> weight = model_.values(model.final_norm()->weight());
  const std::vector<float> logits = Logits();
  for (size_t row = 0; row < logits.size() / vocab; ++row) {
    const float* x = &hidden[row * n];
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

TEST_F(FloatModelTest, InputsAreWhatTheMatrixMultiplies) {
  // The first layer's normed embeddings.
  const uint32_t qkv = AttentionOf(model(), 0).qkv()->weight();
  const size_t n = model().hidden_size();
  std::vector<float> hidden;
  model_.RunLayer(0, chunks_, hidden, {&qkv, 1}, [&](size_t chunk, const ChunkInputs& inputs) {
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

}  // namespace
}  // namespace rondo::convert
