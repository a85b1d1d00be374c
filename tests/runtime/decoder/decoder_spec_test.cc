// Layers that a file may have and that the forward pass cannot run are refused by name.
#include "runtime/decoder/decoder_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/model/sublayers.h"
#include "tests/support/packed_model.h"

namespace rondo {
namespace {

using format::ModelT;
using testing::HasSubstr;

struct Case {
  const char* name;
  std::function<void(ModelT&)> change;
  const char* words;
};

class UnsupportedLayers : public testing::TestWithParam<Case> {};

TEST_P(UnsupportedLayers, AreRefusedByName) {
  convert::CheckpointShape shape;
  shape.n_layers = 2;
  const ConvertedModel model(shape, format::TensorFormat::Q8, format::TensorFormat::Q8);
  const ModelBytes plain = model.portable();
  ASSERT_TRUE(DecoderSpec::Read(*ModelFile::Open(plain.bytes())).ok());
  const ModelBytes bytes = Rewrite(plain, GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();  // the file is as it should be
  const Status status = DecoderSpec::Read(*file).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().words));
}

std::vector<std::unique_ptr<format::SublayerT>>& Sublayers(ModelT& m) {
  return m.layers[1]->sublayers;
}

const std::vector<Case> kCases = {
    {"One", [](ModelT& m) { Sublayers(m).pop_back(); }, "layer 1 does not have two sublayers"},
    {"Three",
     [](ModelT& m) {
       Sublayers(m).push_back(std::make_unique<format::SublayerT>(*Sublayers(m)[1]));
     },
     "layer 1 does not have two sublayers"},
    {"MlpFirst", [](ModelT& m) { std::swap(Sublayers(m)[0], Sublayers(m)[1]); },
     "layer 1 does not begin with attention"},
    {"AttentionTwice",
     [](ModelT& m) { Sublayers(m)[1] = std::make_unique<format::SublayerT>(*Sublayers(m)[0]); },
     "layer 1 does not end with an MLP"},
    {"Factor", [](ModelT& m) { Sublayers(m)[1]->factor = 0.5f; },
     "layer 1 has a sublayer with a factor"},
    {"WiderValues",  // the same matrices as one head with values of 16
     [](ModelT& m) {
       format::AttentionT& attention = AttentionOf(m, 1);
       attention.n_heads = 1;
       attention.v_head_dim = 16;
     },
     "layer 1 has values of another width than keys"},
};

INSTANTIATE_TEST_SUITE_P(Every, UnsupportedLayers, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rondo
