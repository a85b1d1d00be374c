// What drafts, of a row's token and what the model made of the row before it: the draft head, one
// more layer of the model; and an assistant, a model of its own that reads the keys of another.
#include <algorithm>

#include "runtime/decoder/decoder.h"
#include "runtime/decoder/head.h"

namespace rondo {

void Decoder::MakeDraftInput(const Pass& pass, std::span<const float* const> before) {
  const size_t hidden = spec_.hidden_size;
  const DraftHeadWeights& head = weights_.draft_head();
  pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
    const PassRow& place = pass.row(r);
    float* const own = pass.ScratchFloats(thread);
    float* const previous = own + hidden;
    EmbedKey(pass, place, own);
    Normalize(pass.set(), head.embedding_norm, own, hidden, own);
    if (place.position > place.sequence->position) {
      KeepHidden(r - 1, previous);
    } else if (const float* kept = before[place.sequence - pass.sequences().data()];
               kept != nullptr) {
      std::copy_n(kept, hidden, previous);
    } else {
      std::fill_n(previous, hidden, 0.0f);
    }
    Normalize(pass.set(), head.hidden_norm, previous, hidden, previous);
    pass.RowInput(weights_.draft_input(), own, r, activations_.draft_input);
  });
}

void Decoder::EnterDraftHead(const Pass& pass) {
  pass.Linear(weights_.draft_input(), activations_.draft_input, pass.rows(), Pass::Into::kReplace,
              activations_.hidden, spec_.hidden_size);
}

// Nobody reads what comes behind the last sublayer that keeps something.
void Decoder::FollowWithDraftHead(const Pass& pass) {
  const ProfileSpan span(pass.profile(), "draft head", pass.rows());
  EnterDraftHead(pass);
  const size_t begin = spec_.layer_begin(spec_.n_layers());
  size_t end = spec_.sublayers.size();
  while (end > begin && !spec_.sublayers[end - 1].keeps_positions()) --end;
  RunSublayers(pass, begin, end);
}

void Decoder::RunDraftHead(const Pass& pass) {
  const ProfileSpan span(pass.profile(), "draft head", pass.rows());
  EnterDraftHead(pass);
  RunLayer(pass, spec_.n_layers());
}

void Decoder::EnterAssistant(const Pass& pass, const Decoder& model,
                             std::span<const float* const> before) {
  const size_t n = spec_.other_hidden_size;
  pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
    const PassRow& place = pass.row(r);
    float* const both = pass.ScratchFloats(thread);
    model.EmbedKey(pass, place, both);
    std::copy_n(before[r], n, both + n);
    pass.RowInput(weights_.draft_input(), both, r, activations_.draft_input);
    MakeRopeTables(pass, r, place.position + 1);
  });
  EnterDraftHead(pass);
}

void Decoder::KeepHidden(size_t row, float* out) const {
  NormedOr(*resources_.set, weights_.final_norm(), activations_.hidden + row * spec_.hidden_size,
           spec_.hidden_size, out);
}

const float* Decoder::DraftLogits(const Pass& pass, std::span<const size_t> rows, bool last) {
  return RunHead(pass, {weights_.draft_head().norm, weights_.draft_head().head}, rows, last);
}

void Decoder::KeepDraftHidden(const Pass& pass, size_t row, float* out) const {
  if (spec_.other_hidden_size > 0) {
    const float* const next =
        RunHead(pass, {weights_.draft_head().norm, weights_.draft_output()}, {&row, 1}, false);
    std::copy_n(next, spec_.other_hidden_size, out);
    return;
  }
  const float* const made = activations_.hidden + row * spec_.hidden_size;
  if (spec_.draft_chains_normed) {
    NormedOr(*resources_.set, weights_.draft_head().norm, made, spec_.hidden_size, out);
  } else {
    std::copy_n(made, spec_.hidden_size, out);
  }
}

}  // namespace rondo
