#include "runtime/decoder/decoder.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/decoder/head.h"
#include "runtime/model/layers.h"

namespace rondo {

namespace {

// A thread's scratch serves one row of floats, one tile of a residual product, or an operator.
CheckedSize ScratchBytes(const DecoderSpec& spec, size_t max_rows) {
  const size_t widest =
      std::max({spec.hidden_size, spec.draft_input_size(), spec.layer_embedding_size});
  const auto larger = [](CheckedSize a, CheckedSize b) {
    return a.valid() && (!b.valid() || b.value() > a.value()) ? b : a;
  };
  CheckedSize bytes =
      larger(CheckedSize(max_rows) * (kMaxTaskChannels + 32) * sizeof(float), RowScratch(widest));
  if (spec.alt_up.n_streams > 0) {
    bytes = larger(bytes, RowScratch(StreamScratchFloats(spec)));
  }
  bytes = larger(
      bytes,
      RowScratch(std::max({spec.tower.patch_values, spec.tower.widest, spec.embedder.widest})));
  for (const SublayerSpec& sublayer : spec.sublayers) {
    bytes = larger(bytes, sublayer.op->ScratchBytes());
  }
  return bytes.AlignUp(kArenaAlignment);
}

// What a thread expands codes into: the weights of one task.
CheckedSize ExpansionBytes(const Weights& weights) {
  const size_t tile = weights.expanded_tile_bytes();
  if (tile == 0) return 0;
  return (CheckedSize(std::max(tile, kMaxTaskBytes)) + kOverRead).AlignUp(kArenaAlignment);
}

// Of a pair the second text's rows have an offset of their own.
size_t TextOf(const PassRow& row, int32_t separator) {
  if (separator < 0) return 0;
  const auto index = static_cast<size_t>(row.position - row.sequence->position);
  const std::span<const InputKey> before = row.sequence->keys.first(index);
  return std::find(before.begin(), before.end(), InputKey(separator)) == before.end() ? 0 : 1;
}

}  // namespace

Result<Decoder> Decoder::Plan(const ModelFile& file, const KernelSet& set, const PassLimits& limits,
                              const ContextWindow& window, bool draft_head, MemoryPlan* plan) {
  Decoder d;
  RONDO_ASSIGN(d.spec_, DecoderSpec::Read(file, draft_head));
  RONDO_ASSIGN(d.weights_, Weights::Plan(file, set, draft_head, plan));
  d.activations_ = Activations::Plan(d.spec_, d.weights_, limits, window, plan);
  const CheckedSize scratch = ScratchBytes(d.spec_, limits.max_rows);
  const CheckedSize all = scratch * limits.threads;
  d.scratch_region_ =
      plan->Add(Segment::kWorkspace, all.valid() ? all.value() : SIZE_MAX, "thread scratch");
  const CheckedSize expansion = ExpansionBytes(d.weights_);
  if (expansion.ValueOrMost() > 0) {
    d.expansion_region_ = plan->Add(Segment::kWorkspace, (expansion * limits.threads).ValueOrMost(),
                                    "codes expanded, by thread");
  }
  d.resources_.expansion_bytes = expansion.ValueOrMost();
  d.resources_.set = &set;
  d.resources_.max_rows = limits.max_rows;
  d.resources_.scratch_bytes = scratch.value();
  return d;
}

Status Decoder::Bind(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena,
                     ThreadPool* pool, const LoadProgress& progress) {
  activations_.Bind(plan, arena);
  resources_.spec = &spec_;
  resources_.weights = &weights_;
  resources_.activations = &activations_;
  resources_.pool = pool;
  resources_.scratch = arena + plan.region(scratch_region_).offset;
  if (resources_.expansion_bytes > 0) {
    resources_.expansion = arena + plan.region(expansion_region_).offset;
  }
  RONDO_ASSIGN(VectorReader vectors, VectorReader::Create(file));
  const Layers layers(file.model(), spec_.has_draft_head);
  size_t n = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    for (const format::Sublayer* sublayer : *layers[i].sublayers()) {
      RONDO_RETURN_IF_ERROR(spec_.sublayers[n++].op->ReadVectors(*sublayer, vectors));
    }
  }
  return weights_.Load(file, plan, arena, pool, progress, vectors);
}

void Decoder::Forward(Pass& pass) {
  Embed(pass);
  for (size_t layer = 0; layer < spec_.n_layers(); ++layer) RunLayer(pass, layer);
}

void Decoder::EmbedKey(const Pass& pass, const PassRow& place, float* row) const {
  if (place.key.is_row()) {
    const std::span<const float> values = pass.inputs().Values(place.place);
    std::copy(values.begin(), values.end(), row);
    return;
  }
  weights_.Embed(static_cast<size_t>(place.key.token()), {row, spec_.hidden_size});
  if (spec_.embedding_scale == 1) return;
  pass.set().loops->scale(row, spec_.embedding_scale, spec_.hidden_size, row);
}

void Decoder::Embed(const Pass& pass) {
  const ProfileSpan span(pass.profile(), "embed", pass.rows());
  if (pass.part() == PassPart::kDrafts) return EmbedDrafts(pass);
  const size_t hidden = spec_.hidden_size;
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    const PassRow& place = pass.row(r);
    float* row = activations_.hidden + r * hidden;
    EmbedKey(pass, place, row);
    if (spec_.layer_embedding_size > 0) {
      pass.RowInput(weights_.layer_projection(), row, r, activations_.layer_projection_input);
    }
    if (spec_.max_positions > 0) {
      pass.set().loops->add(row, weights_.positions() + place.position * hidden, hidden);
    }
    if (weights_.embedding_offset() != nullptr) {
      const size_t text = TextOf(place, spec_.embedder.separator);
      pass.set().loops->add(row, weights_.embedding_offset() + text * hidden, hidden);
    }
    Normalize(pass.set(), weights_.embedding_norm(), row, hidden, row);
    MakeRopeTables(pass, r, place.position);
  });
  if (spec_.layer_embedding_size > 0) MakeLayerEmbeddings(pass);
  if (spec_.alt_up.n_streams > 0) MakeStreams(pass);
}

void Decoder::MakeRopeTables(const Pass& pass, size_t r, uint64_t position) {
  const SequenceRows& sequence = *pass.row(r).sequence;
  const ContextWindow& window = sequence.kv->window();
  const RopePlace place = pass.CoordinatesOf(pass.row(r), position);
  RopePlace sink_place;
  std::transform(place.begin(), place.end(), sink_place.begin(),
                 [&](uint64_t at) { return window.SinkQueryPosition(at); });
  float* table = activations_.rope;
  float* sink_table = activations_.sink_rope;
  for (const RopeSpec& rope : spec_.ropes) {
    const bool is_long = sequence.long_sequence && rope.long_frequencies != nullptr;
    const double* frequencies = is_long ? rope.long_frequencies : rope.frequencies;
    const float scale = is_long ? rope.long_scale : rope.scale;
    RopeTable(frequencies, rope.axes, rope.dim, scale, place, table + r * rope.dim);
    table += pass.max_rows() * rope.dim;
    if (window.sink_blocks == 0) continue;
    RopeTable(frequencies, rope.axes, rope.dim, scale, sink_place, sink_table + r * rope.dim);
    sink_table += pass.max_rows() * rope.dim;
  }
}

void Decoder::RunLayer(Pass& pass, size_t layer) {
  const ProfileLayer in_layer(pass.profile(), layer);
  if (spec_.alt_up.n_streams > 0) return RunOnStreams(pass, layer);
  RunSublayers(pass, spec_.layer_begin(layer), spec_.layer_ends[layer]);
  if (const float scale = weights_.layer_scale(layer); scale != 1) {
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* row = activations_.hidden + r * spec_.hidden_size;
      pass.set().loops->scale(row, scale, spec_.hidden_size, row);
    });
  }
  if (layer < pass.adding_layers()) AddFurtherRows(pass, layer);
}

void Decoder::AddFurtherRows(const Pass& pass, size_t layer) {
  const size_t hidden = spec_.hidden_size;
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    const PassRow& row = pass.row(r);
    // What a dropped one's keys mean may be gone.
    if (!row.key.is_row() || row.sequence->dropped()) return;
    const std::span<const float> further = pass.inputs().Further(row.place, layer);
    pass.set().loops->add(activations_.hidden + r * hidden, further.data(), hidden);
  });
}

void Decoder::StoreLayer(const Pass& pass, size_t layer) {
  const Sublayer sublayer = pass.sublayer(spec_.layer_begin(layer));
  const ProfileSpan span(pass.profile(), sublayer.spec.type->name, pass.rows());
  sublayer.spec.op->MakeInput(pass, sublayer);
  sublayer.spec.op->Store(pass, sublayer);
}

void Decoder::RunOnStreams(Pass& pass, size_t layer) {
  const size_t begin = spec_.layer_begin(layer), last = spec_.layer_ends[layer] - 1;
  if (begin == kept_end(pass)) pass.EndUnwanted();
  if (pass.rows() == 0) return;
  const bool has_embedding = spec_.sublayers[last].type == &kLayerEmbeddingType;
  PredictStreams(pass, layer);
  RunSublayers(pass, begin, has_embedding ? last : last + 1);
  CorrectStreams(pass, layer);
  if (!has_embedding) return;
  const Sublayer sublayer = pass.sublayer(last);
  const ProfileSpan span(pass.profile(), sublayer.spec.type->name, pass.rows());
  sublayer.spec.op->MakeInput(pass, sublayer);
  ClearResidual(pass);
  sublayer.spec.op->Run(pass, sublayer);
  AddToOtherStreams(pass);
}

void Decoder::RunSublayers(Pass& pass, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (i == kept_end(pass)) pass.EndUnwanted();
    if (pass.rows() == 0) return;
    const Sublayer sublayer = pass.sublayer(i);
    const ProfileSpan span(pass.profile(), sublayer.spec.type->name, pass.rows());
    if (!sublayer.spec.reads_previous_input) {
      sublayer.spec.op->MakeInput(pass, sublayer);
      for (size_t j = i + 1; j < end && spec_.sublayers[j].reads_previous_input; ++j) {
        spec_.sublayers[j].op->MakeInput(pass, pass.sublayer(j));
      }
    }
    sublayer.spec.op->Run(pass, sublayer);
  }
}

const float* Decoder::Logits(const Pass& pass, std::span<const size_t> rows, bool last) {
  if (pass.part() == PassPart::kDrafts) {
    return RunHead(pass, {weights_.draft_head().norm, weights_.draft_head().head}, rows, last);
  }
  if (spec_.alt_up.n_streams > 0) JoinStreams(pass, rows);
  return RunHead(pass, {weights_.final_norm(), weights_.head()}, rows, last);
}

}  // namespace rondo
