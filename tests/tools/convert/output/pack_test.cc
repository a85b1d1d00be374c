// `rondo pack`: what it writes, and what it refuses.
#include "tools/convert/output/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "runtime/kernels/pack_linear.h"
#include "runtime/model/tensor_view.h"
#include "runtime/text/tokenizer.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/all_formats.h"
#include "tests/support/packed_model.h"
#include "tests/support/places.h"
#include "tests/tools/error_of.h"
#include "tests/tools/run_tool.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;
using testing::HasSubstr;

void Ignore(uint64_t, uint64_t) {}

std::string Refusal(const PackOptions& options) {
  return SentenceOf([&] { Pack(options, Ignore); });
}

void Write(const fs::path& path, const ModelBytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.bytes().data()),
             static_cast<std::streamsize>(bytes.bytes().size()));
}

// With gate_up, and its bias, in more than one piece in f32.
CheckpointShape Biased() {
  CheckpointShape shape;
  shape.hidden_size = 1200;
  shape.intermediate_size = 600;
  shape.attention_bias = shape.mlp_bias = true;
  return shape;
}

TEST(Pack, WritesTheTilesOfEveryWeightAndCopiesAllElse) {
  for (TensorFormat format : AllFormats()) {
    const ConvertedModel model(Biased(), format, format);
    const ModelBytes portable_bytes = model.portable();
    const ModelFile portable = *ModelFile::Open(portable_bytes.bytes());
    for (const NamedLayout& named : NamedLayouts()) {
      const ModelBytes bytes = model.packed(named.kernels);
      const ModelFile file = *ModelFile::Open(bytes.bytes());
      ASSERT_EQ(file.model().tensors()->size(), portable.model().tensors()->size());
      const format::Attention& attention = AttentionOf(portable.model(), 0);
      const format::Mlp& mlp = MlpOf(portable.model(), 0);
      const std::vector<const format::Linear*> linears = {
          attention.qkv(), attention.output(), mlp.gate_up(), mlp.down(), portable.model().head()};
      for (uint32_t i = 0; i < file.model().tensors()->size(); ++i) {
        const TensorView before = ViewTensor(portable, i), after = ViewTensor(file, i);
        EXPECT_STREQ(after.name, before.name);
        EXPECT_EQ(after.rows, before.rows);
        EXPECT_EQ(after.cols, before.cols);
        EXPECT_TRUE(std::ranges::equal(after.tables, before.tables)) << before.name;
        const auto linear = std::find_if(linears.begin(), linears.end(),
                                         [i](const auto* l) { return l->weight() == i; });
        if (linear == linears.end()) {
          EXPECT_EQ(after.packed, nullptr);
          EXPECT_TRUE(std::ranges::equal(after.data, before.data)) << before.name;
          EXPECT_TRUE(std::ranges::equal(after.scales, before.scales)) << before.name;
          continue;
        }
        const LinearShape shape = LinearShape::Of(before);
        WeightRows rows = RowsOf(before, nullptr);
        if ((*linear)->bias() >= 0) {
          rows.bias = ViewTensor(portable, static_cast<uint32_t>((*linear)->bias())).f32().data();
        }
        std::vector<uint8_t> expected(shape.PackedBytes(named.layout));
        PackLinear(named.layout, shape, rows, 0, shape.n, expected.data());
        EXPECT_TRUE(std::ranges::equal(after.data, expected)) << named.kernels << before.name;
      }
    }
  }
}

TEST(Pack, TellsProgressInBytesOfTheInput) {
  const ConvertedModel model(Biased(), TensorFormat::Q4B, TensorFormat::Q8);
  uint64_t last = 0, whole = 0;
  const TempFolder folder;
  const PackReport report = Pack({model.path(), folder / "x.rondo", LayoutNamed("neon")},
                                 [&](uint64_t done, uint64_t total) {
                                   EXPECT_GE(done, last);
                                   last = done;
                                   whole = total;
                                 });
  EXPECT_GT(last, 0u);
  EXPECT_EQ(last, whole);
  EXPECT_EQ(report.file_bytes, fs::file_size(folder / "x.rondo"));
  EXPECT_EQ(report.layout, IdOf(LayoutNamed("neon").layout).text);
}

TEST(Pack, RefusesWhatItCannotPackAndLeavesNothing) {
  const ConvertedModel model(CheckpointShape(), TensorFormat::Q8, TensorFormat::Q8);
  const NamedLayout target = LayoutNamed("avx2");
  const TempFolder folder;
  const fs::path out = folder / "out.rondo";
  EXPECT_THAT(Refusal({model.Pack("avx2"), out, target}), HasSubstr("packed already, as rondo-1/"));
  EXPECT_THAT(Refusal({model.path(), model.path(), target}), HasSubstr("the portable file itself"));
  EXPECT_THAT(Refusal({folder / "absent", out, target}), HasSubstr("cannot be read"));
  std::ofstream(folder / "noise") << std::string(500, 'x');
  EXPECT_THAT(Refusal({folder / "noise", out, target}), HasSubstr("not a Rondo model"));
  EXPECT_THAT(Refusal({model.path(), folder / "noise", target}), HasSubstr("not a Rondo file"));
  EXPECT_EQ(ModelBytes(folder / "noise").bytes().size(), 500u);

  // Every section, altered.
  const ModelBytes good = model.portable();
  const ModelFile file = *ModelFile::Open(good.bytes());
  for (const format::Section* section : *file.model().sections()) {
    ModelBytes bytes = good;
    bytes.bytes()[section->offset() + section->bytes() / 2] ^= 4;
    Write(folder / "altered", bytes);
    EXPECT_THAT(Refusal({folder / "altered", out, target}), HasSubstr("checksum"));
  }
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 2u);  // noise and altered
}

TEST(Pack, LosesNothingItDoesNotKnow) {
  const ConvertedModel model(CheckpointShape(), TensorFormat::Q8, TensorFormat::Q8);
  const TempFolder folder;
  const ModelBytes portable = model.portable();
  const uint64_t end = portable.header().metadata_offset;
  Write(folder / "newer", Rewrite(portable, [&](format::ModelT& m) {
          m.sections.emplace_back(end, uint64_t{0}, Checksum({}));
        }));
  EXPECT_THAT(Refusal({folder / "newer", folder / "out.rondo", LayoutNamed("avx2")}),
              HasSubstr("section at byte " + std::to_string(end)));
}

TEST(Pack, RefusesAWeightWithTwoBiases) {
  CheckpointShape shape;
  shape.n_layers = 2;
  shape.attention_bias = true;
  const ConvertedModel model(shape, TensorFormat::Q8, TensorFormat::Q8);
  const TempFolder folder;
  const auto share = [](format::ModelT& m) {
    AttentionOf(m, 1).qkv->weight = AttentionOf(m, 0).qkv->weight;
  };
  Write(folder / "two", Rewrite(model.portable(), share));
  EXPECT_THAT(Refusal({folder / "two", folder / "out.rondo", LayoutNamed("avx2")}),
              HasSubstr("used with two biases"));
  Write(folder / "one", Rewrite(model.portable(), [&](format::ModelT& m) {
          share(m);
          AttentionOf(m, 1).qkv->bias = AttentionOf(m, 0).qkv->bias;
        }));
  // The second layer's own tensors are then no Linear's: they are copied as they are.
  EXPECT_EQ(Refusal({folder / "one", folder / "out.rondo", LayoutNamed("avx2")}), "");
}

class PackCommand : public testing::Test {
 protected:
  ToolRunner tool_;
  std::string model_ = tool_.Convert(std::string(kTestData) + "/tiny", "q8");
};

TEST_F(PackCommand, TheHostsFileGivesTheSameText) {
  const ToolResult packed = tool_("pack " + model_ + " -o '" + tool_.Path("host.rondo") + "'");
  ASSERT_EQ(packed.code, 0) << packed.err;
  EXPECT_THAT(packed.out, HasSubstr("rondo-1/"));
  const std::string run = " 'Once upon a time' --max-tokens 20";
  const ToolResult expected = tool_("run " + model_ + run);
  const ToolResult text = tool_("run '" + tool_.Path("host.rondo") + "'" + run);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out, expected.out);
  const std::string host = "'" + tool_.Path("host.rondo") + "'";
  EXPECT_EQ(tool_("inspect " + host + " --check").code, 0);
  EXPECT_THAT(tool_("inspect " + host).out, HasSubstr("packed for"));
  const ToolResult plan = tool_("inspect " + host + " --plan");
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("of weights are mapped from the file"));
  EXPECT_THAT(tool_("inspect " + model_ + " --plan").out, testing::Not(HasSubstr("mapped")));
}

TEST_F(PackCommand, NamesOutputsByKernels) {
  for (const auto& [cpu, kernels] : {std::pair{"x86-64-v3", "avx2"},
                                     {"avx2", "avx2"},
                                     {"x86-64-v4-vnni", "avx512vnni"},
                                     {"amx", "amx"},
                                     {"avxvnni", "avxvnni"},
                                     {"x86-64-v2", "sse41"},
                                     {"armv8-a", "neon"},
                                     {"armv8.2-dotprod", "neondot"},
                                     {"armv8.6-i8mm", "i8mm"},
                                     {"sme", "sme"},
                                     {"scalar", "scalar"}}) {
    const ToolResult result = tool_("pack " + model_ + " --cpu " + cpu);
    EXPECT_EQ(result.code, 0) << result.err;
    const ModelBytes bytes(tool_.Path(std::string("q8-") + kernels + ".rondo"));
    const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
    ASSERT_TRUE(file.ok()) << cpu;
    EXPECT_EQ(*file->layout(), LayoutNamed(kernels).layout);
    EXPECT_TRUE(Tokenizer::Create(*file).ok());
  }
}

TEST_F(PackCommand, FindsDamageInAPackedFile) {
  ASSERT_EQ(tool_("pack " + model_ + " -o '" + tool_.Path("host.rondo") + "'").code, 0);
  std::string bytes = tool_.Read("host.rondo");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  tool_.Write("damaged", bytes);
  const ToolResult check = tool_("inspect '" + tool_.Path("damaged") + "' --check");
  EXPECT_EQ(check.code, 1);
  EXPECT_THAT(check.err, HasSubstr("checksum does not match"));
}

TEST_F(PackCommand, WrongUsageIsTwo) {
  for (const std::string& arguments :
       {std::string("pack"), "pack " + model_ + " --cpu z80", "pack " + model_ + " x y"}) {
    EXPECT_EQ(tool_(arguments).code, 2) << arguments;
  }
  EXPECT_THAT(tool_("pack " + model_ + " --cpu z80").err, HasSubstr("avx512vnni"));
  EXPECT_THAT(tool_("pack --help").out, HasSubstr("Examples:"));
}

}  // namespace
}  // namespace rondo::convert
