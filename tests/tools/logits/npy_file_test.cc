#include "tools/logits/npy_file.h"

#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <sys/resource.h>
#endif

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/temp_folder.h"
#include "tools/common/library.h"

namespace rondo::tools {
namespace {

size_t CountFiles(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                           std::filesystem::directory_iterator()));
}

TEST(NpyFileTest, AppearsWhole) {
  const TempFolder folder;
  const std::string path = (folder / "x.npy").string();
  {
    NpyFile file(path, Replace::kSameKind, 2, 2);
    file.Append(std::vector<float>{1, 2});
    EXPECT_FALSE(std::filesystem::exists(path));
    file.Append(std::vector<float>{3, 4});
    file.Commit();
  }
  EXPECT_EQ(CountFiles(folder.path()), 1u);
  EXPECT_EQ(std::filesystem::file_size(path), 128u + 16u);
}

TEST(NpyFileTest, OrNotAtAll) {
  const TempFolder folder;
  std::ofstream(folder / "x.npy") << "what was there before";
  {
    NpyFile file((folder / "x.npy").string(), Replace::kAnyFile, 2, 2);
    file.Append(std::vector<float>{1, 2});
  }
  EXPECT_EQ(CountFiles(folder.path()), 1u);
  EXPECT_EQ(std::filesystem::file_size(folder / "x.npy"), 21u);
  EXPECT_THROW(NpyFile((folder / "none" / "x.npy").string(), Replace::kSameKind, 1, 1), Error);
}

TEST(NpyFileTest, AFullDiskIsSaidAndLeavesNothing) {
#if defined(_WIN32)
  GTEST_SKIP() << "no limit on a file's size stands in for a full disk here";
#else
  const TempFolder folder;
  const std::string path = (folder / "x.npy").string();
  const std::vector<float> row(4096, 1.0f);
  // A limit on the size of files stands in for a full disk.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {10000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(
      {
        NpyFile file(path, Replace::kSameKind, 2, 4096);
        file.Append(row);
        file.Append(row);
        file.Commit();
      },
      Error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(CountFiles(folder.path()), 0u);
#endif
}

}  // namespace
}  // namespace rondo::tools
