#include "tools/bench/shapes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/temp_folder.h"
#include "tools/common/error.h"
#include "tools/convert/architectures/architecture.h"

namespace rondo::tools {
namespace {

double Parameters(const convert::Config& config) {
  double count = 0;
  for (const convert::TensorRecipe& tensor : convert::ReadArchitecture(config).tensors) {
    count += static_cast<double>(tensor.rows()) * static_cast<double>(tensor.cols);
  }
  return count;
}

// In millions, as the makers count them; of the text's part of Qwen3.5 and Gemma 4 by hand, from
// the sizes of their matrices.
TEST(Shapes, HaveAsManyParametersAsTheModels) {
  const std::map<std::string_view, double> published = {
      {"stories260k", 0.26},   {"llama3.2-1b", 1236},       {"llama3.2-3b", 3213},
      {"llama3.1-8b", 8030},   {"tinyllama-1.1b", 1100},    {"smollm2-135m", 134.5},
      {"smollm2-360m", 361.8}, {"smollm2-1.7b", 1711},      {"smollm3-3b", 3075},
      {"mistral-7b", 7248},    {"phi4-mini", 3836},         {"qwen3-0.6b", 596},
      {"qwen3-1.7b", 1721},    {"qwen3-4b", 4022},          {"qwen3-30b-a3b", 30532},
      {"qwen3.5-0.8b", 752},   {"qwen3.5-2b", 1882},        {"qwen3.5-4b", 4206},
      {"gemma3-270m", 268.1},  {"gemma3-1b", 999.9},        {"gemma4-e2b", 4630},
      {"lfm2-350m", 354.5},    {"lfm2-1.2b", 1170},         {"lfm2-8b-a1b", 8340},
      {"gpt-oss-20b", 20910},  {"granite4-h-micro", 3190},  {"granite4-h-tiny", 6940},
      {"falcon-h1-0.5b", 521}, {"deepseek-v2-lite", 15706},
  };
  EXPECT_EQ(published.size(), AllShapes().size());
  for (const NamedShape& shape : AllShapes()) {
    const auto found = published.find(shape.name);
    ASSERT_NE(found, published.end()) << shape.name;
    const double millions = Parameters(OpenShape(std::string(shape.name)).config) / 1e6;
    EXPECT_NEAR(millions, found->second, 0.001 * found->second) << shape.name;
    EXPECT_NE(ShapeNames().find(shape.name), std::string::npos);
  }
}

TEST(Shapes, AFileIsOne) {
  const TempFolder folder;
  const std::string path = (folder / "config.json").string();
  EXPECT_FALSE(IsShape(path));
  EXPECT_FALSE(IsShape(folder.path().string())) << "a folder";
  EXPECT_FALSE(IsShape("no such shape"));
  EXPECT_TRUE(IsShape("stories260k"));
  std::ofstream(path) << R"({"model_type": "llama", "hidden_size": 64})";
  EXPECT_TRUE(IsShape(path));
  const Shape shape = OpenShape(path);
  EXPECT_EQ(shape.name, path);
  try {
    convert::ReadArchitecture(shape.config);
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find(path), std::string::npos) << what;
    EXPECT_NE(what.find("vocab_size"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace rondo::tools
