// What drafts, of a row's token and what the model made of the row before it: the draft head, one
// more layer of the model; and an assistant, a model of its own that reads the keys of another.
#include <algorithm>

#include "runtime/decoder/decoder.h"
#include "runtime/decoder/head.h"

namespace rondo {

// The head's rows that follow others of a pass read what the text's pass left of these.
void Decoder::EmbedDrafts(const Pass& pass) {
  const Decoder& model = assisted_ != nullptr ? *assisted_ : *this;
  const uint64_t ahead = assisted_ != nullptr ? 1 : 0;
  const size_t n = spec_.draft_input_size() / 2;
  const DraftHeadWeights& head = weights_.draft_head();
  pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
    const PassRow& place = pass.row(r);
    const SequenceRows& sequence = *place.sequence;
    float* const own = pass.ScratchFloats(thread);
    float* const previous = own + n;
    std::fill_n(own, 2 * n, 0.0f);
    if (!sequence.dropped()) {
      MakeRopeTables(pass, r, place.position + ahead);
      model.EmbedKey(pass, place, own);
      if (place.position > sequence.position) {
        NormedOr(pass.set(), weights_.final_norm(), activations_.hidden + (r - 1) * n, n, previous);
      } else if (sequence.before != nullptr) {
        std::copy_n(sequence.before, n, previous);
      }
      if (spec_.has_draft_head) {
        Normalize(pass.set(), head.embedding_norm, own, n, own);
        Normalize(pass.set(), head.hidden_norm, previous, n, previous);
      }
    }
    pass.RowInput(weights_.draft_input(), own, r, activations_.draft_input);
  });
  pass.Linear(weights_.draft_input(), activations_.draft_input, pass.rows(), Pass::Into::kReplace,
              activations_.hidden, spec_.hidden_size);
}

void Decoder::KeepHidden(const Pass& pass, size_t row, float* out) const {
  const bool drafts = pass.part() == PassPart::kDrafts;
  const DraftHeadWeights& head = weights_.draft_head();
  const float* const made = activations_.hidden + row * spec_.hidden_size;
  if (drafts && spec_.other_hidden_size > 0) {
    const float* const next = RunHead(pass, {head.norm, weights_.draft_output()}, {&row, 1}, false);
    std::copy_n(next, spec_.other_hidden_size, out);
  } else if (drafts && !spec_.draft_chains_normed) {
    std::copy_n(made, spec_.hidden_size, out);
  } else {
    NormedOr(*resources_.set, drafts ? head.norm : weights_.final_norm(), made, spec_.hidden_size,
             out);
  }
}

}  // namespace rondo
