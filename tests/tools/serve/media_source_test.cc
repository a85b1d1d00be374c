// Pictures that requests name: data: URLs, and files in one folder.
#include "tools/serve/media_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/temp_folder.h"

namespace rondo::tools::serve {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::string RefusalOf(const MediaSource& source, const std::string& url) {
  try {
    source.Read(url, "/p");
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), 400);
    EXPECT_EQ(error.pointer(), "/p");
    return error.what();
  }
  return "";
}

TEST(MediaSourceTest, Base64IsRead) {
  const MediaSource source("");
  EXPECT_EQ(source.Read("data:image/png;base64,AAEC/w==", "/p"), std::string("\0\1\2\xff", 4));
  EXPECT_EQ(source.Read("data:;base64,AAEC_w", "/p"), std::string("\0\1\2\xff", 4));
  EXPECT_EQ(source.Read("data:image/png;base64,", "/p"), "");
  EXPECT_THAT(RefusalOf(source, "data:image/png;base64,A*B"), HasSubstr("is no base64"));
  EXPECT_THAT(RefusalOf(source, "data:image/png,abc"), HasSubstr("no data: URL of base64"));
}

TEST(MediaSourceTest, NothingIsFetched) {
  const MediaSource source("");
  for (const char* const url : {"http://a/b.png", "https://a/b.png"}) {
    EXPECT_THAT(RefusalOf(source, url), HasSubstr("never fetched"));
  }
  EXPECT_THAT(RefusalOf(source, "/etc/passwd"), HasSubstr("without --allow-media-path"));
  EXPECT_THAT(RefusalOf(source, "file:///etc/passwd"), HasSubstr("without --allow-media-path"));
}

TEST(MediaSourceTest, OfTheFolderAndNoOther) {
  const TempFolder folder;
  fs::create_directories(folder / "in/deep");
  std::ofstream(folder / "in/deep/a.png") << "picture";
  std::ofstream(folder / "out.png") << "secret";
  fs::create_symlink(folder / "out.png", folder / "in/link.png");
  fs::create_directory_symlink(folder.path(), folder / "in/up");
  const MediaSource source((folder / "in").string());
  EXPECT_EQ(source.Read("deep/a.png", "/p"), "picture");
  EXPECT_EQ(source.Read("file://" + (folder / "in/deep/a.png").string(), "/p"), "picture");
  EXPECT_EQ(source.Read("deep/../deep/a.png", "/p"), "picture");
  for (const std::string& name :
       {std::string("../out.png"), std::string("link.png"), std::string("up/out.png"),
        (folder / "out.png").string(), std::string("deep"), std::string("."), std::string("none"),
        std::string("deep/a.png\0x", 12)}) {
    EXPECT_NE(RefusalOf(source, name), "") << name;
  }
}

}  // namespace
}  // namespace rondo::tools::serve
