// Candidates are kept in order of id where nothing asks for a ranking; top_k and top_p take the
// best ones off a heap, so that a vocabulary is never sorted whole for the sake of forty tokens.
// Ranking is a total order and sums run in array order: no result hangs on the library's sorting.
#include "runtime/sampling/sampler.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/base/checked.h"
#include "runtime/base/portable_math.h"
#include "runtime/sampling/random_bits.h"

namespace rondo {

static_assert(std::is_trivially_copyable_v<Sampler>);
static_assert(std::is_trivially_copyable_v<LogitBias> && sizeof(LogitBias) == 8);

// `value` is the token's score up to top_k, then its weight, e^score, in [0, 1].
struct Sampler::Candidate {
  float value;
  int32_t id;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.value != b.value ? a.value < b.value : a.id > b.id;
  }
};

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// NaN fails the comparison.
float Sane(float score) {
  return score >= kNegativeInfinity ? std::min(score, FLT_MAX) : kNegativeInfinity;
}

// In lanes, which the compiler makes into vectors. What is no number is passed by.
float Largest(std::span<const float> logits) {
  constexpr size_t kLanes = 16;
  float lanes[kLanes];
  std::fill_n(lanes, kLanes, kNegativeInfinity);
  size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) lanes[l] = std::max(lanes[l], logits[i + l]);
  }
  for (; i < logits.size(); ++i) lanes[0] = std::max(lanes[0], logits[i]);
  return *std::max_element(lanes, lanes + kLanes);
}

int32_t ArgMax(std::span<const float> logits) {
  constexpr size_t kStretch = 1024;  // most hold none that is better
  float best = kNegativeInfinity;
  int32_t best_id = Sampler::kNoToken;
  for (size_t begin = 0; begin < logits.size(); begin += kStretch) {
    const size_t end = std::min(begin + kStretch, logits.size());
    if (!(Largest(logits.subspan(begin, end - begin)) > best)) continue;
    for (size_t i = begin; i < end; ++i) {
      const float logit = std::min(logits[i], FLT_MAX);
      if (logit > best) {
        best = logit;
        best_id = static_cast<int32_t>(i);
      }
    }
  }
  return best_id;
}

// The last tokens, `most` of them where so many are held, copied to the beginning of `room`.
std::span<int32_t> LastTokens(const SampledText& text, uint64_t most, std::span<int32_t> room) {
  const uint64_t count = std::min<uint64_t>(text.end() - text.begin(), most);
  for (uint64_t i = 0; i < count; ++i) room[i] = text[text.end() - count + i];
  return room.first(count);
}

// Brings the best `count` of `candidates` to its front, best first.
template <typename Candidate>
class Ranking {
 public:
  explicit Ranking(std::span<Candidate> candidates) : candidates_(candidates) {
    std::make_heap(candidates_.rbegin(), candidates_.rend());
  }
  // Ranks one more; returns it.
  const Candidate& Next() {
    std::pop_heap(candidates_.rbegin(), candidates_.rend() - static_cast<ptrdiff_t>(ranked_));
    return candidates_[ranked_++];
  }

 private:
  std::span<Candidate> candidates_;  // [0, ranked_) ranked; the rest a heap, seen from the end
  size_t ranked_ = 0;
};

template <typename Candidate>
double Sum(std::span<const Candidate> candidates) {
  double sum = 0;
  for (const Candidate& candidate : candidates) sum += candidate.value;
  return sum;
}

}  // namespace

size_t Sampler::Bytes() { return kMaxLogitBias * sizeof(LogitBias); }

size_t Sampler::ScratchBytes(uint32_t vocab_size) {
  const CheckedSize bytes = CheckedSize(vocab_size) * CheckedSize(sizeof(Candidate)) +
                            CheckedSize(kMaxPenaltyWindow * sizeof(int32_t));
  return bytes.valid() ? bytes.value() : SIZE_MAX;
}

Status Sampler::Init(const SamplerOptions& options, uint32_t vocab_size,
                     std::span<std::byte> memory) {
  RONDO_RETURN_IF_ERROR(ValidateSamplerOptions(options, vocab_size));
  if (memory.size() < Bytes()) {
    return Status::Error(StatusCode::kInternal, "a sampler was given %zu bytes of memory",
                         memory.size());
  }
  auto* biases = reinterpret_cast<LogitBias*>(memory.data());
  std::copy(options.logit_bias.begin(), options.logit_bias.end(), biases);
  options_ = options;
  options_.logit_bias = {biases, options.logit_bias.size()};
  return {};
}

int32_t Sampler::Sample(std::span<const float> logits, const SampledText& text,
                        std::span<std::byte> scratch) const {
  const bool greedy = options_.temperature == 0.0f;
  if (greedy && !HasAdjustments()) return ArgMax(logits);

  const std::span<Candidate> candidates(reinterpret_cast<Candidate*>(scratch.data()),
                                        logits.size());
  for (size_t i = 0; i < logits.size(); ++i) candidates[i] = {logits[i], static_cast<int32_t>(i)};
  for (const LogitBias& bias : options_.logit_bias) {
    candidates[static_cast<size_t>(bias.token)].value += bias.bias;
  }
  const std::span<std::byte> rest = scratch.subspan(logits.size() * sizeof(Candidate));
  const std::span<int32_t> room(reinterpret_cast<int32_t*>(rest.data()), kMaxPenaltyWindow);
  AddPenalties(candidates, text, room);
  if (options_.no_repeat_ngram_size > 0) {
    BlockNgrams(candidates, LastTokens(text, kMaxPenaltyWindow, room));
  }

  Candidate best = {kNegativeInfinity, kNoToken};
  for (Candidate& candidate : candidates) {
    candidate.value = Sane(candidate.value);
    if (candidate.value > best.value) best = candidate;
  }
  if (greedy || best.id == kNoToken) return best.id;
  return Draw(candidates, best.value, text.end());
}

bool Sampler::HasAdjustments() const {
  return !options_.logit_bias.empty() || options_.no_repeat_ngram_size > 0 ||
         options_.repetition_penalty != 1.0f || options_.presence_penalty != 0.0f ||
         options_.frequency_penalty != 0.0f;
}

void Sampler::AddPenalties(std::span<Candidate> candidates, const SampledText& text,
                           std::span<int32_t> room) const {
  const std::span<int32_t> window =
      LastTokens(text, static_cast<uint64_t>(options_.penalty_last_n), room);
  std::sort(window.begin(), window.end());
  for (auto run = window.begin(); run != window.end();) {
    const auto run_end = std::upper_bound(run, window.end(), *run);
    float& score = candidates[static_cast<size_t>(*run)].value;
    score =
        score > 0.0f ? score / options_.repetition_penalty : score * options_.repetition_penalty;
    score -=
        static_cast<float>(run_end - run) * options_.frequency_penalty + options_.presence_penalty;
    run = run_end;
  }
}

// The window is bounded, and so is the time, however long the text.
void Sampler::BlockNgrams(std::span<Candidate> candidates, std::span<const int32_t> window) const {
  const size_t before = options_.no_repeat_ngram_size - 1;  // tokens of an n-gram but its last
  if (window.size() < before) return;
  const std::span<const int32_t> last = window.last(before);
  for (size_t i = before; i < window.size(); ++i) {
    if (std::equal(last.begin(), last.end(), window.begin() + static_cast<ptrdiff_t>(i - before))) {
      candidates[static_cast<size_t>(window[i])].value = kNegativeInfinity;
    }
  }
}

int32_t Sampler::Draw(std::span<Candidate> candidates, float max, uint64_t position) const {
  for (Candidate& candidate : candidates) {
    candidate.value = (candidate.value - max) / options_.temperature;
  }
  const auto top_k = static_cast<size_t>(options_.top_k);
  const bool ranked = top_k > 0 && top_k < candidates.size();
  if (ranked) {
    Ranking<Candidate> ranking(candidates);
    for (size_t i = 0; i < top_k; ++i) ranking.Next();
    candidates = candidates.first(top_k);
  }
  for (Candidate& candidate : candidates) candidate.value = PortableExp(candidate.value);

  if (options_.top_p < 1.0f) {
    const double enough = options_.top_p * Sum<Candidate>(candidates);
    double sum = 0;
    size_t kept = 0;
    if (ranked) {
      while (kept < candidates.size() && sum < enough) sum += candidates[kept++].value;
    } else {
      Ranking<Candidate> ranking(candidates);
      for (; kept < candidates.size() && sum < enough; ++kept) sum += ranking.Next().value;
    }
    candidates = candidates.first(kept);
  }
  if (options_.min_p > 0.0f) {
    const auto end = std::remove_if(candidates.begin(), candidates.end(),
                                    [&](const Candidate& c) { return c.value < options_.min_p; });
    candidates = candidates.first(static_cast<size_t>(end - candidates.begin()));
  }

  const double target = RandomUnit(options_.seed, position) * Sum<Candidate>(candidates);
  double sum = 0;
  for (const Candidate& candidate : candidates) {
    sum += candidate.value;
    if (sum > target) return candidate.id;
  }
  return kNoToken;  // not reached: the sum ends at the same total, which is more than the target
}

}  // namespace rondo
