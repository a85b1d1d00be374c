// GPTQ's files where they and the config say different things, and where modules differ.
#include "tests/tools/convert/sources/quantised/quantised_folder.h"

namespace rondo::convert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GptqTest : public QuantisedTest {
 protected:
  // Codes and zeros as the words of the file have them; scales are 1.
  struct Words32 {
    uint32_t code, zero;
  };
  std::map<std::string, Stored> Matrix32(const std::string& name, uint32_t bits, Words32 words,
                                         uint64_t groups = 1) {
    std::vector<uint32_t> codes(bits * 32, words.code), zeros(groups * bits, words.zero);
    std::vector<float> scales(groups * 32, 1);
    return {{name + ".qweight", Of("I32", {bits, 32}, codes)},
            {name + ".qzeros", Of("I32", {groups, bits}, zeros)},
            {name + ".scales", Of("F32", {groups, 32}, scales)}};
  }
  // The first row of 32 columns.
  std::vector<float> FirstRow(const std::string& config, const std::string& name = "x.weight") {
    const CheckpointFolder folder = Open(config.c_str());
    std::vector<float> row(32);
    folder.Read(name, 0, row);
    notes_ = folder.notes();
    return row;
  }
  static std::string With(const std::string& more) {
    return R"({"quantization_config": {"quant_method": "gptq", )" + more + "}}";
  }

  std::vector<std::string> notes_;
};

// One is added to all codes of a word at once: where a 0 took from its neighbour it gets that back.
TEST_F(GptqTest, ZerosOf0BorrowFromTheirNeighbours) {
  const struct {
    uint32_t bits, ones;
  } cases[] = {{2, 0x55555555}, {4, 0x11111111}, {8, 0x01010101}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.bits);
    std::vector<uint32_t> zeros;
    std::mt19937 random(c.bits);
    for (int r = 0; r < 32; ++r) zeros.push_back(r % 3 == 0 ? 0 : random() % (1u << c.bits));
    std::vector<uint32_t> words = Words(zeros, c.bits);
    for (uint32_t& word : words) word -= c.ones;
    Save({{"x.qweight", Of("I32", {c.bits, 32}, std::vector<uint32_t>(c.bits * 32))},
          {"x.qzeros", Of("I32", {1, c.bits}, words)},
          {"x.scales", Of("F32", {1, 32}, std::vector<float>(32, 1))}});
    const CheckpointFolder folder =
        Open(With(R"("sym": false, "bits": )" + std::to_string(c.bits)).c_str());
    std::vector<float> all(32 * 32);
    folder.Read("x.weight", 0, all);
    for (uint32_t r = 0; r < 32; ++r) EXPECT_EQ(all[r * 32], -static_cast<float>(zeros[r])) << r;
  }
  // 3 bits, which lie across words, code by code.
  Save(Matrix32("x", 3, {0, 0xffffffff}));
  EXPECT_EQ(FirstRow(With(R"("sym": false, "bits": 3)"))[0], 0);
}

// With sym the zeros are in the middle: the version is that by which they are.
TEST_F(GptqTest, ZerosSayWhichVersion) {
  const std::string sym = R"("sym": true, "bits": 4)";
  Save(Matrix32("x", 4, {0x99999999, 0x77777777}));
  EXPECT_EQ(FirstRow(With(sym))[0], 1);
  EXPECT_THAT(notes_, testing::IsEmpty());
  EXPECT_EQ(FirstRow(With(sym + R"(, "checkpoint_format": "gptq_v2")"))[0], 1);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("tensor x.weight: its zero points are those of gptq, "
                                            "not of what the config's checkpoint_format says")));
  Save(Matrix32("x", 4, {0x99999999, 0x88888888}));
  EXPECT_EQ(FirstRow(With(sym))[0], 1);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("those of gptq_v2")));
  EXPECT_EQ(FirstRow(With(R"("bits": 4)"))[0], 1);  // nobody says otherwise
  EXPECT_EQ(FirstRow(With(R"("sym": false, "bits": 4)"))[0], 0);
  EXPECT_EQ(FirstRow(With(sym + R"(, "format": "gptq_v2")"))[0], 1);
  EXPECT_THAT(notes_, testing::IsEmpty());
  Save(Matrix32("x", 4, {0x99999999, 0x77777767}));
  EXPECT_THAT(Refusal(With(sym).c_str()),
              HasSubstr("tensor x.qzeros has the zero point 7 for row 1, group 0, expected 8: the "
                        "config says that sym is true"));
  for (const uint32_t bits : {2u, 3u, 8u}) {
    const uint32_t middle = 1u << (bits - 1);
    const std::string config = With(R"("sym": true, "bits": )" + std::to_string(bits));
    for (const uint32_t stored : {middle - 1, middle}) {
      const std::vector<uint32_t> words = Words(std::vector<uint32_t>(32, stored), bits);
      std::map<std::string, Stored> tensors = Matrix32("x", bits, {0, 0});
      tensors["x.qzeros"] = Of("I32", {1, bits}, words);
      Save(tensors);
      EXPECT_EQ(FirstRow(config)[0], -static_cast<float>(middle)) << bits << " " << stored;
    }
  }
}

TEST_F(GptqTest, GroupsAreAsTheConfigSays) {
  // Two groups in 32 columns: 16 and 16, or 24 and 8.
  std::map<std::string, Stored> tensors = Matrix32("x", 4, {0x99999999, 0x77777777}, 2);
  std::vector<float> scales(64, 1);
  std::fill(scales.begin() + 32, scales.end(), 2.0f);
  tensors["x.scales"] = Of("F32", {2, 32}, scales);
  Save(tensors);
  const auto changes_at = [&](const std::string& more) {
    const std::vector<float> row = FirstRow(With(R"("bits": 4)" + more));
    return std::find(row.begin(), row.end(), 2.0f) - row.begin();
  };
  EXPECT_EQ(changes_at(""), 16);
  EXPECT_EQ(changes_at(R"(, "group_size": 16)"), 16);
  EXPECT_EQ(changes_at(R"(, "group_size": 24)"), 24);
  EXPECT_THAT(Refusal(With(R"("bits": 4, "group_size": 32)").c_str()),
              HasSubstr("x.scales has 2 groups of 32 columns, but the config's group_size is 32"));
  EXPECT_THAT(Refusal(With(R"("bits": 4, "group_size": -1)").c_str()),
              HasSubstr("but the config's group_size is -1"));
  EXPECT_THAT(Refusal(With(R"("bits": 4, "group_size": 16, "desc_act": true)").c_str()),
              HasSubstr("lacks tensor x.g_idx"));
  // What names no groups stands for their order.
  for (const int nothing : {-1, 0}) {
    tensors["x.g_idx"] = Of("I32", {32}, std::vector<int32_t>(32, nothing));
    Save(tensors);
    EXPECT_EQ(changes_at(R"(, "group_size": 16, "desc_act": false)"), 16);
    EXPECT_THAT(Refusal(With(R"("bits": 4, "desc_act": true)").c_str()),
                HasSubstr("tensor x.g_idx names no groups, but the config's desc_act is true"));
  }
  std::vector<int32_t> turned(32, 1);
  std::fill(turned.begin() + 20, turned.end(), 0);
  tensors["x.g_idx"] = Of("I32", {32}, turned);
  Save(tensors);
  EXPECT_EQ(FirstRow(With(R"("bits": 4, "group_size": 16)"))[0], 2);
}

// GPTQModel's `dynamic`: patterns of modules that are quantised otherwise, or not.
TEST_F(GptqTest, ModulesDiffer) {
  std::map<std::string, Stored> tensors = Matrix32("a.0.x", 4, {0x99999999, 0x77777777});
  tensors.merge(Matrix32("a.1.x", 8, {0x81818181, 0x7f7f7f7f}));
  tensors["a.2.x.weight"] = Of("F32", {1, 2}, std::vector<float>{5, 6});
  Save(tensors);
  const auto with = [](const std::string& dynamic) {
    return With(R"("sym": true, "bits": 4, "dynamic": {)" + dynamic + "}");
  };
  const std::string of_1 = R"("+:.*\\.1\\..*": {"bits": 8, "group_size": 32})";
  const std::string not_2 = R"(, "-:.*\\.2\\.x": {})";
  EXPECT_EQ(FirstRow(with(of_1 + not_2), "a.0.x.weight")[0], 1);
  EXPECT_EQ(FirstRow(with(of_1 + not_2), "a.1.x.weight")[0], 1);
  // Of several the one that fits: the first of the file is not known any more.
  EXPECT_EQ(FirstRow(with(R"("a\\.1": {"bits": 8}, ".*x$": {"bits": 4})"), "a.1.x.weight")[0], 1);
  EXPECT_THAT(Refusal(with(R"("b.*": {"bits": 8})").c_str()),
              HasSubstr("a.1.x.qzeros has shape [1, 8], expected [1, 4] by a.1.x.scales and the "
                        "config's bits"));
  EXPECT_THAT(Refusal(with(of_1 + R"(, "-:a\\.0": {})").c_str()),
              HasSubstr("dynamic says by -:a\\.0 that a.0.x is not quantised, but it is"));
  EXPECT_THAT(Refusal(with(R"("+:(": {})").c_str()), HasSubstr("key quantization_config.dynamic "));
  EXPECT_THAT(Refusal(With(R"("bits": 4, "modules_to_not_convert": ["1.x"])").c_str()),
              HasSubstr("modules_to_not_convert names 1.x, but the file has a.1.x quantised"));
}

TEST_F(GptqTest, RefusesOtherForms) {
  Save(Matrix32("x", 4, {0, 0}));
  EXPECT_THAT(Refusal(With(R"("bits": 5)").c_str()), HasSubstr("bits is 5, expected 2, 3, 4 or 8"));
  EXPECT_THAT(Refusal(With(R"("bits": 4, "checkpoint_format": "marlin")").c_str()),
              HasSubstr("checkpoint_format is \"marlin\", expected gptq or gptq_v2"));
  EXPECT_THAT(Refusal(With(R"("bits": 4, "is_marlin_format": true)").c_str()),
              HasSubstr("is_marlin_format is true"));
  EXPECT_THAT(Refusal(With(R"("bits": 4, "rotation": "hadamard")").c_str()),
              HasSubstr("rotation turns activations as the model runs"));
}

// Older versions of the quantisers wrote a file of their own, and nothing into config.json.
TEST_F(GptqTest, ConfigsBesideConfigJson) {
  const auto method = [&](const char* config) {
    return ReadQuantisation(folder_ / "",
                            Config::Of("config.json: key ", nlohmann::json::parse(config)))
        .method;
  };
  EXPECT_EQ(method("{}"), "");
  std::ofstream(folder_ / "quant_config.json") << R"({"w_bit": 4, "zero_point": true})";
  EXPECT_EQ(method("{}"), "awq");
  std::ofstream(folder_ / "quantize_config.json") << R"({"bits": 4, "sym": true})";
  EXPECT_EQ(method("{}"), "gptq");
  EXPECT_EQ(method(R"({"quantization_config": {"quant_method": "fp8"}})"), "fp8");
  EXPECT_EQ(method(R"({"quantization_config": {"bits": 4, "group_size": 32, "sym": true}})"),
            "gptq");
  EXPECT_EQ(method(R"({"quantization_config": {"quant_method": "fp8"},
                       "quantization": {"bits": 4, "group_size": 32}})"),
            "mlx");
}

}  // namespace
}  // namespace rondo::convert
