#include "tools/convert/sources/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_folder.h"

namespace rondo::convert {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

// A file of this header and `data_bytes` of data.
std::string File(const std::string& header, const std::string& data) {
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + header + data;
}

template <typename T>
std::string Raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class SafetensorsTest : public testing::Test {
 protected:
  std::filesystem::path Save(const std::string& content,
                             const std::string& name = "model.safetensors") {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  // The sentence with which the file is refused; empty if it is not.
  std::string Refusal(const std::string& content) {
    return SentenceOf([&] { const Safetensors file(Save(content)); });
  }
  std::string ReadRefusal(const std::string& content) {
    const Safetensors file(Save(content));
    const auto& first = *file.tensors().begin();
    std::vector<float> out(2);
    return SentenceOf([&] { file.Read(first.first, first.second, 0, out); });
  }

  TempFolder folder_;
};

// Blocks of 16 bytes and their scales are one tensor; every number is exact.
TEST_F(SafetensorsTest, Mxfp4IsReadExactly) {
  std::vector<uint8_t> blocks(4 * 16);
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<uint8_t>(i * 37);
  const std::vector<uint8_t> scales = {127, 120, 0, 252};
  Save(File(R"({"x_blocks":{"dtype":"U8","shape":[2,2,16],"data_offsets":[0,64]},
                "x_scales":{"dtype":"U8","shape":[2,2],"data_offsets":[64,68]}})",
            Raw(blocks) + Raw(scales)));
  const CheckpointFolder folder(folder_ / "");
  ASSERT_EQ(folder.tensors().size(), 1u);
  const Checkpoint::Entry& entry = folder.tensors().at("x_blocks");
  EXPECT_EQ(entry.type, "MXFP4");
  EXPECT_EQ(entry.shape, (std::vector<uint64_t>{2, 64}));
  EXPECT_EQ(entry.bytes, 68u);
  const double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const auto expected = [&](size_t i) {
    const uint8_t pair = blocks[i / 2];
    const int code = i % 2 == 0 ? pair & 15 : pair >> 4;
    return (code < 8 ? 1 : -1) * std::ldexp(magnitudes[code % 8], scales[i / 32] - 127);
  };
  for (const size_t first : {0u, 1u, 31u, 32u, 50u}) {
    std::vector<float> out(128 - first - first / 2);
    folder.Read("x_blocks", first, out);
    for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], expected(first + i)) << first + i;
  }
}

TEST_F(SafetensorsTest, RefusesMxfp4ThatIsNone) {
  const auto refusal = [&](const std::string& header, const std::string& data) {
    return SentenceOf([&] {
      Save(File(header, data));
      const CheckpointFolder folder(folder_ / "");
      std::vector<float> out(32);
      folder.Read("x_blocks", 0, out);
    });
  };
  const std::string blocks(16, '\x11');
  EXPECT_THAT(refusal(R"({"x_blocks":{"dtype":"U8","shape":[1,16],"data_offsets":[0,16]},
                          "x_scales":{"dtype":"U8","shape":[2],"data_offsets":[16,18]}})",
                      blocks + "aa"),
              HasSubstr("x_blocks and x_scales are not 16 bytes of MXFP4 for each byte of scale"));
  EXPECT_THAT(refusal(R"({"x_blocks":{"dtype":"U8","shape":[1,16],"data_offsets":[0,16]},
                          "x_scales":{"dtype":"F16","shape":[1],"data_offsets":[16,18]}})",
                      blocks + "aa"),
              HasSubstr("are not 16 bytes of MXFP4"));
  EXPECT_THAT(
      refusal(R"({"x_blocks":{"dtype":"U8","shape":[1,16],"data_offsets":[0,16]}})", blocks),
      HasSubstr("x_blocks has dtype U8"));
  EXPECT_THAT(refusal(R"({"x_blocks":{"dtype":"U8","shape":[1,16],"data_offsets":[0,16]},
                          "x_scales":{"dtype":"U8","shape":[1],"data_offsets":[16,17]}})",
                      blocks + '\xff'),
              HasSubstr("x_blocks holds nan at index 0"));
}

TEST_F(SafetensorsTest, ReadsAllThreeFormats) {
  const Safetensors file(Save(File(
      R"({"__metadata__":{"format":"pt"},
          "f":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},
          "b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]},
          "h":{"dtype":"F16","shape":[1],"data_offsets":[22,24]}})",
      Raw<float>({1, 2, 3, 4}) + Raw<uint16_t>({0x3f80, 0xc000, 0x0000}) +
          Raw<uint16_t>({0x3800}))));
  EXPECT_EQ(file.tensors().size(), 3u);
  std::vector<float> out(2);
  file.Read("f", file.tensors().at("f"), 1, out);
  EXPECT_EQ(out, (std::vector<float>{2, 3}));
  file.Read("b", file.tensors().at("b"), 0, out);
  EXPECT_EQ(out, (std::vector<float>{1, -2}));
  out.resize(1);
  file.Read("h", file.tensors().at("h"), 0, out);
  EXPECT_EQ(out[0], 0.5f);
}

TEST_F(SafetensorsTest, ReadsMoreThanOneBufferOf16BitValues) {
  std::vector<uint16_t> values(200001);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i * 7 % 0x7f80);
  const Safetensors file(Save(
      File(R"({"b":{"dtype":"BF16","shape":[200001],"data_offsets":[0,400002]}})", Raw(values))));
  std::vector<float> out(200000);
  file.Read("b", file.tensors().at("b"), 1, out);
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], std::bit_cast<float>(uint32_t{values[i + 1]} << 16)) << i;
  }
}

TEST_F(SafetensorsTest, RefusesEveryTruncation) {
  const std::string whole =
      File(R"({"f":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", Raw<float>({1, 2}));
  EXPECT_EQ(Refusal(whole), "");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(Refusal(whole.substr(0, size)), HasSubstr("model.safetensors")) << size;
  }
  EXPECT_THAT(Refusal(whole + "x"), HasSubstr("its tensors end at"));
}

TEST_F(SafetensorsTest, RefusesHeadersThatLie) {
  const std::string data = Raw<float>({1, 2, 3, 4});
  const auto refusal = [&](const std::string& header) { return Refusal(File(header, data)); };
  EXPECT_THAT(refusal("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal("{"), HasSubstr("the header: line 1, column 2: not JSON"));
  EXPECT_THAT(refusal(R"({"a":1})"), HasSubstr("tensor a has no dtype"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"Q9","shape":[4],"data_offsets":[0,16]}})"),
              HasSubstr("unknown dtype Q9"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","data_offsets":[0,16]}})"), HasSubstr("shape"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[-4],"data_offsets":[0,16]}})"),
              HasSubstr("shape"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[4.0],"data_offsets":[0,16]}})"),
              HasSubstr("shape"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,4],"data_offsets":[0,16]}})"),
              HasSubstr("shape"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16,16]}})"),
              HasSubstr("data_offsets"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[16,0]}})"),
              HasSubstr("data_offsets"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[5],"data_offsets":[0,20]}})"),
              HasSubstr("do not lie in the file's 16 bytes"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,16]}})"),
              AllOf(HasSubstr("tensor a"), HasSubstr("16 bytes")));
  // 2^62 values of 4 bytes are 0 bytes in 64 bits.
  EXPECT_THAT(
      refusal(R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})"),
      HasSubstr("tensor a"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                          "b":{"dtype":"F32","shape":[3],"data_offsets":[4,16]}})"),
              HasSubstr("tensor b begins at byte"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                          "b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}})"),
              HasSubstr("tensor b begins at byte"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},
                          "a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})"),
              HasSubstr("tensor a is listed twice"));
  const uint64_t huge = UINT64_MAX;
  EXPECT_THAT(Refusal(std::string(reinterpret_cast<const char*>(&huge), 8) + "{}"),
              HasSubstr("its header has 18446744073709551615 bytes"));
}

TEST_F(SafetensorsTest, RefusesValuesThatAreNotFiniteByIndex) {
  EXPECT_THAT(ReadRefusal(File(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                               Raw<float>({1, std::numeric_limits<float>::quiet_NaN()}))),
              AllOf(HasSubstr("tensor a"), HasSubstr("at index 1")));
  EXPECT_THAT(ReadRefusal(File(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})",
                               Raw<uint16_t>({0xfc00, 0}))),
              AllOf(HasSubstr("-inf"), HasSubstr("at index 0")));
  EXPECT_THAT(ReadRefusal(File(R"({"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}})",
                               Raw<float>({1, 2}))),
              AllOf(HasSubstr("dtype I32"), HasSubstr("F32, F16 or BF16")));
}

TEST_F(SafetensorsTest, AScalarMayBoundNothing) {
  const auto refusal = [&](float value) {
    const Safetensors file(Save(
        File(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", Raw<float>({value}))));
    std::vector<float> out(1);
    std::string sentence = SentenceOf([&] { file.Read("a", file.tensors().at("a"), 0, out); });
    EXPECT_EQ(std::isnan(out[0]), std::isnan(value));
    return sentence;
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(refusal(kInfinity), "");
  EXPECT_EQ(refusal(-kInfinity), "");
  EXPECT_THAT(refusal(std::numeric_limits<float>::quiet_NaN()), HasSubstr("tensor a holds nan"));
}

class CheckpointTest : public SafetensorsTest {
 protected:
  void SaveShard(const std::string& name, const std::string& tensor) {
    Save(File("{\"" + tensor + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
              Raw<float>({1, 2})),
         name);
  }
  void SaveIndex(const std::string& text) { Save(text, "model.safetensors.index.json"); }
  std::string LoadRefusal() {
    return SentenceOf([&] { const CheckpointFolder checkpoint(folder_.path()); });
  }
};

TEST_F(CheckpointTest, ReadsShards) {
  SaveShard("one.safetensors", "a");
  SaveShard("two.safetensors", "b");
  SaveIndex(R"({"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  const CheckpointFolder checkpoint(folder_.path());
  EXPECT_EQ(checkpoint.tensors().size(), 2u);
  EXPECT_THAT(checkpoint.Find("b", {2}).file, HasSubstr("two.safetensors"));
  EXPECT_THROW(checkpoint.Find("c", {2}), Error);
  EXPECT_THROW(checkpoint.Find("b", {1, 2}), Error);
}

// The files themselves say what they hold.
TEST_F(CheckpointTest, TellsWhatIsOddAboutAnIndex) {
  SaveShard("one.safetensors", "a");
  const auto note = [&](const std::string& index) {
    SaveIndex(index);
    const CheckpointFolder checkpoint(folder_.path());
    EXPECT_EQ(checkpoint.tensors().size(), 1u);
    return checkpoint.notes().empty() ? "" : checkpoint.notes().front();
  };
  EXPECT_EQ(note(R"({"weight_map":{"a":"one.safetensors"}})"), "");
  EXPECT_THAT(note(R"({"weight_map":{"b":"one.safetensors"}})"),
              HasSubstr("one.safetensors does not hold tensor b"));
  // Never a file outside of the folder.
  EXPECT_THAT(note(R"({"weight_map":{"a":"../one.safetensors"}})"),
              HasSubstr("calls a file ../one.safetensors: one.safetensors beside it is taken"));
  std::filesystem::create_directory(folder_ / "inner");
  std::filesystem::rename(folder_ / "one.safetensors", folder_ / "inner/one.safetensors");
  EXPECT_EQ(note(R"({"weight_map":{"a":"inner/one.safetensors"}})"), "");
}

TEST_F(CheckpointTest, RefusesWhatDoesNotFitTogether) {
  EXPECT_THAT(LoadRefusal(), HasSubstr("holds neither model.safetensors nor"));
  SaveShard("one.safetensors", "a");
  SaveShard("two.safetensors", "a");
  SaveIndex("[]");
  EXPECT_THAT(LoadRefusal(), HasSubstr("index.json is not a JSON object"));
  SaveIndex("{}");
  EXPECT_THAT(LoadRefusal(), HasSubstr("weight_map"));
  SaveIndex(R"({"weight_map":{}})");
  EXPECT_THAT(LoadRefusal(), HasSubstr("weight_map is empty"));
  SaveIndex(R"({"weight_map":{"a":".."}})");
  EXPECT_THAT(LoadRefusal(), HasSubstr("weight_map.a"));
  SaveIndex(R"({"weight_map":{"a":3}})");
  EXPECT_THAT(LoadRefusal(), HasSubstr("weight_map.a"));
  SaveIndex(R"({"weight_map":{"a":"three.safetensors"}})");
  EXPECT_THAT(LoadRefusal(), HasSubstr("lacks three.safetensors"));
  SaveIndex(R"({"weight_map":{"b":"one.safetensors","c":"two.safetensors"}})");
  EXPECT_THAT(LoadRefusal(), HasSubstr("tensor a is also in"));
  SaveShard("three.safetensors", "d");
  SaveIndex(R"({"weight_map":{"a":"three.safetensors","b":"one.safetensors",
                              "c":"two.safetensors"}})");
  EXPECT_THAT(LoadRefusal(), HasSubstr("tensor a is also in"));
}

TEST_F(CheckpointTest, OfShardsThatHoldOneTensorTheIndexChooses) {
  for (const char* name : {"one.safetensors", "three.safetensors", "two.safetensors"}) {
    SaveShard(name, "a");
  }
  for (const std::string chosen : {"one", "two", "three"}) {
    SaveIndex(R"({"weight_map":{"a":")" + chosen + R"(.safetensors","b":"one.safetensors",
                                "c":"two.safetensors","d":"three.safetensors"}})");
    const CheckpointFolder checkpoint(folder_.path());
    EXPECT_THAT(checkpoint.Find("a", {2}).file, EndsWith(chosen + ".safetensors"));
    EXPECT_THAT(
        checkpoint.notes().front(),
        AllOf(HasSubstr("tensor a is in "), HasSubstr("one.safetensors and in "),
              HasSubstr(chosen + ".safetensors is taken, as model.safetensors.index.json")));
  }
}

}  // namespace
}  // namespace rondo::convert
