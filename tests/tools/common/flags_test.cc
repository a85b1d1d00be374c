#include "tools/common/flags.h"

#include <gtest/gtest.h>

namespace rondo::tools {
namespace {

// The bytes that `text` means, or 0 where it is refused.
uint64_t Parse(const std::string& text) {
  CLI::App app;
  uint64_t bytes = 0;
  AddBytesOption(&app, "--fit", &bytes, "");
  try {
    app.parse(std::vector<std::string>{text, "--fit"});  // CLI11 takes them from the back
  } catch (const CLI::ParseError&) {
    return 0;
  }
  return bytes;
}

TEST(FlagsTest, Bytes) {
  EXPECT_EQ(Parse("1500000"), 1500000u);
  EXPECT_EQ(Parse("3K"), 3000u);
  EXPECT_EQ(Parse("3kB"), 3000u);
  EXPECT_EQ(Parse("1.5M"), 1'500'000u);
  EXPECT_EQ(Parse("2G"), 2'000'000'000u);
  EXPECT_EQ(Parse("12MB"), 12'000'000u);
  for (const char* bad : {"", "0", "M", "12Q", "12MBs", "12B", "12MiB", "-5", "nan", "inf", "1e300",
                          "99999999999G"}) {
    EXPECT_EQ(Parse(bad), 0u) << bad;
  }
}

}  // namespace
}  // namespace rondo::tools
