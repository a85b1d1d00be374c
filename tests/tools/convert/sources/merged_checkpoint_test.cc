// A checkpoint with an adapter in it: what PEFT computes with one is what its weights then say.
#include "tools/convert/sources/peft/merged_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/error_of.h"
#include "tools/convert/sources/checkpoint_folder.h"

namespace rondo::convert {
namespace {

using testing::HasSubstr;

// Small whole numbers: sums of their products are exact.
TensorValues Values(std::vector<uint64_t> shape, int seed) {
  size_t n = 1;
  for (const uint64_t size : shape) n *= size;
  TensorValues tensor{std::move(shape), std::vector<float>(n)};
  for (size_t i = 0; i < n; ++i) {
    tensor.values[i] = static_cast<float>((i * 7 + static_cast<size_t>(seed) * 5) % 11) - 5;
  }
  return tensor;
}

const std::string kEmbedding = "model.embed_tokens.weight", kHead = "lm_head.weight";
const std::string kExperts = "model.layers.0.mlp.experts";
const MergeFacts kTied = {kEmbedding, kHead, {}};

class MergedCheckpointTest : public testing::Test {
 protected:
  // `of_adapter`: below "base_model.model.".
  std::unique_ptr<MergedCheckpoint> Merge(const CheckpointTensors& base,
                                          const CheckpointTensors& of_adapter,
                                          const std::string& keys, const MergeFacts& facts = {}) {
    const std::filesystem::path adapter = folder_ / "adapter";
    std::filesystem::create_directories(adapter);
    WriteTensors(folder_.path(), base);
    CheckpointTensors tensors;
    for (const auto& [name, tensor] : of_adapter) tensors["base_model.model." + name] = tensor;
    WriteTensors(adapter, tensors);
    std::filesystem::rename(adapter / "model.safetensors", adapter / "adapter_model.safetensors");
    std::ofstream(adapter / "adapter_config.json") << "{" << keys << "}";
    return std::make_unique<MergedCheckpoint>(std::make_shared<CheckpointFolder>(folder_.path()),
                                              adapter, facts);
  }
  static std::vector<float> Read(const MergedCheckpoint& merged, const std::string& name) {
    std::vector<float> values(static_cast<size_t>(merged.tensors().at(name).elements()));
    merged.Read(name, 0, values);
    // Piece by piece it is the same.
    std::vector<float> pieces(values.size());
    for (size_t i = 0; i < pieces.size(); i += 3) {
      merged.Read(name, i, std::span(pieces).subspan(i, std::min<size_t>(3, pieces.size() - i)));
    }
    EXPECT_EQ(pieces, values) << name;
    return values;
  }

  const TempFolder folder_;
};

// base[row][col] + scale * the sum over j of b[row][j] a[j][col].
std::vector<float> Sum(const TensorValues& base, const TensorValues& b, const TensorValues& a,
                       float scale) {
  std::vector<float> result = base.values;
  const size_t rank = a.shape[0], cols = a.shape[1];
  for (size_t i = 0; i < result.size(); ++i) {
    for (size_t j = 0; j < rank; ++j) {
      result[i] += scale * b.values[i / cols * rank + j] * a.values[j * cols + i % cols];
    }
  }
  return result;
}

TensorValues Turned(const TensorValues& matrix) {
  TensorValues turned{{matrix.shape[1], matrix.shape[0]}, matrix.values};
  for (size_t i = 0; i < turned.values.size(); ++i) {
    turned.values[i % matrix.shape[1] * matrix.shape[0] + i / matrix.shape[1]] = matrix.values[i];
  }
  return turned;
}

TEST_F(MergedCheckpointTest, ATiedSideThatIsChangedAlone) {
  const CheckpointTensors base = {{kEmbedding, Values({6, 4}, 1)}};
  const TensorValues a = Values({2, 6}, 2), b = Values({4, 2}, 3);  // lora_embedding_A and _B
  const TensorValues head_a = Values({2, 4}, 4), head_b = Values({6, 2}, 5);
  const CheckpointTensors embedding = {{"model.embed_tokens.lora_embedding_A", a},
                                       {"model.embed_tokens.lora_embedding_B", b}};
  const CheckpointTensors head = {{"lm_head.lora_A.weight", head_a},
                                  {"lm_head.lora_B.weight", head_b}};
  const std::string keys = R"("r": 2, "lora_alpha": 4, "target_modules": ["embed_tokens"])";
  const std::vector<float> original = base.at(kEmbedding).values;
  const std::vector<float> changed = Sum(base.at(kEmbedding), Turned(a), Turned(b), 2);

  const auto of_embedding = Merge(base, embedding, keys, kTied);
  EXPECT_EQ(Read(*of_embedding, kEmbedding), changed);
  EXPECT_EQ(Read(*of_embedding, kHead), original);
  const auto of_head = Merge(base, head, R"("r": 2, "lora_alpha": 4)", kTied);
  EXPECT_EQ(Read(*of_head, kEmbedding), original);
  EXPECT_EQ(Read(*of_head, kHead), Sum(base.at(kEmbedding), head_b, head_a, 2));

  // A second copy in the checkpoint is the head that was tied, too.
  CheckpointTensors twice = base;
  twice[kHead] = base.at(kEmbedding);
  const auto of_copies = Merge(twice, embedding, keys, kTied);
  EXPECT_EQ(Read(*of_copies, kEmbedding), changed);
  EXPECT_EQ(Read(*of_copies, kHead), original);

  // Where PEFT is to tie what it adds, both change, whether the head's are in the file or not.
  const std::string ties = keys + R"(, "ensure_weight_tying": true)";
  EXPECT_FALSE(Merge(base, embedding, ties, kTied)->tensors().contains(kHead));
  EXPECT_FALSE(Merge(twice, embedding, ties, kTied)->tensors().contains(kHead));
  CheckpointTensors both = embedding;
  both["lm_head.lora_A.weight"] = Turned(b);
  both["lm_head.lora_B.weight"] = Turned(a);
  const auto of_both = Merge(base, both, ties, kTied);
  EXPECT_EQ(Read(*of_both, kEmbedding), changed);
  EXPECT_EQ(Read(*of_both, kHead), changed);

  // What changes neither leaves them one.
  CheckpointTensors more = base;
  more["model.norm.weight"] = Values({4}, 9);
  const auto of_none =
      Merge(more, {{"model.norm.weight", Values({4}, 6)}}, R"("modules_to_save": ["norm"])", kTied);
  EXPECT_FALSE(of_none->tensors().contains(kHead));
  EXPECT_EQ(Read(*of_none, "model.norm.weight"), Values({4}, 6).values);
}

// PEFT keeps a copy for each module that is trained whole; a tensor that it saves besides is the
// model's own.
TEST_F(MergedCheckpointTest, TensorsThatWereTrainedWhole) {
  const CheckpointTensors base = {{kEmbedding, Values({6, 4}, 1)}};
  const TensorValues whole = Values({6, 4}, 2), other = Values({6, 4}, 3);
  const std::vector<float> original = base.at(kEmbedding).values;
  const auto embedding =
      Merge(base, {{kEmbedding, whole}}, R"("modules_to_save": ["embed_tokens"])", kTied);
  EXPECT_EQ(Read(*embedding, kEmbedding), whole.values);
  EXPECT_EQ(Read(*embedding, kHead), original);
  const auto head = Merge(base, {{kHead, whole}}, R"("modules_to_save": ["lm_head"])", kTied);
  EXPECT_EQ(Read(*head, kEmbedding), original);
  EXPECT_EQ(Read(*head, kHead), whole.values);
  const auto both = Merge(base, {{kEmbedding, whole}, {kHead, other}},
                          R"("modules_to_save": ["lm_head", "embed_tokens"])", kTied);
  EXPECT_EQ(Read(*both, kEmbedding), whole.values);
  EXPECT_EQ(Read(*both, kHead), other.values);

  for (const std::string& name : {kEmbedding, kHead}) {
    const auto shared = Merge(base, {{name, whole}}, "", kTied);
    EXPECT_EQ(Read(*shared, kEmbedding), whole.values);
    EXPECT_FALSE(shared->tensors().contains(kHead));
  }
  // Its products are added to what the module had.
  const TensorValues a = Values({2, 6}, 4), b = Values({4, 2}, 5);
  const auto wrapped = Merge(base,
                             {{"model.embed_tokens.base_layer.weight", whole},
                              {"model.embed_tokens.lora_embedding_A", a},
                              {"model.embed_tokens.lora_embedding_B", b}},
                             R"("r": 2, "lora_alpha": 2)", kTied);
  EXPECT_EQ(Read(*wrapped, kEmbedding), Sum(whole, Turned(a), Turned(b), 1));
  EXPECT_EQ(Read(*wrapped, kHead), whole.values);

  EXPECT_THAT(SentenceOf([&] {
                Merge(base, {{kEmbedding, Values({8, 4}, 1)}}, "");
              }),
              HasSubstr("tensor base_model.model.model.embed_tokens.weight is [8, 4], expected "
                        "[6, 4] as the checkpoint has it"));
  EXPECT_THAT(SentenceOf([&] {
                Merge(base, {{"score.weight", whole}}, "");
              }),
              HasSubstr("tensor base_model.model.score.weight is none of the checkpoint's"));
}

// Of 3 experts: PEFT's delta is the sum over r of B[o, r * experts + e] A[e * rank + r, i].
class OfExperts : public MergedCheckpointTest {
 protected:
  static constexpr size_t kN = 3, kRank = 2;

  static float Delta(const TensorValues& a, const TensorValues& b, size_t expert, size_t output,
                     size_t input) {
    float sum = 0;
    for (size_t r = 0; r < kRank; ++r) {
      sum += b.values[output * kRank * kN + r * kN + expert] *
             a.values[(expert * kRank + r) * a.shape[1] + input];
    }
    return sum;
  }
  static TensorValues Changed(TensorValues base, const TensorValues& a, const TensorValues& b,
                              bool inputs_first) {
    const size_t rows = base.shape[1], cols = base.shape[2];
    for (size_t i = 0; i < base.values.size(); ++i) {
      const size_t row = i / cols % rows, col = i % cols;
      base.values[i] +=
          Delta(a, b, i / cols / rows, inputs_first ? col : row, inputs_first ? row : col);
    }
    return base;
  }

  const std::string keys_ = R"("r": 2, "lora_alpha": 2, "target_modules": [], "target_parameters":
      ["mlp.experts.down_proj", "mlp.experts.gate_up_proj"])";
  // hidden 4, intermediate 5
  const TensorValues up_a_ = Values({kN * kRank, 4}, 1), up_b_ = Values({10, kN*kRank}, 2);
  const TensorValues down_a_ = Values({kN * kRank, 5}, 3), down_b_ = Values({4, kN*kRank}, 4);
  // The first that the module declares, gate_up_proj, lies innermost.
  const CheckpointTensors adapter_ = {{kExperts + ".base_layer.lora_A.weight", up_a_},
                                      {kExperts + ".base_layer.lora_B.weight", up_b_},
                                      {kExperts + ".lora_A.weight", down_a_},
                                      {kExperts + ".lora_B.weight", down_b_}};
};

TEST_F(OfExperts, InOneTensor) {
  const std::string up = kExperts + ".gate_up_proj", down = kExperts + ".down_proj";
  const CheckpointTensors base = {{up, Values({kN, 10, 4}, 5)}, {down, Values({kN, 4, 5}, 6)}};
  const auto merged = Merge(base, adapter_, keys_);
  EXPECT_EQ(Read(*merged, up), Changed(base.at(up), up_a_, up_b_, false).values);
  EXPECT_EQ(Read(*merged, down), Changed(base.at(down), down_a_, down_b_, false).values);

  const CheckpointTensors turned = {{up, Values({kN, 4, 10}, 5)}, {down, Values({kN, 5, 4}, 6)}};
  const auto inputs_first = Merge(turned, adapter_, keys_, {"", "", {up, down}});
  EXPECT_EQ(Read(*inputs_first, up), Changed(turned.at(up), up_a_, up_b_, true).values);
  EXPECT_EQ(Read(*inputs_first, down), Changed(turned.at(down), down_a_, down_b_, true).values);

  EXPECT_THAT(SentenceOf([&] {
                Merge({{up, Values({kN, 10, 4}, 5)}}, adapter_, keys_);
              }),
              HasSubstr("module " + down + " is none of the checkpoint's"));
  EXPECT_THAT(
      SentenceOf([&] {
        Merge({{up, Values({2, 10, 4}, 5)}, {down, Values({kN, 4, 5}, 6)}}, adapter_, keys_);
      }),
      HasSubstr("module " + up + " is [3, 10, 4], which " + up));
}

TEST_F(OfExperts, InTensorsOfTheirOwn) {
  struct Names {
    std::string begin;
    std::vector<std::string> up;
    std::string down;
  };
  for (const Names& names :
       {Names{kExperts + ".", {".gate_proj", ".up_proj"}, ".down_proj"},
        Names{"model.layers.0.block_sparse_moe.experts.", {".w1", ".w3"}, ".w2"}}) {
    CheckpointTensors base;
    for (size_t e = 0; e < kN; ++e) {
      const std::string expert = names.begin + std::to_string(e);
      for (const std::string& name : names.up) {
        base[expert + name + ".weight"] = Values({5, 4}, static_cast<int>(e));
      }
      base[expert + names.down + ".weight"] = Values({4, 5}, static_cast<int>(e) + 3);
    }
    const auto merged = Merge(base, adapter_, keys_);
    for (size_t e = 0; e < kN; ++e) {
      const std::string expert = names.begin + std::to_string(e);
      for (size_t part = 0; part < 2; ++part) {
        const std::string name = expert + names.up[part] + ".weight";
        std::vector<float> expected = base.at(name).values;
        for (size_t i = 0; i < expected.size(); ++i) {
          expected[i] += Delta(up_a_, up_b_, e, part * 5 + i / 4, i % 4);
        }
        EXPECT_EQ(Read(*merged, name), expected) << name;
      }
      const std::string name = expert + names.down + ".weight";
      std::vector<float> expected = base.at(name).values;
      for (size_t i = 0; i < expected.size(); ++i) {
        expected[i] += Delta(down_a_, down_b_, e, i / 5, i % 5);
      }
      EXPECT_EQ(Read(*merged, name), expected) << name;
    }
    base.erase(names.begin + "2" + names.down + ".weight");
    EXPECT_THAT(SentenceOf([&] { Merge(base, adapter_, keys_); }),
                HasSubstr("module " + kExperts + ".down_proj is none of the checkpoint's"));
  }
}

TEST_F(OfExperts, ARouterIsAMatrix) {
  const std::string router = "model.layers.0.mlp.gate";
  const TensorValues a = Values({2, 4}, 1), b = Values({3, 2}, 2);
  const CheckpointTensors base = {{router + ".weight", Values({3, 4}, 3)}};
  for (const char* target : {R"("target_modules": ["gate"])",
                             R"("target_modules": null, "target_parameters": ["gate.weight"])"}) {
    const auto merged =
        Merge(base, {{router + ".lora_A.weight", a}, {router + ".lora_B.weight", b}},
              R"("r": 2, "lora_alpha": 2, )" + std::string(target));
    EXPECT_EQ(Read(*merged, router + ".weight"), Sum(base.at(router + ".weight"), b, a, 1));
  }
}

}  // namespace
}  // namespace rondo::convert
