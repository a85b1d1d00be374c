#include "tools/convert/calibrate/compensate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/convert/calibrate/block_search.h"
#include "tools/convert/calibrate/product.h"
#include "tools/convert/common/parallel.h"

namespace rondo::convert {
namespace {

constexpr size_t kRowGroup = 64;  // rows of a task

// Some rows on their way through the columns. Columns lie together: products want them so.
struct RowGroup {
  size_t begin, count;        // rows
  std::vector<float> errors;  // [cols, count]: w - q of the columns done

  float* column(size_t c) { return &errors[c * count]; }
};

// Step 1 of the header.
void RoundForward(std::span<const float> w, const Factor& factor, RowGroup& group, Q4BMatrix* q) {
  const size_t cols = q->cols, n = group.count;
  std::vector<float> targets(n * q->block);
  for (size_t begin = 0; begin < cols; begin += q->block) {
    const size_t width = std::min(q->block, cols - begin);
    // What the block's weights should be, after all columns before it.
    for (size_t r = 0; r < n; ++r) {
      std::copy_n(&w[(group.begin + r) * cols + begin], width, &targets[r * width]);
    }
    AddProduct(group.errors.data(), n, &factor.feedback[begin], cols, begin, n, width, 1.0f,
               targets.data(), width);
    for (size_t r = 0; r < n; ++r) {
      const size_t row = group.begin + r;
      RoundedBlock block;
      RoundBlock({&w[row * cols + begin], &targets[r * width], width, cols,
                  &factor.feedback[begin * cols + begin], &factor.variance[begin]},
                 &block);
      q->scales[row * q->blocks() + begin / q->block] = block.scale;
      for (size_t i = 0; i < width; ++i) {
        q->steps[row * cols + begin + i] = block.steps[i];
        group.column(begin + i)[r] = w[row * cols + begin + i] - q->value(row, begin + i);
      }
    }
  }
}

// Step 2 of the header. `gradient`, [count, cols], is H e, half the derivative of the rows' costs.
void Refine(std::span<const float> h, int sweeps, RowGroup& group, Q4BMatrix* q) {
  const size_t cols = q->cols, n = group.count;
  std::vector<float> gradient(n * cols);
  AddProduct(group.errors.data(), n, h.data(), cols, cols, n, cols, 1.0f, gradient.data(), cols);
  std::vector<float> moves(q->block * n);  // [block, count]: what was added to the weights
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool moved = false;
    for (size_t begin = 0; begin < cols; begin += q->block) {
      const size_t width = std::min(q->block, cols - begin);
      bool block_moved = false;
      for (size_t r = 0; r < n; ++r) {
        const size_t row = group.begin + r;
        std::array<float, kMaxBlock> change;
        block_moved |=
            ImproveBlock(&h[begin * cols + begin], cols, width, &gradient[r * cols + begin],
                         &q->steps[row * cols + begin],
                         &q->scales[row * q->blocks() + begin / q->block], change.data());
        for (size_t i = 0; i < width; ++i) moves[i * n + r] = change[i];
      }
      if (!block_moved) continue;
      moved = true;
      AddProduct(moves.data(), n, &h[begin * cols], cols, width, n, cols, -1.0f, gradient.data(),
                 cols);
    }
    if (!moved) break;
  }
}

}  // namespace

Q4BMatrix CompensatedQ4B(std::span<const float> w, size_t rows, size_t cols, size_t block,
                         std::span<const float> h, const Factor& factor, int sweeps,
                         size_t threads) {
  Q4BMatrix q(rows, cols, block);
  ParallelFor(threads, CeilDiv(rows, kRowGroup), [&](size_t i) {
    RowGroup group = {i * kRowGroup, std::min(kRowGroup, rows - i * kRowGroup), {}};
    group.errors.resize(cols * group.count);
    RoundForward(w, factor, group, &q);
    if (sweeps > 0) Refine(h, sweeps, group, &q);
  });
  return q;
}

double OutputError(std::span<const float> w, std::span<const float> q, size_t cols,
                   std::span<const float> h, size_t threads) {
  const size_t rows = w.size() / cols;
  std::vector<double> sums(CeilDiv(rows, kRowGroup));
  ParallelFor(threads, sums.size(), [&](size_t i) {
    const size_t begin = i * kRowGroup, n = std::min(kRowGroup, rows - begin);
    std::vector<float> errors(cols * n), products(n * cols);
    for (size_t r = 0; r < n; ++r) {
      for (size_t c = 0; c < cols; ++c) {
        errors[c * n + r] = w[(begin + r) * cols + c] - q[(begin + r) * cols + c];
      }
    }
    AddProduct(errors.data(), n, h.data(), cols, cols, n, cols, 1.0f, products.data(), cols);
    for (size_t r = 0; r < n; ++r) {
      for (size_t c = 0; c < cols; ++c) {
        sums[i] += double{errors[c * n + r]} * double{products[r * cols + c]};
      }
    }
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace rondo::convert
