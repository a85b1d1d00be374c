// A line that is nothing but names of pictures.
#include "tools/chat/named_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/temp_folder.h"

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

TEST_F(NamedPicturesTest, WhatSaysMoreIsAMessage) {
  const std::string picture = Make("a.png"), text = Make("notes.txt");
  const std::string spaced = Make("b c.webp");
  for (const std::string& line :
       {std::string(), std::string(" "), "What is " + picture, picture + "?", text, spaced,
        "'" + picture, std::string(picture).append("\n").append(picture),
        (folder_ / "none.png").string(), folder_.path().string()}) {
    EXPECT_THAT(NamedPictures(line), IsEmpty()) << line;
  }
}

}  // namespace
}  // namespace rondo::tools::named_pictures_test
