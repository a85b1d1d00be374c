// The linear algebra of calibration against its definitions.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/convert/calibrate/random_matrix.h"
#include "tools/convert/calibrate/correct.h"
#include "tools/convert/calibrate/factor.h"
#include "tools/convert/calibrate/moments.h"
#include "tools/convert/calibrate/product.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/common/parallel.h"

namespace rondo::convert {
namespace {

std::vector<float> SquareOf(const std::vector<float>& rows, size_t n) {
  Moments moments(n, 1);
  moments.Add(rows, {});
  moments.Finish();
  return {moments.square().begin(), moments.square().end()};
}

TEST(AddProduct, IsTheProductWhateverTheTile) {
  for (const size_t n : {1u, 31u, 32u, 70u}) {
    for (const size_t m : {1u, 4u, 9u}) {
      const size_t depth = 300;
      const std::vector<float> a = NormalMatrix(depth, m, 1), b = NormalMatrix(depth, n, 2);
      std::vector<float> c(m * n, 1.0f);
      AddProduct(a.data(), m, b.data(), n, depth, m, n, -1.0f, c.data(), n);
      for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
          double exact = 1;
          for (size_t d = 0; d < depth; ++d) exact -= double{a[d * m + i]} * double{b[d * n + j]};
          ASSERT_NEAR(c[i * n + j], exact, 1e-4) << m << " " << n;
          float alone = 1.0f;
          AddProduct(&a[i], m, &b[j], n, depth, 1, 1, -1.0f, &alone, 1);
          ASSERT_EQ(c[i * n + j], alone);
        }
      }
    }
  }
}

TEST(Factorize, SplitsTheCostOfErrorsByColumns) {
  for (const size_t n : {1u, 5u, 64u, 150u}) {
    const std::vector<float> h = SquareOf(CorrelatedRows(3 * n + 2, n, 4), n);
    const Factor factor = Factorize(h, n, 2);
    const std::vector<float> e = NormalMatrix(1, n, 8);
    double exact = 0, by_columns = 0;
    for (size_t j = 0; j < n; ++j) {
      double sum = e[j];
      for (size_t i = 0; i < n; ++i) {
        exact += double{e[i]} * double{h[i * n + j]} * double{e[j]};
        sum += double{e[i]} * double{factor.feedback[i * n + j]};
        if (i >= j) {
          EXPECT_EQ(factor.feedback[i * n + j], 0.0f);
        }
      }
      by_columns += double{factor.variance[j]} * sum * sum;
    }
    EXPECT_NEAR(by_columns / exact, 1, 1e-4) << n;
  }
}

TEST(Factorize, RefusesWhatIsNotPositiveDefinite) {
  std::vector<float> h = Identity(70);
  h[69 * 70 + 69] = -1;
  EXPECT_THROW(Factorize(h, 70, 1), Error);
  h[69 * 70 + 69] = std::nanf("");
  EXPECT_THROW(Factorize(h, 70, 1), Error);
}

TEST(Moments, AreMeansOverTheRows) {
  const size_t n = 70, rows = 90;
  const std::vector<float> y = NormalMatrix(rows, n, 1), x = NormalMatrix(rows, n, 2);
  Moments moments(n, 1), threaded(n, 3);
  for (Moments* m : {&moments, &threaded}) {
    m->Add({y.data(), 40 * n}, {x.data(), 40 * n});
    m->Add({y.data() + 40 * n, 50 * n}, {x.data() + 40 * n, 50 * n});
    m->Finish();
  }
  double trace = 0;
  for (const float value : y) trace += double{value} * double{value} / rows;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double square = i == j ? 0.01 * trace / n : 0, drift = 0;
      for (size_t r = 0; r < rows; ++r) {
        square += double{y[r * n + i]} * double{y[r * n + j]} / rows;
        drift += (double{x[r * n + i]} - double{y[r * n + i]}) * double{y[r * n + j]} / rows;
      }
      ASSERT_NEAR(moments.square()[i * n + j], square, 1e-4);
      ASSERT_NEAR(moments.drift()[i * n + j], drift, 1e-4);
      ASSERT_EQ(moments.square()[i * n + j], threaded.square()[i * n + j]);
      ASSERT_EQ(moments.drift()[i * n + j], threaded.drift()[i * n + j]);
    }
  }
}

TEST(Moments, RowsWithoutPairsGiveNoDrift) {
  const std::vector<float> y = NormalMatrix(4, 8, 1), x = NormalMatrix(4, 8, 2);
  Moments moments(8, 1);
  moments.Add(y, x);
  moments.Add(y, {});
  moments.Finish();
  for (const float value : moments.drift()) EXPECT_EQ(value, 0.0f);
}

TEST(Moments, OfNothingAreTheIdentity) {
  Moments moments(8, 1);
  moments.Add({}, {});
  moments.Finish();
  EXPECT_TRUE(std::ranges::equal(moments.square(), Identity(8)));
}

TEST(CorrectedWeights, MakeUpForWhatTheInputsBecame) {
  const size_t n = 70, rows = 66, samples = 400;
  const std::vector<float> x = CorrelatedRows(samples, n, 1);
  // What is left of x: some directions weaker, and noise.
  std::vector<float> y = NormalMatrix(samples, n, 5);
  for (size_t i = 0; i < y.size(); ++i) y[i] = 0.1f * y[i] + (0.6f + 0.4f * (i % 3 == 0)) * x[i];
  Moments moments(n, 1);
  moments.Add(y, x);
  moments.Finish();
  const Factor factor = Factorize(moments.square(), n, 1);
  const std::vector<float> w = NormalMatrix(rows, n, 9);
  const std::vector<float> corrected = CorrectedWeights(w, rows, moments.drift(), factor, 1);
  EXPECT_EQ(corrected, CorrectedWeights(w, rows, moments.drift(), factor, 3));

  const auto missed = [&](const std::vector<float>& weights) {
    double sum = 0;
    for (size_t s = 0; s < samples; ++s) {
      for (size_t r = 0; r < rows; ++r) {
        double difference = 0;
        for (size_t c = 0; c < n; ++c) {
          difference += double{w[r * n + c]} * double{x[s * n + c]} -
                        double{weights[r * n + c]} * double{y[s * n + c]};
        }
        sum += difference * difference;
      }
    }
    return sum;
  };
  EXPECT_LT(missed(corrected), 0.3 * missed(w));
  // (corrected - w) * square is a multiple of w * drift, the same for all.
  double along = 0, squares = 0, rest = 0;
  for (const int pass : {0, 1}) {
    for (size_t r = 0; r < rows; ++r) {
      for (size_t j = 0; j < n; ++j) {
        double left = 0, right = 0;
        for (size_t k = 0; k < n; ++k) {
          left += (double{corrected[r * n + k]} - double{w[r * n + k]}) *
                  double{moments.square()[k * n + j]};
          right += double{w[r * n + k]} * double{moments.drift()[k * n + j]};
        }
        if (pass == 0) {
          along += left * right;
          squares += right * right;
        } else {
          rest += std::pow(left - along / squares * right, 2);
        }
      }
    }
  }
  EXPECT_NEAR(along / squares, 0.75, 1e-3);
  EXPECT_LT(rest, 1e-5 * squares);
}

TEST(ParallelFor, RunsEachTaskOnceAndThrowsWhatOneThrew) {
  std::vector<int> ran(100);
  ParallelFor(3, ran.size(), [&](size_t i) { ++ran[i]; });
  EXPECT_EQ(ran, std::vector<int>(100, 1));
  EXPECT_THROW(ParallelFor(3, 100,
                           [](size_t i) {
                             if (i == 50) throw Error("no");
                           }),
               Error);
}

}  // namespace
}  // namespace rondo::convert
