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

}  // namespace
}  // namespace rondo::convert
