#include "tools/common/kv_formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "runtime/kernels/kv_format.h"

namespace rondo::tools {
namespace {

TEST(KvFormats, HaveAWordForAllThatTheLibraryHas) {
  ASSERT_EQ(std::size(kKvFormats), KvFormatRules().size());
  for (const KvFormatRule& rule : KvFormatRules()) {
    const auto number = static_cast<int32_t>(rule.format);
    EXPECT_EQ(std::ranges::count(kKvFormats, number, &KvFormatWord::format), 1) << rule.name;
  }
}

}  // namespace
}  // namespace rondo::tools
