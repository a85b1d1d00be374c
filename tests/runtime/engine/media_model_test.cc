// Pictures among tokens, held to what transformers makes of them: the rows that the towers give,
// and the logits of texts that have them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/chat/chat.h"
#include "tests/runtime/engine/media_rows.h"
#include "tests/runtime/media/pictures.h"
#include "tests/support/npz.h"
#include "tests/support/test_model.h"

namespace rondo::media_model_test {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kFolder = SharedData("media");

struct Family {
  const char* name;
  double features;  // largest difference, in units of their deviation
  double logits;
};

constexpr Family kFamilies[] = {
    {"smolvlm", 1e-4, 1e-3},   {"idefics3", 1e-4, 1e-3},   {"lfm2_vl", 1e-4, 1e-3},
    {"qwen3_5", 1e-4, 1e-3},   {"qwen2_vl", 1e-4, 1e-3},   {"gemma3", 1e-4, 1e-3},
    {"mistral3", 1e-4, 1e-3},  {"pixtral", 1e-4, 1e-3},    {"gemma4", 1e-4, 1e-3},
    {"qwen3_vl", 1e-4, 1e-3},  {"qwen2_5_vl", 1e-4, 1e-3}, {"internvl", 1e-4, 1e-3},
    {"paligemma", 1e-4, 1e-3},
};

class Reference {
 public:
  explicit Reference(const std::string& family)
      : expected_(kFolder / family / "a" / "expected.npz"), pictures_(kFolder / "pictures.npz") {
    std::ifstream file(kFolder / family / "a" / "cases.json");
    cases_ = Json::parse(file);
  }
  const Json& cases() const { return cases_.at("cases"); }
  NpyArray At(const Json& test, const std::string& what) const {
    return expected_.At(test.at("name").get<std::string>() + "." + what);
  }
  bool Has(const Json& test, const std::string& what) const {
    return expected_.Has(test.at("name").get<std::string>() + "." + what);
  }
  // Rows are kept less the row above.
  TestPicture Picture(const std::string& name) const {
    const NpyArray array = pictures_.At(name);
    TestPicture picture{static_cast<uint32_t>(array.shape[1]),
                        static_cast<uint32_t>(array.shape[0]), array.bytes};
    const size_t row = picture.width * kChannels;
    for (size_t i = row; i < picture.rgb.size(); ++i) {
      picture.rgb[i] = static_cast<uint8_t>(picture.rgb[i] + picture.rgb[i - row]);
    }
    return picture;
  }

 private:
  Json cases_;
  Npz expected_;
  Npz pictures_;
};

EngineOptions Options() {
  EngineOptions options;
  options.kv_format = KvFormat::kFloat32;
  options.max_media_rows = 600;
  options.max_rows = 64;
  options.threads = 1;
  return options;
}

std::vector<int32_t> IdsOf(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<int32_t> ids(text.size() + 8);
  size_t n = 0;
  const Status status = tokenizer.Encode(text, false, ids, &n);
  EXPECT_TRUE(status.ok()) << status.message();
  ids.resize(n);
  return ids;
}

// The largest difference of rows, in units of the deviation of all that is expected.
double Difference(const std::vector<float>& ours, const std::vector<float>& theirs,
                  const std::vector<int32_t>& rows, size_t width) {
  double squares = 0, sum = 0, largest = 0;
  for (const float value : theirs) {
    sum += value;
    squares += double{value} * value;
  }
  const auto n = static_cast<double>(theirs.size());
  const double deviation = std::sqrt(squares / n - sum / n * (sum / n));
  for (size_t i = 0; i < theirs.size(); ++i) {
    const size_t row = rows.empty() ? i / width : static_cast<size_t>(rows[i / width]);
    largest = std::max(largest, std::abs(double{ours[row * width + i % width]} - theirs[i]));
  }
  return largest / deviation;
}

std::vector<float> LastLogits(Session& session) {
  const auto last = session.Logits();
  EXPECT_TRUE(last.ok()) << last.status().message();
  return last.ok() ? std::vector<float>(last->begin(), last->end()) : std::vector<float>();
}

// Gemma 3's processor writes line ends around a picture, which become tokens with those of the
// text; the converter writes them into the chat template instead. PaliGemma's writes what stands
// behind the pictures and the prompt.
std::string PromptOf(const std::string& family, std::string prompt) {
  if (family == "paligemma") {
    const std::string picture = "<image>";
    return prompt.insert(prompt.rfind(picture) + picture.size(), "<bos>") + "\n";
  }
  if (family != "gemma3") return prompt;
  const std::string begin = "<start_of_image>";
  const std::string all = "\n\n" + begin + "<image_soft_token><end_of_image>\n\n";
  for (size_t at = 0; (at = prompt.find(begin, at)) != std::string::npos; at += all.size()) {
    prompt.replace(at, begin.size(), all);
  }
  return prompt;
}

// What the file's template makes of a conversation.
std::string Rendered(const ModelFile& file, const Json& messages) {
  const std::string json = messages.dump();
  ChatRequest request;
  request.template_text = file.model().chat()->templates()->Get(0)->text()->string_view();
  request.messages = json;
  request.add_generation_prompt = true;
  std::string rendered;
  const Status status = RenderChat(request, {[](void* user, const ChatText& text) {
                                               *static_cast<std::string*>(user) = text.text;
                                               return Status();
                                             },
                                             &rendered});
  EXPECT_TRUE(status.ok()) << status.message();
  return rendered;
}

class MediaReference : public testing::TestWithParam<Family> {};

TEST_P(MediaReference, RowsAndLogitsAreThoseOfTransformers) {
  RONDO_SKIP_WITHOUT(kFolder);
  const Family& family = GetParam();
  const Reference reference(family.name);
  convert::ConvertOptions options;
  options.directory = kFolder / family.name / "a";
  options.weights = options.embedding = options.media_weights = format::TensorFormat::F32;
  const TestModel model(std::move(options));
  const auto engine = model.NewEngine(Options());
  size_t compared = 0;
  for (const Json& test : reference.cases()) {
    if (!test.contains("pictures") || test.contains("sounds")) continue;
    SCOPED_TRACE(test.at("name").get<std::string>());
    std::vector<std::unique_ptr<Media>> media;
    std::vector<const Media*> views;
    std::vector<std::vector<float>> rows(1 + engine->inputs().further());
    for (const Json& name : test.at("pictures")) {
      const TestPicture picture = reference.Picture(name.get<std::string>());
      media.push_back(std::make_unique<Media>());
      const Status status =
          engine->media().Encode(engine.get(), picture.image(), {}, {}, media.back().get());
      ASSERT_TRUE(status.ok()) << status.message();
      views.push_back(media.back().get());
      for (size_t further = 0; further < rows.size(); ++further) {
        const std::vector<float> its = RowsOf(*engine, *media.back(), further);
        rows[further].insert(rows[further].end(), its.begin(), its.end());
      }
    }
    const std::vector<int32_t> kept = reference.Has(test, "features_rows")
                                          ? reference.At(test, "features_rows").As<int32_t>()
                                          : std::vector<int32_t>();
    double of_features = 0;
    for (size_t further = 0; further < rows.size(); ++further) {
      const NpyArray features =
          reference.At(test, further == 0 ? "features" : "deepstack" + std::to_string(further - 1));
      of_features = std::max(of_features, Difference(rows[further], features.As<float>(), kept,
                                                     features.shape.back()));
    }
    EXPECT_FALSE(reference.Has(test, "deepstack" + std::to_string(rows.size() - 1)));
    EXPECT_LT(of_features, family.features);

    Session* const session = NewSession(*engine);
    const std::vector<int32_t> ids =
        IdsOf(*model.tokenizer(), PromptOf(family.name, test.at("prompt").get<std::string>()));
    if (test.contains("messages")) {
      EXPECT_EQ(Rendered(model.file(), test.at("messages")),
                PromptOf(family.name, test.at("prompt").get<std::string>()));
    }
    const Status queued = session->QueueMedia(ids, views);
    ASSERT_TRUE(queued.ok()) << queued.message();
    const std::vector<int32_t> input_ids = reference.At(test, "input_ids").As<int32_t>();
    ASSERT_EQ(session->position(), input_ids.size());
    for (size_t i = 0; i < input_ids.size(); ++i) {
      const int32_t token = session->keys()[i];
      if (token != InputKey::kNoToken) {
        ASSERT_EQ(token, input_ids[i]) << i;
      }
    }
    const NpyArray logits = reference.At(test, "logits");
    const size_t vocab = logits.shape.back();
    const std::vector<float> theirs = logits.As<float>();
    const std::vector<float> ours = LastLogits(*session);
    const std::vector<float> last(theirs.end() - static_cast<ptrdiff_t>(vocab), theirs.end());
    const double of_logits = Difference(ours, last, {}, vocab);
    EXPECT_LT(of_logits, family.logits);
    std::printf("%s %s: features %.2g, logits %.2g\n", family.name,
                test.at("name").get<std::string>().c_str(), of_features, of_logits);
    engine->CloseSession(session);
    for (auto& one : media) one->Release(&engine->inputs());
    ++compared;
  }
  EXPECT_GT(compared, 0u);
  EXPECT_EQ(engine->inputs().free_rows(), 600u);
}

// All pictures of the family's cases, encoded by passes of so many rows.
std::vector<float> RowsByPassesOf(const Reference& reference, const TestModel& model,
                                  size_t max_rows, size_t threads) {
  EngineOptions options = Options();
  options.max_rows = max_rows;
  options.threads = threads;
  const auto engine = model.NewEngine(options);
  std::vector<float> rows;
  for (const Json& test : reference.cases()) {
    for (const Json& name : test.value("pictures", Json::array())) {
      const TestPicture picture = reference.Picture(name.get<std::string>());
      Media media;
      const Status status = engine->media().Encode(engine.get(), picture.image(), {}, {}, &media);
      EXPECT_TRUE(status.ok()) << status.message();
      for (size_t further = 0; further <= engine->inputs().further(); ++further) {
        const std::vector<float> its = RowsOf(*engine, media, further);
        rows.insert(rows.end(), its.begin(), its.end());
      }
      media.Release(&engine->inputs());
    }
  }
  return rows;
}

// A tile that is one pass goes through a layer at once, and others in two steps.
TEST_P(MediaReference, RowsDoNotDependOnPassesOrThreads) {
  RONDO_SKIP_WITHOUT(kFolder);
  const Reference reference(GetParam().name);
  convert::ConvertOptions options;
  options.directory = kFolder / GetParam().name / "a";
  for (const format::TensorFormat format : {format::TensorFormat::F32, format::TensorFormat::Q8}) {
    options.media_weights = format;
    const TestModel model(options);
    const std::vector<float> expected = RowsByPassesOf(reference, model, 1024, 1);
    ASSERT_GT(expected.size(), 0u);
    for (const size_t max_rows : {8, 64, 1024}) {
      for (const size_t threads : {1, 3}) {
        const std::vector<float> rows = RowsByPassesOf(reference, model, max_rows, threads);
        ASSERT_EQ(rows.size(), expected.size());
        EXPECT_EQ(std::memcmp(rows.data(), expected.data(), rows.size() * sizeof(float)), 0)
            << max_rows << " rows, " << threads << " threads";
      }
    }
  }
}

// Int8 is what towers are converted to.
TEST_P(MediaReference, FewerBitsKeepTheRows) {
  RONDO_SKIP_WITHOUT(kFolder);
  const Reference reference(GetParam().name);
  convert::ConvertOptions options;
  options.directory = kFolder / GetParam().name / "a";
  const auto rows_in = [&](format::TensorFormat format) {
    options.media_weights = format;
    return RowsByPassesOf(reference, TestModel(options), 64, 1);
  };
  const std::vector<float> exact = rows_in(format::TensorFormat::F32);
  const double q8 = Noise(rows_in(format::TensorFormat::Q8), exact);
  const double q4 = Noise(rows_in(format::TensorFormat::Q4), exact);
  std::printf("%s: q8 %.4f, q4 %.4f\n", GetParam().name, q8, q4);
  EXPECT_LT(q8, 0.05);
  EXPECT_LT(q4, 0.5);
}

INSTANTIATE_TEST_SUITE_P(Families, MediaReference, testing::ValuesIn(kFamilies),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace rondo::media_model_test
