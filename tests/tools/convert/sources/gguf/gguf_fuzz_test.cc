// Damaged GGUF files: whatever a byte says, the answer is an Error or a model.
#include <gtest/gtest.h>

#include <random>

#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/damaged_gguf.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

class GgufFuzzTest : public testing::Test {
 protected:
  // True where the file was read; anything thrown but an Error fails the test.
  bool Read(const std::string& bytes) {
    std::filesystem::remove(folder_ / "model.gguf");  // some file systems flush what is replaced
    std::ofstream(folder_ / "model.gguf", std::ios::binary) << bytes;
    try {
      ReadWholeGguf(folder_ / "model.gguf");
      return true;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("model.gguf"), std::string::npos) << error.what();
      return false;
    }
  }
  TempFolder folder_;
};

TEST_F(GgufFuzzTest, TheWholeFileIsRead) { EXPECT_TRUE(Read(WholeGguf())); }

TEST_F(GgufFuzzTest, AFileCutAnywhereIsRefused) {
  const std::string whole = WholeGguf();
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(Read(whole.substr(0, size)));
}

TEST_F(GgufFuzzTest, AnyByteMayBeWrong) {
  const std::string whole = WholeGguf();
  const size_t header = whole.find(std::string(16, '\1'));
  for (size_t at = 0; at < header; ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      Read(damaged);
    }
  }
}

TEST_F(GgufFuzzTest, ManyBytesMayBeWrong) {
  const std::string whole = WholeGguf();
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = whole;
    for (int i = random() % 8; i >= 0; --i) {
      const size_t at = random() % damaged.size();
      if (random() % 4 == 0) {
        damaged.erase(at, random() % 16);
      } else if (random() % 4 == 0) {
        damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 16));
      } else {
        damaged[at] = static_cast<char>(random());
      }
    }
    Read(damaged);
  }
}

}  // namespace
}  // namespace rondo::convert
