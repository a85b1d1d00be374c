#include "tools/eval/perplexity.h"

#include <algorithm>
#include <cmath>

#include "tools/common/library.h"

namespace rondo::tools {
namespace {

// -log softmax(logits)[token], in double.
double NegativeLogLikelihood(std::span<const float> logits, int32_t token) {
  const double max = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - max);
  return max + std::log(sum) - logits[static_cast<size_t>(token)];
}

struct Score {
  std::span<const int32_t> chunk;
  size_t first;  // position of the first prediction that counts
  double sum = 0;
  double sum_of_squares = 0;
  uint64_t count = 0;

  static void Row(void* self, size_t position, const float* logits, size_t size) {
    auto* score = static_cast<Score*>(self);
    if (position < score->first || position + 1 >= score->chunk.size()) return;
    const double nll = NegativeLogLikelihood({logits, size}, score->chunk[position + 1]);
    score->sum += nll;
    score->sum_of_squares += nll * nll;
    ++score->count;
  }
};

}  // namespace

Perplexity MeasurePerplexity(rondo_session* session, std::span<const int32_t> tokens, int32_t bos,
                             uint32_t context, const EvalProgress& progress) {
  const uint64_t chunks = tokens.size() / context;
  if (chunks == 0) {
    throw Error("the text has " + std::to_string(tokens.size()) + " tokens; one chunk needs " +
                std::to_string(context) + " (give a longer text or a smaller --context)");
  }
  std::vector<int32_t> chunk(context);
  Score score = {chunk, context / 2};
  for (uint64_t i = 0; i < chunks; ++i) {
    std::copy_n(tokens.begin() + static_cast<ptrdiff_t>(i * context), context, chunk.begin());
    chunk[0] = bos;
    Check(session, rondo_session_reset(session));
    Check(session,
          rondo_session_prefill_logits(session, chunk.data(), chunk.size(), Score::Row, &score));
    progress(i + 1, chunks, std::exp(score.sum / static_cast<double>(score.count)));
  }
  Perplexity result;
  const auto n = static_cast<double>(score.count);
  result.chunks = chunks;
  result.tokens = score.count;
  result.mean_nll = score.sum / n;
  result.perplexity = std::exp(result.mean_nll);
  const double variance = score.sum_of_squares / n - result.mean_nll * result.mean_nll;
  result.standard_error = result.perplexity * std::sqrt(std::max(variance, 0.0) / n);
  return result;
}

}  // namespace rondo::tools
