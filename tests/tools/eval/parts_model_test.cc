// `rondo eval --parts`, held against what the library itself loses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/run_tool.h"

namespace rondo::parts_model_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class EvalParts : public testing::Test {
 protected:
  EvalParts() {
    fs::copy(fs::path(kTestData) / "tiny", folder_, fs::copy_options::recursive);
    std::string text;
    for (int i = 0; i < 60; ++i) text += "Once there was a girl of " + std::to_string(i) + ". ";
    tool_.Write("text", text);
  }

  std::string Convert(const std::string& options) const {
    const ToolResult made =
        tool_("convert '" + folder_ + "' -o '" + tool_.Path("m.rondo") + "' --force " + options);
    EXPECT_EQ(made.code, 0) << made.err;
    return "'" + tool_.Path("m.rondo") + "'";
  }
  std::string Parts() const { return " --parts '" + folder_ + "'"; }
  std::string OnText() const { return " --context 32 --text '" + tool_.Path("text") + "'"; }
  json Eval(const std::string& arguments) const {
    const ToolResult judged = tool_("eval " + arguments + OnText() + " --json");
    EXPECT_EQ(judged.code, 0) << judged.err;
    return json::parse(judged.out);
  }

  ToolRunner tool_;
  const std::string folder_ = tool_.Path("model");
};

TEST_F(EvalParts, AddUpToWhatTheLibraryLoses) {
  struct Case {
    std::string options, kv;
    double apart;  // calibrated matrices make up for each other
  };
  const std::string f32 = tool_.Convert(folder_, "f32"), against = " --against " + f32;
  const std::string calibrate = " --calibrate '" + tool_.Path("text") + "'";
  for (const auto& [options, format, apart] :
       {Case{"--weights q8", "int8", 0.2}, Case{"--weights q4", "k8v4", 0.2},
        Case{"--weights q4b --block 64 --embedding q4", "int8", 0.2},
        Case{"--weights auto", "int8", 0.2}, Case{"--weights q3" + calibrate, "int8", 0.5}}) {
    SCOPED_TRACE(options);
    const std::string model = Convert(options), kv = " --kv " + format;
    const json parts = Eval(std::string(model).append(kv).append(Parts()));
    const json whole = Eval(std::string(model).append(kv).append(against));
    EXPECT_EQ(parts.at("positions"), whole.at("positions"));
    const double kl = whole.at("kl");
    EXPECT_NEAR(parts.at("kl"), kl, 5e-2 * kl);  // what rounds otherwise by a last place
    const double cache = Eval(std::string(f32).append(kv).append(against)).at("kl");
    EXPECT_NEAR(parts.at("kl_cache"), cache, 5e-2 * cache);
    double weights = 0, rows = 0;
    for (const json& part : parts.at("parts")) {
      weights += part.at("kl_weights").get<double>();
      rows += part.at("kl_rows").get<double>();
    }
    EXPECT_NEAR(weights, parts.at("kl_weights"), apart * weights);
    EXPECT_NEAR(rows, parts.at("kl_rows"), 0.2 * rows);
  }
}

TEST_F(EvalParts, TellWhichMatrix) {
  convert::CheckpointTensors tensors = convert::ReadTensors(folder_);
  const std::string layer = "model.layers.1.mlp.";
  convert::TensorValues& up = tensors.at(layer + "up_proj.weight");
  for (size_t i = 0; i < up.shape[1]; ++i) up.values[i] *= 64;  // no weight makes good for it
  convert::WriteTensors(folder_, tensors);
  const std::string model = Convert("--weights q8");
  EXPECT_THAT(tool_("inspect " + model).out, HasSubstr("rows of 1 matrices"));
  const std::string f32 = tool_.Convert(folder_, "f32");
  const json parts = Eval(model + Parts());
  EXPECT_NEAR(parts.at("kl"), Eval(model + " --against " + f32).at("kl"),
              5e-2 * parts.at("kl").get<double>());
  for (const json& part : parts.at("parts")) {
    const bool is_fine = part.at("matrix") == "mlp.down" && part.at("layer") == 1;
    EXPECT_EQ(part.at("kl_rows") == 0.0, is_fine) << part;
  }
}

// Of --weights auto all matrices may get one format, and what is beside the model does not matter.
TEST_F(EvalParts, KnowHowTheModelWasMade) {
  convert::CheckpointTensors tensors = convert::ReadTensors(folder_);
  convert::TensorValues& up = tensors.at("model.layers.0.mlp.up_proj.weight");
  for (size_t i = 0; i < up.shape[1]; ++i) up.values[i] *= 12;
  convert::WriteTensors(folder_, tensors);
  tool_.Write("m.rondo.float", "mine");
  for (const char* options : {"--weights auto --bits 9", "--weights auto", "--weights keep"}) {
    EXPECT_GT(Eval(Convert(options) + Parts()).at("kl"), 0) << options;
  }
  EXPECT_EQ(tool_.Read("m.rondo.float"), "mine");
}

TEST_F(EvalParts, AreATableAndAPicture) {
  const std::string model = Convert("--weights q4");
  const ToolResult told =
      tool_("eval " + model + OnText() + Parts() + " --plot '" + tool_.Path("p.svg") + "'");
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("\n    0  attention.qkv "));
  EXPECT_THAT(told.out, HasSubstr("\ncache "));
  EXPECT_THAT(tool_.Read("p.svg"), HasSubstr(">mlp.down</text>"));
}

TEST_F(EvalParts, RefuseWhatTheModelWasNotMadeOf) {
  const auto refused = [&](const std::string& model, const std::string& source) {
    const ToolResult told = tool_("eval " + model + OnText() + " --parts '" + source + "'");
    EXPECT_EQ(told.code, 1);
    return told.err;
  };
  const std::string model = Convert("--weights q8");
  convert::WriteCheckpointOf(
      tool_.Path("other"),
      R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 32, "intermediate_size": 48,
          "num_hidden_layers": 1, "num_attention_heads": 4, "vocab_size": 100})");
  EXPECT_THAT(refused(model, tool_.Path("other")), HasSubstr("their matrices are not the same"));
  EXPECT_THAT(refused(model, tool_.Path("none")), HasSubstr("none"));
  const ToolResult packed =
      tool_("pack " + model + " -o '" + tool_.Path("packed.rondo") + "' --cpu host");
  EXPECT_EQ(packed.code, 0) << packed.err;
  EXPECT_THAT(refused("'" + tool_.Path("packed.rondo") + "'", folder_), HasSubstr("is packed"));
  // Others of the same shape: the same magnitudes; channels that are scaled.
  const convert::CheckpointTensors own = convert::ReadTensors(folder_);
  convert::CheckpointTensors tensors = own;
  for (float& value : tensors.at("model.layers.0.self_attn.q_proj.weight").values) value *= -2;
  convert::WriteTensors(folder_, tensors);
  EXPECT_THAT(refused(model, folder_), HasSubstr("layers.0.attention.qkv has other weights"));
  tensors = own;
  convert::TensorValues& up = tensors.at("model.layers.0.mlp.up_proj.weight");
  convert::TensorValues& down = tensors.at("model.layers.0.mlp.down_proj.weight");
  for (size_t i = 0; i < up.shape[1]; ++i) up.values[i] *= 64;
  for (size_t i = 0; i < down.values.size(); i += down.shape[1]) down.values[i] /= 64;
  convert::WriteTensors(folder_, tensors);
  EXPECT_THAT(refused(model, folder_), HasSubstr("scaled in another way"));
}

}  // namespace
}  // namespace rondo::parts_model_test
