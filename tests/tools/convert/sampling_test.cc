// The sampling that a model's makers recommend: from its sources into the file, and kept there.
#include "tools/convert/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "runtime/model/model_file.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/support/packed_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tests/tools/convert/sources/gguf/reference_gguf.h"
#include "tools/convert/convert.h"
#include "tools/convert/output/pack.h"
#include "tools/convert/sources/gguf/gguf_generation.h"
#include "tools/convert/unfollowed_keys.h"

namespace rondo::convert::sampling_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Temperature, top_k, top_p, min_p, repetition penalty, and how far that looks back.
std::string Text(const format::Sampling* s) {
  if (s == nullptr) return "none";
  std::ostringstream text;
  text << s->temperature() << ' ' << s->top_k() << ' ' << s->top_p() << ' ' << s->min_p() << ' '
       << s->repetition_penalty() << ' ' << s->penalty_last_n();
  return text.str();
}

struct NotedLists {
  std::string lists;  // the tokens that are suppressed, the stop strings, and the n of n-grams
  std::vector<std::string> notes;
};

DecoderSpec HundredTokens() {
  DecoderSpec spec;
  spec.vocab_size = 100;
  spec.eos_tokens = {2};
  return spec;
}

NotedLists ReadLists(const char* generation, bool own = true) {
  const Config config = Config::Of("generation_config.json: key ", json::parse(generation));
  NotedLists read;
  flatbuffers::FlatBufferBuilder builder;
  const auto sampling = BuildSampling(config, HundredTokens(), builder, read.notes);
  TellUnfollowed(config, own, read.notes);
  if (sampling.IsNull()) return read;
  builder.Finish(sampling);
  const auto* built = flatbuffers::GetRoot<format::Sampling>(builder.GetBufferPointer());
  const std::unique_ptr<format::SamplingT> sets(built->UnPack());
  for (const format::LogitBias& bias : sets->logit_bias) {
    EXPECT_EQ(bias.bias(), -std::numeric_limits<float>::infinity());
    read.lists += std::to_string(bias.token()) + " ";
  }
  for (const std::string& string : sets->stop_strings) read.lists += "'" + string + "' ";
  read.lists += std::to_string(sets->no_repeat_ngram_size);
  return read;
}

std::string Read(const json& generation, std::vector<std::string>& notes) {
  flatbuffers::FlatBufferBuilder builder;
  const auto sampling = BuildSampling(Config::Of("generation_config.json: key ", generation),
                                      HundredTokens(), builder, notes);
  if (sampling.IsNull()) return "none";
  builder.Finish(sampling);
  return Text(flatbuffers::GetRoot<format::Sampling>(builder.GetBufferPointer()));
}
std::string Read(const json& generation) {
  std::vector<std::string> notes;
  return Read(generation, notes);
}
std::string Read(const char* generation) { return Read(json::parse(generation)); }

TEST(RecommendedSampling, AbsentFieldsMeanWhatTheyDoInTransformers) {
  EXPECT_EQ(Read(R"({})"), "none");
  EXPECT_EQ(Read(R"({"temperature": 0.6, "top_p": 0.9})"), "none");  // without do_sample
  EXPECT_EQ(Read(R"({"do_sample": false, "temperature": 0.6})"), "none");
  EXPECT_EQ(Read(R"({"do_sample": null, "repetition_penalty": 1.0})"), "none");
  EXPECT_EQ(Read(R"({"do_sample": true})"), "1 50 1 0 1 64");
  EXPECT_EQ(Read(R"({"do_sample": true, "temperature": 0.6, "top_p": 0.9})"), "0.6 50 0.9 0 1 64");
  EXPECT_EQ(Read(R"({"do_sample": true, "temperature": 0.7, "top_k": 20, "top_p": 0.8,
                     "min_p": 0.05, "repetition_penalty": 1.05})"),
            "0.7 20 0.8 0.05 1.05 4096");
  EXPECT_EQ(Read(R"({"do_sample": true, "top_k": 0, "temperature": null})"), "1 0 1 0 1 64");
  EXPECT_EQ(Read(R"({"do_sample": true, "top_k": -1, "temperature": 0})"), "0 0 1 0 1 64");
  EXPECT_EQ(Read(R"({"repetition_penalty": 1.2, "top_p": 0.5})"), "0 0 1 0 1.2 4096");
}

TEST(RecommendedSampling, ListsAreFollowed) {
  EXPECT_EQ(ReadLists(R"({"suppress_tokens": [7, 2, 7], "bad_words_ids": [[9], [2]],
                          "no_repeat_ngram_size": 3, "stop_strings": ["\n\n", "Q:"]})")
                .lists,
            "2 7 9 '\n\n' 'Q:' 3");  // an end token is no bad word
  EXPECT_EQ(ReadLists(R"({"stop_strings": "Q:"})").lists, "'Q:' 0");
  EXPECT_EQ(ReadLists(R"({"suppress_tokens": null, "bad_words_ids": [], "stop_strings": null,
                          "no_repeat_ngram_size": 0})")
                .lists,
            "");
}

TEST(RecommendedSampling, WhatIsNotFollowedIsTold) {
  using testing::ElementsAre;
  EXPECT_THAT(
      ReadLists(R"({"bad_words_ids": [[1, 3], [4], [100]], "suppress_tokens": [-1]})").notes,
      ElementsAre(HasSubstr("suppress_tokens: not followed: -1"),
                  HasSubstr("bad_words_ids: not followed: [1,3], 100")));
  EXPECT_THAT(ReadLists(R"({"no_repeat_ngram_size": 1000, "stop_strings": ["", 5]})").notes,
              ElementsAre(HasSubstr("no_repeat_ngram_size: not followed: 1000"),
                          HasSubstr("stop_strings: not followed: \"\""),
                          HasSubstr("stop_strings: not followed: 5")));
  const char* odd = R"({"typical_p": 0.9, "min_new_tokens": 5, "begin_suppress_tokens": [220],
                        "forced_eos_token_id": 2, "epsilon_cutoff": 0.1, "tomorrow": true,
                        "temperature": 1.0, "transformers_version": "5.12.1"})";
  EXPECT_THAT(ReadLists(odd).notes,
              ElementsAre("recommended for generating, but not followed: begin_suppress_tokens "
                          "[220], epsilon_cutoff 0.1, forced_eos_token_id 2, min_new_tokens 5, "
                          "tomorrow true, typical_p 0.9"));
  EXPECT_THAT(ReadLists(odd, /*own=*/false).notes,
              ElementsAre(testing::Not(HasSubstr("tomorrow"))));
  EXPECT_THAT(ReadLists(R"({"typical_p": 1.0, "min_length": 0, "num_beams": 1, "max_length": 20,
                            "forced_bos_token_id": null, "begin_suppress_tokens": null})")
                  .notes,
              ElementsAre());
}

// It changes no logit: what comes nearest is recommended, and the user is told.
TEST(RecommendedSampling, WhatNoSessionTakesIsTold) {
  struct Case {
    const char *generation, *recommended, *note;
  };
  const Case kCases[] = {
      {R"({"do_sample": true, "temperature": -0.5})", "0 50 1 0 1 64",
       "temperature: not followed: -0.5 (expected a finite"},
      {R"({"do_sample": true, "temperature": "hot"})", "1 50 1 0 1 64",
       "temperature: not followed: string"},
      {R"({"do_sample": true, "top_k": -2})", "1 0 1 0 1 64", "top_k: not followed: -2"},
      {R"({"do_sample": true, "top_k": 3000000000})", "1 0 1 0 1 64",
       "top_k: not followed: 3000000000"},
      {R"({"do_sample": true, "top_k": 2.5})", "1 0 1 0 1 64", "top_k: not followed: 2.5"},
      {R"({"do_sample": true, "top_p": 0})", "1 50 1.17549e-38 0 1 64",
       "top_p: not followed: 0 (expected more than 0"},
      {R"({"do_sample": true, "top_p": 1e-99})", "1 50 1.17549e-38 0 1 64",
       "top_p: not followed: 1e-99"},
      {R"({"do_sample": true, "top_p": 1.5})", "1 50 1 0 1 64", "top_p: not followed: 1.5"},
      {R"({"do_sample": true, "min_p": 1})", "1 50 1 1 1 64",
       "min_p: not followed: 1 (expected from 0 to less than 1)"},
      {R"({"repetition_penalty": 0})", "none", "repetition_penalty: not followed: 0"},
      {R"({"do_sample": "yes"})", "none", "do_sample: not followed"}};
  for (const auto& [generation, recommended, note] : kCases) {
    std::vector<std::string> notes;
    EXPECT_EQ(Read(json::parse(generation), notes), recommended) << generation;
    EXPECT_THAT(notes, testing::ElementsAre(HasSubstr(note))) << generation;
  }
}

std::string ReadGguf(const char* keys) {
  return Read(ReadGgufGeneration(Config::Of("model.gguf: key ", json::parse(keys))));
}

TEST(RecommendedSampling, OfGgufFiles) {
  EXPECT_EQ(ReadGguf(R"({})"), "none");
  EXPECT_EQ(ReadGguf(R"({"general.sampling.temp": 0.5, "general.sampling.top_k": 20,
                         "general.sampling.top_p": 0.75, "general.sampling.min_p": 0.25,
                         "general.sampling.penalty_repeat": 1.5})"),
            "0.5 20 0.75 0.25 1.5 4096");
  EXPECT_EQ(ReadGguf(R"({"general.sampling.top_p": 0.75})"), "1 50 0.75 0 1 64");
  EXPECT_EQ(ReadGguf(R"({"general.sampling.temp": 0.0, "general.sampling.top_k": 40})"), "none");
  EXPECT_EQ(ReadGguf(R"({"general.sampling.temp": -1.0})"), "none");
  EXPECT_EQ(ReadGguf(R"({"general.sampling.penalty_repeat": 1.5})"), "0 0 1 0 1.5 4096");
}

class RecommendedSamplingFile : public testing::Test {
 protected:
  RecommendedSamplingFile() { WriteRandomCheckpoint(folder_ / "model", CheckpointShape()); }

  void Write(const std::string& name, const json& config) {
    std::ofstream(folder_ / "model" / name) << config;
  }
  // What the file has that `source` becomes.
  std::string Convert(const std::string& source = "model") {
    ConvertOptions options;
    options.directory = folder_ / source;
    options.output = folder_ / "out.rondo";
    convert::Convert(options, [](uint64_t, uint64_t) {});
    return InFile("out.rondo");
  }
  std::string InFile(const std::string& name) {
    const ModelBytes bytes(folder_ / name);
    const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
    return file.ok() ? Text(file->model().sampling()) : file.status().message();
  }

  TempFolder folder_;
};

TEST_F(RecommendedSamplingFile, IsThatOfTheFolderAndOfItsGguf) {
  EXPECT_EQ(Convert(), "none");
  Write("generation_config.json",
        {{"do_sample", true}, {"temperature", 0.5}, {"repetition_penalty", 1.25}});
  const std::string recommended = "0.5 50 1 0 1.25 4096";
  EXPECT_EQ(Convert(), recommended);
  WriteGgufOf(folder_ / "model", "llama", folder_ / "model.gguf");
  EXPECT_EQ(Convert("model.gguf"), recommended);
}

TEST_F(RecommendedSamplingFile, IsThatOfConfigJsonWithoutAFileOfItsOwn) {
  json config = json::parse(std::ifstream(folder_ / "model" / "config.json"));
  config["do_sample"] = true;
  Write("config.json", config);
  EXPECT_EQ(Convert(), "1 50 1 0 1 64");
  Write("generation_config.json", json::object());
  EXPECT_EQ(Convert(), "none");
}

TEST_F(RecommendedSamplingFile, PackingKeepsIt) {
  Write("generation_config.json", {{"do_sample", true}, {"min_p", 0.25}});
  const std::string recommended = Convert();
  EXPECT_EQ(recommended, "1 50 1 0.25 1 64");
  Pack({folder_ / "out.rondo", folder_ / "packed.rondo", LayoutNamed("avx2")},
       [](uint64_t, uint64_t) {});
  EXPECT_EQ(InFile("packed.rondo"), recommended);
}

}  // namespace
}  // namespace rondo::convert::sampling_test
