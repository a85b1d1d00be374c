// What tools know of files, the same on every system.
#include "tools/system/files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/temp_folder.h"
#include "tools/system/private_map.h"

namespace rondo::tools {
namespace {

// Bytes that systems with text files would change.
const std::string kBytes("a\r\nb\n\x1a\0c", 8);

class FilesTest : public testing::Test {
 protected:
  FilesTest() { std::ofstream(path_, std::ios::binary) << kBytes; }

  const TempFolder folder_;
  const std::filesystem::path path_ = folder_ / "b\u00fccher \u4e66";
  std::error_code error_;
};

TEST_F(FilesTest, BytesAreAsTheyAre) {
  for (const OpenAs as : {OpenAs::kAnything, OpenAs::kFile, OpenAs::kNoLink}) {
    const Descriptor file = OpenToRead(path_, as, error_);
    ASSERT_TRUE(file.is_open()) << error_.message();
    EXPECT_EQ(RegularFileBytes(file, error_), kBytes.size());
    std::string read(100, 'x');
    read.resize(ReadAt(file, 0, read.data(), read.size(), error_));
    EXPECT_EQ(read, kBytes);
    EXPECT_EQ(ReadAt(file, 3, read.data(), 2, error_), 2u);
    EXPECT_EQ(read.substr(0, 2), "b\n");
    EXPECT_EQ(ReadAt(file, kBytes.size(), read.data(), 2, error_), 0u);
    EXPECT_FALSE(error_) << error_.message();
    read.assign(100, 'x');
    read.resize(ReadSome(file.number(), read.data(), read.size(), error_));
    EXPECT_EQ(read, kBytes);
    EXPECT_EQ(ReadSome(file.number(), read.data(), read.size(), error_), 0u);
    EXPECT_FALSE(error_) << error_.message();
  }
}

TEST_F(FilesTest, WhatIsNoFileSaysSo) {
  EXPECT_FALSE(OpenToRead(folder_ / "absent", OpenAs::kFile, error_).is_open());
  EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
  const Descriptor folder = OpenToRead(folder_.path(), OpenAs::kFile, error_);
  if (folder.is_open()) RegularFileBytes(folder, error_);
  EXPECT_TRUE(error_);
  const PrivateMap map(folder_.path(), error_);
  EXPECT_TRUE(error_);
  EXPECT_TRUE(map.bytes().empty());
}

TEST_F(FilesTest, ADescriptorIsClosedOnce) {
  Descriptor a = OpenToRead(path_, OpenAs::kFile, error_);
  const int number = a.number();
  const Descriptor b = std::move(a);
  EXPECT_FALSE(a.is_open());  // NOLINT(bugprone-use-after-move): what is left is told
  EXPECT_EQ(b.number(), number);
  a = OpenToRead(path_, OpenAs::kFile, error_);
  EXPECT_NE(a.number(), b.number());
}

TEST_F(FilesTest, APrivateMapChangesNoFile) {
  {
    const PrivateMap map(path_, error_);
    ASSERT_FALSE(error_) << error_.message();
    ASSERT_EQ(map.bytes().size(), kBytes.size());
    for (uint8_t& byte : map.bytes()) byte = '!';
  }
  const PrivateMap map(path_, error_);
  const std::string read(reinterpret_cast<const char*>(map.bytes().data()), map.bytes().size());
  EXPECT_EQ(read, kBytes);
}

}  // namespace
}  // namespace rondo::tools
