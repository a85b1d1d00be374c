// A line that is nothing but names of pictures.
#include "tools/chat/named_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/environment.h"
#include "tests/temp_folder.h"
#include "tools/system/environment.h"

namespace rondo::tools::named_pictures_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NamedPicturesTest : public testing::Test {
 protected:
  std::string Make(const std::string& name) const {
    std::string path = (folder_ / name).string();
    std::ofstream file(path);
    return path;
  }
  TempFolder folder_;
};

TEST_F(NamedPicturesTest, AsTerminalsWriteThem) {
  const std::string plain = Make("a.png"), spaced = Make("b c.JPG");
  EXPECT_THAT(NamedPictures(plain), ElementsAre(plain));
  std::string line = " ";
  line.append(plain).append(" ");
  EXPECT_THAT(NamedPictures(line), ElementsAre(plain));
  line = "'";
  line.append(spaced).append("' \"").append(plain).append("\"");
  EXPECT_THAT(NamedPictures(line), ElementsAre(spaced, plain));
#ifndef _WIN32
  std::string escaped = spaced;
  escaped.replace(escaped.find("b c"), 3, "b\\ c");
  EXPECT_THAT(NamedPictures(escaped), ElementsAre(spaced));
#endif
}

// People type names without thinking of a shell.
TEST_F(NamedPicturesTest, AFilesWholeNameNamesIt) {
  const std::string spaced = Make("it's b c.webp");
  EXPECT_THAT(NamedPictures(spaced), ElementsAre(spaced));
  EXPECT_THAT(FileNames(spaced), ElementsAre(spaced));
}

TEST_F(NamedPicturesTest, HomeAndUrlsAreUnderstood) {
  const std::string spaced = Make("b c%.png");
  std::string url = spaced;
  url.replace(url.find("b c%"), 4, "b%20c%25");
  for (const std::string begin : {"file://", "file://localhost"}) {
    EXPECT_THAT(NamedPictures(begin + url), ElementsAre(spaced));
  }
  EXPECT_THAT(FileNames("file://"), ElementsAre(""));
  EXPECT_THAT(FileNames("file:///a%2"), ElementsAre("/a%2"));
  EXPECT_THAT(FileNames("file:///a%zzb%4"), ElementsAre("/a%zzb%4"));
  const char* const before = std::getenv(kHomeVariable);
  const std::string kept = before == nullptr ? "" : before;
  SetVariable(kHomeVariable, folder_.path().string().c_str());
  EXPECT_THAT(FileNames("~/a ~b"), ElementsAre(folder_.path().string() + "/a", "~b"));
  before == nullptr ? UnsetVariable(kHomeVariable) : SetVariable(kHomeVariable, kept.c_str());
}

TEST_F(NamedPicturesTest, WhatSaysMoreIsAMessage) {
  const std::string picture = Make("a.png"), text = Make("notes.txt");
  for (const std::string& line :
       {std::string(), std::string(" "), "What is " + picture, picture + "?", text, "'" + picture,
        std::string(picture).append("\n").append(picture), (folder_ / "none.png").string(),
        folder_.path().string()}) {
    EXPECT_THAT(NamedPictures(line), IsEmpty()) << line;
  }
}

}  // namespace
}  // namespace rondo::tools::named_pictures_test
