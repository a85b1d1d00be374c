#include "tools/bench/random_model.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/temp_folder.h"
#include "tools/bench/costs.h"

namespace rondo::tools {
namespace {

constexpr Shape kUntied = {"untied", 48, 80, 2, 4, 2, 16, 100, false};
constexpr Shape kTied = {"tied", 48, 80, 2, 4, 2, 16, 100, true};

// Temporary folders lie in a folder of the test's own.
class RandomModelTest : public testing::Test {
 protected:
  RandomModelTest() { setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~RandomModelTest() override {
    if (before_.empty()) {
      unsetenv("TMPDIR");
    } else {
      setenv("TMPDIR", before_.c_str(), 1);
    }
  }
  bool NothingIsLeft() const { return std::filesystem::is_empty(folder_.path()); }

  static Engine NewEngine(rondo_model* model) {
    rondo_engine_options options = EngineDefaults();
    options.context = 64;
    options.threads = 1;
    return CreateEngine(model, options);
  }

 private:
  const std::string before_ = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
  const TempFolder folder_;
};

TEST_F(RandomModelTest, LogitsAreSaneInEveryFormat) {
  for (const auto& [weights, embedding] : {std::pair("f32", "f32"),
                                           {"q8", "q8"},
                                           {"q4", "q8"},
                                           {"q4", "q4"},
                                           {"q3", "q4"},
                                           {"q4b", "q8"},
                                           {"q4b", "q4b"}}) {
    for (const uint32_t block : {32, 64, 128}) {
      for (const Shape& shape : {kTied, kUntied}) {
        const BenchModel model = MakeRandomModel(shape, {weights, embedding, block});
        EXPECT_TRUE(NothingIsLeft());
        const Engine engine = NewEngine(model.handle.get());
        const Session session = OpenSession(engine.get());
        const int32_t ids[] = {1, 50, 99, 7};
        Check(session.get(), rondo_session_prefill(session.get(), ids, 4));
        const float* logits = nullptr;
        size_t count = 0;
        Check(session.get(), rondo_session_logits(session.get(), &logits, &count));
        ASSERT_EQ(count, 100u);
        double squares = 0;
        for (size_t i = 0; i < count; ++i) squares += logits[i] * logits[i];
        const double deviation = std::sqrt(squares / static_cast<double>(count));
        EXPECT_GT(deviation, 0.3) << weights << " " << embedding << " " << block;
        EXPECT_LT(deviation, 3) << weights << " " << embedding << " " << block;
      }
    }
  }
}

TEST_F(RandomModelTest, SaysWhatItIs) {
  const BenchModel model = MakeRandomModel(kUntied, {"q4b", "q8", 64});
  EXPECT_EQ(Fact(model.handle.get(), "name"), "untied");
  EXPECT_EQ(Fact(model.handle.get(), "weights"), "q4b, block 64");
  EXPECT_EQ(Fact(model.handle.get(), "embedding"), "q8");
  const BenchModel codes = MakeRandomModel(kUntied, {"q4", "q8", 32});
  EXPECT_EQ(Fact(codes.handle.get(), "weights"), "q4");
  const rondo_model_facts facts = Facts(model.handle.get());
  EXPECT_EQ(facts.n_heads, 4u);
  EXPECT_EQ(facts.n_kv_heads, 2u);
  EXPECT_EQ(facts.head_dim, 16u);
  EXPECT_EQ(facts.has_tokenizer, 0u);
}

// The costs are what the shape says, whether the head is the embedding or not.
TEST_F(RandomModelTest, CostsFollowTheShape) {
  for (const Shape& s : {kTied, kUntied}) {
    const BenchModel model = MakeRandomModel(s, {"q8", "q8", 32});
    const Engine engine = NewEngine(model.handle.get());
    const ModelCosts costs = CostsOf(model.weights, engine.get());
    const double attention = 48.0 * (4 + 2 + 2) * 16 + 4.0 * 16 * 48;
    const double mlp = 3.0 * 48 * 80;
    EXPECT_EQ(costs.weights.layers, 2 * (attention + mlp)) << s.name;
    EXPECT_EQ(costs.weights.head, 48.0 * 100) << s.name;
    const rondo_memory_plan plan = Memory(engine.get());
    EXPECT_EQ(costs.weight_bytes, static_cast<double>(plan.weights_bytes));
    EXPECT_GE(costs.weight_bytes, costs.weights.layers + costs.weights.head);
    EXPECT_EQ(costs.kv_bytes_per_token, static_cast<double>(plan.kv_bytes_per_token));
  }
}

TEST_F(RandomModelTest, AFullDiskLeavesNothing) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {10000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(MakeRandomModel(kTied, {}), std::exception);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RandomModelTest, AFolderThatIsNotThereIsSaid) {
  setenv("TMPDIR", "/no/such/folder", 1);
  try {
    MakeRandomModel(kTied, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("TMPDIR"), std::string::npos) << error.what();
  }
}

TEST(Shapes, AreConsistent) {
  EXPECT_EQ(FindShape("no such shape"), nullptr);
  for (const Shape& s : AllShapes()) {
    EXPECT_EQ(FindShape(s.name), &s);
    EXPECT_EQ(s.n_heads % s.n_kv_heads, 0u) << s.name;
    EXPECT_EQ(s.head_dim % 8, 0u) << s.name;
    EXPECT_EQ(s.hidden_size % 2, 0u) << s.name;  // pairs of nibbles
    EXPECT_EQ(s.intermediate_size % 2, 0u) << s.name;
    EXPECT_NE(ShapeNames().find(s.name), std::string::npos);
  }
}

}  // namespace
}  // namespace rondo::tools
