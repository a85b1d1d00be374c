#include "tools/common/nearest.h"

#include <gtest/gtest.h>

namespace rondo::tools {
namespace {

TEST(NearestTest, FindsWhatWasMeant) {
  const std::vector<std::string> names = {"convert", "pack", "run", "chat", "inspect"};
  EXPECT_EQ(Nearest("run", names), "run");
  EXPECT_EQ(Nearest("rnu", names), "run");         // swapped
  EXPECT_EQ(Nearest("inspct", names), "inspect");  // left out
  EXPECT_EQ(Nearest("chatt", names), "chat");      // added
  EXPECT_EQ(Nearest("pavk", names), "pack");       // another
  EXPECT_EQ(Nearest("conv", names), "convert");    // begun
  EXPECT_EQ(Nearest("comvrt", names), "convert");  // two
}

TEST(NearestTest, GuessesNothingFarOff) {
  const std::vector<std::string> names = {"run", "chat"};
  for (const char* word : {"", "r", "sing", "serve", "xyz"}) EXPECT_EQ(Nearest(word, names), "");
  EXPECT_EQ(Nearest(std::string(1 << 20, 'r'), names), "");
  EXPECT_EQ(Nearest("run", {}), "");
}

}  // namespace
}  // namespace rondo::tools
