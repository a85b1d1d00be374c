#include "tools/bench/random_model.h"

#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <sys/resource.h>
#endif

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <vector>

#include "tests/support/environment.h"
#include "tests/temp_folder.h"
#include "tests/tools/bench/small_shapes.h"
#include "tools/system/environment.h"

namespace rondo::tools {
namespace {

// With 17 inputs behind the MLP's activation: an odd number of nibbles.
Shape Untied() { return SmallShape("llama", R"("intermediate_size": 17)"); }
Shape Tied() { return SmallShape("llama", R"("tie_word_embeddings": true)"); }

Engine NewEngine(const Model& model) {
  EngineOptions options;
  options.context = 64;
  options.threads = 1;
  return CreateEngine(model, options);
}

// Temporary folders lie in a folder of the test's own.
class RandomModelTest : public testing::Test {
 protected:
  RandomModelTest() { SetVariable(kTemporaryVariable, folder_.path().string().c_str()); }
  ~RandomModelTest() override {
    if (before_.empty()) {
      UnsetVariable(kTemporaryVariable);
    } else {
      SetVariable(kTemporaryVariable, before_.c_str());
    }
  }
  bool NothingIsLeft() const { return std::filesystem::is_empty(folder_.path()); }

 private:
  const std::string before_ =
      std::getenv(kTemporaryVariable) == nullptr ? "" : std::getenv(kTemporaryVariable);
  const TempFolder folder_;
};

std::vector<float> Logits(const BenchModel& model, const std::vector<int32_t>& ids) {
  const Engine engine = NewEngine(model.handle);
  Session session(engine);
  session.Prefill(ids);
  const std::vector<float> logits = session.Logits();
  return {logits.begin(), logits.end()};
}

double Product(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double Deviation(const Shape& shape, const RandomModelOptions& options) {
  const std::vector<float> logits = Logits(MakeRandomModel(shape, options), {1, 50, 99, 7});
  EXPECT_EQ(logits.size(), 100u);
  return std::sqrt(Product(logits, logits) / 100);
}

TEST_F(RandomModelTest, LogitsAreSaneInEveryFormat) {
  for (const auto& [weights, embedding] : {std::pair("f32", "f32"),
                                           {"q8", "q8"},
                                           {"q4", "q8"},
                                           {"q4", "q4"},
                                           {"q3", "q4"},
                                           {"q4b", "q8"},
                                           {"q4b", "q4b"}}) {
    for (const uint32_t block : {32, 64, 128}) {
      for (const Shape& shape : {Tied(), Untied()}) {
        const double deviation = Deviation(shape, {weights, embedding, block});
        EXPECT_TRUE(NothingIsLeft());
        EXPECT_GT(deviation, 0.3) << weights << " " << embedding << " " << block;
        EXPECT_LT(deviation, 3) << weights << " " << embedding << " " << block;
      }
    }
  }
}

TEST_F(RandomModelTest, LogitsAreSaneOfEveryOperator) {
  for (const Shape& shape : {SmallExperts(), SmallLatent(), SmallDeltaNet(), SmallMamba(),
                             SmallConv(), SmallLayerEmbeddings(), SmallSinks()}) {
    const double deviation = Deviation(shape, {"q4", "q8", 32});
    EXPECT_GT(deviation, 0.3) << shape.name;
    EXPECT_LT(deviation, 3) << shape.name;
  }
}

// Biases that all rows have in common would make them alike, and send them to the same experts.
TEST_F(RandomModelTest, TokensAreUnlike) {
  const BenchModel model = MakeRandomModel(SmallSinks(), {});
  const std::vector<float> one = Logits(model, {1}), other = Logits(model, {2});
  const double alike = Product(one, other) / std::sqrt(Product(one, one) * Product(other, other));
  EXPECT_LT(std::abs(alike), 0.5);
}

TEST_F(RandomModelTest, SaysWhatItIs) {
  const BenchModel model = MakeRandomModel(Untied(), {"q4b", "q8", 64});
  EXPECT_EQ(Fact(model.handle, "name"), "llama");
  EXPECT_EQ(Fact(model.handle, "values"), "random");
  EXPECT_EQ(Fact(model.handle, "weights"), "q4b, block 64");
  EXPECT_EQ(Fact(model.handle, "embedding"), "q8");
  const BenchModel codes = MakeRandomModel(Untied(), {"q4", "q8", 32});
  EXPECT_EQ(Fact(codes.handle, "weights"), "q4");
  const rondo_model_facts facts = model.handle.Info();
  EXPECT_EQ(facts.n_heads, 2u);
  EXPECT_EQ(facts.n_kv_heads, 1u);
  EXPECT_EQ(facts.head_dim, 16u);
  EXPECT_EQ(facts.has_tokenizer, 0u);
}

TEST_F(RandomModelTest, AFullDiskLeavesNothing) {
#if defined(_WIN32)
  GTEST_SKIP() << "no limit on a file's size stands in for a full disk here";
#else
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {10000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(MakeRandomModel(Tied(), {}), std::exception);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_TRUE(NothingIsLeft());
#endif
}

TEST_F(RandomModelTest, AFolderThatIsNotThereIsSaid) {
  SetVariable(kTemporaryVariable, "/no/such/folder");
  try {
    MakeRandomModel(Tied(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(kTemporaryVariable), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace rondo::tools
