#include "runtime/decoder/decoder.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "runtime/base/checked.h"
#include "runtime/decoder/attention.h"

namespace rondo {

namespace {

// What each kind of sublayer does, by SublayerKind.
struct Operator {
  void (*input)(const Pass& pass, size_t sublayer);
  void (*run)(const Pass& pass, size_t sublayer);
};
constexpr Operator kOperators[] = {
    {AttentionInput, RunAttention},
    {ShortConvInput, RunShortConv},
    {MlpInput, RunMlp},
    {ExpertsInput, RunExperts},
    {LatentAttentionInput, RunLatentAttention},
    {LayerEmbeddingInput, RunLayerEmbedding},
    {RecurrentInput, RunGatedDeltaNet},
    {RecurrentInput, RunMamba2},
    {LaurelInput, RunLaurel},
};

const Operator& OperatorOf(const SublayerSpec& spec) {
  return kOperators[static_cast<size_t>(spec.kind)];
}

const char* NameOf(SublayerKind kind) {
  constexpr const char* kNames[] = {
      "attention",       "short_conv",      "mlp",    "experts", "latent_attention",
      "layer_embedding", "gated_delta_net", "mamba2", "laurel",
  };
  const auto i = static_cast<size_t>(kind);
  return i < std::size(kNames) ? kNames[i] : "sublayer";
}

// A thread's scratch serves one row of floats, one tile of a residual product, or attention.
CheckedSize ScratchBytes(const DecoderSpec& spec, size_t max_rows) {
  const auto larger = [](CheckedSize a, CheckedSize b) {
    return a.valid() && (!b.valid() || b.value() > a.value()) ? b : a;
  };
  const auto row = [](size_t n) { return CheckedSize(n) * sizeof(float) + kOverRead; };
  CheckedSize bytes = larger(CheckedSize(max_rows) * (kMaxTaskChannels + 32) * sizeof(float),
                             row(std::max(spec.hidden_size, spec.layer_embedding_size)));
  if (spec.alt_up.n_streams > 0) {
    bytes = larger(bytes, CheckedSize(StreamScratchFloats(spec)) * sizeof(float) + kOverRead);
  }
  for (const SublayerSpec& sublayer : spec.sublayers) {
    bytes = larger(bytes, row(std::max(sublayer.mlp.intermediate_size,
                                       sublayer.experts.shared.intermediate_size)));
    if (sublayer.kind == SublayerKind::kAttention) {
      const AttentionSpec& attention = sublayer.attention;
      bytes = larger(bytes, AttentionScratchBytes(attention.q_per_kv(), attention.head_dim,
                                                  attention.v_head_dim));
    } else if (sublayer.kind == SublayerKind::kLatentAttention) {
      const LatentAttentionSpec& attention = sublayer.latent_attention;
      bytes = larger(bytes, AttentionScratchBytes(attention.heads_per_task(), attention.key_dim(),
                                                  attention.latent_dim));
    }
    if (sublayer.keeps_state()) bytes = larger(bytes, row(sublayer.recurrent.conv_size()));
  }
  return bytes.AlignUp(kArenaAlignment);
}

// What a thread expands codes into: the weights of one task.
CheckedSize ExpansionBytes(const Weights& weights) {
  const size_t tile = weights.expanded_tile_bytes();
  if (tile == 0) return 0;
  return (CheckedSize(std::max(tile, kMaxTaskBytes)) + kOverRead).AlignUp(kArenaAlignment);
}

}  // namespace

Result<Decoder> Decoder::Plan(const ModelFile& file, const KernelSet& set, const PassLimits& limits,
                              const ContextWindow& window, MemoryPlan* plan) {
  Decoder d;
  RONDO_ASSIGN(d.spec_, DecoderSpec::Read(file));
  RONDO_ASSIGN(d.weights_, Weights::Plan(file, set, plan));
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
  return weights_.Load(file, plan, arena, pool, progress);
}

void Decoder::Forward(std::span<const SequenceRows> sequences) {
  const Pass pass(resources_, sequences);
  Embed(pass);
  for (size_t layer = 0; layer < spec_.n_layers(); ++layer) RunLayer(pass, layer);
}

void Decoder::Embed(const Pass& pass) {
  const ProfileSpan span(pass.profile(), "embed", pass.rows());
  const size_t hidden = spec_.hidden_size;
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    const PassRow& place = pass.row(r);
    const ContextWindow& window = place.sequence->kv->window();
    float* row = activations_.hidden + r * hidden;
    weights_.Embed(static_cast<size_t>(place.token), {row, hidden});
    if (spec_.embedding_scale != 1) {
      pass.set().loops->scale(row, spec_.embedding_scale, hidden, row);
    }
    if (spec_.layer_embedding_size > 0) {
      pass.RowInput(weights_.layer_projection(), row, r, activations_.layer_projection_input);
    }
    if (spec_.max_positions > 0) {
      pass.set().loops->add(row, weights_.positions() + place.position * hidden, hidden);
    }
    Normalize(pass.set(), weights_.embedding_norm(), row, hidden, row);
    float* table = activations_.rope;
    float* sink_table = activations_.sink_rope;
    for (const RopeSpec& rope : spec_.ropes) {
      const bool is_long = place.sequence->long_sequence && rope.long_frequencies != nullptr;
      const double* frequencies = is_long ? rope.long_frequencies : rope.frequencies;
      const float scale = is_long ? rope.long_scale : rope.scale;
      RopeTable(frequencies, rope.dim, scale, place.position, table + r * rope.dim);
      table += pass.max_rows() * rope.dim;
      if (window.sink_blocks == 0) continue;
      RopeTable(frequencies, rope.dim, scale, window.SinkQueryPosition(place.position),
                sink_table + r * rope.dim);
      sink_table += pass.max_rows() * rope.dim;
    }
  });
  if (spec_.layer_embedding_size > 0) MakeLayerEmbeddings(pass);
  if (spec_.alt_up.n_streams > 0) MakeStreams(pass);
}

void Decoder::RunLayer(const Pass& pass, size_t layer) {
  const ProfileLayer in_layer(pass.profile(), layer);
  if (spec_.alt_up.n_streams > 0) return RunOnStreams(pass, layer);
  RunSublayers(pass, spec_.layer_begin(layer), spec_.layer_ends[layer]);
  const float scale = weights_.layer_scale(layer);
  if (scale == 1) return;
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* row = activations_.hidden + r * spec_.hidden_size;
    pass.set().loops->scale(row, scale, spec_.hidden_size, row);
  });
}

void Decoder::RunOnStreams(const Pass& pass, size_t layer) {
  const size_t begin = spec_.layer_begin(layer), last = spec_.layer_ends[layer] - 1;
  const bool has_embedding = spec_.sublayers[last].kind == SublayerKind::kLayerEmbedding;
  PredictStreams(pass, layer);
  RunSublayers(pass, begin, has_embedding ? last : last + 1);
  CorrectStreams(pass, layer);
  if (!has_embedding) return;
  const ProfileSpan span(pass.profile(), NameOf(SublayerKind::kLayerEmbedding), pass.rows());
  LayerEmbeddingInput(pass, last);
  ClearResidual(pass);
  RunLayerEmbedding(pass, last);
  AddToOtherStreams(pass);
}

void Decoder::RunSublayers(const Pass& pass, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const SublayerSpec& sublayer = spec_.sublayers[i];
    const ProfileSpan span(pass.profile(), NameOf(sublayer.kind), pass.rows());
    if (!sublayer.reads_previous_input) {
      OperatorOf(sublayer).input(pass, i);
      for (size_t j = i + 1; j < end && spec_.sublayers[j].reads_previous_input; ++j) {
        OperatorOf(spec_.sublayers[j]).input(pass, j);
      }
    }
    OperatorOf(sublayer).run(pass, i);
  }
}

const float* Decoder::Logits(std::span<const size_t> rows, bool last) {
  const Pass pass(resources_, {});
  const size_t vocab = spec_.vocab_size;
  const PackedLinear& head = weights_.head();
  const ProfileSpan span(pass.profile(), "head", rows.size());
  if (spec_.alt_up.n_streams > 0) JoinStreams(pass, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    float* normed = pass.ScratchFloats(0);
    const float* row = activations_.hidden + rows[i] * spec_.hidden_size;
    if (weights_.final_norm().kind != NormKind::kNone) {
      Normalize(pass.set(), weights_.final_norm(), row, spec_.hidden_size, normed);
      row = normed;
    }
    pass.RowInput(head, row, i, activations_.head_input);
  }
  pass.Linear(head, activations_.head_input, rows.size(), Pass::Into::kReplace, activations_.logits,
              vocab, last);
  if (spec_.logit_soft_cap > 0) {
    pass.pool().For(rows.size(), [&](size_t i, size_t) {
      SoftCap(pass.set(), spec_.logit_soft_cap, vocab, activations_.logits + i * vocab);
    });
  }
  return activations_.logits;
}

}  // namespace rondo
