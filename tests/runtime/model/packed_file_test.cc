// Files whose weights are packed: what they must say of themselves to be opened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "runtime/model/model_file.h"
#include "runtime/model/tensor_view.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/all_formats.h"
#include "tests/support/packed_model.h"

namespace rondo::packed_file_test {
namespace {

using format::ModelT;
using format::Section;
using format::TensorFormat;
using testing::HasSubstr;

const ConvertedModel& Source(TensorFormat format) {
  const auto make = [](TensorFormat f) {
    convert::CheckpointShape shape;
    shape.attention_bias = true;
    shape.intermediate_size = 20;
    return new ConvertedModel(shape, f, f);
  };
  static const ConvertedModel* models[] = {make(TensorFormat::F32), make(TensorFormat::Q8),
                                           make(TensorFormat::Q4B), make(TensorFormat::Q4),
                                           make(TensorFormat::Q3),  make(TensorFormat::Q2)};
  return *models[static_cast<int>(format) - 1];
}

const ModelBytes& PackedQ8() {
  static const ModelBytes bytes = Source(TensorFormat::Q8).packed("avx2");
  return bytes;
}

TEST(PackedFile, OpensInEveryLayoutAndFormat) {
  for (TensorFormat format : AllFormats()) {
    for (const NamedLayout& named : NamedLayouts()) {
      const ModelBytes bytes = Source(format).packed(named.kernels);
      const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
      ASSERT_TRUE(file.ok()) << file.status().message();
      ASSERT_NE(file->layout(), nullptr);
      EXPECT_EQ(*file->layout(), named.layout);
      EXPECT_TRUE(file->VerifyAll().ok());
      size_t packed = 0;
      for (uint32_t i = 0; i < file->model().tensors()->size(); ++i) {
        const TensorView tensor = ViewTensor(*file, i);
        EXPECT_TRUE(CheckValues(tensor).ok());
        EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data.data()) % 64, 0u);
        packed += tensor.packed != nullptr;
      }
      EXPECT_EQ(packed, 5u);  // four in the layer, and the head: the embedding stays as it was
    }
  }
}

TEST(PackedFile, RefusesLayoutsItDoesNotKnowByName) {
  const ModelBytes other =
      Rewrite(PackedQ8(), [](ModelT& m) { m.layout = "rondo-9/q8:64x4/q4b:64x4/f:64"; });
  const Status status = ModelFile::Open(other.bytes()).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("rondo-9/q8:64x4/q4b:64x4/f:64"));
  EXPECT_THAT(status.message(), HasSubstr("pack it again"));
  for (const std::string& id : {std::string("\x1b[2J"), std::string(100000, 'x'), std::string(" "),
                                std::string("a\0b", 3)}) {
    const ModelBytes bytes = Rewrite(PackedQ8(), [&](ModelT& m) { m.layout = id; });
    const Status refused = ModelFile::Open(bytes.bytes()).status();
    EXPECT_EQ(refused.code(), StatusCode::kUnsupported);
    EXPECT_EQ(std::string(refused.message()).find('\x1b'), std::string::npos);
  }
}

struct Case {
  const char* name;
  std::function<void(ModelT&)> change;
  const char* words;
};

class DamagedPackedFile : public testing::TestWithParam<Case> {};

TEST_P(DamagedPackedFile, IsRefusedByName) {
  const ModelBytes bytes = Rewrite(PackedQ8(), GetParam().change);
  const Status status = ModelFile::Open(bytes.bytes()).status();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt) << status.message();
  EXPECT_THAT(status.message(), HasSubstr(GetParam().words));
}

format::TensorT& Weight(ModelT& m) { return *m.tensors[AttentionOf(m, 0).output->weight]; }
const std::vector<Case> kCases = {
    {"NoLayout", [](ModelT& m) { m.layout.clear(); }, "has no layout"},
    {"LargerLayout", [](ModelT& m) { m.layout = IdOf(LayoutNamed("avx512vnni").layout).text; },
     "ask for"},
    {"SmallerLayout", [](ModelT& m) { m.layout = IdOf(LayoutNamed("scalar").layout).text; },
     "ask for"},
    {"AWeightIsNotPacked", [](ModelT& m) { Weight(m).packed = false; }, "attention.output"},
    {"WeightAsRows",
     [](ModelT& m) {  // what is consistent in itself: the embedding as the head's weight
       m.head->weight = m.embedding;
     },
     "head is not packed, in a file that has a layout"},
    {"PackedVector", [](ModelT& m) { m.tensors[m.final_norm->weight]->packed = true; }, "norm"},
    {"ScalesApart",
     [](ModelT& m) { Weight(m).scales = std::make_unique<Section>(*Weight(m).data); },
     "has scales apart"},
    {"AnotherSection", [](ModelT& m) { *Weight(m).data = *m.tensors[m.head->weight]->data; },
     "ask for"},
    {"ASectionOfRows", [](ModelT& m) { *Weight(m).data = *m.tensors[m.embedding]->data; },
     "ask for"},
    {"OtherFormat", [](ModelT& m) { Weight(m).format = TensorFormat::F32; }, "ask for"},
    {"MoreRows", [](ModelT& m) { Weight(m).rows += 8; }, "ask for"},
    {"HugeRows", [](ModelT& m) { Weight(m).rows = UINT64_MAX; }, "no memory holds"},
    {"HugeCols", [](ModelT& m) { Weight(m).cols = UINT64_MAX - 3; }, "no memory holds"},
    {"BothHuge", [](ModelT& m) { Weight(m).rows = Weight(m).cols = uint64_t{1} << 62; },
     "no memory holds"},
};

INSTANTIATE_TEST_SUITE_P(Every, DamagedPackedFile, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(PackedFile, RefusesAPackedEmbeddingThatIsNotTheHead) {
  // Embedding and head change places: the one is packed, the other is not.
  const ModelBytes bytes =
      Rewrite(PackedQ8(), [](ModelT& m) { std::swap(m.embedding, m.head->weight); });
  const Status status = ModelFile::Open(bytes.bytes()).status();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt) << status.message();
  // And where the head is packed as well, but another tensor.
  const ModelBytes layer = Rewrite(PackedQ8(), [](ModelT& m) {
    format::TensorT copy = *m.tensors[m.head->weight];
    copy.name = "another";
    m.embedding = static_cast<uint32_t>(m.tensors.size());
    m.tensors.push_back(std::make_unique<format::TensorT>(std::move(copy)));
  });
  const Status refused = ModelFile::Open(layer.bytes()).status();
  EXPECT_EQ(refused.code(), StatusCode::kCorrupt) << refused.message();
  EXPECT_THAT(refused.message(), HasSubstr("embedding is packed"));
}

TEST(PackedFile, RefusesPackedTensorsInAPortableFile) {
  const ModelBytes bytes = Rewrite(Source(TensorFormat::Q8).portable(),
                                   [](ModelT& m) { m.tensors[m.head->weight]->packed = true; });
  EXPECT_THAT(ModelFile::Open(bytes.bytes()).status().message(), HasSubstr("has no layout"));
}

TEST(PackedFile, SeesValuesThatAreNotFiniteInEveryPartOfATile) {
  for (const FormatRule& rule : FormatRules()) {
    const TensorFormat format = rule.format;
    const PackedLayout& layout = LayoutNamed("avx512vnni").layout;
    ModelBytes bytes = Source(format).packed("avx512vnni");
    const ModelFile file = *ModelFile::Open(bytes.bytes());
    const TensorView tensor = ViewTensor(file, MlpOf(file.model(), 0).gate_up()->weight());
    const size_t tile = rule.TileBytes(layout, tensor.padded_cols, tensor.block).value();
    ASSERT_EQ(tensor.data.size(), 3 * tile);  // 2 x 20 channels
    // Offsets of the upper half of a float in the second tile.
    const size_t first_sum = 2, last_bias = tile - 2, first_scale_q8 = tile - 2 * 64 + 2;
    const size_t first_scale_q4b = 64 + 16 * 32 / 2;
    std::vector<size_t> places = {last_bias};
    if (rule.is_float()) places.insert(places.end(), {first_sum, 64 + 2});
    if (!rule.is_float() && !rule.has_blocks) places.push_back(first_scale_q8);
    if (rule.has_blocks) places.insert(places.end(), {first_sum, first_scale_q4b});
    for (size_t place : places) {
      uint8_t* at = const_cast<uint8_t*>(tensor.data.data()) + tile + place;
      uint8_t old[2];
      std::memcpy(old, at, 2);
      const uint8_t nan[2] = {0xc0, 0x7f};
      std::memcpy(at, nan, 2);
      const Status status = CheckValues(tensor);
      EXPECT_EQ(status.code(), StatusCode::kCorrupt) << place;
      EXPECT_THAT(status.message(), HasSubstr("tile 1 of tensor"));
      std::memcpy(at, old, 2);
    }
    EXPECT_TRUE(CheckValues(tensor).ok());
  }
}

// A whole model's metadata is longer than that; what is not one could be shorter.
TEST(PackedFile, HasRoomForWhatKernelsReadBeyondAMatrix) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<Section> sections = {Section(64, 64, 0)};
  const auto layout = builder.CreateString(IdOf(LayoutNamed("scalar").layout).text);
  const auto list = builder.CreateVectorOfStructs(sections);
  format::ModelBuilder model(builder);
  model.add_layout(layout);
  model.add_sections(list);
  format::FinishModelBuffer(builder, model.Finish());
  ASSERT_LT(builder.GetSize(), kPackedOverRead);
  std::vector<uint8_t> whole(128);
  whole.insert(whole.end(), builder.GetBufferPointer(),
               builder.GetBufferPointer() + builder.GetSize());
  ModelBytes bytes(whole);
  FileHeader header = {};
  std::memcpy(header.magic, kFileMagic, sizeof(header.magic));
  header.format_version = kFormatVersion;
  header.file_bytes = whole.size();
  header.metadata_offset = 128;
  header.metadata_bytes = builder.GetSize();
  bytes.set_header(header);
  bytes.SealMetadata();
  EXPECT_THAT(ModelFile::Open(bytes.bytes()).status().message(),
              HasSubstr("behind its last section"));
}

}  // namespace
}  // namespace rondo::packed_file_test
