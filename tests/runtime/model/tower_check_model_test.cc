// Every field of a tower, out of range, absent or against another: the file is refused, and the
// sentence names what, where, and what was expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "runtime/engine/engine.h"
#include "tests/support/test_model.h"

namespace rondo::tower_check_test {
namespace {

using format::ModelT;
using testing::HasSubstr;

const std::filesystem::path kFolder = SharedData("media");

const ModelBytes& Model(const std::string& family) {
  static std::map<std::string, ModelBytes> models;
  auto found = models.find(family);
  if (found == models.end()) {
    const TempFolder folder;
    convert::ConvertOptions options;
    options.directory = kFolder / family / "a";
    options.output = folder / "model.rondo";
    convert::Convert(options, [](uint64_t, uint64_t) {});
    found = models.emplace(family, ModelBytes(options.output)).first;
  }
  return found->second;
}

format::TowerT& TowerOf(ModelT& m) { return *m.vision->tower; }
format::AttentionT& AttentionOf(ModelT& m) {
  return *m.vision->layers[0]->sublayers[0]->op.AsAttention();
}
format::MlpT& MlpOf(ModelT& m) { return *m.vision->layers[0]->sublayers[1]->op.AsMlp(); }

constexpr uint32_t kHuge = UINT32_MAX - 1;
constexpr int32_t kAbsent = 1 << 30;

struct Case {
  const char* name;
  const char* family;
  std::function<void(ModelT&)> change;
  const char* words;  // in the message
};

class TowerCheck : public testing::TestWithParam<Case> {};

TEST_P(TowerCheck, RefusesByName) {
  RONDO_SKIP_WITHOUT(kFolder);
  const ModelBytes bytes = Rewrite(Model(GetParam().family), GetParam().change);
  const Status status = ModelFile::Open(bytes.bytes()).status();
  EXPECT_TRUE(status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().words));
}

const std::vector<Case> kCases = {
    {"NoTower", "gemma4", [](ModelT& m) { m.vision->tower.reset(); }, "lacks its tower or layers"},
    {"NoProcessor", "gemma4", [](ModelT& m) { TowerOf(m).processor.reset(); },
     "the model's tower lacks its processor"},
    {"Scale", "gemma4", [](ModelT& m) { TowerOf(m).scale = NAN; },
     "the model's tower has a scale that is not finite"},
    {"TableOfOtherSide", "gemma4", [](ModelT& m) { TowerOf(m).side = 100; },
     "tensor vision.positions is 432 x 32, the model's sizes ask for 200 x 32"},
    {"BicubicTableOfOtherSide", "qwen3_vl",
     [](ModelT& m) {
       TowerOf(m).positions = format::PatchPositions::kBicubic;
       TowerOf(m).side = 3;
     },
     "the model's sizes ask for 9 x "},
    {"PositionsOfNoKind", "qwen3_vl",
     [](ModelT& m) { TowerOf(m).positions = static_cast<format::PatchPositions>(6); },
     "asks for kind 6"},
    {"ClipsIndex", "gemma4", [](ModelT& m) { AttentionOf(m).clips = kAbsent; },
     "layer 0's attention points at a tensor that is absent"},
    {"ClipsNegative", "gemma4", [](ModelT& m) { AttentionOf(m).clips = -2; },
     "layer 0's attention has a negative index other than -1"},
    {"ClipsOfOtherSize", "gemma4", [](ModelT& m) { AttentionOf(m).clips = MlpOf(m).clips; },
     "mlp.clips is 1 x 12, the model's sizes ask for 1 x 16"},
    {"ClipsOfThePlain", "gemma4", [](ModelT& m) { MlpOf(m).plain = true; },
     "mlp.clips is 1 x 12, the model's sizes ask for 1 x 8"},
    {"StandardIndex", "gemma4", [](ModelT& m) { TowerOf(m).standard = kAbsent; },
     "the model's standard of merged patches points at a tensor that is absent"},
    {"StandardNegative", "gemma4", [](ModelT& m) { TowerOf(m).standard = -2; },
     "the model's standard of merged patches has a negative index other than -1"},
    {"StandardOfOtherSize", "gemma4",
     [](ModelT& m) { TowerOf(m).standard = TowerOf(m).position_table; },
     "vision.positions is 432 x 32, the model's sizes ask for 2 x 32"},
    {"StandardBesideSquares", "qwen3_vl", [](ModelT& m) { TowerOf(m).standard = 0; },
     "the model's standard of merged patches is there, but patches are not averaged"},
    {"MergersInDisorder", "qwen3_vl", [](ModelT& m) { TowerOf(m).mergers[1]->layer = 0; },
     "the layer that a further merger reads is 0, expected 1 to 2"},
    {"MergerOfNoLayer", "qwen3_vl", [](ModelT& m) { TowerOf(m).mergers[1]->layer = kHuge; },
     "the layer that a further merger reads is 4294967294, expected 1 to 2"},
    {"MergersForNoLayers", "qwen3_vl", [](ModelT& m) { m.layers.resize(1); },
     "the number of a tower's further mergers is 2, expected 1 to 1"},
    {"MergerThatLacksLayers", "qwen3_vl", [](ModelT& m) { TowerOf(m).mergers[0]->dense.clear(); },
     "the tower makes rows of 128 numbers, expected 32, the text's hidden_size"},
    {"MergerWithoutItsMatrix", "qwen3_vl",
     [](ModelT& m) { TowerOf(m).mergers[0]->dense[0]->linear.reset(); }, "is absent"},
    {"MergersNorm", "qwen3_vl", [](ModelT& m) { TowerOf(m).mergers[0]->norm->weight = kHuge; },
     "the model's norm of merged patches points at a tensor that is absent"},
    {"HugeWindow", "qwen2_5_vl", [](ModelT& m) { TowerOf(m).window = kHuge; },
     "the patches a side of a window is 4294967294, expected 0 to 65536"},
    {"WindowThatPartsRows", "qwen2_5_vl", [](ModelT& m) { TowerOf(m).window = 3; },
     "the model's tower has windows that part what is merged"},
    {"NoWindow", "qwen2_5_vl", [](ModelT& m) { TowerOf(m).window = 0; },
     "layer 0's attention sees windows of patches, but there are none"},
    {"ClassRowIndex", "internvl", [](ModelT& m) { TowerOf(m).class_row = kAbsent; },
     "the model's row behind the patches points at a tensor that is absent"},
    {"ClassRowNegative", "internvl", [](ModelT& m) { TowerOf(m).class_row = -2; },
     "the model's row behind the patches has a negative index other than -1"},
    {"ClassRowOfOtherSize", "internvl",
     [](ModelT& m) { TowerOf(m).class_row = TowerOf(m).position_table; },
     "vision.positions is 16 x 16, the model's sizes ask for 2 x 16"},
    {"ClassRowBesideWindows", "internvl", [](ModelT& m) { TowerOf(m).window = 2; },
     "the model's row behind the patches stands beside windows of patches"},
};

INSTANTIATE_TEST_SUITE_P(Fields, TowerCheck, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Clips are read when an engine is created.
TEST(TowerClips, LeastIsNotAboveMost) {
  RONDO_SKIP_WITHOUT(kFolder);
  ModelBytes bytes = Model("gemma4");
  const Result<ModelFile> whole = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(whole.ok());
  const format::Model& vision = *whole->model().vision();
  const int32_t clips = vision.layers()->Get(1)->sublayers()->Get(0)->op_as_Attention()->clips();
  const auto tensor = static_cast<uint32_t>(clips);
  const uint64_t offset = whole->model().tensors()->Get(tensor)->data()->offset();
  const float least = 1000;
  std::memcpy(bytes.bytes().data() + offset, &least, sizeof least);
  const ModelBytes damaged = Rewrite(bytes, [&](ModelT& m) {
    const auto seal = [&](format::Section& section) {
      const auto data = bytes.bytes().subspan(section.offset(), section.bytes());
      section = format::Section(section.offset(), section.bytes(), Checksum(data));
    };
    for (format::Section& section : m.sections) seal(section);
    seal(*m.tensors[tensor]->data);
  });
  const Result<ModelFile> file = ModelFile::Open(damaged.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  EngineOptions options;
  options.max_media_rows = 70;
  const auto engine = Engine::Create(*file, nullptr, options, nullptr, 0);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(engine.status().message(), HasSubstr("a matrix's values are held to 1000 at least"));
}

}  // namespace
}  // namespace rondo::tower_check_test
