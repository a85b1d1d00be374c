#include "tools/eval/evaluation.h"

#include <algorithm>
#include <cmath>

#include "tools/common/interrupt.h"

namespace rondo::tools {
namespace {

// Positions that go through both models before they are compared: so many rows are remembered.
constexpr size_t kPiece = 32;

// Mean and standard error of numbers that come one by one.
struct Mean {
  double sum = 0;
  double squares = 0;
  uint64_t count = 0;

  void Add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
  double standard_error() const {
    const auto n = static_cast<double>(count);
    return std::sqrt(std::max(squares / n - mean() * mean(), 0.0) / n);
  }
};

Perplexity PerplexityOf(const Mean& nll) {
  const double perplexity = std::exp(nll.mean());
  return {nll.count, nll.mean(), perplexity, perplexity * nll.standard_error()};
}

// log(sum(exp(logits))), in double.
double LogSum(std::span<const float> logits) {
  const double max = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - max);
  return max + std::log(sum);
}

size_t MostLikely(std::span<const float> logits) {
  return static_cast<size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// What is summed up over all chunks.
struct Sums {
  Mean model_nll, reference_nll, kl;
  uint64_t same_top = 0;

  void Compare(std::span<const float> reference, double reference_log_sum,
               std::span<const float> model, double model_log_sum) {
    double sum = 0;
    for (size_t i = 0; i < model.size(); ++i) {
      const double log_p = reference[i] - reference_log_sum;
      sum += std::exp(log_p) * (log_p - (model[i] - model_log_sum));
    }
    kl.Add(sum);
    if (MostLikely(reference) == MostLikely(model)) ++same_top;
  }

  Evaluation evaluation(bool compared) const {
    Evaluation e;
    e.model = PerplexityOf(model_nll);
    if (!compared) return e;
    e.reference = PerplexityOf(reference_nll);
    e.divergence = {kl.count, kl.mean(), kl.standard_error(),
                    static_cast<double>(same_top) / static_cast<double>(kl.count)};
    return e;
  }
};

// One piece of a chunk on its way through the models.
struct Piece {
  std::span<const int32_t> chunk;
  size_t begin;  // position of the piece's first token
  bool compared;
  Sums* sums;
  std::vector<float> rows;  // the reference's logits, [piece, vocab]
  std::vector<double> log_sums;

  // Scores a prediction that counts; null where the position is none.
  void Score(size_t position, std::span<const float> logits, double log_sum, Mean* nll) const {
    if (position < chunk.size() / 2 || position + 1 >= chunk.size()) return;
    nll->Add(log_sum - logits[static_cast<size_t>(chunk[position + 1])]);
  }
  void ReferenceRow(size_t row, std::span<const float> logits) {
    const double log_sum = LogSum(logits);
    rows.insert(rows.end(), logits.begin(), logits.end());
    log_sums.push_back(log_sum);
    Score(begin + row, logits, log_sum, &sums->reference_nll);
  }
  void ModelRow(size_t row, std::span<const float> logits) const {
    const double log_sum = LogSum(logits);
    Score(begin + row, logits, log_sum, &sums->model_nll);
    if (!compared) return;
    sums->Compare(std::span(rows).subspan(row * logits.size(), logits.size()), log_sums[row],
                  logits, log_sum);
  }
};

}  // namespace

Chunks::Chunks(const std::vector<int32_t>& tokens, std::vector<int32_t> begin, uint32_t context)
    : tokens_(begin), begin_(std::move(begin)), context_(context) {
  if (context_ <= begin_.size() + 1) {
    throw Error("a chunk of " + std::to_string(context_) + " tokens has no room for a text: the " +
                "tokenizer begins each by " + std::to_string(begin_.size()));
  }
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  count_ = tokens_.size() / context_;
  if (count_ == 0) {
    throw Error("the text has " + std::to_string(tokens_.size()) + " tokens, but one chunk needs " +
                std::to_string(context_) + " (give a longer text or a smaller --context)");
  }
}

std::vector<int32_t> Chunks::operator[](uint64_t i) const {
  const auto first = tokens_.begin() + static_cast<ptrdiff_t>(i * context_);
  std::vector<int32_t> chunk(first, first + context_);
  std::ranges::copy(begin_, chunk.begin());
  return chunk;
}

Evaluation Evaluate(Session* model, Session* reference, const Chunks& chunks,
                    const EvalProgress& progress) {
  const bool compared = reference != nullptr;
  Sums sums;
  for (uint64_t i = 0; i < chunks.count(); ++i) {
    const std::vector<int32_t> chunk = chunks[i];
    model->Reset();
    if (compared) reference->Reset();
    for (size_t begin = 0; begin < chunk.size(); begin += kPiece) {
      const size_t n = std::min(kPiece, chunk.size() - begin);
      Piece piece = {chunk, begin, compared, &sums, {}, {}};
      const auto run = [&](Session* session, const auto& take) {
        const CancelOnSignal guard(session->get());
        session->PrefillLogits({&chunk[begin], n}, [&](size_t row, View<const float> logits) {
          take(row, std::span(logits.data(), logits.size()));
        });
      };
      if (compared)
        run(reference, [&](size_t row, auto logits) { piece.ReferenceRow(row, logits); });
      run(model, [&](size_t row, auto logits) { piece.ModelRow(row, logits); });
    }
    progress(i + 1, chunks.count(), sums.evaluation(compared));
  }
  return sums.evaluation(compared);
}

}  // namespace rondo::tools
