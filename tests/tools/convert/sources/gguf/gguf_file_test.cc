#include "tools/convert/sources/gguf/gguf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tests/tools/error_of.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class GgufFileTest : public testing::Test {
 protected:
  std::filesystem::path Save(const std::string& bytes) {
    std::ofstream(folder_ / "model.gguf", std::ios::binary) << bytes;
    return folder_ / "model.gguf";
  }
  // The sentence with which the file is refused; empty if it is not.
  std::string Refusal(const std::string& bytes) {
    try {
      const GgufFile file(Save(bytes));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("model.gguf"));
      return error.what();
    }
    return "";
  }
  static GgufWriter Small() {
    GgufWriter writer;
    writer.Key("general.architecture", std::string("llama"))
        .Floats("a", {2, 3}, {1, 2, 3, 4, 5, 6});
    return writer;
  }

  TempFolder folder_;
};

TEST_F(GgufFileTest, ReadsKeysOfEveryType) {
  GgufWriter writer;
  writer.Key("u8", uint8_t{200}).Key("i8", int8_t{-3}).Key("u16", uint16_t{60000});
  writer.Key("i16", int16_t{-300}).Key("u32", uint32_t{4000000000}).Key("i32", int32_t{-5});
  writer.Key("f32", 0.5f).Key("f64", -0.25).Key("u64", uint64_t{1} << 60).Key("i64", int64_t{-7});
  writer.Key("yes", true)
      .Key("text", std::string("h\xc3\xa9"))
      .Array<std::string>("list", {"a", ""});
  writer.Array<int32_t>("numbers", {1, -1}).Array<uint8_t>("none", {});
  for (const uint32_t version : {2u, 3u}) {
    writer.version = version;
    EXPECT_EQ(GgufFile(Save(writer.Bytes())).metadata(),
              json::parse(R"({"u8": 200, "i8": -3, "u16": 60000, "i16": -300, "u32": 4000000000,
                              "i32": -5, "f32": 0.5, "f64": -0.25, "u64": 1152921504606846976,
                              "i64": -7, "yes": true, "text": "hé", "list": ["a", ""],
                              "numbers": [1, -1], "none": []})"));
  }
}

TEST_F(GgufFileTest, ReadsTensorsFromAnyElementOn) {
  std::string halves;
  for (int i = 0; i < 32; ++i) halves += GgufWriter::Raw(static_cast<uint8_t>(i));
  GgufWriter writer = Small();
  // Two rows of one block each: scales 1 and 2, values 0, 1, 2, ... and the same.
  writer.Tensor(
      "q", {2, 32}, 8,
      GgufWriter::Raw(uint16_t{0x3c00}) + halves + GgufWriter::Raw(uint16_t{0x4000}) + halves);
  const GgufFile file(Save(writer.Bytes()));
  EXPECT_TRUE(GgufFile::IsGguf(folder_ / "model.gguf"));
  const GgufFile::Tensor& a = file.tensors().at("a");
  EXPECT_EQ(a.shape, (std::vector<uint64_t>{2, 3}));
  std::vector<float> out(2);
  file.Read("a", a, 3, out);
  EXPECT_EQ(out, (std::vector<float>{4, 5}));
  out.resize(40);
  file.Read("q", file.tensors().at("q"), 20, out);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(out[i], static_cast<float>(i < 12 ? i + 20 : 2 * (i - 12))) << i;
  }
}

TEST_F(GgufFileTest, ReadsMoreThanOneBuffer) {
  std::vector<float> values(300'001);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  GgufWriter writer;
  writer.Floats("a", {values.size()}, values).Array("long", std::vector<uint32_t>(70'000, 7));
  const GgufFile file(Save(writer.Bytes()));
  EXPECT_EQ(file.metadata().at("long").size(), 70'000u);
  std::vector<float> out(values.size() - 1);
  file.Read("a", file.tensors().at("a"), 1, out);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), values.begin() + 1));
}

TEST_F(GgufFileTest, RefusesOtherFilesAndVersions) {
  EXPECT_THAT(Refusal("GGU"), HasSubstr("the magic number"));
  EXPECT_THAT(Refusal("GGML" + std::string(40, '\0')), HasSubstr("does not begin with GGUF"));
  EXPECT_FALSE(GgufFile::IsGguf(Save("GGU")));
  GgufWriter writer = Small();
  for (const uint32_t version : {0u, 1u, 4u}) {
    writer.version = version;
    EXPECT_THAT(Refusal(writer.Bytes()), HasSubstr("version " + std::to_string(version)));
  }
  writer.version = 3u << 24;
  EXPECT_THAT(Refusal(writer.Bytes()), HasSubstr("big-endian"));
}

TEST_F(GgufFileTest, RefusesCountsAndLengthsThatCannotBe) {
  const auto header = [](uint64_t n_tensors, uint64_t n_keys) {
    return "GGUF" + GgufWriter::Raw(uint32_t{3}) + GgufWriter::Raw(n_tensors) +
           GgufWriter::Raw(n_keys);
  };
  const uint64_t huge = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(Refusal(header(huge, 0)), HasSubstr("the number of tensors is 1844"));
  EXPECT_THAT(Refusal(header(0, huge)), HasSubstr("the number of keys is 1844"));
  EXPECT_THAT(Refusal(header(0, 1) + std::string(4, ' ')), HasSubstr("the number of keys is 1"));
  const std::string padding(64, ' ');
  EXPECT_THAT(Refusal(header(0, 1) + GgufWriter::Raw(huge) + padding),
              HasSubstr("the name of key 0 has 1844"));
  EXPECT_THAT(Refusal(header(0, 1) + GgufWriter::Raw(uint64_t{100}) + padding),
              HasSubstr("the name of key 0 takes 100 bytes"));
  const std::string key = header(0, 1) + GgufWriter::String("k");
  EXPECT_THAT(Refusal(key + GgufWriter::Raw(uint32_t{8}) + GgufWriter::Raw(uint64_t{1} << 40)),
              HasSubstr("key k has 1099511627776 bytes"));
  EXPECT_THAT(Refusal(key + GgufWriter::Raw(uint32_t{9}) + GgufWriter::Raw(uint32_t{0}) +
                      GgufWriter::Raw(huge)),
              HasSubstr("key k has 18446744073709551615 elements"));
}

TEST_F(GgufFileTest, RefusesBadKeys) {
  EXPECT_THAT(Refusal(GgufWriter().Key("k", 1.0f).Key("k", 1.0f).Bytes()),
              HasSubstr("key k is there twice"));
  EXPECT_THAT(Refusal(GgufWriter().Key("", 1.0f).Bytes()), HasSubstr("the name of key 0 is empty"));
  const std::string key = "GGUF" + GgufWriter::Raw(uint32_t{3}) + GgufWriter::Raw(uint64_t{0}) +
                          GgufWriter::Raw(uint64_t{1}) + GgufWriter::String("k");
  EXPECT_THAT(Refusal(key + GgufWriter::Raw(uint32_t{13}) + "12345678"),
              HasSubstr("key k is of type 13"));
  EXPECT_THAT(Refusal(key + GgufWriter::Raw(uint32_t{9}) + GgufWriter::Raw(uint32_t{9}) +
                      GgufWriter::Raw(uint64_t{1}) + std::string(32, '\0')),
              HasSubstr("key k is an array of arrays"));
}

// Nobody may read them; who does refuses them.
TEST_F(GgufFileTest, ValuesMayBeInAnotherEncoding) {
  GgufWriter writer = Small();
  writer.Key("text", std::string("\xff")).Key("\xc0\x80", 1.0f);
  const GgufFile file(Save(writer.Bytes()));
  EXPECT_TRUE(file.metadata().at("text").is_binary());
  EXPECT_THAT(SentenceOf([&] { Config::Of("F: key ", file.metadata()).Text("text", ""); }),
              HasSubstr("F: key text is not UTF-8"));
}

TEST_F(GgufFileTest, RefusesBadAlignment) {
  for (const uint32_t alignment : {0u, 4u, 24u, 1u << 21}) {
    EXPECT_THAT(Refusal(Small().Key("general.alignment", alignment).Bytes()),
                HasSubstr("key general.alignment is " + std::to_string(alignment)));
  }
  EXPECT_THAT(Refusal(Small().Key("general.alignment", std::string("32")).Bytes()),
              HasSubstr("key general.alignment"));
  GgufWriter wide;
  wide.alignment = 64;
  wide.Key("general.alignment", uint32_t{64}).Floats("a", {1}, {1}).Floats("b", {1}, {2});
  const GgufFile file(Save(wide.Bytes()));
  EXPECT_EQ(file.tensors().at("b").begin - file.tensors().at("a").begin, 64u);
}

TEST_F(GgufFileTest, RefusesBadTensors) {
  const auto entry = [](const std::vector<uint64_t>& shape, uint32_t type, uint64_t offset) {
    return GgufWriter().TensorAt("t", shape, type, offset).Bytes() + std::string(4096, '\0');
  };
  EXPECT_EQ(Refusal(entry({4}, 0, 0)), "");
  EXPECT_THAT(Refusal(entry({}, 0, 0)), HasSubstr("tensor t has 0 dimensions"));
  EXPECT_THAT(Refusal(entry({1, 1, 1, 1, 1}, 0, 0)), HasSubstr("tensor t has 5 dimensions"));
  EXPECT_THAT(Refusal(entry({2, 0}, 0, 0)), HasSubstr("tensor t: dimension 0 is 0"));
  EXPECT_THAT(Refusal(entry({2, 33}, 2, 0)), HasSubstr("tensor t has rows of 33 values"));
  EXPECT_THAT(Refusal(entry({1u << 31, 1u << 31, 1u << 31}, 0, 0)), HasSubstr("overflow"));
  EXPECT_THAT(Refusal(entry({uint64_t{1} << 62, 2}, 0, 0)), HasSubstr("overflow"));
  EXPECT_THAT(Refusal(entry({4}, 0, 8)), HasSubstr("tensor t: its offset, 8, is not a multiple"));
  EXPECT_THAT(Refusal(entry({4}, 0, 4096)), HasSubstr("tensor t: its 16 bytes from offset 4096"));
  EXPECT_THAT(Refusal(entry({4}, 0, ~uint64_t{31})), HasSubstr("do not lie in the file"));
  EXPECT_THAT(Refusal(entry({2048}, 0, 0)), HasSubstr("do not lie in the file"));
  EXPECT_THAT(Refusal(entry({4}, 28, 0)),
              AllOf(HasSubstr("tensor t is of type F64"), HasSubstr("known: F32, F16, BF16")));
  EXPECT_THAT(Refusal(entry({4}, 77, 0)), HasSubstr("tensor t is of type type 77"));
  EXPECT_THAT(Refusal(GgufWriter().TensorAt("", {1}, 0, 0).Bytes()),
              HasSubstr("the name of tensor 0 is empty"));
}

TEST_F(GgufFileTest, RefusesTensorsThatShareANameOrBytes) {
  EXPECT_THAT(Refusal(GgufWriter().Floats("t", {1}, {1}).Floats("t", {1}, {1}).Bytes()),
              HasSubstr("tensor t is there twice"));
  GgufWriter writer;
  writer.Floats("a", {16}, std::vector<float>(16)).TensorAt("b", {4}, 0, 32);
  EXPECT_THAT(Refusal(writer.Bytes()), HasSubstr("tensors a and b overlap"));
}

TEST_F(GgufFileTest, RefusesAFileCutAnywhere) {
  const std::string whole = Small().Bytes();
  ASSERT_EQ(Refusal(whole), "");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(Refusal(whole.substr(0, size)), "") << size;
  }
}

TEST_F(GgufFileTest, RefusesValuesThatAreNotFinite) {
  const float infinite = std::numeric_limits<float>::infinity();
  const GgufFile file(Save(GgufWriter().Floats("a", {2, 2}, {1, 2, infinite, 4}).Bytes()));
  std::vector<float> out(3);
  try {
    file.Read("a", file.tensors().at("a"), 1, out);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("tensor a holds inf at index 2"));
  }
}

// ---- A model in several files

class SplitGgufTest : public GgufFileTest {
 protected:
  // Part `number` of three, with a tensor of its own: "t0", "t1", "t2".
  static GgufWriter Part(uint16_t number, uint16_t count = 3, int32_t n_tensors = 3) {
    GgufWriter writer;
    writer.Key("split.no", number)
        .Key("split.count", count)
        .Key("split.tensors.count", n_tensors)
        .Floats("t" + std::to_string(number), {2}, {1.0f * number, 10.0f * number});
    if (number == 0) writer.Key("general.architecture", std::string("llama"));
    return writer;
  }
  std::filesystem::path PathOf(int number) {
    return folder_ / ("model-0000" + std::to_string(number + 1) + "-of-00003.gguf");
  }
  void SaveAll() {
    for (uint16_t i = 0; i < 3; ++i) Part(i).Save(PathOf(i));
  }
  std::string SplitRefusal() {
    return SentenceOf([&] { const GgufFile file(PathOf(0)); });
  }
};

TEST_F(SplitGgufTest, ReadsThePartsAsOneFile) {
  SaveAll();
  const GgufFile file(PathOf(0));
  EXPECT_EQ(file.path(), PathOf(0).string());
  EXPECT_EQ(file.metadata().at("general.architecture"), "llama");
  ASSERT_EQ(file.tensors().size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const std::string name = "t" + std::to_string(i);
    const GgufFile::Tensor& tensor = file.tensors().at(name);
    EXPECT_EQ(file.PathOf(tensor), PathOf(i).string());
    std::vector<float> out(2);
    file.Read(name, tensor, 0, out);
    EXPECT_EQ(out, (std::vector<float>{1.0f * i, 10.0f * i}));
  }
}

TEST_F(SplitGgufTest, OneFileMaySaySo) {
  for (const uint16_t count : {0, 1}) {
    EXPECT_EQ(Refusal(Small().Key("split.no", uint16_t{0}).Key("split.count", count).Bytes()), "");
  }
}

TEST_F(SplitGgufTest, RefusesPartsThatAreMissingOrCalledOtherwise) {
  SaveAll();
  EXPECT_THAT(SentenceOf([&] { const GgufFile file(PathOf(1)); }),
              HasSubstr("is part 2 of 3 of a model; name the first one"));
  std::filesystem::remove(PathOf(2));
  EXPECT_THAT(SplitRefusal(), HasSubstr("is the first of 3 parts, but model-00003-of-00003.gguf is "
                                        "not beside it"));
  EXPECT_THAT(Refusal(Part(0).Bytes()), HasSubstr("does not end in -00001-of-00003.gguf"));
}

TEST_F(SplitGgufTest, RefusesPartsOfOtherModels) {
  SaveAll();
  Part(1).Save(PathOf(2));
  EXPECT_THAT(SplitRefusal(), HasSubstr("tensor t1 is also in"));
  GgufWriter renumbered;
  renumbered.Key("split.no", uint16_t{1}).Key("split.count", uint16_t{3});
  renumbered.Key("split.tensors.count", int32_t{3}).Floats("t2", {1}, {1}).Save(PathOf(2));
  EXPECT_THAT(SplitRefusal(), HasSubstr("says that it is part 2 of 3, its name that it is part 3"));
  Part(2, 4).Save(PathOf(2));
  EXPECT_THAT(SplitRefusal(), HasSubstr("says that it is part 3 of 4"));
  Part(2, 3, 7).Save(PathOf(2));
  EXPECT_THAT(SplitRefusal(), HasSubstr("key split.tensors.count is not as in the first part"));
  Part(2).Key("general.architecture", std::string("gpt2")).Save(PathOf(2));
  EXPECT_THAT(SplitRefusal(), AllOf(HasSubstr("model-00003-of-00003.gguf"),
                                    HasSubstr("key general.architecture is not as in the first")));
  GgufWriter().Floats("t2", {1}, {1}).Save(PathOf(2));
  EXPECT_THAT(SplitRefusal(), HasSubstr("says that it is part 1 of 1"));
  for (uint16_t i = 0; i < 3; ++i) Part(i, 3, 4).Save(PathOf(i));
  EXPECT_THAT(SplitRefusal(), HasSubstr("hold 3 tensors, key split.tensors.count says 4"));
}

TEST_F(SplitGgufTest, RefusesCountsThatCannotBe) {
  EXPECT_THAT(Refusal(Part(0, 1001).Bytes()), HasSubstr("key split.count"));
  EXPECT_THAT(Refusal(Part(3).Bytes()), HasSubstr("key split.no"));
  EXPECT_THAT(Refusal(Part(0, 3, -1).Bytes()), HasSubstr("key split.tensors.count"));
  EXPECT_THAT(Refusal(GgufWriter().Key("split.count", uint16_t{2}).Bytes()),
              HasSubstr("key split.no"));
}

TEST_F(SplitGgufTest, APartMayBeCutAnywhere) {
  SaveAll();
  const std::string whole = Part(1).Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(PathOf(1), std::ios::binary) << whole.substr(0, size);
    EXPECT_THAT(SplitRefusal(), HasSubstr("model-00002-of-00003.gguf")) << size;
  }
}

}  // namespace
}  // namespace rondo::convert
