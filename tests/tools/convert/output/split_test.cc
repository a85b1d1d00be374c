// `rondo split`: parts that are the file, and open as it.
#include "tools/convert/output/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/packed_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Split, CutsBetweenSectionsOnly) {
  EXPECT_THAT(Cuts({64, 128, 1000, 1100}, 1200, 5000), ElementsAre(0));
  EXPECT_THAT(Cuts({64, 128, 1000, 1100}, 1200, 1200), ElementsAre(0));
  EXPECT_THAT(Cuts({64, 128, 1000, 1100}, 1200, 1100), ElementsAre(0, 1100));
  EXPECT_THAT(Cuts({64, 128, 1000, 1100}, 1200, 200), ElementsAre(0, 128, 1000));
  EXPECT_THAT(Cuts({64, 128, 1000, 1100}, 1200, 1), ElementsAre(0, 64, 128, 1000, 1100));
}

class SplitTest : public testing::Test {
 protected:
  SplitTest() {
    const ModelBytes bytes = model_.portable();
    std::ofstream(folder_ / "m.rondo", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.bytes().data()),
               static_cast<std::streamsize>(bytes.bytes().size()));
  }

  const TempFolder folder_;
  const ConvertedModel model_{{}, format::TensorFormat::Q8, format::TensorFormat::Q8};
};

TEST_F(SplitTest, ThePartsAreTheFileAndOpenAsIt) {
  const std::string whole = Read(folder_ / "m.rondo");
  const SplitOptions options{folder_ / "m.rondo", folder_ / "p", whole.size() / 4};
  for (int again = 0; again < 2; ++again) {  // over its own parts
    const std::vector<fs::path> names = Split(options);
    ASSERT_GT(names.size(), 2u);
    EXPECT_EQ(names[0].filename().string(),
              "p-00001-of-0000" + std::to_string(names.size()) + ".rondo");
    std::string together;
    std::vector<ModelBytes> pieces;
    for (const fs::path& name : names) {
      together += Read(name);
      pieces.emplace_back(name);
    }
    EXPECT_EQ(together, whole);
    std::vector<std::span<const uint8_t>> parts;
    for (const ModelBytes& piece : pieces) parts.push_back(piece.bytes());
    const Result<ModelFile> file = ModelFile::Open(*FileParts::Of(parts));
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_TRUE(file->VerifyAll().ok());
  }
}

TEST_F(SplitTest, RefusesByName) {
  const auto refusal = [](const SplitOptions& options) {
    return SentenceOf([&] { Split(options); });
  };
  EXPECT_THAT(refusal({folder_ / "absent", folder_ / "p", 1000}), HasSubstr("no such file"));
  std::ofstream(folder_ / "p-00001-of-00001.rondo") << "somebody's";
  EXPECT_THAT(refusal({folder_ / "m.rondo", folder_ / "p", UINT64_MAX}), HasSubstr("--force"));
  EXPECT_EQ(Read(folder_ / "p-00001-of-00001.rondo"), "somebody's");
}

}  // namespace
}  // namespace rondo::convert
