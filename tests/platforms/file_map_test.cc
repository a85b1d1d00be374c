#include "platforms/file_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "platforms/memory.h"
#include "tests/temp_folder.h"

namespace rondo {
namespace {

using Kind = FileError::Kind;

std::string Text(const FileMap& map) {
  return {reinterpret_cast<const char*>(map.bytes().data()), map.bytes().size()};
}

class FileMapTest : public testing::Test {
 protected:
  FileMapTest() : path_(folder_ / "file") {
    for (int i = 0; i < 10000; ++i) content_ += static_cast<char>('a' + i % 23);
    std::ofstream(path_, std::ios::binary) << content_;
  }
  FileError OpenPath(const std::filesystem::path& path) {
    return FileMap::OpenPath(path.string().c_str(), &map_);
  }
  FileError::Kind OpenRange(uint64_t offset, uint64_t length) {
    const int descriptor = open(path_.string().c_str(), O_RDONLY);
    const FileError error = FileMap::OpenDescriptor(descriptor, offset, length, &map_);
    close(descriptor);  // the mapping does not need it
    return error.kind;
  }

  TempFolder folder_;
  std::filesystem::path path_;
  std::string content_;
  FileMap map_;
};

TEST_F(FileMapTest, MapsAPath) {
  ASSERT_FALSE(OpenPath(path_));
  EXPECT_EQ(Text(map_), content_);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(map_.bytes().data()) % 4096, 0u);
  FileMap other = std::move(map_);
  EXPECT_EQ(Text(other), content_);
  EXPECT_TRUE(map_.bytes().empty());  // NOLINT(bugprone-use-after-move): moved-from is empty
}

TEST_F(FileMapTest, MapsAnyRangeOfADescriptor) {
  for (const auto& [offset, length] :
       {std::pair(0, 10000), {0, 1}, {1, 9999}, {4095, 2}, {4096, 5000}, {4097, 1}, {9999, 1}}) {
    ASSERT_EQ(OpenRange(static_cast<uint64_t>(offset), static_cast<uint64_t>(length)), Kind::kNone);
    EXPECT_EQ(Text(map_),
              content_.substr(static_cast<size_t>(offset), static_cast<size_t>(length)));
  }
  ASSERT_EQ(OpenRange(5000, FileMap::kToEnd), Kind::kNone);
  EXPECT_EQ(Text(map_), content_.substr(5000));
  ASSERT_EQ(OpenRange(10000, 0), Kind::kNone);
  EXPECT_TRUE(map_.bytes().empty());
}

// A model within an archive; where a number of 32 bits says where, it is somewhere else.
TEST_F(FileMapTest, MapsARangeBeyondFourGigabytes) {
  constexpr uint64_t kFar = (uint64_t{1} << 32) + 12345;
  {
    std::ofstream file(path_, std::ios::binary | std::ios::in);
    file.seekp(static_cast<std::streamoff>(kFar));
    if (!(file << "far away").flush()) GTEST_SKIP() << "no files of four gigabytes here";
  }
  ASSERT_EQ(OpenRange(kFar, 8), Kind::kNone);
  EXPECT_EQ(Text(map_), "far away");
  ASSERT_EQ(OpenRange(kFar + 4, FileMap::kToEnd), Kind::kNone);
  EXPECT_EQ(Text(map_), "away");
  ASSERT_EQ(OpenRange(0, 100), Kind::kNone);
  EXPECT_EQ(Text(map_), content_.substr(0, 100));
  EXPECT_EQ(OpenRange(kFar, 9), Kind::kNoSuchRange);
}

TEST_F(FileMapTest, RefusesRangesOutsideOfTheFile) {
  ASSERT_EQ(OpenRange(0, 10), Kind::kNone);
  for (const auto& [offset, length] : {std::pair<uint64_t, uint64_t>(0, 10001),
                                       {9999, 2},
                                       {10001, 0},
                                       {UINT64_MAX, 1},
                                       {1, UINT64_MAX - 1}}) {
    EXPECT_EQ(OpenRange(offset, length), Kind::kNoSuchRange);
    EXPECT_EQ(map_.bytes().size(), 10u);  // as it was
  }
}

TEST_F(FileMapTest, RefusesWhatIsNoRegularFile) {
  EXPECT_EQ(OpenPath(folder_ / "absent").kind, Kind::kAbsent);
  EXPECT_EQ(OpenPath(folder_.path()).kind, Kind::kDirectory);
#if !defined(_WIN32) && !defined(__wasi__)  // where no folder holds a pipe
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(OpenPath(folder_ / "pipe").kind, Kind::kNoSuchRange);
#endif
  EXPECT_EQ(FileMap::OpenDescriptor(-1, 0, 1, &map_).kind, Kind::kBadDescriptor);
}

TEST_F(FileMapTest, ReleasedBytesComeBack) {
  ASSERT_FALSE(OpenPath(path_));
  map_.Release(map_.bytes());
  map_.Release(map_.bytes().subspan(3, 5));
  map_.Release({});
  EXPECT_EQ(Text(map_), content_);
}

TEST_F(FileMapTest, ReleasesNothingButItsOwn) {
  constexpr size_t kBytes = 4 << 20;
  uint8_t* memory = static_cast<uint8_t*>(MapMemory(kBytes));
  std::fill_n(memory, kBytes, uint8_t{7});
  map_.Release({memory, kBytes});  // of an empty map
  ASSERT_FALSE(OpenPath(path_));
  map_.Release({memory, kBytes});
  map_.Release({memory + 65536, 1});
  EXPECT_EQ(std::count(memory, memory + kBytes, 7), static_cast<long>(kBytes));
  UnmapMemory(memory, kBytes);
}

TEST_F(FileMapTest, AnEmptyFileIsEmptyBytes) {
  std::ofstream(folder_ / "empty").flush();
  ASSERT_FALSE(OpenPath(folder_ / "empty"));
  EXPECT_TRUE(map_.bytes().empty());
}

}  // namespace
}  // namespace rondo
