// Experts in a tensor each, and stacked as transformers 5 keeps them: the same file.
#include <gtest/gtest.h>

#include "tests/runtime/model/model_bytes.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/error_of.h"
#include "tools/convert/convert.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kExperts = 3, kHidden = 16, kSize = 24;

class ExpertForms : public testing::Test {
 protected:
  ExpertForms() {
    WriteCheckpointOf(folder_ / "model", R"({"architectures": ["MixtralForCausalLM"],
        "vocab_size": 40, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "num_local_experts": 3})");
    tensors_ = ReadTensors(folder_ / "model");
  }

  // One tensor of the numbered ones, of all experts one after another: of each, `parts`.
  TensorValues Stack(const std::string& experts, const std::vector<std::string>& parts,
                     std::vector<uint64_t> shape) {
    TensorValues stacked{std::move(shape), {}};
    for (uint64_t i = 0; i < kExperts; ++i) {
      for (const std::string& part : parts) {
        std::string name = experts;
        name.append(std::to_string(i)).append(".").append(part).append(".weight");
        const auto found = tensors_.find(name);
        EXPECT_NE(found, tensors_.end()) << part;
        stacked.values.insert(stacked.values.end(), found->second.values.begin(),
                              found->second.values.end());
        tensors_.erase(found);
      }
    }
    return stacked;
  }
  void StackAll() {
    for (const char* layer : {"0", "1"}) {
      const std::string experts =
          std::string("model.layers.") + layer + ".block_sparse_moe.experts.";
      tensors_[experts + "gate_up_proj"] =
          Stack(experts, {"w1", "w3"}, {kExperts, 2 * kSize, kHidden});
      tensors_[experts + "down_proj"] = Stack(experts, {"w2"}, {kExperts, kHidden, kSize});
    }
    WriteTensors(folder_ / "model", tensors_);
  }
  std::vector<uint8_t> Converted() {
    ConvertOptions options;
    options.directory = folder_ / "model";
    options.output = folder_ / "model.rondo";
    Convert(options, [](uint64_t, uint64_t) {});
    const ModelBytes bytes(options.output);
    return {bytes.bytes().begin(), bytes.bytes().end()};
  }

  TempFolder folder_;
  CheckpointTensors tensors_;
};

TEST_F(ExpertForms, StackedOrByNumberMakesTheSameFile) {
  const std::vector<uint8_t> numbered = Converted();
  StackAll();
  EXPECT_EQ(Converted(), numbered);
}

TEST_F(ExpertForms, RefusesStacksThatConfigDoesNotExplain) {
  StackAll();
  const std::string name = "model.layers.1.block_sparse_moe.experts.gate_up_proj";
  tensors_[name].shape = {kExperts, kSize, 2 * kHidden};
  WriteTensors(folder_ / "model", tensors_);
  const std::string sentence = SentenceOf([&] { Converted(); });
  EXPECT_NE(sentence.find("model.layers.1.block_sparse_moe.experts.0.w1.weight is missing"),
            std::string::npos)
      << sentence;
}

}  // namespace
}  // namespace rondo::convert
