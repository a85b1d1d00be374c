#include "tools/convert/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#if !defined(_WIN32)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "platforms/file_map.h"
#include "runtime/model/model_file.h"
#include "runtime/model/packed_layout.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/all_formats.h"
#include "tests/support/sanitized.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/safetensors.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class ConvertTest : public testing::Test {
 protected:
  ConvertTest() { options_.output = folder_ / "out.rondo"; }

  void Make(const CheckpointShape& shape = {}) {
    options_.directory = folder_ / "model";
    WriteRandomCheckpoint(options_.directory, shape);
  }
  // Changes config.json by a JSON merge patch.
  void Patch(const std::string& patch, const std::string& file = "config.json") {
    const fs::path path = options_.directory / file;
    json config = json::object();
    if (fs::exists(path)) config = json::parse(std::ifstream(path));
    config.merge_patch(json::parse(patch));
    std::ofstream(path) << config;
  }
  ConvertReport Run() {
    return Convert(options_, [](uint64_t, uint64_t) {});
  }
  // The sentence with which the conversion fails; nothing may be left of it.
  std::string Refusal() {
    std::string sentence;
    try {
      Run();
    } catch (const Error& error) {
      sentence = error.what();
    }
    EXPECT_THAT(Files(), UnorderedElementsAre("model"));
    return sentence;
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  // Runs `check` on the converted file.
  template <typename Check>
  void Inspect(const Check& check) {
    FileMap map;
    ASSERT_FALSE(FileMap::OpenPath(options_.output.c_str(), &map));
    const Result<ModelFile> file = ModelFile::Open(map.bytes());
    ASSERT_TRUE(file.ok()) << file.status().message();
    ASSERT_TRUE(file->VerifyAll().ok());
    check(file->model());
  }

  TempFolder folder_;
  ConvertOptions options_;
};

TEST_F(ConvertTest, WritesWhatConfigSays) {
  CheckpointShape shape;
  shape.n_layers = 3;
  Make(shape);
  Patch(R"({"eos_token_id": [7, 9, 7], "bos_token_id": null})", "generation_config.json");
  const ConvertReport report = Run();
  EXPECT_EQ(report.architecture, "LlamaForCausalLM");
  EXPECT_EQ(report.file_bytes, fs::file_size(options_.output));
  Inspect([](const format::Model& model) {
    EXPECT_EQ(model.name()->str(), "model");
    EXPECT_EQ(model.layers()->size(), 3u);
    EXPECT_EQ(model.vocab_size(), 32u);
    EXPECT_EQ(model.context_length(), 64u);
    EXPECT_EQ(model.bos_token(), 1);  // config.json's, as generation_config.json has none
    ASSERT_EQ(model.eos_tokens()->size(), 3u);
    EXPECT_EQ(model.eos_tokens()->Get(1), 9u);
    EXPECT_NE(model.head()->weight(), model.embedding());
    EXPECT_FLOAT_EQ(AttentionOf(model, 0).score_scale(), 1 / std::sqrt(8.0f));
    EXPECT_EQ(AttentionOf(model, 0).qkv()->bias(), -1);
  });
}

TEST_F(ConvertTest, ATiedEmbeddingExistsOnce) {
  CheckpointShape shape;
  shape.tied = true;
  Make(shape);
  const ConvertReport report = Run();
  Inspect([&](const format::Model& model) {
    EXPECT_EQ(model.head()->weight(), model.embedding());
    uint64_t parameters = 0;
    for (const format::Tensor* tensor : *model.tensors()) {
      parameters += tensor->rows() * tensor->cols();
    }
    EXPECT_EQ(report.parameters, parameters);
  });
}

TEST_F(ConvertTest, EmbeddingAndHeadHaveAFormatOfTheirOwn) {
  Make();
  options_.weights = TensorFormat::Q4B;
  options_.block = 64;
  options_.embedding = TensorFormat::F32;
  Run();
  Inspect([](const format::Model& model) {
    const auto format_of = [&](uint32_t i) { return model.tensors()->Get(i)->format(); };
    EXPECT_EQ(format_of(model.embedding()), TensorFormat::F32);
    EXPECT_EQ(format_of(model.head()->weight()), TensorFormat::F32);
    EXPECT_EQ(format_of(model.final_norm()->weight()), TensorFormat::F32);
    const uint32_t down = MlpOf(model, 0).down()->weight();
    EXPECT_EQ(format_of(down), TensorFormat::Q4B);
    EXPECT_EQ(model.tensors()->Get(down)->block(), 64u);
  });
}

TEST_F(ConvertTest, CodesOfAllTensorsShareTheTables) {
  Make();
  options_.weights = options_.embedding = TensorFormat::Q4;
  Run();
  Inspect([](const format::Model& model) {
    const format::Section* tables = nullptr;
    size_t sharing = 0;
    for (const format::Tensor* tensor : *model.tensors()) {
      EXPECT_EQ(tensor->tables() != nullptr, tensor->format() == TensorFormat::Q4);
      if (tensor->tables() == nullptr) continue;
      if (tables == nullptr) tables = tensor->tables();
      EXPECT_EQ(tensor->tables()->offset(), tables->offset());
      EXPECT_EQ(tensor->tables()->bytes(), kCodeTablesBytes);
      ++sharing;
    }
    EXPECT_GE(sharing, 6u);
    EXPECT_EQ(model.facts()->Get(0)->value()->str(), "q4");
  });
}

TEST_F(ConvertTest, BiasesAreStackedLikeTheirRows) {
  CheckpointShape shape;
  shape.attention_bias = shape.mlp_bias = true;
  Make(shape);
  options_.weights = options_.embedding = TensorFormat::F32;
  Run();
  const Safetensors source(options_.directory / "model.safetensors");
  FileMap map;
  ASSERT_FALSE(FileMap::OpenPath(options_.output.c_str(), &map));
  const Result<ModelFile> file = ModelFile::Open(map.bytes());
  ASSERT_TRUE(file.ok());
  const format::Attention& attention = AttentionOf(file->model(), 0);
  // q has 16 rows, k and v 8 each.
  for (const auto& [part, first, rows] :
       {std::tuple("q", 0, 16), std::tuple("k", 16, 8), std::tuple("v", 24, 8)}) {
    for (const auto& [kind, index, cols] :
         {std::tuple("weight", static_cast<int>(attention.qkv()->weight()), 16),
          std::tuple("bias", attention.qkv()->bias(), 1)}) {
      const std::string name = std::string("model.layers.0.self_attn.") + part + "_proj." + kind;
      std::vector<float> expected(static_cast<size_t>(rows * cols));
      source.Read(name, source.tensors().at(name), 0, expected);
      const auto bytes =
          file->bytes(file->model().tensors()->Get(static_cast<uint32_t>(index))->data());
      const auto* got = reinterpret_cast<const float*>(bytes.data()) + first * cols;
      EXPECT_EQ(std::vector<float>(got, got + expected.size()), expected) << name;
    }
  }
  EXPECT_GE(attention.output()->bias(), 0);
  EXPECT_GE(MlpOf(file->model(), 0).down()->bias(), 0);
}

TEST_F(ConvertTest, ShardsGiveTheBytesOfOneFile) {
  CheckpointShape shape;
  shape.n_layers = 2;
  shape.zeros = true;  // so that the values do not depend on the shards
  Make(shape);
  Run();
  std::ifstream one(options_.output, std::ios::binary);
  const std::string expected((std::istreambuf_iterator<char>(one)), {});
  fs::remove_all(options_.directory);
  shape.shard_bytes = 1500;
  Make(shape);
  EXPECT_GT(std::distance(fs::directory_iterator(options_.directory), {}), 4);
  Run();
  std::ifstream many(options_.output, std::ios::binary);
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(many)), {}), expected);
}

TEST_F(ConvertTest, ProgressReachesTheTotal) {
  Make();
  uint64_t last = 0, all = 0;
  Convert(options_, [&](uint64_t done, uint64_t total) {
    EXPECT_GE(done, last);
    last = done;
    all = total;
  });
  EXPECT_EQ(last, all);
  EXPECT_GT(all, 0u);
}

TEST_F(ConvertTest, RefusesWhatIsNoModelFolder) {
  options_.directory = folder_ / "absent";
  EXPECT_THROW(Run(), Error);
  fs::create_directory(folder_ / "model");
  options_.directory = folder_ / "model";
  EXPECT_THAT(Refusal(), HasSubstr("model holds no config.json; it is empty"));
  std::ofstream(options_.directory / "config.json") << "{\"model_type\": ";
  EXPECT_THAT(Refusal(), HasSubstr("config.json: line 1, column 16: not JSON"));
  std::ofstream(options_.directory / "config.json") << "{}";
  EXPECT_THAT(Refusal(), HasSubstr("model holds neither model.safetensors nor"));
  options_.directory = folder_ / "model" / "config.json";
  EXPECT_THAT(Refusal(), HasSubstr("config.json is one file of a checkpoint: name the folder"));
}

struct BadConfig {
  const char* name;
  const char* patch;
  const char* words;
};

class ConvertBadConfig : public ConvertTest, public testing::WithParamInterface<BadConfig> {};

TEST_P(ConvertBadConfig, IsRefusedByKey) {
  Make();
  Patch(GetParam().patch);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("config.json"), HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(
    Every, ConvertBadConfig,
    testing::Values(
        BadConfig{"Architecture", R"({"architectures": ["GPT9"]})",
                  "architecture GPT9; known: AfmoeForCausalLM, "},
        BadConfig{"ModelType", R"({"model_type": "mamba"})", "model_type is mamba"},
        BadConfig{"NoArchitecture", R"({"architectures": null, "model_type": null})",
                  "key architectures is missing"},
        BadConfig{"OnlyModelType", R"({"architectures": null, "model_type": "mamba"})",
                  "architecture mamba; known"},
        BadConfig{"TwoArchitectures", R"({"architectures": ["A", "B"]})", "more than one"},
        BadConfig{"ArchitecturesOfNumbers", R"({"architectures": [3]})", "list of strings"},
        BadConfig{"NoHidden", R"({"hidden_size": null})", "key hidden_size is missing"},
        BadConfig{"HiddenText", R"({"hidden_size": "16"})", "hidden_size is not a number"},
        BadConfig{"HiddenNegative", R"({"hidden_size": -16})",
                  "hidden_size is -16, expected an integer from 1"},
        BadConfig{"HiddenFraction", R"({"hidden_size": 16.5})", "hidden_size is 16.5"},
        BadConfig{"HiddenHuge", R"({"hidden_size": 1e18})", "hidden_size is 1e+18"},
        BadConfig{"NoLayers", R"({"num_hidden_layers": 0})", "num_hidden_layers is 0"},
        BadConfig{"ManyLayers", R"({"num_hidden_layers": 4000000000})", "num_hidden_layers"},
        BadConfig{"KvHeads", R"({"num_attention_heads": 5, "num_key_value_heads": 2})",
                  "does not divide"},
        BadConfig{"MoreKvHeads", R"({"num_key_value_heads": 4})", "num_key_value_heads is 4"},
        BadConfig{"HeadDim", R"({"head_dim": 0})", "head_dim"},
        BadConfig{"DerivedHeadDim", R"({"head_dim": null, "num_attention_heads": 3,
                                        "num_key_value_heads": 3})",
                  "not a multiple"},
        BadConfig{"Epsilon", R"({"rms_norm_eps": 0})", "rms_norm_eps is 0"},
        BadConfig{"Activation", R"({"hidden_act": "sine"})", "hidden_act is sine; known: gelu, "},
        BadConfig{"BiasText", R"({"attention_bias": "no"})", "attention_bias is neither"},
        BadConfig{"Quantised", R"({"quantization_config": {"bits": 4}})", "quantization_config"},
        BadConfig{"BosList", R"({"bos_token_id": [1, 2]})", "more than one token"},
        BadConfig{"ContextHuge", R"({"max_position_embeddings": 1e12})",
                  "max_position_embeddings"}),
    [](const auto& param) { return param.param.name; });

class ConvertContradiction : public ConvertTest, public testing::WithParamInterface<BadConfig> {};

TEST_P(ConvertContradiction, IsRefusedByTensor) {
  Make();
  Patch(GetParam().patch);
  EXPECT_THAT(Refusal(),
              AllOf(HasSubstr("model.safetensors: tensor"), HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(
    Every, ConvertContradiction,
    testing::Values(
        BadConfig{"Vocab", R"({"vocab_size": 33})",
                  "model.embed_tokens.weight is [32, 16], its config asks for [33, 16]"},
        BadConfig{"Hidden", R"({"hidden_size": 24})", "[32, 16]"},
        BadConfig{"Intermediate", R"({"intermediate_size": 23})",
                  "model.layers.0.mlp.gate_proj.weight is [24, 16]"},
        BadConfig{"HeadDim", R"({"head_dim": 16})", "q_proj.weight is [16, 16]"},
        BadConfig{"MoreLayers", R"({"num_hidden_layers": 2})",
                  "model.layers.1.input_layernorm.weight is missing"},
        BadConfig{"Bias", R"({"attention_bias": true})", "q_proj.bias is missing"},
        BadConfig{"MlpBias", R"({"mlp_bias": true})", "gate_proj.bias is missing"}),
    [](const auto& param) { return param.param.name; });

TEST_F(ConvertTest, RefusesTensorsThatConfigDoesNotExplain) {
  CheckpointShape shape;
  shape.attention_bias = true;
  Make(shape);
  Patch(R"({"attention_bias": false})");
  EXPECT_THAT(Refusal(), HasSubstr("self_attn.k_proj.bias has no place in the LlamaForCausalLM"));
  shape.attention_bias = false;
  shape.n_layers = 2;
  Make(shape);
  Patch(R"({"num_hidden_layers": 1})");
  EXPECT_THAT(Refusal(), HasSubstr("tensor model.layers.1."));
  shape.n_layers = 1;
  shape.tied = true;
  Make(shape);
  Patch(R"({"tie_word_embeddings": false})");
  EXPECT_THAT(Refusal(), HasSubstr("tensor lm_head.weight is missing"));
}

TEST_F(ConvertTest, ATiedCheckpointMayHoldItsHeadTwice) {
  Make();  // with a head
  const fs::path path = options_.directory / "model.safetensors";
  std::string bytes((std::istreambuf_iterator<char>(std::ifstream(path, std::ios::binary).rdbuf())),
                    {});
  {
    const Safetensors file(path);
    const auto& head = file.tensors().at("lm_head.weight");
    const auto& embedding = file.tensors().at("model.embed_tokens.weight");
    bytes.replace(head.begin, head.bytes, bytes, embedding.begin, embedding.bytes);
  }
  std::ofstream(path, std::ios::binary) << bytes;
  Patch(R"({"tie_word_embeddings": true})");
  Run();
  Inspect([](const format::Model& model) { EXPECT_EQ(model.head()->weight(), model.embedding()); });
}

TEST_F(ConvertTest, RefusesWeightsThatAreNotFinite) {
  CheckpointShape shape;
  shape.dtype = "F32";
  Make(shape);
  const fs::path path = options_.directory / "model.safetensors";
  uint64_t place = 0;
  {
    const Safetensors file(path);
    place = file.tensors().at("model.layers.0.mlp.up_proj.weight").begin + 7 * sizeof(float);
  }
  std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(place));
  const float infinity = std::numeric_limits<float>::infinity();
  out.write(reinterpret_cast<const char*>(&infinity), sizeof(infinity));
  out.close();
  EXPECT_THAT(Refusal(),
              HasSubstr("tensor model.layers.0.mlp.up_proj.weight holds inf at index 7"));
}

TEST_F(ConvertTest, ReplacesOnlyRondoFiles) {
  Make();
  Run();
  Run();  // again, over the first
  for (const char* victim : {"config.json", "model.safetensors"}) {
    options_.output = options_.directory / victim;
    const auto before = fs::file_size(options_.output);
    try {
      Run();
      FAIL() << victim << " was overwritten";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(victim), HasSubstr("not a Rondo file")));
    }
    EXPECT_EQ(fs::file_size(options_.output), before);
  }
  options_.output = folder_.path();
  EXPECT_THROW(Run(), Error);
  options_.output = folder_ / "absent" / "out.rondo";
  EXPECT_THROW(Run(), Error);
}

TEST_F(ConvertTest, AnInterruptionLeavesTheOldFileAsItWas) {
  Make();
  Run();
  const auto before = fs::last_write_time(options_.output);
  EXPECT_THROW(Convert(options_, [](uint64_t, uint64_t) { throw Error("interrupted"); }), Error);
  EXPECT_EQ(fs::last_write_time(options_.output), before);
  EXPECT_THAT(Files(), UnorderedElementsAre("model", "out.rondo"));
}

// A full disk at any point: every limit on the file's size below what is needed.
TEST_F(ConvertTest, AFullDiskLeavesNothingBehind) {
#if defined(_WIN32)
  GTEST_SKIP() << "no limit on a file's size stands in for a full disk here";
#else
  Make();
  Run();
  const uint64_t needed = fs::file_size(options_.output);
  fs::remove(options_.output);
  for (uint64_t limit = 0; limit < needed; limit += limit < 256 ? 13 : 509) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit file_bytes = {limit, limit};
      setrlimit(RLIMIT_FSIZE, &file_bytes);
      try {
        Run();
      } catch (const Error& error) {
        _exit(std::string(error.what()).find("cannot write") != std::string::npos ? 7 : 8);
      }
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7) << limit << " bytes";
    EXPECT_THAT(Files(), UnorderedElementsAre("model"));
  }
#endif
}

// A checkpoint of 200 MB whose largest tensor, 33 MB, is far above what conversion may hold.
TEST_F(ConvertTest, MemoryStaysSmallWhateverTheModel) {
#if defined(_WIN32)
  GTEST_SKIP() << "a process is not forked here, to be measured";
#elif RONDO_SANITIZED
  GTEST_SKIP() << "sanitizers need memory of their own";
#else
  CheckpointShape shape;
  shape.vocab_size = 16384;
  shape.hidden_size = 1024;
  shape.intermediate_size = 4096;
  shape.n_heads = shape.n_kv_heads = 16;
  shape.head_dim = 64;
  shape.n_layers = 4;
  shape.zeros = true;
  Make(shape);
  ASSERT_GT(fs::file_size(options_.directory / "model.safetensors"), 200'000'000u);
  for (TensorFormat weights : AllFormats()) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      rusage before, after;
      getrusage(RUSAGE_SELF, &before);
      options_.weights = options_.embedding = weights;
      Run();
      getrusage(RUSAGE_SELF, &after);
      _exit(after.ru_maxrss - before.ru_maxrss < 32 * 1024 ? 0 : 1);  // kB
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "weights " << static_cast<int>(weights);
    fs::remove(options_.output);
  }
#endif
}

}  // namespace
}  // namespace rondo::convert
