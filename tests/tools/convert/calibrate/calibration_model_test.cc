// What calibration is worth, by the divergence of predictions on text that it has not seen: q4b
// with --calibrate against plain symmetric rounding at the same bytes, and q4 against q4b.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/support/combinations.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/run_tool.h"
#include "tools/common/own_texts.h"
#include "tools/convert/sources/checkpoint_folder.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo {
namespace {

namespace fs = std::filesystem;
using convert::CheckpointFolder;
using testing::HasSubstr;

constexpr size_t kBlock = 32;

// Nearest of 15 multiples of absmax / 7, in blocks: what every method is compared with.
void RoundSymmetrically(std::vector<float>& values, size_t cols) {
  for (size_t row = 0; row < values.size(); row += cols) {
    for (size_t begin = 0; begin < cols; begin += kBlock) {
      const std::span<float> block(&values[row + begin], std::min(kBlock, cols - begin));
      float largest = 0;
      for (const float value : block) largest = std::max(largest, std::fabs(value));
      const float scale = convert::FromBfloat16(convert::ToBfloat16(largest / 7));
      if (scale == 0) continue;
      for (float& value : block) {
        value = std::clamp(std::nearbyint(value / scale), -7.0f, 7.0f) * scale;
      }
    }
  }
}

// The checkpoint with the matrices of its layers rounded. The converter's q4b holds their values
// without further loss, as multiples of these scales are among what it looks for.
void WriteRoundedCheckpoint(const fs::path& from, const fs::path& to) {
  fs::create_directory(to);
  for (const char* name :
       {"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"}) {
    if (fs::exists(from / name)) fs::copy_file(from / name, to / name);
  }
  const CheckpointFolder checkpoint(from);
  nlohmann::json header;
  std::string data;
  for (const auto& [name, entry] : checkpoint.tensors()) {
    const std::vector<uint64_t>& shape = entry.shape;
    const uint64_t size = entry.elements();
    std::vector<float> values(size);
    checkpoint.Read(name, 0, values);
    if (name.ends_with("_proj.weight")) RoundSymmetrically(values, shape[1]);
    header[name] = {{"dtype", "F32"},
                    {"shape", shape},
                    {"data_offsets", {data.size(), data.size() + size * sizeof(float)}}};
    data.append(reinterpret_cast<const char*>(values.data()), size * sizeof(float));
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  std::ofstream out(to / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text << data;
}

class CalibrationTest : public testing::Test {
 protected:
  std::string Convert(const fs::path& folder, const std::string& name, const std::string& options) {
    std::string path = "'" + tool_.Path(name + ".rondo") + "'";
    const ToolResult result = tool_("convert '" + folder.string() + "' -o " + path + " " + options);
    EXPECT_EQ(result.code, 0) << result.err;
    printed_ = result.out;
    return path;
  }
  double Divergence(const std::string& model, const std::string& reference, const std::string& text,
                    int context) {
    const ToolResult result =
        tool_("eval " + model + " --against " + reference + " --text '" + tool_.Path(text) +
              "' --context " + std::to_string(context) + " --json");
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out).at("kl").get<double>();
  }

  // Calibrated on the file "calibrate", judged on the file "judge".
  void ExpectLessLoss(const fs::path& folder, int context, double share,
                      double share_of_blocks = 0.75) {
    WriteRoundedCheckpoint(folder, tool_.Path("rounded"));
    const std::string exact = Convert(folder, "f32", "--weights f32");
    const std::string plain = Convert(tool_.Path("rounded"), "plain", "--weights q4b");
    const std::string calibrate = " --calibrate '" + tool_.Path("calibrate") + "'";
    const std::string best = Convert(folder, "best", "--weights q4b" + calibrate);
    // The same but for what the metadata says of it, and of the channels' scales.
    EXPECT_NEAR(static_cast<double>(fs::file_size(tool_.Path("best.rondo"))),
                static_cast<double>(fs::file_size(tool_.Path("plain.rondo"))), 2048);
    const double plain_loss = Divergence(plain, exact, "judge", context);
    const double best_loss = Divergence(best, exact, "judge", context);
    RecordProperty("plain", std::to_string(plain_loss));
    RecordProperty("best", std::to_string(best_loss));
    EXPECT_LT(best_loss, share * plain_loss) << "KL " << best_loss << " against " << plain_loss;
    EXPECT_GT(best_loss, 0);
    ExpectCodesLoseLess(folder, context, exact, best_loss, share_of_blocks);
  }

  // Codes of 4.25 bits against blocks of 32, which have 4.5: plain and calibrated.
  void ExpectCodesLoseLess(const fs::path& folder, int context, const std::string& exact,
                           double calibrated_blocks, double plain_share) {
    const auto loss = [&](const std::string& name, const std::string& options) {
      return Divergence(Convert(folder, name, options), exact, "judge", context);
    };
    const double plain_blocks = loss("plain_q4b", "--weights q4b");
    const double plain = loss("plain_q4", "--weights q4");
    const double calibrated =
        loss("best_q4", "--weights q4 --calibrate '" + tool_.Path("calibrate") + "'");
    RecordProperty("plain q4b", std::to_string(plain_blocks));
    RecordProperty("plain q4", std::to_string(plain));
    RecordProperty("calibrated q4", std::to_string(calibrated));
    EXPECT_LE(plain, plain_share * plain_blocks) << plain / plain_blocks;
    EXPECT_LE(calibrated, 0.84 * calibrated_blocks) << calibrated / calibrated_blocks;
    EXPECT_GT(calibrated, 0);
  }

  // The first 120 kB to calibrate on, the rest to judge.
  void SplitText() {
    const fs::path path = fs::path(kSharedData) / "text/tinystories_200k.txt";
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    tool_.Write("calibrate", text.substr(0, 120000));
    tool_.Write("judge", text.substr(120000));
  }

  ToolRunner tool_;
  std::string printed_;
};

class Trained : public CalibrationTest,
                public testing::WithParamInterface<std::pair<const char*, int>> {};

TEST_P(Trained, LosesLittleOverAThirdOfPlainRounding) {
  const auto& [name, context] = GetParam();
  const fs::path folder = fs::path(kSharedData) / "trained" / name;
  RONDO_SKIP_WITHOUT(folder);
  SplitText();
  // 0.45 is what was promised; without correction for what was rounded before it would be 0.38.
  ExpectLessLoss(folder, context, 0.36);
}

INSTANTIATE_TEST_SUITE_P(Models, Trained,
                         testing::Values(std::pair("stories260K", 512),
                                         std::pair("aidreams260K", 128)),
                         [](const auto& param) { return param.param.first; });

class TinyCalibration : public CalibrationTest {
 protected:
  // Text of the model's own, so that nothing but the repository is needed.
  void WriteText(const std::string& model) {
    const auto tell = [&](int first_seed, int count) {
      std::string text;
      for (int seed = first_seed; seed < first_seed + count; ++seed) {
        text +=
            tool_("run " + model + " 'Once upon a time' --temperature 1 --max-tokens 300 --seed " +
                  std::to_string(seed))
                .out;
      }
      return text;
    };
    tool_.Write("calibrate", tell(0, 40));
    tool_.Write("judge", tell(100, 20));
  }
  const fs::path folder_ = fs::path(kTestData) / "tiny";
};

TEST_F(TinyCalibration, LosesLessThanNineTwentiethsOfPlainRounding) {
  WriteText(Convert(folder_, "q8", "--weights q8"));
  ExpectLessLoss(folder_, 128, 0.45, 0.77);  // plain: 0.762, where trained models have 0.68
}

// Random weights predict nothing, but what goes through them is seen all the same.
TEST_F(TinyCalibration, LosesLessWhereLayersKeepStates) {
  std::ifstream in(fs::path(kSourceFolder) / "include/rondo/rondo.h", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  tool_.Write("calibrate", text.substr(0, 20000));
  tool_.Write("judge", text.substr(20000, 6000));
  const fs::path random = tool_.Path("random");
  convert::WriteCheckpointOf(random, R"({"architectures": ["Qwen3_5ForCausalLM"],
      "vocab_size": 2048, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
      "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16,
      "layer_types": ["linear_attention", "linear_attention"], "linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
      "max_position_embeddings": 512})");
  fs::copy_file(folder_ / "tokenizer.json", random / "tokenizer.json");
  const std::string exact = Convert(random, "exact", "--weights f32");
  const std::string plain = Convert(random, "plain", "--weights q4");
  const std::string calibrated =
      Convert(random, "calibrated", "--weights q4 --calibrate '" + tool_.Path("calibrate") + "'");
  const double plain_loss = Divergence(plain, exact, "judge", 128);
  const double loss = Divergence(calibrated, exact, "judge", 128);
  EXPECT_LT(loss, 0.8 * plain_loss) << loss / plain_loss;
  EXPECT_GT(loss, 0);
}

TEST_F(TinyCalibration, IsCalibratedToTheSameBytesEveryTime) {
  WriteText(Convert(folder_, "q8", "--weights q8"));
  for (const std::string weights : {"q4", "q4b --block 64"}) {
    const std::string options =
        "--weights " + weights + " --calibrate '" + tool_.Path("calibrate") + "'";
    Convert(folder_, "once", options);
    Convert(folder_, "again", options);
    EXPECT_EQ(tool_.Read("once.rondo"), tool_.Read("again.rondo")) << weights;
    EXPECT_EQ(tool_("inspect '" + tool_.Path("once.rondo") + "' --check").code, 0) << weights;
  }
}

TEST_F(TinyCalibration, MixedFormatsKeepToTheirBits) {
  WriteText(Convert(folder_, "q8", "--weights q8"));
  const std::string options = " --calibrate '" + tool_.Path("calibrate") + "'";
  const std::string exact = Convert(folder_, "f32", "--weights f32");
  double before = 1;
  uintmax_t bytes = 0;
  // Rows are so short that their scales alone take half a bit.
  for (const char* bits : Weekly() ? std::vector<const char*>{"4", "5", "7"} : std::vector{"5"}) {
    const std::string mixed =
        Convert(folder_, "mixed", std::string("--weights auto --bits ") + bits + options);
    EXPECT_THAT(printed_, HasSubstr("layers.3.mlp.down"));
    const size_t all = printed_.find("\nall ");
    ASSERT_NE(all, std::string::npos) << printed_;
    const std::string line = printed_.substr(all + 1, printed_.find('\n', all + 1) - all - 1);
    const double reached = std::stod(line.substr(line.rfind(' ')));
    EXPECT_LE(reached, std::stod(bits));
    EXPECT_GT(reached, std::stod(bits) - 0.3);
    const double loss = Divergence(mixed, exact, "judge", 128);
    EXPECT_LT(loss, before) << bits;
    EXPECT_GT(fs::file_size(tool_.Path("mixed.rondo")), bytes);
    before = loss;
    bytes = fs::file_size(tool_.Path("mixed.rondo"));
  }
}

TEST_F(TinyCalibration, RondosOwnTextsWhereNoneIsNamed) {
  std::string all;
  for (const tools::OwnText& own : tools::OwnTexts()) all.append(own.text);
  tool_.Write("own", all);
  const fs::path tiny = fs::path(kTestData) / "tiny";
  Convert(tiny, "by_file", "--weights q4 --calibrate '" + tool_.Path("own") + "'");
  Convert(tiny, "by_none", "--calibrate --weights q4");
  EXPECT_TRUE(tool_.Read("by_file.rondo") == tool_.Read("by_none.rondo"));
}

TEST_F(TinyCalibration, FailuresLeaveNothingBehind) {
  tool_.Write("short", "Once upon a time");
  const auto expect_failure = [&](const std::string& options, int code, const std::string& part) {
    const ToolResult result =
        tool_("convert '" + folder_.string() + "' -o '" + tool_.Path("out.rondo") + "' " + options);
    EXPECT_EQ(result.code, code) << options;
    EXPECT_THAT(result.err, HasSubstr(part)) << options;
    for (const auto& entry : fs::directory_iterator(fs::path(tool_.Path("out")).parent_path())) {
      EXPECT_FALSE(entry.path().filename().string().starts_with("out.rondo")) << entry.path();
    }
  };
  const std::string text = " --calibrate '" + tool_.Path("short") + "'";
  expect_failure("--weights q4b" + text, 1, "give at least 511");
  expect_failure("--weights q4b --calibrate /no/such/text", 1, "/no/such/text");
  expect_failure("--weights q8" + text, 2, "q4, q3, q2, q4b or auto");
  expect_failure("--weights auto --bits 77" + text, 2, "--bits");
}

}  // namespace
}  // namespace rondo
