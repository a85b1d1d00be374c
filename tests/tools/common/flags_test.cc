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
  EXPECT_EQ(Parse("3K"), 3072u);
  EXPECT_EQ(Parse("1.5M"), 1572864u);
  EXPECT_EQ(Parse("2G"), uint64_t{2} << 30);
  for (const char* bad :
       {"", "0", "M", "12Q", "12MB", "-5", "nan", "inf", "1e300", "9999999999G"}) {
    EXPECT_EQ(Parse(bad), 0u) << bad;
  }
}

}  // namespace
}  // namespace rondo::tools
