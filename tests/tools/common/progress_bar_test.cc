#include "tools/common/progress_bar.h"

#include <gtest/gtest.h>

#include <sstream>

namespace rondo::tools {
namespace {

TEST(ProgressBar, QuickTasksPrintNothing) {
  for (bool is_terminal : {false, true}) {
    std::ostringstream out;
    {
      ProgressBar bar(ProgressBar::Of::kBytes, out, is_terminal);
      bar.Update(1, 2);
      bar.Update(2, 2);
      bar.Update(0, 0);
    }
    EXPECT_EQ(out.str(), "");
  }
}

}  // namespace
}  // namespace rondo::tools
