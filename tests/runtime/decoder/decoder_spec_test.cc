// Layers that a file may have and that the forward pass cannot run are refused by name.
#include "runtime/decoder/decoder_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/model/sublayers.h"
#include "tests/support/packed_model.h"

namespace rondo::decoder_spec_test {
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
    {"AttentionBehindAnMlp",
     [](ModelT& m) {
       std::swap(Sublayers(m)[0], Sublayers(m)[1]);
       Sublayers(m)[1]->reads_previous_input = true;
     },
     "sublayer 1 of layer 1 reads what the one before it read"},
    {"TwoMlps",
     [](ModelT& m) {
       Sublayers(m).push_back(std::make_unique<format::SublayerT>(*Sublayers(m)[1]));
       Sublayers(m)[2]->reads_previous_input = true;
     },
     "sublayer 2 of layer 1 reads what the one before it read"},
};

INSTANTIATE_TEST_SUITE_P(Every, UnsupportedLayers, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rondo::decoder_spec_test
