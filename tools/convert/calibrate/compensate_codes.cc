#include "tools/convert/calibrate/compensate_codes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tools/convert/calibrate/code_search.h"
#include "tools/convert/calibrate/product.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/output/codes.h"

namespace rondo::convert {
namespace {

constexpr size_t kCodesRowGroup = 32;  // rows of a task
constexpr size_t kForward = 4;         // scales of a row that are rounded forward
constexpr size_t kRefined = 2;         // of those, that are refined
constexpr float kWidest = 127;         // of the levels
constexpr uint8_t kNarrowest = LevelTables::kCount - 1;

// One way to round one row.
struct Candidate {
  size_t row;  // of the group
  float scale;
  double cost = 0;
  std::vector<int8_t> levels;
  std::vector<uint8_t> selectors;
};

// Some rows, and ways to round them. In matrices with a column for each candidate (or row), those
// of one input lie together: products want them so.
class CodesRowGroup {
 public:
  CodesRowGroup(std::span<const float> w, size_t begin, size_t rows, size_t cols,
                std::span<const float> h, const Factor& factor, const LevelTables& tables)
      : begin_(begin),
        rows_(rows),
        cols_(cols),
        h_(h),
        factor_(factor),
        tables_(tables),
        w_(rows * cols) {
    std::vector<float> importance(cols);
    for (size_t c = 0; c < cols; ++c) importance[c] = h[c * cols + c];
    for (size_t r = 0; r < rows; ++r) {
      const std::span<const float> row = w.subspan((begin + r) * cols, cols);
      AddCandidates(r, TryScales(row, importance, tables));
      // Near 1, so that squares stay within float's range; by a power of two, so that nothing else
      // changes.
      float extreme = 0;
      for (const float value : row) extreme = std::max(extreme, std::fabs(value));
      exponents_.push_back(extreme > 0 ? std::ilogb(extreme) : 0);
      for (size_t c = 0; c < cols; ++c) w_[r * cols + c] = std::ldexp(row[c], -exponents_[r]);
    }
    for (Candidate& candidate : candidates_) {
      candidate.scale = std::ldexp(candidate.scale, -exponents_[candidate.row]);
    }
  }

  // Step 2 of the header.
  void RoundForward() {
    const size_t n = candidates_.size();
    std::vector<float> errors(cols_ * n);  // [cols, n]: w - q of the columns done
    std::vector<float> feedback(kCodeBlock * n);
    for (size_t begin = 0; begin < cols_; begin += kCodeBlock) {
      const size_t width = std::min<size_t>(kCodeBlock, cols_ - begin);
      std::ranges::fill(feedback, 0.0f);
      AddProduct(&factor_.feedback[begin], cols_, errors.data(), n, begin, width, n, 1.0f,
                 feedback.data(), n);
      for (size_t k = 0; k < n; ++k) {
        Candidate& candidate = candidates_[k];
        const float* weights = &w_[candidate.row * cols_ + begin];
        float targets[kCodeBlock];
        for (size_t i = 0; i < width; ++i) targets[i] = weights[i] + feedback[i * n + k];
        CodedBlock block;
        candidate.cost += double{
            RoundToCodes({weights, targets, width, cols_, &factor_.feedback[begin * cols_ + begin],
                          &factor_.variance[begin], candidate.scale, &tables_},
                         &block)};
        Store(block, begin, width, &candidate);
        for (size_t i = 0; i < width; ++i) {
          errors[(begin + i) * n + k] =
              weights[i] - static_cast<float>(block.levels[i]) * candidate.scale;
        }
      }
    }
  }

  // Leaves the `count` best of each row.
  void KeepBest(size_t count) {
    std::vector<Candidate> kept;
    for (size_t r = 0; r < rows_; ++r) {
      std::vector<Candidate*> of_row;
      for (Candidate& candidate : candidates_) {
        if (candidate.row == r) of_row.push_back(&candidate);
      }
      std::ranges::stable_sort(of_row, {}, &Candidate::cost);
      of_row.resize(std::min(count, of_row.size()));
      for (Candidate* candidate : of_row) kept.push_back(std::move(*candidate));
    }
    candidates_ = std::move(kept);
  }

  // Step 3 of the header.
  void Refine(int sweeps) {
    const size_t n = candidates_.size();
    std::vector<float> rows(cols_ * rows_), errors(cols_ * n);  // [cols, ...]
    for (size_t c = 0; c < cols_; ++c) {
      for (size_t r = 0; r < rows_; ++r) rows[c * rows_ + r] = w_[r * cols_ + c];
      for (size_t k = 0; k < n; ++k) errors[c * n + k] = Error(candidates_[k], c);
    }
    // H w, and H e: half the derivative of the candidates' costs.
    std::vector<float> of_rows(cols_ * rows_), gradient(cols_ * n), moves(kCodeBlock * n);
    AddProduct(h_.data(), cols_, rows.data(), rows_, cols_, cols_, rows_, 1.0f, of_rows.data(),
               rows_);
    AddProduct(h_.data(), cols_, errors.data(), n, cols_, cols_, n, 1.0f, gradient.data(), n);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (size_t k = 0; k < n; ++k) FitScale(of_rows, k, gradient);
      for (size_t begin = 0; begin < cols_; begin += kCodeBlock) {
        if (!ImproveBlocks(begin, gradient, moves)) continue;
        const size_t width = std::min<size_t>(kCodeBlock, cols_ - begin);
        AddProduct(&h_[begin * cols_], cols_, moves.data(), n, width, cols_, n, -1.0f,
                   gradient.data(), n);
      }
    }
    for (size_t k = 0; k < n; ++k) {
      Candidate& candidate = candidates_[k];
      candidate.cost = 0;
      for (size_t c = 0; c < cols_; ++c) {
        candidate.cost += double{Error(candidate, c)} * double{gradient[c * n + k]};
      }
    }
  }

  // One candidate for each row is left.
  void Write(CodesMatrix* q) const {
    // What has no candidate is zeros, by its scale.
    std::fill_n(&q->selectors[begin_ * q->blocks()], rows_ * q->blocks(), kNarrowest);
    std::fill_n(&q->levels[begin_ * cols_], rows_ * cols_,
                static_cast<int8_t>(tables_.least[kNarrowest]));
    for (const Candidate& candidate : candidates_) {
      const size_t row = begin_ + candidate.row;
      q->scales[row] = std::ldexp(candidate.scale, exponents_[candidate.row]);
      std::ranges::copy(candidate.levels, &q->levels[row * cols_]);
      std::ranges::copy(candidate.selectors, &q->selectors[row * q->blocks()]);
    }
  }

 private:
  // Step 1 of the header. None where all that can be written is zeros.
  void AddCandidates(size_t row, const TriedScales& tried) {
    std::array<size_t, kScalesTried> order;
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return tried.costs[i]; });
    for (size_t i = 0; i < kForward; ++i) {
      const float scale = tried.scales[order[i]];
      if (scale == 0) break;
      candidates_.push_back({row, scale, 0, std::vector<int8_t>(cols_),
                             std::vector<uint8_t>(CeilDiv(cols_, size_t{kCodeBlock}))});
    }
  }

  float Error(const Candidate& candidate, size_t c) const {
    return w_[candidate.row * cols_ + c] -
           static_cast<float>(candidate.levels[c]) * candidate.scale;
  }

  static void Store(const CodedBlock& block, size_t begin, size_t width, Candidate* candidate) {
    candidate->selectors[begin / kCodeBlock] = block.selector;
    std::copy_n(block.levels, width, &candidate->levels[begin]);
  }

  // q becomes a q with the a for which e^T H e is least: w^T H q / q^T H q.
  void FitScale(const std::vector<float>& of_rows, size_t k, std::vector<float>& gradient) {
    const size_t n = candidates_.size();
    Candidate& candidate = candidates_[k];
    double along = 0, square = 0;
    for (size_t c = 0; c < cols_; ++c) {
      const double value = double{static_cast<float>(candidate.levels[c]) * candidate.scale};
      const double of_row = double{of_rows[c * rows_ + candidate.row]};
      along += value * of_row;
      square += value * (of_row - double{gradient[c * n + k]});
    }
    if (!(along > 0 && square > 0)) return;
    const auto factor = static_cast<float>(along / square);
    const float scale = candidate.scale * factor;
    const float written = std::ldexp(scale, exponents_[candidate.row]);
    if (!std::isnormal(written) || !std::isfinite(written * kWidest)) return;
    candidate.scale = scale;
    for (size_t c = 0; c < cols_; ++c) {
      float& slope = gradient[c * n + k];
      slope = factor * slope + (1 - factor) * of_rows[c * rows_ + candidate.row];
    }
  }

  // The blocks of all candidates that begin with this column. `moves`, [kCodeBlock, n]: what was
  // added to their weights. False where nothing was.
  bool ImproveBlocks(size_t begin, const std::vector<float>& gradient, std::vector<float>& moves) {
    const size_t n = candidates_.size();
    const size_t width = std::min<size_t>(kCodeBlock, cols_ - begin);
    std::ranges::fill(moves, 0.0f);
    bool moved = false;
    for (size_t k = 0; k < n; ++k) {
      Candidate& candidate = candidates_[k];
      CodedBlock block = {candidate.selectors[begin / kCodeBlock], {}};
      std::copy_n(&candidate.levels[begin], width, block.levels);
      float slope[kCodeBlock], change[kCodeBlock];
      for (size_t i = 0; i < width; ++i) slope[i] = gradient[(begin + i) * n + k];
      if (!ImproveCodes({&h_[begin * cols_ + begin], cols_, width,
                         &w_[candidate.row * cols_ + begin], slope, candidate.scale, &tables_},
                        &block, change)) {
        continue;
      }
      moved = true;
      Store(block, begin, width, &candidate);
      for (size_t i = 0; i < width; ++i) moves[i * n + k] = change[i];
    }
    return moved;
  }

  const size_t begin_, rows_, cols_;
  const std::span<const float> h_;
  const Factor& factor_;
  const LevelTables& tables_;
  std::vector<float> w_;  // [rows, cols]: each row divided by 2 to its exponent
  std::vector<int> exponents_;
  std::vector<Candidate> candidates_;  // in the order of their rows
};

}  // namespace

CodesMatrix CompensatedCodes(std::span<const float> w, size_t rows, size_t cols,
                             std::span<const float> h, const Factor& factor,
                             const LevelTables& tables, int sweeps, size_t threads) {
  CodesMatrix q(rows, cols, tables);
  ParallelFor(threads, CeilDiv(rows, kCodesRowGroup), [&](size_t i) {
    const size_t begin = i * kCodesRowGroup;
    CodesRowGroup group(w, begin, std::min(kCodesRowGroup, rows - begin), cols, h, factor, tables);
    group.RoundForward();
    if (sweeps > 0) {
      group.KeepBest(kRefined);
      group.Refine(sweeps);
    }
    group.KeepBest(1);
    group.Write(&q);
  });
  return q;
}

}  // namespace rondo::convert
