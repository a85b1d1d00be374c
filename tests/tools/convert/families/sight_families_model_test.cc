// Every family that sees, by names, shapes, rows and logits that transformers gave
// (tests/data/sight): what is written here as a checkpoint, converted and run makes these rows of
// pictures, and these logits of a text that has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tests/runtime/media/pictures.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/families/golden.h"
#include "tools/convert/sources/json_text.h"

namespace rondo::convert::sight_families_model_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Float32 alone moves the logits of a text by half of this.
constexpr double kLogits = 1e-3;

json ReadJson(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return ParseJsonObject(text, path.string());
}

// The tokens that a family has behind those that all have.
json TokenizerWith(const json& special) {
  json tokenizer = ReadJson(TestData("sight") / "tokenizer.json");
  const size_t n = tokenizer.at("model").at("vocab").size();
  for (size_t i = 0; i < special.size(); ++i) {
    json added = tokenizer.at("added_tokens").at(0);
    added["id"] = n + i;
    added["content"] = special[i];
    tokenizer["added_tokens"].push_back(added);
  }
  return tokenizer;
}

void WriteSeeingCheckpoint(const fs::path& folder, const json& golden) {
  GoldenModel model = {"", golden.at("seed"), golden.at("config"), {}, {}, ""};
  ReadGoldenTensors(golden.at("tensors"), &model.tensors);
  WriteCheckpoint(folder, model);
  std::ofstream(folder / "processor_config.json") << golden.at("processor");
  std::ofstream(folder / "tokenizer.json") << TokenizerWith(golden.at("special"));
}

struct Encoded {
  std::vector<std::unique_ptr<Media>> media;
  std::vector<std::vector<float>> rows;  // of each level: those in the text, then those added
};

void EncodePictures(Engine& engine, const json& pictures, Encoded* encoded) {
  const InputStore& inputs = engine.inputs();
  encoded->rows.resize(1 + inputs.further());
  for (const json& picture : pictures) {
    Media& media = *encoded->media.emplace_back(std::make_unique<Media>());
    const TestPicture made = FormulaPicture(picture.at(0), picture.at(1), picture.at(2));
    const Status status = engine.media().Encode(&engine, made.image(), {}, {}, &media);
    ASSERT_TRUE(status.ok()) << status.message();
    for (const MediaRun& run : media.runs()) {
      uint32_t place = InputStore::kNowhere;
      for (uint32_t row = 0; row < run.rows; ++row) {
        place = inputs.PlaceOf(InputKey(run.input, row), place);
        for (size_t level = 0; level < encoded->rows.size(); ++level) {
          const auto values = level == 0 ? inputs.Values(place) : inputs.Further(place, level - 1);
          encoded->rows[level].insert(encoded->rows[level].end(), values.begin(), values.end());
        }
      }
    }
  }
}

// Some rows whole, and the sum of each.
void CompareRows(const json& level, const std::vector<float>& rows, double* worst) {
  const std::vector<uint32_t> kept = level.at("rows");
  const auto expected = GoldenRows(level.at("features"), kept.size());
  const auto sums = GoldenRows(level.at("sums"), 1);
  const size_t width = expected.front().size(), n = rows.size() / width;
  ASSERT_EQ(sums.front().size(), n);
  std::vector<float> own_sums;
  for (size_t row = 0; row < n; ++row) {
    const auto begin = rows.begin() + static_cast<ptrdiff_t>(row * width);
    own_sums.push_back(static_cast<float>(
        std::accumulate(begin, begin + static_cast<ptrdiff_t>(width), double{0})));
  }
  constexpr uint32_t kFirst[] = {0};
  *worst = std::max(
      {*worst, GoldenDifference(expected, rows, kept), GoldenDifference(sums, own_sums, kFirst)});
}

std::vector<int32_t> IdsOf(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<int32_t> ids(text.size() + 8);
  size_t n = 0;
  const Status status = tokenizer.Encode(text, false, ids, &n);
  EXPECT_TRUE(status.ok()) << status.message();
  ids.resize(n);
  return ids;
}

// Each token that is no row of a picture, at its place.
void CompareIds(const json& runs, const Session& session) {
  std::vector<int32_t> expected;
  for (const json& run : runs) expected.insert(expected.end(), run.at(1), run.at(0));
  ASSERT_EQ(session.position(), expected.size());
  size_t tokens = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const int32_t token = session.keys()[i];
    if (token == InputKey::kNoToken) continue;
    ASSERT_EQ(token, expected[i]) << i;
    ++tokens;
  }
  EXPECT_GT(tokens, 0u);
}

class SightFamilies : public testing::TestWithParam<fs::path> {};

TEST_P(SightFamilies, GiveTheRowsAndLogitsOfTransformers) {
  const json golden = ReadJson(GetParam());
  const TempFolder folder;
  WriteSeeingCheckpoint(folder / "model", golden);
  ConvertOptions conversion;
  conversion.directory = folder / "model";
  conversion.weights = conversion.embedding = conversion.media_weights = format::TensorFormat::F32;
  const TestModel model(std::move(conversion));
  EngineOptions options;
  options.kv_format = KvFormat::kFloat32;
  options.max_media_rows = 300;
  options.max_rows = 64;
  options.threads = 1;
  const std::unique_ptr<Engine> engine = model.NewEngine(options);

  Encoded encoded;
  ASSERT_NO_FATAL_FAILURE(EncodePictures(*engine, golden.at("pictures"), &encoded));
  ASSERT_EQ(encoded.rows.size(), golden.at("levels").size());
  double of_rows = 0;
  for (size_t level = 0; level < encoded.rows.size(); ++level) {
    ASSERT_NO_FATAL_FAILURE(
        CompareRows(golden.at("levels").at(level), encoded.rows[level], &of_rows));
  }
  EXPECT_LE(of_rows, kGoldenTolerance);

  std::vector<const Media*> views;
  for (const auto& media : encoded.media) views.push_back(media.get());
  Session& session = *NewSession(*engine);
  const std::string text = golden.value("prompt", golden.at("text").get<std::string>());
  const Status queued = session.QueueMedia(IdsOf(*model.tokenizer(), text), views);
  ASSERT_TRUE(queued.ok()) << queued.message();
  ASSERT_NO_FATAL_FAILURE(CompareIds(golden.at("ids"), session));
  const auto logits = session.Logits();
  ASSERT_TRUE(logits.ok()) << logits.status().message();
  constexpr uint32_t kFirst[] = {0};
  const double of_logits = GoldenDifference(GoldenRows(golden.at("logits"), 1),
                                            {logits->begin(), logits->end()}, kFirst);
  EXPECT_LE(of_logits, kLogits);
  std::printf("%s: rows %.1g, logits %.1g\n", golden.at("type").get<std::string>().c_str(), of_rows,
              of_logits);
  for (auto& media : encoded.media) media->Release(&engine->inputs());
}

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TestData("sight"))) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.stem() != "tokenizer") files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

INSTANTIATE_TEST_SUITE_P(Types, SightFamilies, testing::ValuesIn(Files()),
                         [](const auto& param) { return param.param.stem().string(); });

}  // namespace
}  // namespace rondo::convert::sight_families_model_test
