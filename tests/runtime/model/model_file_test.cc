#include "runtime/model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "runtime/model/sampler_options.h"
#include "runtime/model/tensor_view.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/all_formats.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tools/convert/convert.h"

namespace rondo::model_file_test {
namespace {

using format::TensorFormat;
using testing::HasSubstr;

// A model of one layer with biases, converted once.
ModelBytes MakeModel(TensorFormat weights) {
  const TempFolder folder;
  convert::CheckpointShape shape;
  shape.attention_bias = true;
  shape.intermediate_size = 20;  // leaves gaps between sections
  convert::WriteRandomCheckpoint(folder / "model", shape);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = options.embedding = weights;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

const ModelBytes& Q8Model() {
  static const ModelBytes model = MakeModel(TensorFormat::Q8);
  return model;
}

// Tables of a file in memory, writable: fields are changed in place by their FlatBuffers slot.
template <typename Table>
flatbuffers::Table& Writable(const Table* table) {
  return *reinterpret_cast<flatbuffers::Table*>(const_cast<Table*>(table));
}

template <typename T, typename Table>
void Set(const Table* table, flatbuffers::voffset_t field, T value) {
  // A field that was left out for being the default can't be set.
  ASSERT_TRUE(Writable(table).SetField(field, value, static_cast<T>(value + 1)));
}

// Makes a field absent. Tables of the same layout share their vtable and lose it, too.
template <typename Table>
void Remove(const Table* table, flatbuffers::voffset_t field) {
  uint8_t* vtable = const_cast<uint8_t*>(Writable(table).GetVTable());
  std::memset(vtable + field, 0, sizeof(flatbuffers::voffset_t));
}

using Damage = std::function<void(const format::Model&)>;

Status OpenDamaged(const Damage& damage, const ModelBytes& model = Q8Model()) {
  ModelBytes copy = model;
  damage(*format::GetModel(copy.metadata().data()));
  copy.SealMetadata();
  return ModelFile::Open(copy.bytes()).status();
}

TEST(ModelFile, OpensWhatTheConverterWrites) {
  for (TensorFormat format : AllFormats()) {
    const ModelBytes bytes = MakeModel(format);
    const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_TRUE(file->VerifyAll().ok());
    EXPECT_EQ(file->model().hidden_size(), 16u);
    EXPECT_EQ(file->file_bytes(), bytes.bytes().size());
    const TensorView embedding = ViewTensor(*file, file->model().embedding());
    EXPECT_STREQ(embedding.name, "embedding");
    EXPECT_EQ(embedding.rows, 32u);
    EXPECT_EQ(embedding.cols, 16u);
    const bool padded = format == TensorFormat::Q4B || RuleOf(format).is_codes();
    EXPECT_EQ(embedding.padded_cols, padded ? 32u : 16u);
    EXPECT_EQ(embedding.data.size(), embedding.rows * (format == TensorFormat::F32  ? 64
                                                       : format == TensorFormat::Q4 ? 17
                                                       : format == TensorFormat::Q3 ? 13
                                                       : format == TensorFormat::Q2 ? 9
                                                                                    : 16));
    EXPECT_TRUE(CheckValues(embedding).ok());
  }
}

TEST(ModelFile, WantsAlignedBytes) {
  ModelBytes copy = Q8Model();
  EXPECT_EQ(ModelFile::Open(copy.bytes().subspan(1)).status().code(), StatusCode::kInvalidArgument);
}

TEST(ModelFile, TellsForeignFilesFromDamagedOnes) {
  EXPECT_EQ(ModelFile::Open(std::span<const uint8_t>()).status().code(), StatusCode::kNotAModel);
  ModelBytes copy = Q8Model();
  copy.bytes()[0] = 'G';
  EXPECT_EQ(ModelFile::Open(copy.bytes()).status().code(), StatusCode::kNotAModel);
  copy = Q8Model();
  copy.bytes()[4] = kFormatVersion + 1;
  const Status newer = ModelFile::Open(copy.bytes()).status();
  EXPECT_EQ(newer.code(), StatusCode::kNewerFormat);
  EXPECT_THAT(newer.message(), HasSubstr("version 5, this version of Rondo reads up to 4"));
}

TEST(ModelFile, RefusesHeadersThatLie) {
  const auto open_with = [](const std::function<void(FileHeader&)>& change) {
    ModelBytes copy = Q8Model();
    FileHeader header = copy.header();
    change(header);
    copy.set_header(header);
    return ModelFile::Open(copy.bytes()).status();
  };
  EXPECT_THAT(open_with([](FileHeader& h) { h.file_bytes += 1; }).message(),
              HasSubstr("truncated"));
  EXPECT_THAT(open_with([](FileHeader& h) { h.file_bytes -= 1; }).message(), HasSubstr("appended"));
  EXPECT_THAT(open_with([](FileHeader& h) { h.format_version = 0; }).message(),
              HasSubstr("version 0"));
  EXPECT_THAT(open_with([](FileHeader& h) { h.format_version = 1; }).message(),
              HasSubstr("version 1, this version of Rondo reads 4: convert the model again"));
  EXPECT_THAT(open_with([](FileHeader& h) { h.reserved[15] = 1; }).message(),
              HasSubstr("reserved"));
  for (const auto& change : std::vector<std::function<void(FileHeader&)>>{
           [](FileHeader& h) { h.metadata_offset = 0; },
           [](FileHeader& h) { h.metadata_offset += 1; },
           [](FileHeader& h) { h.metadata_offset += 64; },
           [](FileHeader& h) { h.metadata_offset = UINT64_MAX - 63; },
           [](FileHeader& h) { h.metadata_bytes = UINT64_MAX; },
           [](FileHeader& h) { h.metadata_bytes = 0; }}) {
    const Status status = open_with(change);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    EXPECT_THAT(status.message(), HasSubstr("places"));
  }
}

TEST(ModelFile, NamesTheTensorWhoseBytesWereAltered) {
  ModelBytes copy = Q8Model();
  const Result<ModelFile> file = ModelFile::Open(copy.bytes());
  ASSERT_TRUE(file.ok());
  const format::Tensor* tensor = file->model().tensors()->Get(2);
  copy.bytes()[tensor->scales()->offset()] ^= 1;
  const Status status = file->VerifyAll();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr(tensor->name()->c_str()));
  EXPECT_FALSE(VerifyTensor(*file, 2).ok());
  EXPECT_TRUE(VerifyTensor(*file, 1).ok());
}

TEST(ModelFile, RefusesBytesBetweenSections) {
  ModelBytes copy = Q8Model();
  const Result<ModelFile> file = ModelFile::Open(copy.bytes());
  ASSERT_TRUE(file.ok());
  uint64_t end = 0;
  for (const format::Section* section : *file->model().sections()) {
    if (end != 0 && section->offset() > end) break;
    end = section->offset() + section->bytes();
  }
  ASSERT_NE(end % 64, 0u);
  copy.bytes()[end] = 1;
  EXPECT_THAT(ModelFile::Open(copy.bytes()).status().message(),
              HasSubstr("byte " + std::to_string(end)));
}

TEST(ModelFile, RefusesScalesThatAreNotFinite) {
  ModelBytes copy = Q8Model();
  const Result<ModelFile> file = ModelFile::Open(copy.bytes());
  ASSERT_TRUE(file.ok());
  const TensorView embedding = ViewTensor(*file, file->model().embedding());
  const_cast<float&>(embedding.row_scales()[3]) = std::numeric_limits<float>::quiet_NaN();
  const Status status = CheckValues(embedding);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("scale 3 of tensor embedding"));
}

TEST(ModelFile, RefusesLevelsThatHaveNoMagnitude) {
  ModelBytes copy = MakeModel(TensorFormat::Q4);
  const Result<ModelFile> file = ModelFile::Open(copy.bytes());
  ASSERT_TRUE(file.ok());
  const TensorView embedding = ViewTensor(*file, file->model().embedding());
  const_cast<uint8_t&>(embedding.tables[200]) = 0x80;
  const Status status = CheckValues(embedding);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("level 200 of the tables of tensor embedding is -128"));
}

TEST(ModelFile, RefusesCodesWithoutTheirTables) {
  const ModelBytes codes = MakeModel(TensorFormat::Q4);
  const auto tensor = [](const format::Model& m) { return m.tensors()->Get(m.embedding()); };
  const Status absent = OpenDamaged(
      [&](const format::Model& m) { Remove(tensor(m), format::Tensor::VT_TABLES); }, codes);
  EXPECT_EQ(absent.code(), StatusCode::kCorrupt);
  EXPECT_THAT(absent.message(), HasSubstr("tensor embedding has no tables"));
  const Status other = OpenDamaged(
      [&](const format::Model& m) {
        *const_cast<format::Section*>(tensor(m)->tables()) = *tensor(m)->scales();
      },
      codes);
  EXPECT_EQ(other.code(), StatusCode::kCorrupt);
  EXPECT_THAT(other.message(),
              HasSubstr("tables have 128 bytes, its shape and format ask for 256"));
  const Status q8 = OpenDamaged(
      [&](const format::Model& m) {
        Set<uint8_t>(tensor(m), format::Tensor::VT_FORMAT, static_cast<uint8_t>(TensorFormat::F32));
      },
      codes);
  EXPECT_EQ(q8.code(), StatusCode::kCorrupt);
  EXPECT_THAT(q8.message(), HasSubstr("is f32 but has tables"));
}

struct Case {
  const char* name;
  Damage damage;
  StatusCode code;
  const char* words;  // in the message
};

class DamagedMetadata : public testing::TestWithParam<Case> {};

TEST_P(DamagedMetadata, IsRefusedByName) {
  const Status status = OpenDamaged(GetParam().damage);
  EXPECT_EQ(status.code(), GetParam().code) << status.message();
  EXPECT_THAT(status.message(), HasSubstr(GetParam().words));
}

using format::Attention, format::Linear, format::Mlp, format::Model, format::Norm, format::Rope,
    format::Sublayer, format::Tensor;
constexpr StatusCode kCorrupt = StatusCode::kCorrupt, kUnsupported = StatusCode::kUnsupported;

const Attention* AttentionOf(const Model& m) { return &rondo::AttentionOf(m, 0); }
const Mlp* MlpOf(const Model& m) { return &rondo::MlpOf(m, 0); }
const Tensor* TensorAt(const Model& m, uint32_t i) { return m.tensors()->Get(i); }
uint32_t QkvOf(const Model& m) { return AttentionOf(m)->qkv()->weight(); }
format::Section& SectionOf(const format::Section* section) {
  return *const_cast<format::Section*>(section);
}

const std::vector<Case> kCases = {
    {"NoName", [](const Model& m) { Remove(&m, Model::VT_NAME); }, kCorrupt, "name"},
    {"NoTensors", [](const Model& m) { Remove(&m, Model::VT_TENSORS); }, kCorrupt, "tensors"},
    {"NoLayers", [](const Model& m) { Remove(&m, Model::VT_LAYERS); }, kCorrupt, "layers"},
    {"NoRopes", [](const Model& m) { Remove(&m, Model::VT_ROPES); }, kCorrupt,
     "a rope that is absent"},
    {"NoSections", [](const Model& m) { Remove(&m, Model::VT_SECTIONS); }, kCorrupt, "sections"},
    {"NoFinalNorm", [](const Model& m) { Remove(&m, Model::VT_FINAL_NORM); }, kCorrupt,
     "final norm is absent"},
    {"NoHead", [](const Model& m) { Remove(&m, Model::VT_HEAD); }, kCorrupt, "head is absent"},
    {"NoVocab", [](const Model& m) { Remove(&m, Model::VT_VOCAB_SIZE); }, kCorrupt,
     "vocab_size is 0"},
    {"HugeVocab", [](const Model& m) { Set(&m, Model::VT_VOCAB_SIZE, UINT32_MAX); }, kCorrupt,
     "vocab_size is 4294967295"},
    {"OtherVocab", [](const Model& m) { Set(&m, Model::VT_VOCAB_SIZE, 33u); }, kCorrupt,
     "tensor embedding is 32 x 16"},
    {"HugeHidden", [](const Model& m) { Set(&m, Model::VT_HIDDEN_SIZE, 1u << 31); }, kCorrupt,
     "hidden_size"},
    {"NoContext", [](const Model& m) { Remove(&m, Model::VT_CONTEXT_LENGTH); }, kCorrupt,
     "context_length"},
    {"BosTooLarge", [](const Model& m) { Set(&m, Model::VT_BOS_TOKEN, 32); }, kCorrupt,
     "bos_token is 32"},
    {"BosNegative", [](const Model& m) { Set(&m, Model::VT_BOS_TOKEN, -2); }, kCorrupt,
     "bos_token is -2"},
    {"EosTooLarge",
     [](const Model& m) {
       const_cast<flatbuffers::Vector<uint32_t>*>(m.eos_tokens())->Mutate(0, 32);
     },
     kCorrupt, "eos token is 32"},
    {"HeadIndex", [](const Model& m) { Set(m.head(), Linear::VT_WEIGHT, 1u); }, kCorrupt,
     "ask for 32 x 16"},
    {"UnknownFormat", [](const Model& m) { Set<uint8_t>(TensorAt(m, 0), Tensor::VT_FORMAT, 77); },
     kUnsupported, "tensor embedding has format 77"},
    {"NoFormat", [](const Model& m) { Remove(TensorAt(m, 0), Tensor::VT_FORMAT); }, kUnsupported,
     "format 0"},
    {"WrongFormat", [](const Model& m) { Set<uint8_t>(TensorAt(m, 0), Tensor::VT_FORMAT, 1); },
     kCorrupt, "bytes"},
    {"Q4BWithoutBlock", [](const Model& m) { Set<uint8_t>(TensorAt(m, 0), Tensor::VT_FORMAT, 3); },
     kCorrupt, "32, 64 or 128"},
    {"HugeRows", [](const Model& m) { Set(TensorAt(m, 0), Tensor::VT_ROWS, UINT64_MAX / 2); },
     kCorrupt, "tensor embedding"},
    {"ZeroCols", [](const Model& m) { Remove(TensorAt(m, 0), Tensor::VT_COLS); }, kCorrupt, "x 0"},
    {"NoScales", [](const Model& m) { Remove(TensorAt(m, 0), Tensor::VT_SCALES); }, kCorrupt,
     "embedding has no scales"},
    {"NoData", [](const Model& m) { Remove(TensorAt(m, 0), Tensor::VT_DATA); }, kCorrupt,
     "has no data"},
    {"DataElsewhere",
     [](const Model& m) {
       format::Section& section = SectionOf(TensorAt(m, 0)->data());
       section = format::Section(section.offset() + 64, section.bytes(), section.checksum());
     },
     kCorrupt, "not a section of this file"},
    {"DataSwapped",
     [](const Model& m) { SectionOf(TensorAt(m, 0)->data()) = *TensorAt(m, 0)->scales(); },
     kCorrupt, "bytes"},
    {"SectionPastTheEnd",
     [](const Model& m) {
       format::Section& last = SectionOf(m.sections()->Get(m.sections()->size() - 1));
       last = format::Section(last.offset(), UINT64_MAX - 8, last.checksum());
     },
     kCorrupt, "section"},
    {"SectionMisaligned",
     [](const Model& m) {
       format::Section& section = SectionOf(m.sections()->Get(0));
       section = format::Section(section.offset() + 1, section.bytes() - 1, section.checksum());
     },
     kCorrupt, "section 0 "},
    {"SectionsOverlap",
     [](const Model& m) {
       format::Section& section = SectionOf(m.sections()->Get(0));
       section = format::Section(section.offset(), section.bytes() + 1024, section.checksum());
     },
     kCorrupt, "section 1"},
    {"SectionInHeader",
     [](const Model& m) {
       format::Section& section = SectionOf(m.sections()->Get(0));
       section = format::Section(0, section.bytes(), section.checksum());
     },
     kCorrupt, "section 0"},
    {"NamesTwice",
     [](const Model& m) {
       // The offset of the second tensor, counted from its own slot, becomes that of the first.
       auto* slots = const_cast<uint8_t*>(m.tensors()->Data());
       const auto first = flatbuffers::ReadScalar<uint32_t>(slots);
       flatbuffers::WriteScalar<uint32_t>(slots + sizeof(first), first - sizeof(first));
     },
     kCorrupt, "two tensors are named embedding"},
    {"NameOfControlCharacters",
     [](const Model& m) { const_cast<char*>(TensorAt(m, 0)->name()->c_str())[0] = '\n'; }, kCorrupt,
     "printable"},
    {"NoOperator", [](const Model& m) { Remove(&SublayerAt(m, 0, 0), Sublayer::VT_OP); }, kCorrupt,
     "layer 0's sublayer has no operator"},
    {"NoOperatorType", [](const Model& m) { Remove(&SublayerAt(m, 0, 1), Sublayer::VT_OP_TYPE); },
     kCorrupt, "layer 0's sublayer has no operator"},
    {"UnknownOperator",
     [](const Model& m) { Set<uint8_t>(&SublayerAt(m, 0, 0), Sublayer::VT_OP_TYPE, 99); },
     kUnsupported, "layer 0's sublayer asks for operator 99"},
    // What is a table of one type is read as another, which the verifier can't see as wrong where
    // the fields' sizes agree.
    {"OtherOperator",
     [](const Model& m) { Set<uint8_t>(&SublayerAt(m, 0, 0), Sublayer::VT_OP_TYPE, 3); }, kCorrupt,
     ""},
    {"NoQkv", [](const Model& m) { Remove(AttentionOf(m), Attention::VT_QKV); }, kCorrupt,
     "qkv is absent"},
    {"NoHeads", [](const Model& m) { Remove(AttentionOf(m), Attention::VT_N_HEADS); }, kCorrupt,
     "0 heads"},
    {"HeadsNotDivided", [](const Model& m) { Set(AttentionOf(m), Attention::VT_N_KV_HEADS, 3u); },
     kCorrupt, "3 KV heads"},
    {"MoreKvHeads", [](const Model& m) { Set(AttentionOf(m), Attention::VT_N_KV_HEADS, 2u); },
     kCorrupt, "qkv is 32 x 16"},
    {"OddHeadDim", [](const Model& m) { Set(AttentionOf(m), Attention::VT_HEAD_DIM, 9u); },
     kUnsupported, "head_dim 9"},
    {"OddVHeadDim", [](const Model& m) { Set(AttentionOf(m), Attention::VT_V_HEAD_DIM, 9u); },
     kUnsupported, "v_head_dim 9"},
    {"OtherVHeadDim", [](const Model& m) { Set(AttentionOf(m), Attention::VT_V_HEAD_DIM, 16u); },
     kCorrupt, "qkv is 32 x 16, the model's sizes ask for 40 x 16"},
    {"OtherHeadDim", [](const Model& m) { Set(AttentionOf(m), Attention::VT_HEAD_DIM, 16u); },
     kCorrupt, "qkv"},
    {"HugeHeadDim", [](const Model& m) { Set(AttentionOf(m), Attention::VT_HEAD_DIM, 1u << 31); },
     kUnsupported, "head_dim"},
    {"RopeIndex", [](const Model& m) { Set(AttentionOf(m), Attention::VT_ROPE, 1); }, kCorrupt,
     "rope that is absent"},
    {"RopeNegative", [](const Model& m) { Set(AttentionOf(m), Attention::VT_ROPE, -2); }, kCorrupt,
     "rope that is absent"},
    {"ScoreScale", [](const Model& m) { Set(AttentionOf(m), Attention::VT_SCORE_SCALE, -1.0f); },
     kCorrupt, "score_scale"},
    {"ScoreScaleNan",
     [](const Model& m) {
       Writable(AttentionOf(m)).SetField(Attention::VT_SCORE_SCALE, std::nanf(""), 0.0f);
     },
     kCorrupt, "score_scale"},
    {"WeightIndex",
     [](const Model& m) { Set(AttentionOf(m)->qkv(), Linear::VT_WEIGHT, UINT32_MAX - 1); },
     kCorrupt, "qkv points at a tensor that is absent"},
    {"BiasIndex", [](const Model& m) { Set(AttentionOf(m)->qkv(), Linear::VT_BIAS, 1 << 30); },
     kCorrupt, "qkv points at a tensor that is absent"},
    {"BiasNegative", [](const Model& m) { Set(AttentionOf(m)->qkv(), Linear::VT_BIAS, -7); },
     kCorrupt, "negative index"},
    {"BiasShape",
     [](const Model& m) {
       Set(AttentionOf(m)->qkv(), Linear::VT_BIAS, static_cast<int32_t>(QkvOf(m)));
     },
     kCorrupt, "qkv is 32 x 16"},
    {"NormKind", [](const Model& m) { Set<uint8_t>(SublayerAt(m, 0, 1).norm(), Norm::VT_KIND, 9); },
     kUnsupported, "norm kind 9"},
    {"EpsilonZero", [](const Model& m) { Remove(m.final_norm(), Norm::VT_EPSILON); }, kCorrupt,
     "epsilon"},
    {"EpsilonInfinite",
     [](const Model& m) {
       Writable(m.final_norm()).SetField(Norm::VT_EPSILON, INFINITY * 1.0, 0.0);
     },
     kCorrupt, "epsilon"},
    {"NormShape", [](const Model& m) { Set(m.final_norm(), Norm::VT_WEIGHT, QkvOf(m)); }, kCorrupt,
     "ask for 1 x 16"},
    {"Activation", [](const Model& m) { Set<uint8_t>(MlpOf(m), Mlp::VT_ACTIVATION, 33); },
     kUnsupported, "activation 33"},
    {"Intermediate",
     [](const Model& m) { Set(MlpOf(m), Mlp::VT_INTERMEDIATE_SIZE, UINT32_MAX - 1); }, kCorrupt,
     "intermediate_size"},
    {"IntermediateOther", [](const Model& m) { Set(MlpOf(m), Mlp::VT_INTERMEDIATE_SIZE, 8u); },
     kCorrupt, "gate_up"},
    {"RopeWithoutFrequencies",
     [](const Model& m) { Remove(m.ropes()->Get(0), Rope::VT_FREQUENCIES); }, kCorrupt,
     "no frequencies"},
    {"RopeInfinite",
     [](const Model& m) {
       const_cast<flatbuffers::Vector<double>*>(m.ropes()->Get(0)->frequencies())
           ->Mutate(0, -INFINITY);
     },
     kCorrupt, "not finite"},
};

// What a field's default hides from the cases above.
TEST(ModelFile, RefusesSublayersThatMakeNoSense) {
  const auto open_with = [](const std::function<void(format::ModelT&)>& change) {
    return ModelFile::Open(Rewrite(Q8Model(), change).bytes()).status();
  };
  EXPECT_THAT(open_with([](format::ModelT& m) {
                SublayerAt(m, 0, 0).reads_previous_input = true;
              }).message(),
              HasSubstr("layer 0's first sublayer reads what the one before it read"));
  EXPECT_THAT(
      open_with([](format::ModelT& m) { SublayerAt(m, 0, 1).factor = std::nanf(""); }).message(),
      HasSubstr("layer 0's mlp has a factor that is not finite"));
  for (const float scale : {0.0f, -1.0f, std::nanf(""), INFINITY}) {
    EXPECT_THAT(
        open_with([&](format::ModelT& m) { m.embedding_scale = scale; }).message(),
        testing::AllOf(HasSubstr("embedding has a scale of"), HasSubstr("finite number above 0")));
  }
  EXPECT_THAT(open_with([](format::ModelT& m) {
                auto& sublayers = m.layers[0]->sublayers;
                while (sublayers.size() < 17) {
                  sublayers.push_back(std::make_unique<format::SublayerT>(*sublayers[1]));
                }
              }).message(),
              HasSubstr("layer 0 has 17 sublayers, expected 1 to 16"));
  EXPECT_THAT(open_with([](format::ModelT& m) { m.layers[0]->sublayers.clear(); }).message(),
              HasSubstr("layer 0 has 0 sublayers"));
}

INSTANTIATE_TEST_SUITE_P(Every, DamagedMetadata, testing::ValuesIn(kCases),
                         [](const auto& param) { return param.param.name; });

TEST(ModelFile, NamesAreComparedByTheirLetters) {
  const ModelBytes bytes = Rewrite(
      Q8Model(), [](format::ModelT& model) { model.tensors[1]->name = model.tensors[0]->name; });
  EXPECT_THAT(ModelFile::Open(bytes.bytes()).status().message(),
              HasSubstr("two tensors are named embedding"));
}

TEST(ModelFile, BlocksHaveThreeSizes) {
  const ModelBytes model = MakeModel(TensorFormat::Q4B);
  for (const uint32_t block : {0u, 16u, 31u, 33u, 48u, 96u, 160u, 256u}) {
    const ModelBytes bytes = Rewrite(model, [&](format::ModelT& m) {
      for (auto& tensor : m.tensors) {
        if (tensor->format == TensorFormat::Q4B) tensor->block = block;
      }
    });
    EXPECT_THAT(ModelFile::Open(bytes.bytes()).status().message(),
                HasSubstr("with block " + std::to_string(block) + ", expected 32, 64 or 128"));
  }
}

// What a file recommends is what a session takes, and nothing else is opened.
TEST(ModelFile, RecommendedSamplingIsCheckedAsASessionsOptions) {
  const float kBeyond = std::numeric_limits<float>::infinity();
  const float kNan = std::numeric_limits<float>::quiet_NaN();
  const float kNumbers[] = {-1, -0.0f, 0, 1e-30f, 0.5f, 1, 1.5f, 3e38f, kBeyond, -kBeyond, kNan};
  const auto expect = [](const format::SamplingT& sampling, const char* field) {
    const ModelBytes bytes = Rewrite(Q8Model(), [&](format::ModelT& model) {
      model.sampling = std::make_unique<format::SamplingT>(sampling);
    });
    SamplerOptions options;
    options.temperature = sampling.temperature;
    options.top_k = sampling.top_k;
    options.top_p = sampling.top_p;
    options.min_p = sampling.min_p;
    options.repetition_penalty = sampling.repetition_penalty;
    options.penalty_last_n = sampling.penalty_last_n;
    options.no_repeat_ngram_size = sampling.no_repeat_ngram_size;
    const Status status = ModelFile::Open(bytes.bytes()).status();
    EXPECT_EQ(status.ok(), ValidateSamplerOptions(options, 10).ok()) << field << status.message();
    if (status.ok()) return;
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    EXPECT_THAT(status.message(), HasSubstr(std::string("the recommended ") + field + " is "));
  };
  for (const float number : kNumbers) {
    format::SamplingT temperature, top_p, min_p, penalty;
    temperature.temperature = top_p.top_p = min_p.min_p = penalty.repetition_penalty = number;
    expect(temperature, "temperature");
    expect(top_p, "top_p");
    expect(min_p, "min_p");
    expect(penalty, "repetition_penalty");
  }
  for (const int32_t number : {-1, 0, 1, 4096, 4097, INT32_MAX, INT32_MIN}) {
    format::SamplingT top_k, last_n;
    top_k.top_k = last_n.penalty_last_n = number;
    expect(top_k, "top_k");
    expect(last_n, "penalty_last_n");
  }
  for (const uint32_t number : {0u, 1u, 256u, 257u, UINT32_MAX}) {
    format::SamplingT ngram;
    ngram.no_repeat_ngram_size = number;
    expect(ngram, "no_repeat_ngram_size");
  }
}

TEST(ModelFile, RecommendedListsAreCheckedAsASessionsOptions) {
  const float kBeyond = std::numeric_limits<float>::infinity();
  const auto open = [](const std::vector<format::LogitBias>& biases,
                       const std::vector<std::string>& strings) {
    const ModelBytes bytes = Rewrite(Q8Model(), [&](format::ModelT& model) {
      model.sampling = std::make_unique<format::SamplingT>();
      model.sampling->logit_bias = biases;
      model.sampling->stop_strings = strings;
    });
    return std::string(ModelFile::Open(bytes.bytes()).status().message());
  };
  EXPECT_EQ(open({{0, -kBeyond}, {9, 1}}, {"Q:", std::string(128, 'x')}), "");
  EXPECT_THAT(open({{1 << 24, 0}}, {}),
              HasSubstr("the recommended logit bias of token 16777216 is 0"));
  EXPECT_THAT(open({{32, 0}}, {}), HasSubstr("the recommended logit bias of token 32 is 0"));
  EXPECT_THAT(open({{-1, 0}}, {}), HasSubstr("the recommended logit bias of token -1"));
  EXPECT_THAT(open({{0, kBeyond}}, {}), HasSubstr("the recommended logit bias of token 0 is inf"));
  EXPECT_THAT(open({{0, std::nanf("")}}, {}), HasSubstr("the recommended logit bias of token 0"));
  EXPECT_THAT(open(std::vector<format::LogitBias>(1025), {}),
              HasSubstr("the number of recommended logit biases is 1025"));
  EXPECT_THAT(open({}, {""}), HasSubstr("the length of a recommended stop string is 0"));
  EXPECT_THAT(open({}, {std::string(129, 'x')}),
              HasSubstr("the length of a recommended stop string is 129"));
  EXPECT_THAT(open({}, {"\xff"}), HasSubstr("a recommended stop string is no UTF-8 text"));
  EXPECT_THAT(open({}, {std::string("a\0b", 3)}),
              HasSubstr("a recommended stop string is no UTF-8 text"));
  EXPECT_THAT(open({}, std::vector<std::string>(17, "x")),
              HasSubstr("the number of recommended stop strings is 17"));
}

}  // namespace
}  // namespace rondo::model_file_test
