#include "runtime/decoder/recurrent.h"

#include "runtime/model/operators/recurrent.h"

namespace rondo {

void RecurrentOperator::Widen(const Sublayer& sublayer, const ContextWindow& /*window*/,
                              Activations* act) const {
  act->state_input.Widen(sublayer.matrix(RecurrentMatrix::kInput));
  act->gates_input.Widen(sublayer.matrix(RecurrentMatrix::kGates));
  act->qkv.Widen(spec_.input_size());
  act->gates.Widen(2 * spec_.n_heads);
  act->convolved.Widen(spec_.conv_size());
  act->mixed.Widen(spec_.inner_size());
  act->o_input.Widen(sublayer.matrix(RecurrentMatrix::kOutput));
}

void RecurrentOperator::MakeInput(const Pass& pass, const Sublayer& sublayer) const {
  const RowNorm& norm = sublayer.weights.norm;
  Activations& act = pass.act();
  pass.NormInput(sublayer.matrix(RecurrentMatrix::kInput), norm, act.state_input);
  pass.NormInput(sublayer.matrix(RecurrentMatrix::kGates), norm, act.gates_input);
}

void Recurrence::Project() const {
  Activations& act = pass_.act();
  pass_.Linear(sublayer_.matrix(RecurrentMatrix::kInput), act.state_input, pass_.rows(),
               Pass::Into::kReplace, act.qkv, spec_.input_size());
  pass_.Linear(sublayer_.matrix(RecurrentMatrix::kGates), act.gates_input, pass_.rows(),
               Pass::Into::kReplace, act.gates, 2 * spec_.n_heads);
}

size_t Recurrence::KeptRows() const {
  size_t rows = 0;
  for (const SequenceRows& sequence : pass_.sequences()) rows += KeptOf(sequence);
  return rows;
}

Recurrence::RowsOf Recurrence::Rows(const SequenceRows& sequence) const {
  RowsOf rows = {&sequence, 0, pass_.rows(), KeptOf(sequence)};
  for (const SequenceRows* s = pass_.sequences().data(); s != &sequence; ++s) {
    rows.first += s->keys.size();
    rows.first_kept += KeptOf(*s);
  }
  return rows;
}

Recurrence::RowsOf Recurrence::RowsWithKept(size_t r) const {
  const SequenceRows* sequence = pass_.sequences().data();
  size_t first = pass_.rows();
  while (r >= first + KeptOf(*sequence)) first += KeptOf(*sequence++);
  return Rows(*sequence);
}

void Recurrence::MakeRow(size_t r, float* scratch, float* out) const {
  if (r < pass_.rows()) {
    const PassRow& row = pass_.row(r);
    const SequenceRows& sequence = *row.sequence;
    const RowsOf rows = Rows(sequence);
    Convolve(rows, row.position, scratch, out);
    if (sequence.dropped() || row.position < sequence.kv->next_state_end()) return;
    float* kept = sequence.kv->KeepRow(sublayer_.spec.kv_entry, row.position);
    kept = std::copy_n(Raw(rows, row.position), spec_.conv_size(), kept);
    std::copy_n(this->row(r).gates, 2 * spec_.n_heads, kept);
    return;
  }
  const RowsOf rows = RowsWithKept(r);
  const BlockTable& kv = *rows.sequence->kv;
  const uint64_t position = kv.state_end() + (r - rows.first_kept);
  Convolve(rows, position, scratch, out);
  std::copy_n(kv.KeptRow(sublayer_.spec.kv_entry, position) + spec_.conv_size(), 2 * spec_.n_heads,
              row(r).gates);
}

const float* Recurrence::Raw(const RowsOf& rows, uint64_t position) const {
  const SequenceRows& sequence = *rows.sequence;
  if (position >= sequence.position) {
    const size_t r = rows.first + (position - sequence.position);
    return pass_.act().qkv + r * spec_.input_size() + spec_.conv_at();
  }
  const uint64_t state_end = sequence.kv->state_end();
  if (position >= state_end) return sequence.kv->KeptRow(sublayer_.spec.kv_entry, position);
  return StateBefore(sequence) + (position + (spec_.taps - 1) - state_end) * spec_.conv_size();
}

void Recurrence::Convolve(const RowsOf& rows, uint64_t position, float* scratch, float* out) const {
  const size_t n = spec_.conv_size();
  if (vectors_.bias != nullptr) {
    std::copy_n(vectors_.bias, n, out);
  } else {
    std::fill_n(out, n, 0.0f);
  }
  for (size_t t = 0; t < spec_.taps && !rows.sequence->dropped(); ++t) {
    const uint64_t back = spec_.taps - 1 - t;
    if (back > position) continue;  // before the text there is nothing
    pass_.set().loops->multiply_add(out, vectors_.kernel + t * n, Raw(rows, position - back), n);
  }
  Activate(pass_.set(), Activation::kSilu, out, n, scratch, out);
}

void Recurrence::KeepTails(const RowsOf& rows) const {
  const SequenceRows& sequence = *rows.sequence;
  const size_t n = spec_.conv_size(), kept = spec_.taps - 1;
  const uint64_t begin = sequence.position, end = begin + sequence.keys.size();
  for (uint64_t at = begin; at < end;) {
    const uint64_t next = std::min(end, (ContextWindow::Block(at) + 1) * kKvBlockTokens);
    const uint64_t behind = next == end ? sequence.kv->next_state_end() : next;
    float* tail = StateBehind(sequence, at);
    for (size_t i = 0; i < kept; ++i) {  // position behind - kept + i
      const uint64_t back = kept - i;
      if (back > behind) {
        std::fill_n(tail + i * n, n, 0.0f);
      } else {
        std::copy_n(Raw(rows, behind - back), n, tail + i * n);
      }
    }
    at = next;
  }
}

float* Recurrence::Continue(const SequenceRows& sequence, uint64_t position, size_t offset,
                            const float* state) const {
  float* next = StateBehind(sequence, position) + offset;
  if (position == 0) {
    std::fill_n(next, spec_.tile_floats(), 0.0f);
  } else if (next != state) {
    const float* before = state != nullptr ? state : StateBefore(sequence) + offset;
    std::copy_n(before, spec_.tile_floats(), next);
  }
  return next;
}

void Recurrence::Finish() const {
  const PackedLinear& out_proj = sublayer_.matrix(RecurrentMatrix::kOutput);
  const size_t n = spec_.inner_size();
  Activations& act = pass_.act();
  pass_.pool().For(pass_.rows(), [&](size_t r, size_t thread) {
    float* out = act.mixed + r * n;
    const float* gate = act.qkv + r * spec_.input_size() + spec_.gate_at();
    if (spec_.gate_after_norm) Normalize(pass_.set(), vectors_.norm, out, n, out);
    ActivateGate(pass_.set(), Activation::kSilu, gate, out, n, pass_.ScratchFloats(thread), out);
    if (!spec_.gate_after_norm) Normalize(pass_.set(), vectors_.norm, out, n, out);
    pass_.RowInput(out_proj, out, r, act.o_input);
  });
  pass_.AddToResidual(sublayer_, out_proj, act.o_input);
}

}  // namespace rondo
