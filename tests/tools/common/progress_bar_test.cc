#include "tools/common/progress_bar.h"

#include <gtest/gtest.h>

#include <sstream>

namespace rondo::tools {
namespace {

TEST(ProgressBar, HumanBytesHaveThreeDigits) {
  EXPECT_EQ(HumanBytes(0), "0 B");
  EXPECT_EQ(HumanBytes(999), "999 B");
  EXPECT_EQ(HumanBytes(999.6), "1.00 kB");
  EXPECT_EQ(HumanBytes(12345), "12.3 kB");
  EXPECT_EQ(HumanBytes(123456), "123 kB");
  EXPECT_EQ(HumanBytes(1.236e9), "1.24 GB");
}

TEST(ProgressBar, QuickTasksPrintNothing) {
  for (bool is_terminal : {false, true}) {
    std::ostringstream out;
    {
      ProgressBar bar(out, is_terminal);
      bar.Update(1, 2);
      bar.Update(2, 2);
      bar.Update(0, 0);
    }
    EXPECT_EQ(out.str(), "");
  }
}

}  // namespace
}  // namespace rondo::tools
