// `rondo pull` as a program, and what `rondo convert` then finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/convert/random_checkpoint.h"
#include "tests/tools/convert/seeing_gguf.h"
#include "tests/tools/pull/pull_case.h"
#include "tests/tools/run_tool.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(PullTest, TheToolDownloadsAndConverts) {
  TempFolder checkpoint;
  convert::WriteRandomCheckpoint(checkpoint.path(), {});
  std::map<std::string, HubServer::File> files;
  for (const char* name : {"config.json", "model.safetensors"}) {
    files[name] = {ReadBytes(checkpoint / name), true};
  }
  server_.Replace(files);
  const ToolRunner tool;
  const std::string output = tool.Path("x.rondo");
  const ToolResult before = tool("convert org/model -o '" + output + "'");
  EXPECT_EQ(before.code, 1);
  EXPECT_THAT(before.err, HasSubstr("`rondo pull org/model` downloads it"));

  const ToolResult pulled = tool("pull org/model --hub " + server_.url() + " -o '" + output + "'");
  EXPECT_EQ(pulled.code, 0) << pulled.err;
  EXPECT_THAT(pulled.out, HasSubstr("x.rondo: LlamaForCausalLM"));
  const std::string bytes = ReadBytes(output);
  EXPECT_THAT(tool("inspect '" + output + "'").out, HasSubstr("model"));

  const ToolResult again = tool("convert org/model -o '" + output + "'");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(ReadBytes(output), bytes);
}

// Nothing is asked of the hub.
TEST_F(PullTest, TheToolChecksBeforeItDownloads) {
  const ToolRunner tool;
  tool.Write("mine", "what somebody wrote");
  const std::string hub = " --hub " + server_.url();
  const auto refused = [&](const std::string& arguments, int code) {
    const ToolResult result = tool("pull " + arguments);
    EXPECT_EQ(result.code, code) << result.err;
    return result.err;
  };
  EXPECT_THAT(refused("org/model -o '" + tool.Path("mine") + "'" + hub, 1),
              HasSubstr("mine exists and is not a Rondo file; choose another name, or replace it"));
  EXPECT_THAT(refused("org/model -o /no/such/folder/x" + hub, 1),
              HasSubstr("cannot create /no/such/folder/x"));
  EXPECT_THAT(refused("model" + hub, 2), HasSubstr("expected ORG/MODEL\n"));
  EXPECT_THAT(refused("https://other.example/org/model" + hub, 2),
              HasSubstr("no address of a model in the hub " + server_.url() +
                        ", expected ORG/MODEL or " + server_.url() + "/ORG/MODEL; --hub names"));
  SetVariable("HF_HUB_OFFLINE", "1");
  EXPECT_THAT(refused("org/model -o '" + tool.Path("x") + "'" + hub, 1),
              HasSubstr("HF_HUB_OFFLINE is set, so nothing is downloaded"));
  UnsetVariable("HF_HUB_OFFLINE");
  EXPECT_THAT(server_.seen(), IsEmpty());
}

TEST_F(PullTest, TheToolTakesAnAddress) {
  server_.Replace({{"a [1].Q4_0.gguf", {"GGUF"}}, {"a.Q8_0.gguf", {"GGUF"}}});
  const ToolRunner tool;
  const ToolResult pulled =
      tool("pull '" + server_.url() +
           "/org/model/resolve/main/a%20%5B1%5D.Q4_0.gguf?download=true' -o '" + tool.Path("x") +
           "' --hub " + server_.url() + "/");
  EXPECT_EQ(pulled.code, 1);  // it is no model
  const auto snapshot = FindSnapshot(options_.name, "main");
  ASSERT_TRUE(snapshot);
  EXPECT_TRUE(fs::exists(*snapshot / "a [1].Q4_0.gguf"));
  EXPECT_FALSE(fs::exists(*snapshot / "a.Q8_0.gguf"));
}

TEST_F(PullTest, TheAddressOfAPartStandsForAllParts) {
  server_.Replace({{"a-00001-of-00002.gguf", {"GGUF"}},
                   {"a-00002-of-00002.gguf", {"GGUF"}},
                   {"b-00001-of-00002.gguf", {"GGUF"}}});
  const ToolRunner tool;
  const ToolResult pulled =
      tool("pull " + server_.url() + "/org/model/blob/main/a-00001-of-00002.gguf --hub " +
           server_.url() + " -o '" + tool.Path("x") + "'");
  EXPECT_EQ(pulled.code, 1);  // it is no model
  const auto snapshot = FindSnapshot(options_.name, "main");
  ASSERT_TRUE(snapshot);
  EXPECT_TRUE(fs::exists(*snapshot / "a-00001-of-00002.gguf"));
  EXPECT_TRUE(fs::exists(*snapshot / "a-00002-of-00002.gguf"));
  EXPECT_FALSE(fs::exists(*snapshot / "b-00001-of-00002.gguf"));
}

class PullCommandTest : public PullTest {
 protected:
  // All files of a folder, as the hub's.
  void Serve(const fs::path& folder) {
    std::map<std::string, HubServer::File> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      files[entry.path().lexically_relative(folder).generic_string()] = {ReadBytes(entry.path())};
    }
    server_.Replace(files);
  }
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(tool_.Path(name)).parent_path());
    tool_.Write(name, text);
  }
  ToolResult PullTool(const std::string& arguments, const std::string& output = "out.rondo") const {
    return tool_("pull org/model --hub " + server_.url() + " -o '" + tool_.Path(output) + "' " +
                 arguments);
  }

  ToolRunner tool_;
};

// The model is called as its folder is, and is else of its files alone.
TEST_F(PullCommandTest, ADownloadIsWhatTheFolderIs) {
  const std::string model = tool_.Path("model");
  convert::CheckpointShape shape;
  shape.shard_bytes = 2000;
  convert::WriteRandomCheckpoint(model, shape);
  Write("model/modules.json", R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
      {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
      {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])");
  Write("model/1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true})");
  Write("model/2_Dense/config.json", R"({"in_features": 16, "out_features": 2, "bias": false})");
  std::string tensor = R"({"linear.weight":{"dtype":"F32","shape":[2,16],"data_offsets":[0,128]}})";
  tensor.resize(72, ' ');
  Write("model/2_Dense/model.safetensors",
        std::string("\x48\0\0\0\0\0\0\0", 8) + tensor + std::string(128, '\x3c'));
  Serve(model);
  const ToolResult pulled = PullTool("");
  EXPECT_EQ(pulled.code, 0) << pulled.err;
  const ToolResult direct = tool_("convert '" + model + "' -o '" + tool_.Path("direct") + "'");
  EXPECT_EQ(direct.code, 0) << direct.err;
  EXPECT_EQ(tool_.Read("out.rondo"), tool_.Read("direct"));
}

// Whatever an earlier one left.
TEST_F(PullCommandTest, ADownloadConvertsWhatItWasAskedFor) {
  convert::WriteRandomCheckpoint(tool_.Path("model"), {});
  Serve(tool_.Path("model"));
  auto files = server_.files;
  for (const char* name : {"a-Q4_0.gguf", "a-Q8_0.gguf", "mmproj-Q8_0.gguf"}) {
    files[name] = {std::string("GGUF of ") + name};
  }
  server_.Replace(files);
  EXPECT_EQ(PullTool("").code, 0);
  for (const std::string quant : {"Q4_0", "Q8_0", "Q4_0"}) {
    EXPECT_THAT(PullTool("--file '*" + quant + ".gguf'").err, HasSubstr("/a-" + quant + ".gguf"));
  }
  EXPECT_EQ(PullTool("").code, 0);
  EXPECT_THAT(PullTool("--file '*.gguf'").err,
              HasSubstr("--file stands for 2 models, expected one: a-Q4_0.gguf, a-Q8_0.gguf"));
  EXPECT_THAT(PullTool("--file '*4_0.gguf' --file '*.safetensors'").err,
              HasSubstr("expected one: a-Q4_0.gguf and model.safetensors"));
  EXPECT_THAT(PullTool("--file config.json").err, HasSubstr("none of the files asked for"));
}

TEST_F(PullCommandTest, WhatSeesComesWithAGgufFile) {
  std::map<std::string, HubServer::File> files;
  files["m.gguf"] = {convert::SeeingText().Bytes(), true};
  files["mmproj-F32.gguf"] = {convert::SeeingMmproj().Whole().Bytes(), true};
  server_.Replace(files);
  const ToolResult sees = PullTool("--file m.gguf");
  EXPECT_EQ(sees.code, 0) << sees.err;
  EXPECT_THAT(sees.out, HasSubstr("sees pictures"));
  EXPECT_THAT(PullTool("--file m.gguf --text-only").out, Not(HasSubstr("sees")));

  files["mmproj-other.gguf"] = files["mmproj-F32.gguf"];
  server_.Replace(files);
  EXPECT_THAT(PullTool("--file m.gguf").err,
              HasSubstr("has 2 files of what sees for it, mmproj-F32.gguf, mmproj-other.gguf: "
                        "choose one with a further --file, or none with --text-only"));
  EXPECT_THAT(PullTool("--file m.gguf --file mmproj-other.gguf").out, HasSubstr("sees pictures"));
}

// CLI11 would take brackets around all of it for a list.
TEST_F(PullCommandTest, APatternMayBeginAndEndWithBrackets) {
  server_.Replace({{"a0", {"x"}}, {"b1", {"x"}}, {"a,0", {"x"}}});
  const auto seen = [&](const std::string& name) {
    const auto snapshot = FindSnapshot({"org", "model"}, "main");
    return snapshot && fs::exists(*snapshot / name);
  };
  EXPECT_THAT(PullTool("--file '[a-z][0]'").err, HasSubstr("none of the files asked for"));
  EXPECT_TRUE(seen("a0"));
  EXPECT_FALSE(seen("b1"));
  EXPECT_THAT(PullTool("--file '[a][,][0]'").err, HasSubstr("none of the files asked for"));
  EXPECT_TRUE(seen("a,0"));
}

TEST_F(PullCommandTest, AnAdapterIsFoundByItsName) {
  const std::string base = tool_.Path("base.rondo"), tiny = kTestData + std::string("/tiny");
  EXPECT_EQ(tool_("convert '" + tiny + "' -o '" + base + "'").code, 0);
  const std::string merge = "convert '" + tiny + "' --merge org/model -o '" + tool_.Path("m") + "'";
  EXPECT_THAT(tool_(merge).err, HasSubstr("`rondo pull org/model` downloads it"));
  Serve(kTestData + std::string("/tiny_adapter"));
  const ToolResult alone = PullTool("");
  EXPECT_EQ(alone.code, 1);
  EXPECT_THAT(alone.err, HasSubstr("org/model is a LoRA adapter: `rondo convert org/model "
                                   "--adapter-for MODEL.rondo -o FILE` makes"));
  const std::string of_base = " --adapter-for '" + base + "'";
  const ToolResult made = PullTool(of_base);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(PullTool(of_base).code, 0);  // in its place
  const ToolResult again = tool_("convert org/model -o '" + tool_.Path("again") + "'" + of_base);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(tool_.Read("again"), tool_.Read("out.rondo"));
  const ToolResult merged = tool_(merge);
  EXPECT_EQ(merged.code, 0) << merged.err;
  server_.Replace({{"config.json", {"{}"}}});
  EXPECT_THAT(PullTool(of_base).err, HasSubstr("is no LoRA adapter"));
}

TEST_F(PullCommandTest, ARevisionIsFoundAgain) {
  convert::WriteRandomCheckpoint(tool_.Path("model"), {});
  Serve(tool_.Path("model"));
  const ToolResult pulled = PullTool("--revision refs/pr/1");
  EXPECT_EQ(pulled.code, 0) << pulled.err;
  SetVariable("HF_HUB_OFFLINE", "1");
  EXPECT_THAT(PullTool("--revision refs/pr/1").err,
              HasSubstr("`rondo convert org/model --revision refs/pr/1` takes what was"));
  UnsetVariable("HF_HUB_OFFLINE");
  for (const char* arguments : {"", " --revision refs/pr/1"}) {
    const ToolResult again =
        tool_("convert org/model -o '" + tool_.Path("again") + "'" + arguments);
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(tool_.Read("again"), tool_.Read("out.rondo"));
  }
}

TEST_F(PullCommandTest, TheTokenOfALoginIsSent) {
  std::ofstream(cache_ / "token") << "hf_of_a_login\n";
  PullTool("");
  ASSERT_FALSE(server_.seen().empty());
  EXPECT_EQ(server_.seen()[0].authorization, "Bearer hf_of_a_login");
  const size_t before = server_.seen().size();
  SetVariable("HF_TOKEN", "hf_secret\nX-Other: 1");
  EXPECT_THAT(PullTool("").err, HasSubstr("HF_TOKEN holds a token with a line break"));
  UnsetVariable("HF_TOKEN");
  EXPECT_THAT(tool_("pull org/model --hub ftp://hub.example").err,
              HasSubstr("is no address of a hub"));
  EXPECT_EQ(server_.seen().size(), before);
}

}  // namespace
}  // namespace rondo::tools
