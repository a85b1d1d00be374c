// Names that checkpoints write in more than one way, whatever a recipe uses them for.
#include "tools/convert/fit_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/error_of.h"

namespace rondo::convert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Names : public Checkpoint {
 public:
  explicit Names(const std::map<std::string, std::vector<uint64_t>>& tensors) {
    for (const auto& [name, shape] : tensors) Add(name, {"file", "F32", shape, 0});
  }
  void Read(const std::string&, uint64_t, std::span<float>) const override {}

 private:
  std::string Where() const override { return "file"; }
};

// An embedding by a factor, a matrix in two forms, and a vector that is computed.
DecoderSpec Spec() {
  DecoderSpec spec;
  spec.architecture = "Test";
  spec.prefix = "model.";
  spec.other_names = {{"project", "proj"}, {"fused", "joint"}};
  TensorRecipe embedding{"embedding", TensorRole::kEmbedding, {{"model.embed", 8}}, 4};
  embedding.factor = {"model.project", 2, /*cols_first=*/false};
  spec.embedding = spec.Add(std::move(embedding));
  spec.head.weight = spec.embedding;
  TensorRecipe matrix{"matrix", TensorRole::kMatrix, {{"model.q", 4}, {"model.k", 4}}, 4};
  matrix.others = {{.parts = {{"model.fused", 8}}, .transposed = true}};
  spec.Add(std::move(matrix));
  spec.Add({"ones", TensorRole::kVector, {{"", 4}}, 1});
  return spec;
}

std::vector<std::string> FittedNames(const Checkpoint& checkpoint) {
  DecoderSpec spec = Spec();
  std::vector<std::string> notes, names;
  FitToCheckpoint(checkpoint, spec, notes);
  for (const TensorRecipe& recipe : spec.tensors) {
    ForEachName(recipe, [&](const std::string& name) { names.push_back(name); });
  }
  return names;
}

TEST(FitSpec, NamesAreTakenAsTheCheckpointHasThem) {
  EXPECT_THAT(FittedNames(Names({{"model.embed", {8, 2}},
                                 {"model.project", {2, 4}},
                                 {"model.q", {4, 4}},
                                 {"model.k", {4, 4}}})),
              ElementsAre("model.embed", "model.project", "model.q", "model.k"));
  // By other names, and in the other form.
  EXPECT_THAT(FittedNames(Names(
                  {{"model.embed", {8, 2}}, {"model.proj", {2, 4}}, {"model.joint", {4, 8}}})),
              ElementsAre("model.embed", "model.proj", "model.joint"));
  // Without the prefix.
  EXPECT_THAT(FittedNames(Names({{"embed", {8, 2}}, {"project", {2, 4}}, {"fused", {4, 8}}})),
              ElementsAre("embed", "project", "fused"));
}

TEST(FitSpec, EveryTensorHasAPlaceAndAShape) {
  const auto sentence = [](const std::map<std::string, std::vector<uint64_t>>& tensors) {
    return SentenceOf([&] { FittedNames(Names(tensors)); });
  };
  std::map<std::string, std::vector<uint64_t>> tensors = {
      {"model.embed", {8, 2}}, {"model.project", {4, 2}}, {"model.fused", {4, 8}}};
  EXPECT_THAT(sentence(tensors), HasSubstr("tensor model.project is [4, 2]"));
  tensors["model.project"] = {2, 4};
  EXPECT_EQ(sentence(tensors), "");
  tensors["model.q"] = {4, 4};  // beside the other form
  EXPECT_THAT(sentence(tensors), HasSubstr("tensor model.q has no place"));
}

// Names of tensors that hold one number.
class Values final : public Names {
 public:
  Values(const std::map<std::string, std::vector<uint64_t>>& tensors, float value)
      : Names(tensors), value_(value) {}
  void Read(const std::string&, uint64_t, std::span<float> out) const override {
    std::ranges::fill(out, value_);
  }

 private:
  const float value_;
};

// Older quantisers wrote one beside each matrix.
TEST(FitSpec, BiasesOfZerosAreLeftOut) {
  const auto fit = [](const std::map<std::string, std::vector<uint64_t>>& more, float value,
                      std::vector<std::string>& notes) {
    std::map<std::string, std::vector<uint64_t>> tensors = {
        {"e", {8, 4}}, {"a.weight", {4, 4}}, {"b.weight", {4, 4}}};
    tensors.insert(more.begin(), more.end());
    DecoderSpec spec;
    spec.architecture = "Test";
    spec.embedding = spec.Add({"embedding", TensorRole::kEmbedding, {{"e", 8}}, 4});
    spec.head.weight = spec.embedding;
    spec.Add({"a", TensorRole::kMatrix, {{"a.weight", 4}}, 4});
    spec.Add({"b", TensorRole::kMatrix, {{"b.weight", 4}}, 4});
    return SentenceOf([&] { FitToCheckpoint(Values(tensors, value), spec, notes); });
  };
  std::vector<std::string> notes;
  EXPECT_EQ(fit({{"a.bias", {4}}, {"b.bias", {4}}}, 0, notes), "");
  EXPECT_THAT(notes,
              ElementsAre("file: the bias a.bias and 1 more, for which the Test has no place, "
                          "are zeros and left out: they change nothing"));
  EXPECT_THAT(fit({{"a.bias", {4}}}, 0.5f, notes), HasSubstr("tensor a.bias has no place"));
  EXPECT_THAT(fit({{"c.bias", {4}}}, 0, notes), HasSubstr("tensor c.bias has no place"));
  EXPECT_EQ(notes.size(), 1u);
}

}  // namespace
}  // namespace rondo::convert
