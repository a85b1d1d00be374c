// Which matrices are told of as losing more than others.
#include "tools/convert/output/odd_matrices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::convert::odd_matrices_test {
namespace {

using format::TensorFormat;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Encoding kQ4 = {TensorFormat::Q4, 0};

TEST(OddMatrices, AreFourTimesTheMiddleOne) {
  OddMatrices matrices;
  for (int i = 0; i < 6; ++i) matrices.Add("usual", kQ4, 0.01);
  matrices.Add("more", kQ4, 0.039);
  EXPECT_THAT(matrices.Notes(), IsEmpty());
  matrices.Add("odd", kQ4, 0.05);
  EXPECT_THAT(
      matrices.Notes(),
      ElementsAre(AllOf(HasSubstr("in q4 odd loses 5 % of its columns' squares, where 1 % is"),
                        testing::Not(HasSubstr("more lose")))));
  matrices.Add("odder", kQ4, 0.2);
  EXPECT_THAT(matrices.Notes(), ElementsAre(AllOf(HasSubstr("odder loses 20 %"),
                                                  HasSubstr("and 1 more lose over four times"))));
}

TEST(OddMatrices, AreComparedWithThoseOfOneFormat) {
  OddMatrices matrices;
  for (int i = 0; i < 20; ++i) matrices.Add("q8", {TensorFormat::Q8, 0}, 1e-5);
  for (int i = 0; i < 20; ++i) matrices.Add("q4", kQ4, 0.01);
  for (int i = 0; i < 20; ++i) matrices.Add("float32", {TensorFormat::F32, 0}, 0);
  EXPECT_THAT(matrices.Notes(), IsEmpty());
}

TEST(OddMatrices, AreNotToldOfAmongFew) {
  OddMatrices matrices;
  for (int i = 0; i < 6; ++i) matrices.Add("usual", kQ4, 0.01);
  matrices.Add("odd", kQ4, 1);
  EXPECT_THAT(matrices.Notes(), IsEmpty());
}

}  // namespace
}  // namespace rondo::convert::odd_matrices_test
