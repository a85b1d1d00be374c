// Several residual streams: what is done with them before, in and behind the layers. All of it is
// done row by row.
#include <algorithm>
#include <cmath>

#include "runtime/decoder/pass.h"
#include "runtime/model/limits.h"

namespace rondo {

namespace {

// Of the smallest mean of squares that a row is divided by.
constexpr float kLeastSquare = 1e-5f;

float* StreamsOf(const Pass& pass, size_t row) {
  return pass.act().streams + row * pass.spec().alt_up.n_streams * pass.spec().hidden_size;
}

float MeanSquare(const Pass& pass, const float* row) {
  const size_t hidden = pass.spec().hidden_size;
  return pass.set().loops->sum_of_squares(row, hidden) / static_cast<float>(hidden);
}

// What makes `row` as large as rows are whose squares have the mean `square`.
float FactorToMatch(const Pass& pass, float square, const float* row) {
  return std::sqrt(square) / std::sqrt(std::max(MeanSquare(pass, row), kLeastSquare));
}

// weight [outputs, inputs] times x.
void SmallProduct(const float* weight, const float* x, size_t inputs, size_t outputs, float* out) {
  for (size_t i = 0; i < outputs; ++i) {
    float sum = 0;
    for (size_t j = 0; j < inputs; ++j) sum += weight[i * inputs + j] * x[j];
    out[i] = sum;
  }
}

// numbers = tanh(router(router_norm(row))), one for each stream; they are readable beyond by as
// much as kernels read. `scratch`: 2 * hidden_size floats.
void RouteStreams(const Pass& pass, const AltUpWeights& weights, const float* row, float* scratch,
                  float* numbers) {
  const size_t hidden = pass.spec().hidden_size, n = pass.spec().alt_up.n_streams;
  const KernelSet& set = pass.set();
  float* product = scratch + hidden;
  Normalize(set, weights.router_norm, row, hidden, scratch);
  for (size_t i = 0; i < n; ++i) {
    set.multiply(hidden * sizeof(float), scratch, weights.router + i * hidden, product, nullptr);
    numbers[i] = set.loops->sum(product, hidden);
  }
  set.tanh(n * sizeof(float), numbers, numbers, nullptr);
}

// A few numbers of one row, on the stack.
struct Numbers {
  alignas(64) float values[kMaxStreams + kOverRead / sizeof(float)] = {};
};

}  // namespace

size_t StreamScratchFloats(const DecoderSpec& spec) {
  return std::max<size_t>(spec.alt_up.n_streams, 2) * spec.hidden_size;
}

void MakeStreams(const Pass& pass) {
  const ProfileSpan span(pass.profile(), "streams", pass.rows());
  const size_t hidden = pass.spec().hidden_size, n = pass.spec().alt_up.n_streams;
  const PackedLinear& to_streams = pass.weights().to_streams();
  Activations& act = pass.act();
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    const float* row = act.hidden + r * hidden;
    std::copy_n(row, hidden, StreamsOf(pass, r));
    pass.RowInput(to_streams, row, r, act.streams_input);
  });
  pass.Linear(to_streams, act.streams_input, pass.rows(), Pass::Into::kReplace,
              act.streams + hidden, n * hidden);
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* streams = StreamsOf(pass, r);
    const float square = MeanSquare(pass, streams);
    for (size_t i = 1; i < n; ++i) {
      float* stream = streams + i * hidden;
      pass.set().loops->scale(stream, FactorToMatch(pass, square, stream), hidden, stream);
    }
  });
}

void PredictStreams(const Pass& pass, size_t layer) {
  const ProfileSpan span(pass.profile(), "predict_streams", pass.rows());
  const AltUpSpec& spec = pass.spec().alt_up;
  const AltUpWeights& weights = pass.weights().alt_up(layer);
  const size_t hidden = pass.spec().hidden_size, n = spec.n_streams;
  pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
    float* streams = StreamsOf(pass, r);
    float* old = pass.ScratchFloats(thread);
    Numbers routed;
    RouteStreams(pass, weights, streams + spec.active * hidden, old, routed.values);
    std::copy_n(streams, n * hidden, old);
    for (size_t i = 0; i < n; ++i) {
      float factors[kMaxStreams];
      SmallProduct(weights.predict + i * n * n, routed.values, n, n, factors);
      for (size_t j = 0; j < n; ++j) {
        pass.set().loops->blend(streams + i * hidden, 1, old + j * hidden, factors[j], hidden);
      }
    }
    std::copy_n(streams + spec.active * hidden, hidden, pass.act().hidden + r * hidden);
  });
}

void CorrectStreams(const Pass& pass, size_t layer) {
  const ProfileSpan span(pass.profile(), "correct_streams", pass.rows());
  const AltUpSpec& spec = pass.spec().alt_up;
  const AltUpWeights& weights = pass.weights().alt_up(layer);
  const size_t hidden = pass.spec().hidden_size, n = spec.n_streams;
  const KernelSet& set = pass.set();
  pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
    float* streams = StreamsOf(pass, r);
    float* active = streams + spec.active * hidden;
    float* row = pass.act().hidden + r * hidden;
    Numbers routed;
    float factors[kMaxStreams];
    RouteStreams(pass, weights, row, pass.ScratchFloats(thread), routed.values);
    SmallProduct(weights.correct, routed.values, n, n, factors);
    set.loops->blend(row, 1, active, -1, hidden);
    for (size_t i = 0; i < n; ++i) {
      set.loops->blend(streams + i * hidden, 1, row, 1 + factors[i], hidden);
    }
    if (weights.scale != nullptr) {
      set.multiply(hidden * sizeof(float), active, weights.scale, row, nullptr);
    } else {
      std::copy_n(active, hidden, row);
    }
  });
}

void ClearResidual(const Pass& pass) {
  std::fill_n(pass.act().hidden.data, pass.rows() * pass.spec().hidden_size, 0.0f);
}

void AddToOtherStreams(const Pass& pass) {
  const size_t hidden = pass.spec().hidden_size, n = pass.spec().alt_up.n_streams;
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* streams = StreamsOf(pass, r);
    for (size_t i = 1; i < n; ++i) {
      pass.set().loops->add(streams + i * hidden, pass.act().hidden + r * hidden, hidden);
    }
  });
}

void JoinStreams(const Pass& pass, std::span<const size_t> rows) {
  const size_t hidden = pass.spec().hidden_size, n = pass.spec().alt_up.n_streams;
  const KernelSet& set = pass.set();
  Activations& act = pass.act();
  for (const size_t r : rows) std::copy_n(StreamsOf(pass, r), hidden, act.hidden + r * hidden);
  for (size_t stream = 1; stream < n; ++stream) {
    const PackedLinear& from_stream = pass.weights().from_stream(stream);
    for (size_t i = 0; i < rows.size(); ++i) {
      pass.RowInput(from_stream, StreamsOf(pass, rows[i]) + stream * hidden, i,
                    act.from_stream_input);
    }
    pass.Linear(from_stream, act.from_stream_input, rows.size(), Pass::Into::kReplace,
                act.from_stream, hidden);
    for (size_t i = 0; i < rows.size(); ++i) {
      const float* part = act.from_stream + i * hidden;
      const float square = MeanSquare(pass, StreamsOf(pass, rows[i]));
      set.loops->blend(act.hidden + rows[i] * hidden, 1, part, FactorToMatch(pass, square, part),
                       hidden);
    }
  }
  for (const size_t r : rows) {
    float* row = act.hidden + r * hidden;
    set.loops->scale(row, 1 / static_cast<float>(n), hidden, row);
  }
}

}  // namespace rondo
