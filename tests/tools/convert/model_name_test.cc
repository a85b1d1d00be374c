// What a name stands for in the hub's cache.
#include "tools/convert/model_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/environment.h"
#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ModelName : public testing::Test {
 protected:
  ModelName() { SetVariable("HF_HUB_CACHE", cache_.path().c_str()); }
  ~ModelName() override { UnsetVariable("HF_HUB_CACHE"); }

  // A file of a commit of org/m.
  fs::path Put(const std::string& commit, const std::string& path) const {
    fs::path file = cache_ / "models--org--m" / "snapshots" / commit / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "x";
    return file;
  }
  void Name(const std::string& revision, const std::string& commit) const {
    fs::path file = cache_ / "models--org--m" / "refs" / revision;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << commit;
  }
  static fs::path Find(const std::string& revision = "") {
    return FindNamed("org/m", revision, Named::kModel);
  }
  static std::string Refusal(const std::string& revision = "") {
    return SentenceOf([&] { Find(revision); });
  }

  TempFolder cache_;
};

TEST_F(ModelName, IsOfMainOrOfTheOnlyRevision) {
  EXPECT_THAT(Refusal(), HasSubstr("`rondo pull org/m` downloads it"));
  EXPECT_THAT(Refusal("v1"), HasSubstr("`rondo pull org/m --revision v1` downloads it"));
  const fs::path first = Put("aaaa", "model.safetensors").parent_path();
  EXPECT_EQ(Find(), first);  // downloaded by its commit
  EXPECT_EQ(Find("aaaa"), first);
  Name("v1.0", "aaaa");
  Name("refs/pr/1", "aaaa");
  EXPECT_EQ(Find(), first);
  EXPECT_EQ(Find("v1.0"), first);
  EXPECT_EQ(Find("refs/pr/1"), first);
  EXPECT_THAT(Refusal("v2.0"), HasSubstr("the cache holds org/m at refs/pr/1, v1.0, not at v2.0"));
  const fs::path second = Put("bbbb", "model.safetensors").parent_path();
  EXPECT_THAT(Refusal(), HasSubstr("at bbbb, refs/pr/1, v1.0, not at main: --revision names one"));
  EXPECT_EQ(Find("bbbb"), second);
  Name("main", "bbbb");
  EXPECT_EQ(Find(), second);
  EXPECT_THAT(Refusal("../../x"), HasSubstr("not at ../../x"));
  EXPECT_THAT(SentenceOf([&] { FindNamed(cache_.path().string(), "main", Named::kModel); }),
              HasSubstr("is a path"));
}

TEST_F(ModelName, IsTheFolderOfWeightsElseTheGgufFile) {
  Name("main", "aaaa");
  const fs::path folder = Put("aaaa", "config.json").parent_path();
  EXPECT_EQ(Find(), folder);
  const fs::path gguf = Put("aaaa", "q/m-Q8_0-00001-of-00002.gguf");
  Put("aaaa", "q/m-Q8_0-00002-of-00002.gguf");
  Put("aaaa", "mmproj-m.gguf");
  EXPECT_EQ(Find(), gguf);
  Put("aaaa", "m-Q4_0.gguf");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("holds 2 models, m-Q4_0.gguf, q/m-Q8_0-00001-of"),
                               HasSubstr("name the one to convert, as ")));
  Put("aaaa", "model.safetensors");
  EXPECT_EQ(Find(), folder);
  EXPECT_EQ(FindNamed("org/m", "", Named::kAdapter), folder);
}

TEST_F(ModelName, OfWhatWasAskedForIsOneModel) {
  const fs::path folder = Put("aaaa", "model.safetensors").parent_path();
  const auto among = [&](const std::vector<std::string>& files) {
    return ModelAmong(folder, files).path;
  };
  EXPECT_EQ(among({"config.json", "model.safetensors"}), folder);
  EXPECT_EQ(among({"config.json", "m.gguf"}), folder / "m.gguf");
  EXPECT_EQ(ModelAmong(folder, {"adapter_model.safetensors"}).kind, Named::kAdapter);
  EXPECT_THAT(SentenceOf([&] {
                among({"config.json", "other.safetensors"});
              }),
              HasSubstr("none of the files asked for is a model"));
}

TEST(GgufModels, AreWithoutWhatLiesBesideThem) {
  EXPECT_THAT(GgufModels({"a.gguf", "b-00001-of-00002.gguf", "b-00002-of-00002.gguf", "c.json"}),
              ElementsAre("a.gguf", "b-00001-of-00002.gguf"));
  EXPECT_THAT(
      GgufModels({"MMPROJ-F16.gguf", "a-mmproj.gguf", "x/a-imatrix-Q4.gguf", "imatrix_all.gguf"}),
      ElementsAre("x/a-imatrix-Q4.gguf"));
  EXPECT_THAT(GgufModels({"mmproj-F16.gguf"}), ElementsAre("mmproj-F16.gguf"));
}

}  // namespace
}  // namespace rondo::tools
