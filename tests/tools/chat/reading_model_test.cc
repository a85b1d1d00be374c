// A small trained model that reads digits off pictures which it never saw: files in, answers out,
// by `rondo chat`. Random weights would hide a mistake that moves all features alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "rondo/rondo.h"
#include "tests/runtime/engine/media_rows.h"
#include "tests/support/places.h"
#include "tests/support/test_model.h"
#include "tests/tools/run_tool.h"
#include "tools/common/picture_file.h"

namespace rondo::reading_model_test {
namespace {

using Json = nlohmann::json;

class Reading : public testing::Test {
 protected:
  void SetUp() override {
    int64_t has_chat = 0;
    rondo_query("chat", &has_chat);
    if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
    std::ifstream file(kFolder + "/answers.json");
    questions_ = Json::parse(file);
    ASSERT_GE(questions_.size(), 500u);
  }
  // All answers of the folder's model, converted with `weights`. `change` gives the picture to
  // look at in place of another.
  template <typename Change>
  std::vector<std::string> Answers(const std::string& weights, const std::string& flags,
                                   const Change& change) {
    std::string input;
    for (const Json& question : questions_) {
      input += "/image " + change(question.at("picture").get<std::string>()) + "\n" +
               question.at("asked").get<std::string>() + "\n/reset\n";
    }
    tool_.Write("input", input);
    const ToolResult result = tool_("chat " + tool_.Convert(kFolder, weights) +
                                    " --greedy --max-tokens 12 --context 128 " + flags + " < '" +
                                    tool_.Path("input") + "'");
    EXPECT_EQ(result.code, 0) << result.err;
    std::vector<std::string> answers;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      answers.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    }
    EXPECT_EQ(answers.size(), questions_.size());
    answers.resize(questions_.size());
    return answers;
  }
  std::vector<std::string> Answers(const std::string& weights, const std::string& flags = "") {
    return Answers(weights, flags, [](const std::string& picture) { return InFolder(picture); });
  }
  static std::string InFolder(const std::string& name) { return kFolder + "/" + name; }
  // How many are as the questions' `key` says: "right", or "said" by transformers.
  size_t Equal(const std::vector<std::string>& answers, const char* key) const {
    size_t equal = 0;
    for (size_t i = 0; i < answers.size(); ++i) equal += answers[i] == questions_[i].at(key);
    return equal;
  }

  inline static const std::string kFolder = std::string(kTestData) + "/reading";
  ToolRunner tool_;
  Json questions_;
};

TEST_F(Reading, InFloatItSaysWhatTransformersSays) {
  const std::vector<std::string> answers = Answers("f32", "--kv f32");
  for (size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i], questions_[i].at("said")) << questions_[i];
  }
  EXPECT_GE(Equal(answers, "right") * 100, answers.size() * 95);
}

// In float it answers as transformers does.
TEST_F(Reading, FewerBitsReadNearlyAsWell) {
  std::vector<std::string> in_float;
  for (const Json& question : questions_) in_float.push_back(question.at("said"));
  const size_t right_in_float = Equal(in_float, "right");
  for (const auto& [weights, most_lost] : {std::pair<const char*, size_t>{"q8", 5}, {"q4", 20}}) {
    const std::vector<std::string> answers = Answers(weights);
    const size_t right = Equal(answers, "right");
    std::printf("%s: %zu of %zu right, %zu as in float\n", weights, right, answers.size(),
                Equal(answers, "said"));
    EXPECT_GE(right + most_lost, right_in_float) << weights;
  }
}

// All rows that a tower in this format makes of the pictures.
std::vector<float> RowsIn(format::TensorFormat format, const std::set<std::string>& pictures) {
  convert::ConvertOptions options;
  options.directory = TestData("reading");
  options.media_weights = format;
  const TestModel model(std::move(options));
  EngineOptions engine_options;
  engine_options.max_media_rows = 100;
  const auto engine = model.NewEngine(engine_options);
  std::vector<float> rows;
  for (const std::string& name : pictures) {
    const tools::Picture picture = tools::ReadPicture((TestData("reading") / name).string());
    Image image;
    image.width = picture.width;
    image.height = picture.height;
    image.planes[0] = {picture.rgb.data(), size_t{picture.width} * kChannels};
    image.rotation = picture.rotation;
    Media media;
    const Status status = engine->media().Encode(engine.get(), image, {}, {}, &media);
    EXPECT_TRUE(status.ok()) << status.message();
    const std::vector<float> its = RowsOf(*engine, media);
    rows.insert(rows.end(), its.begin(), its.end());
    media.Release(&engine->inputs());
  }
  return rows;
}

// What training makes large or small is not in random weights.
TEST_F(Reading, RowsInInt8AreNearlyThoseOfFloat) {
  std::set<std::string> pictures;
  for (const Json& question : questions_) pictures.insert(question.at("picture"));
  const std::vector<float> exact = RowsIn(format::TensorFormat::F32, pictures);
  EXPECT_EQ(exact.size(), pictures.size() * 9 * 64);
  const double q8 = Noise(RowsIn(format::TensorFormat::Q8, pictures), exact);
  const double q4 = Noise(RowsIn(format::TensorFormat::Q4, pictures), exact);
  std::printf("reading: q8 %.4f, q4 %.4f\n", q8, q4);
  EXPECT_LT(q8, 0.02);
  EXPECT_LT(q4, 0.1);
}

// The answers come of the pictures.
TEST_F(Reading, OfAnotherPictureItSaysSomethingElse) {
  const std::vector<std::string> answers = Answers("q8", "", [&](const std::string& picture) {
    const std::string other = questions_[0].at("picture");
    return InFolder(picture == other ? questions_.back().at("picture") : Json(other));
  });
  EXPECT_LT(Equal(answers, "right") * 100, questions_.size() * 40);
}

}  // namespace
}  // namespace rondo::reading_model_test
