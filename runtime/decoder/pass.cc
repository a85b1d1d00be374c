#include "runtime/decoder/pass.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/decoder/adapter.h"

namespace rondo {

namespace {

constexpr size_t kTasksPerThread = 8;  // enough to keep all threads busy

// Of each of `products` products of this shape.
size_t Tasks(const LinearShape& shape, const KernelSet& set, size_t products, size_t threads) {
  const size_t nr = shape.TileChannels(set), tiles = CeilDiv(shape.n, nr);
  const size_t most = std::min(kMaxTaskBytes / shape.WorkingTileBytes(set), kMaxTaskChannels / nr);
  const size_t tasks = std::max(CeilDiv(threads * kTasksPerThread, products),
                                CeilDiv(tiles, std::max<size_t>(most, 1)));
  return std::min(tiles, RoundUp(tasks, threads));
}

}  // namespace

Pass::Pass(const PassResources& resources, std::span<const SequenceRows> sequences, PassPart part)
    : resources_(resources), sequences_(sequences), part_(part) {
  for (const SequenceRows& sequence : sequences) {
    adapted_ = adapted_ || sequence.adapter != nullptr;
    for (size_t i = 0; i < sequence.keys.size(); ++i) {
      // The keys of one that was dropped are its caller's again.
      const InputKey key = sequence.dropped() ? InputKey(0) : sequence.keys[i];
      act().rows[rows_++] = {&sequence, sequence.position + i, key, VisibleEnd(sequence, i, key),
                             InputStore::kNowhere};
      has_ends_ = has_ends_ || key.is_row() || sequence.position < sequence.visible_end;
      if (key.is_row()) act().rows[rows_ - 1].place = PlaceOf(sequence, i);
    }
  }
}

uint32_t Pass::PlaceOf(const SequenceRows& sequence, size_t i) const {
  const InputKey key = sequence.keys[i];
  const bool follows =
      i > 0 && key.row() > 0 && sequence.keys[i - 1] == InputKey(key.input(), key.row() - 1);
  return inputs().PlaceOf(key, follows ? row(rows_ - 2).place : InputStore::kNowhere);
}

// All rows of a prefix, or of an input whose rows see each other, are in one pass.
uint64_t Pass::VisibleEnd(const SequenceRows& sequence, size_t i, InputKey key) const {
  const uint64_t position = sequence.position + i;
  if (position < sequence.visible_end) return sequence.visible_end;
  if (!key.is_row() || !inputs().facts(key.input()).sees_whole) return position + 1;
  const uint64_t end = position - key.row() + inputs().facts(key.input()).rows;
  return std::min(end, sequence.position + sequence.keys.size());
}

RopePlace Pass::CoordinatesOf(const PassRow& row, uint64_t position) const {
  const uint64_t coordinate = position + static_cast<uint64_t>(row.shift());
  RopePlace place = {coordinate, coordinate, coordinate};
  if (!row.key.is_row() || position != row.position) return place;
  const uint64_t begin = coordinate - row.key.row();
  const int32_t* const own = inputs().Coordinates(row.place);
  for (size_t i = 0; i < place.size(); ++i) place[i] = begin + static_cast<uint64_t>(own[i]);
  return place;
}

// All that is kept of a row from layer to layer.
void Pass::MoveRow(size_t from, size_t to) {
  const auto move = [&](float* rows, size_t n) {
    if (rows != nullptr) std::copy_n(rows + from * n, n, rows + to * n);
  };
  Activations& a = act();
  a.rows[to] = a.rows[from];
  move(a.hidden, spec().hidden_size);
  move(a.layer_embeddings, spec().n_layers() * spec().layer_embedding_size);
  move(a.streams, spec().alt_up.n_streams * spec().hidden_size);
  size_t table = 0;
  for (const RopeSpec& rope : spec().ropes) {
    move(a.rope + table, rope.dim);
    if (a.sink_rope != nullptr) move(a.sink_rope + table, rope.dim);
    table += max_rows() * rope.dim;
  }
}

void Pass::EndUnwanted() {
  if (ended_) return;
  ended_ = true;
  size_t from = 0, to = 0;
  for (const SequenceRows& sequence : sequences_) {
    const size_t end = std::min(from + sequence.keys.size(), rows_);
    for (from += sequence.first_wanted; from < end; ++from, ++to) {
      if (from != to) MoveRow(from, to);
    }
    from = end;
  }
  rows_ = to;
}

void Pass::TrimDropped() {
  size_t end = 0;
  for (const SequenceRows& sequence : sequences_) {
    end += rows_of(sequence);
    if (!sequence.dropped()) rows_ = end;
  }
}

bool Pass::Cancelled() const {
  return std::all_of(sequences_.begin(), sequences_.end(),
                     [](const SequenceRows& sequence) { return sequence.cancelled(); });
}

void Pass::NormInput(const PackedLinear& linear, const RowNorm& norm, const InputRows& in,
                     const Range* held) const {
  const ProfileSpan span(profile(), "norm", rows_);
  const size_t n = spec().hidden_size;
  pool().For(rows_, [&](size_t r, size_t thread) {
    const float* row = act().hidden + r * n;
    if (norm.kind != NormKind::kNone) {
      float* normed = ScratchFloats(thread);
      Normalize(set(), norm, row, n, normed);
      row = normed;
    }
    if (held != nullptr) {
      float* clipped = ScratchFloats(thread);
      set().loops->clamp(row, held->least, held->most, n, clipped);
      row = clipped;
    }
    RowInput(linear, row, r, in);
  });
}

void Pass::RowInput(const PackedLinear& linear, const float* row, size_t r,
                    const InputRows& in) const {
  const size_t n = linear.inputs;
  if (linear.shape.float_rows()) {
    std::memcpy(in.rows + r * in.stride, row, n * sizeof(float));
  } else {
    auto* const rows = reinterpret_cast<int8_t*>(in.rows.data);
    in.quant[r] = QuantizeRow(set(), row, n, in.stride, r, rows);
    if (linear.fine_rows) {
      in.rest_quants()[r] =
          QuantizeRest(set(), row, n, in.stride, r, rows, in.quant[r], in.rest_rows());
    }
  }
  if (const AdapterMatrix* added = Added(r, linear); added != nullptr) {
    MakeLow(set(), *this->row(r).sequence->adapter, *added, row, in.low + r * in.low.columns);
  }
}

// A matrix that has one is multiplied by the rows of a pass in their places (IsAdaptable); an
// expert's rows have others, and may be more.
const AdapterMatrix* Pass::Added(size_t r, const PackedLinear& linear) const {
  if (!adapted_ || r >= rows_) return nullptr;
  const AdapterFile* const adapter = row(r).sequence->adapter;
  return adapter == nullptr ? nullptr : adapter->Find(linear.tensor);
}

void Pass::AddAdapters(const PackedLinear& linear, const InputRows& in, size_t rows, size_t begin,
                       size_t end, float* out, size_t out_stride) const {
  for (size_t r = 0; adapted_ && r < rows;) {
    const AdapterFile* const adapter = row(r).sequence->adapter;
    const size_t first = r++;
    while (r < rows && row(r).sequence->adapter == adapter) ++r;
    const AdapterMatrix* const added = Added(first, linear);
    if (added == nullptr) continue;
    AddUp(set(), *adapter, *added, {in.low + first * in.low.columns, in.low.columns, r - first},
          begin, end, out + first * out_stride, out_stride);
  }
}

void Pass::Multiply(std::span<const Product> products, const InputRows& in, Into into,
                    size_t out_stride, bool last) const {
  const size_t n = products.front().linear->shape.n, threads = pool().threads();
  size_t tasks = 1, rows = 0;  // tasks of each
  for (const Product& product : products) {
    tasks = std::max(tasks, Tasks(product.linear->shape, set(), products.size(), threads));
    rows = std::max(rows, product.rows);
  }
  const ProfileSpan span(profile(), "product", rows, products.front().linear->inputs,
                         products.size() * n);
  pool().For(
      products.size() * tasks,
      [&](size_t i, size_t thread) {
        const Product& product = products[i / tasks];
        const PackedLinear& linear = *product.linear;
        const size_t nr = linear.shape.TileChannels(set()), first = product.begin / nr;
        const size_t tiles = CeilDiv(std::min(n, product.end), nr) - first;
        const size_t begin = (first + i % tasks * tiles / tasks) * nr;
        const size_t end = std::min(n, (first + (i % tasks + 1) * tiles / tasks) * nr);
        if (begin == end) return;  // another one's tiles are smaller
        const size_t rows = product.rows;
        const InputRows its = in.Below(product.first_row);
        float* out = product.out + begin;
        if (Cancelled()) {
          for (size_t r = 0; into == Into::kReplace && r < rows; ++r) {
            std::fill_n(out + r * out_stride, end - begin, 0.0f);
          }
          return;
        }
        const auto make = [&](const LinearInput& input, float* to, size_t stride) {
          RunLinear(set(), linear, input, rows, begin, end, to, stride, Expansion(thread));
        };
        float* const sum = ScratchFloats(thread);
        const auto add_sum = [&] {
          for (size_t r = 0; r < rows; ++r) {
            set().loops->add(out + r * out_stride, sum + r * (end - begin), end - begin);
          }
        };
        if (into == Into::kReplace && product.held != nullptr) {
          make(its.linear(), sum, end - begin);
          const size_t from = std::max(begin, product.begin), to = std::min(end, product.end);
          for (size_t r = 0; r < rows; ++r) {
            set().loops->clamp(sum + r * (end - begin) + from - begin, product.held->least,
                               product.held->most, to - from, product.out + r * out_stride + from);
          }
        } else if (into == Into::kReplace) {
          make(its.linear(), out, out_stride);
          AddAdapters(linear, in, rows, begin, end, out, out_stride);
        } else {
          make(its.linear(), sum, end - begin);
          AddAdapters(linear, in, rows, begin, end, sum, end - begin);
          if (product.held != nullptr) {
            set().loops->clamp(sum, product.held->least, product.held->most, rows * (end - begin),
                               sum);
          }
          add_sum();
        }
        if (!linear.fine_rows) return;
        make(its.finer(), sum, end - begin);
        add_sum();
      },
      last);
}

void Pass::AddToResidual(const Sublayer& sublayer, const PackedLinear& linear, const InputRows& in,
                         const Range* held) const {
  const SublayerSpec& spec = sublayer.spec;
  const SublayerWeights& weights = sublayer.weights;
  const size_t hidden = this->spec().hidden_size;
  const auto multiply = [&](Into into, float* out) {
    const Product product = {&linear, 0, rows_, out, 0, SIZE_MAX, held};
    Multiply({&product, 1}, in, into, hidden, false);
  };
  if (weights.post_norm.kind == NormKind::kNone && spec.factor == 1 && spec.residual_factor == 1) {
    multiply(Into::kAdd, act().hidden);
    if (weights.residual_norm.kind == NormKind::kNone) return;
    pool().For(rows_, [&](size_t r, size_t) {
      float* row = act().hidden + r * hidden;
      Normalize(set(), weights.residual_norm, row, hidden, row);
    });
    return;
  }
  multiply(Into::kReplace, act().sublayer_out);
  AddSublayerOut(sublayer);
}

void Pass::AddSublayerOut(const Sublayer& sublayer) const {
  const SublayerSpec& spec = sublayer.spec;
  const SublayerWeights& weights = sublayer.weights;
  const size_t n = this->spec().hidden_size;
  pool().For(rows_, [&](size_t r, size_t) {
    float* out = act().sublayer_out + r * n;
    if (weights.post_norm.kind != NormKind::kNone) Normalize(set(), weights.post_norm, out, n, out);
    float* row = act().hidden + r * n;
    if (spec.residual_factor != 1) {
      const float factor = spec.residual_factor;
      set().loops->blend(row, factor, out, factor * spec.factor, n);
    } else {
      if (spec.factor != 1) set().loops->scale(out, spec.factor, n, out);
      set().loops->add(row, out, n);
    }
    Normalize(set(), weights.residual_norm, row, n, row);
  });
}

}  // namespace rondo
