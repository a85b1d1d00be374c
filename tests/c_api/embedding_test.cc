// Embedding through rondo.h and rondo.hpp: the tiny model as one that makes vectors of texts.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rondo/rondo.hpp"
#include "tests/c_api/allocations.h"
#include "tests/c_api/tiny_model.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"

namespace rondo::abi_test {
namespace {

// Converted once per process.
const std::string& EmbedderPath() {
  static const TempFolder folder;
  static const std::string path = [] {
    const auto model = folder.path() / "model";
    std::filesystem::copy(std::string(kTestData) + "/tiny", model,
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directories(model / "1_Pooling");
    std::ofstream(model / "modules.json") << R"([{"path": "", "type": "a.Transformer"},
        {"path": "1_Pooling", "type": "a.Pooling"}, {"path": "2_Normalize", "type": "a.Normalize"}])";
    std::ofstream(model / "1_Pooling/config.json") << R"({"pooling_mode_mean_tokens": true})";
    std::ofstream(model / "sentence_bert_config.json") << R"({"max_seq_length": 100})";
    std::ofstream(model / "config_sentence_transformers.json") << R"({"prompts":
        {"query": "Query: ", "document": ""}, "default_prompt_name": "query"})";
    std::string file = (folder.path() / "embedder.rondo").string();
    const std::string command = std::string("'") + kToolProgram + "' convert '" + model.string() +
                                "' -o '" + file + "' --weights q8 > /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return file;
  }();
  return path;
}

Model OpenEmbedder() {
  rondo_model* model = nullptr;
  char why[256];
  EXPECT_EQ(
      rondo_model_open_path(RONDO_ABI_VERSION, EmbedderPath().c_str(), &model, why, sizeof why),
      RONDO_STATUS_OK)
      << why;
  return Model(model);
}

class EmbeddingTest : public testing::Test {
 protected:
  EmbeddingTest() {
    rondo_engine_options options = EngineOptions();
    options.max_sessions = 3;
    options.threads = 2;
    engine_ = NewEngine(model_.get(), options);
    for (Session& session : sessions_) {
      session = NewSession(engine_.get());
      handles_.push_back(session.get());
    }
    facts_.struct_size = sizeof facts_;
    EXPECT_EQ(rondo_model_embedder(model_.get(), &facts_), RONDO_STATUS_OK);
    for (const char* text : {"Once upon a time", "there was", "a girl who liked to play outside"}) {
      const std::vector<int32_t> ids = Ids(model_.get(), text);
      ids_.insert(ids_.end(), ids.begin(), ids.end());
      counts_.push_back(ids.size());
    }
    vectors_.resize(counts_.size() * facts_.dimensions);
  }

  int32_t EmbedAll() {
    return rondo_engine_embed(engine_.get(), handles_.data(), handles_.size(), ids_.data(),
                              counts_.data(), counts_.size(), vectors_.data(), facts_.dimensions,
                              why_, sizeof why_);
  }

  const Model model_ = OpenEmbedder();
  Engine engine_;
  Session sessions_[3];
  std::vector<rondo_session*> handles_;
  rondo_embedder_facts facts_ = {};
  std::vector<int32_t> ids_;
  std::vector<size_t> counts_;
  std::vector<float> vectors_;
  char why_[256] = "";
};

TEST_F(EmbeddingTest, TellsWhatTheModelMakes) {
  rondo_model_facts model = {};
  model.struct_size = sizeof model;
  ASSERT_EQ(rondo_model_info(model_.get(), &model), RONDO_STATUS_OK);
  EXPECT_EQ(facts_.dimensions, model.hidden_size);
  EXPECT_EQ(facts_.max_tokens, 100u);
  EXPECT_EQ(facts_.whole_texts, 0u);
  EXPECT_EQ(facts_.normalized, 1u);
  EXPECT_EQ(facts_.scores_pairs, 0u);
  EXPECT_EQ(facts_.pooling, RONDO_POOLING_MEAN);
  EXPECT_EQ(facts_.n_prompts, 2u);
  char name[32];
  size_t length = 0;
  ASSERT_EQ(
      rondo_model_prompt_name(model_.get(), facts_.default_prompt, name, sizeof name, &length),
      RONDO_STATUS_OK);
  EXPECT_STREQ(name, "query");
  EXPECT_EQ(rondo_model_prompt_name(model_.get(), 2, name, sizeof name, &length),
            RONDO_STATUS_INVALID_ARGUMENT);
  const Model tiny = OpenTiny();
  rondo_embedder_facts none = facts_;
  ASSERT_EQ(rondo_model_embedder(tiny.get(), &none), RONDO_STATUS_OK);
  EXPECT_EQ(none.dimensions, 0u);
  none.struct_size = 3;
  EXPECT_EQ(rondo_model_embedder(tiny.get(), &none), RONDO_STATUS_VERSION_MISMATCH);
  EXPECT_EQ(rondo_model_embedder(tiny.get(), nullptr), RONDO_STATUS_INVALID_ARGUMENT);
}

TEST_F(EmbeddingTest, PutsPromptsBeforeTexts) {
  char out[32];
  size_t length = 0;
  const auto text = [&](const char* prompt) {
    EXPECT_EQ(rondo_embedding_text(model_.get(), prompt, "why?", 4, out, sizeof out, &length),
              RONDO_STATUS_OK);
    EXPECT_EQ(length, std::string(out).size());
    return std::string(out);
  };
  EXPECT_EQ(text(nullptr), "Query: why?");
  EXPECT_EQ(text("query"), "Query: why?");
  EXPECT_EQ(text("document"), "why?");
  EXPECT_EQ(text(""), "why?");
  EXPECT_EQ(rondo_embedding_text(model_.get(), "no", "why?", 4, out, sizeof out, &length),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(length, 0u);
  EXPECT_EQ(rondo_embedding_text(model_.get(), nullptr, "why?", 4, out, 11, &length),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(length, 11u);
  EXPECT_STREQ(out, "");
  // With what stands before it, more than any memory holds.
  EXPECT_EQ(rondo_embedding_text(model_.get(), nullptr, "why?", SIZE_MAX, out, sizeof out, &length),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(length, 0u);
  EXPECT_EQ(rondo_embedding_text(model_.get(), nullptr, nullptr, 4, out, 11, &length),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_embedding_text(OpenTiny().get(), nullptr, "a", 1, out, 11, &length),
            RONDO_STATUS_UNSUPPORTED);
  EXPECT_EQ(rondo_pair_text(model_.get(), nullptr, "a", 1, "b", 1, out, sizeof out, &length),
            RONDO_STATUS_UNSUPPORTED);
}

TEST_F(EmbeddingTest, IsTheSameForOneAndForMany) {
  ASSERT_EQ(EmbedAll(), RONDO_STATUS_OK) << why_;
  const int32_t* ids = ids_.data();
  for (size_t i = 0; i < counts_.size(); ++i) {
    std::vector<float> one(facts_.dimensions);
    ASSERT_EQ(rondo_session_embed(handles_[0], ids, counts_[i], one.data(), one.size()),
              RONDO_STATUS_OK);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), &vectors_[i * one.size()])) << i;
    double squares = 0;
    for (const float x : one) squares += double{x} * double{x};
    EXPECT_NEAR(squares, 1, 1e-6);
    ids += counts_[i];
    uint64_t position = 1;
    EXPECT_EQ(rondo_session_position(handles_[0], &position), RONDO_STATUS_OK);
    EXPECT_EQ(position, 0u);
  }
}

TEST_F(EmbeddingTest, RefusesWrongArguments) {
  const size_t n = facts_.dimensions;
  const std::vector<float> before = vectors_;
  rondo_session* const session = handles_[0];
  EXPECT_EQ(rondo_session_embed(nullptr, ids_.data(), 3, vectors_.data(), n),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_session_embed(session, nullptr, 3, vectors_.data(), n),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_session_embed(session, ids_.data(), 3, nullptr, n),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_session_embed(session, ids_.data(), 0, vectors_.data(), n),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_session_embed(session, ids_.data(), 3, vectors_.data(), n + 1),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_STRNE(rondo_session_last_error(session), "");
  const std::vector<int32_t> longer(101, 1);
  EXPECT_EQ(rondo_session_embed(session, longer.data(), longer.size(), vectors_.data(), n),
            RONDO_STATUS_CONTEXT_FULL);
  EXPECT_EQ(rondo_session_prefill(session, ids_.data(), 3), RONDO_STATUS_UNSUPPORTED);
  const auto refuse = [&](rondo_engine* engine, rondo_session* const* sessions, size_t count,
                          const int32_t* ids, const size_t* counts, float* vectors) {
    EXPECT_EQ(
        rondo_engine_embed(engine, sessions, count, ids, counts, 3, vectors, n, why_, sizeof why_),
        RONDO_STATUS_INVALID_ARGUMENT);
    EXPECT_STRNE(why_, "");
  };
  rondo_session* const twice[] = {session, session};
  const Engine other = NewEngine(model_.get());
  refuse(nullptr, handles_.data(), 3, ids_.data(), counts_.data(), vectors_.data());
  refuse(engine_.get(), nullptr, 3, ids_.data(), counts_.data(), vectors_.data());
  refuse(engine_.get(), handles_.data(), 0, ids_.data(), counts_.data(), vectors_.data());
  refuse(engine_.get(), handles_.data(), 65, ids_.data(), counts_.data(), vectors_.data());
  refuse(engine_.get(), twice, 2, ids_.data(), counts_.data(), vectors_.data());
  refuse(other.get(), handles_.data(), 3, ids_.data(), counts_.data(), vectors_.data());
  refuse(engine_.get(), handles_.data(), 3, nullptr, counts_.data(), vectors_.data());
  refuse(engine_.get(), handles_.data(), 3, ids_.data(), nullptr, vectors_.data());
  refuse(engine_.get(), handles_.data(), 3, ids_.data(), counts_.data(), nullptr);
  EXPECT_EQ(rondo_engine_embed(engine_.get(), handles_.data(), 3, nullptr, nullptr, 0, nullptr, n,
                               why_, sizeof why_),
            RONDO_STATUS_OK);
  // Longer than memory, alone and together.
  for (const std::vector<size_t>& counts : {std::vector<size_t>{SIZE_MAX, 2, 1},
                                            {2, SIZE_MAX - 1, 1},
                                            {SIZE_MAX / 2 + 2, SIZE_MAX / 2, 1}}) {
    EXPECT_EQ(rondo_engine_embed(engine_.get(), handles_.data(), 3, ids_.data(), counts.data(), 3,
                                 vectors_.data(), n, why_, sizeof why_),
              RONDO_STATUS_CONTEXT_FULL);
  }
  EXPECT_EQ(rondo_session_embed(session, ids_.data(), SIZE_MAX, vectors_.data(), n),
            RONDO_STATUS_CONTEXT_FULL);
  EXPECT_EQ(rondo_session_embed(session, ids_.data(), 3, vectors_.data(), SIZE_MAX),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(vectors_, before);
  const Model tiny = OpenTiny();
  const Engine predicts = NewEngine(tiny.get());
  const Session predicting = NewSession(predicts.get());
  EXPECT_EQ(rondo_session_embed(predicting.get(), ids_.data(), 3, vectors_.data(), 1),
            RONDO_STATUS_UNSUPPORTED);
  EXPECT_EQ(rondo_session_prefill(predicting.get(), ids_.data(), 3), RONDO_STATUS_OK);
}

TEST_F(EmbeddingTest, IsCancelledByItsNumberWithoutTextsToo) {
  uint64_t number = 0;
  ASSERT_EQ(rondo_session_call(handles_[1], &number), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_cancel_call(handles_[1], number), RONDO_STATUS_OK);
  counts_.clear();
  EXPECT_EQ(EmbedAll(), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(EmbedAll(), RONDO_STATUS_OK);
}

TEST_F(EmbeddingTest, TakesNoMemory) {
  char out[64];
  size_t length = 0;
  int32_t failures = 0;
  const auto calls = [&] {
    for (int i = 0; i < 20; ++i) {
      failures += EmbedAll() != RONDO_STATUS_OK;
      failures += rondo_session_embed(handles_[1], ids_.data(), 3, vectors_.data(), 5) != 0;
      failures +=
          rondo_embedding_text(model_.get(), nullptr, "a", 1, out, sizeof out, &length) != 0;
      failures += rondo_model_embedder(model_.get(), &facts_) != 0;
      failures += rondo_model_prompt_name(model_.get(), 0, out, sizeof out, &length) != 0;
    }
  };
  EXPECT_EQ(AllocationsOf(std::ref(calls)), 0);
  EXPECT_EQ(failures, 0);
}

TEST_F(EmbeddingTest, HasACppForm) {
  ASSERT_EQ(EmbedAll(), RONDO_STATUS_OK) << why_;
  rondo::Model model(EmbedderPath());
  EXPECT_EQ(model.EmbedderInfo().dimensions, facts_.dimensions);
  EXPECT_EQ(model.PromptName(0).empty(), false);
  EXPECT_EQ(model.EmbeddingText("a", "document"), "a");
  rondo::EngineOptions options;
  options.context = 256;
  options.max_sessions = 2;
  options.threads = 1;
  rondo::Engine engine(model, options);
  rondo::Session a(engine), b(engine);
  std::vector<std::vector<int32_t>> texts;
  const int32_t* ids = ids_.data();
  for (const size_t count : counts_) {
    texts.emplace_back(ids, ids + count);
    ids += count;
  }
  const std::vector<std::vector<float>> vectors = engine.Embed({&a, &b}, texts, facts_.dimensions);
  for (size_t i = 0; i < vectors.size(); ++i) {
    EXPECT_TRUE(std::equal(vectors[i].begin(), vectors[i].end(), &vectors_[i * facts_.dimensions]));
    EXPECT_EQ(a.Embed(texts[i], facts_.dimensions), vectors[i]);
  }
}

}  // namespace
}  // namespace rondo::abi_test
