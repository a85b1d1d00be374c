#include "tools/convert/identities/turn_stream.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tools/convert/identities/operator_identities.h"
#include "tools/convert/output/part_reader.h"
#include "tools/convert/output/stream_matrices.h"
#include "tools/convert/output/turn.h"

namespace rondo::convert {
namespace {

constexpr double kWorthIt = 0.8;
constexpr uint64_t kRowsLookedAt = 64, kColsLookedAt = 128;  // of each matrix
constexpr size_t kTensorsLookedAt = 512;                     // of mixtures not all

// The tensors of `spec` that have the stream's channels.
struct OfStream {
  std::map<uint32_t, uint32_t> readers;  // their columns, by tensor: the norm's weight
  std::vector<uint32_t> norms;           // weights
  std::vector<uint32_t> vectors;         // their rows are vectors of the stream: the embedding
  std::vector<uint32_t> writers;         // their columns are: matrices and biases
  std::string restriction;
};

class FinderOfStream {
 public:
  FinderOfStream(const DecoderSpec& spec, const Checkpoint& checkpoint)
      : spec_(spec), checkpoint_(checkpoint) {}

  OfStream Find() {
    if (spec_.positions >= 0 || spec_.embedding_offset >= 0 || spec_.embedding_norm) {
      Restrict("more than the embedding enters the stream");
    }
    if (spec_.layer_embeddings || spec_.alt_up) Restrict("it has more than one stream");
    if (spec_.draft_head || spec_.assistant || spec_.has_assistants) {
      Restrict("another model reads the stream");
    }
    if (spec_.embedder) Restrict("its rows are what is asked for");
    for (const format::LayerT& layer : spec_.layers) {
      for (const auto& sublayer : layer.sublayers) {
        if (found_.restriction.empty()) AddSublayer(*sublayer);
      }
    }
    if (found_.restriction.empty()) AddEnds();
    return std::move(found_);
  }

 private:
  void Restrict(const char* why) {
    if (found_.restriction.empty()) found_.restriction = why;
  }

  void AddSublayer(const format::SublayerT& sublayer) {
    if (sublayer.post_norm != nullptr || sublayer.residual_norm != nullptr) {
      return Restrict("norms stand behind its sublayers");
    }
    Places readers;
    if (sublayer.norm == nullptr || !AddNormReaders(sublayer.op, spec_.hidden_size, readers) ||
        !AddWriters(sublayer.op)) {
      return Restrict("a sublayer reads or writes the stream in a way of its own");
    }
    for (const Place& place : readers) AddReader(place.tensor, *sublayer.norm);
  }

  void AddReader(uint32_t tensor, const format::NormT& norm) {
    if (norm.kind != format::NormKind::kRmsNorm || norm.group != 0) {
      return Restrict("its norms are not RMSNorms of whole rows");
    }
    if (spec_.tensors[tensor].cols != spec_.hidden_size ||
        found_.readers.emplace(tensor, norm.weight).first->second != norm.weight) {
      return Restrict("a matrix reads the stream in more than one way");
    }
    found_.norms.push_back(norm.weight);
  }

  bool AddWriters(const format::OperatorUnion& op) {
    const StreamMatrices found = StreamMatricesOf(op);
    return found.nothing_else_writes &&
           std::ranges::all_of(found.writers, [this](const auto* l) { return AddWriter(*l); });
  }

  bool AddWriter(const format::LinearT& linear) {
    const auto add = [&](uint32_t tensor) {
      const TensorRecipe& recipe = spec_.tensors[tensor];
      found_.writers.push_back(tensor);
      return recipe.parts.size() == 1 && recipe.rows() == spec_.hidden_size;
    };
    return add(linear.weight) && (linear.bias < 0 || add(static_cast<uint32_t>(linear.bias)));
  }

  void AddEnds() {
    found_.vectors.push_back(spec_.embedding);
    if (spec_.head.weight != spec_.embedding) {
      return AddReader(spec_.head.weight, spec_.final_norm);
    }
    // One tensor cannot have the gains and be without them.
    const TensorRecipe& gains = spec_.tensors[spec_.final_norm.weight];
    std::optional<float> one;
    for (const TensorRecipe::Part& part : gains.parts) {
      for (const float gain : ReadPart(gains, part, checkpoint_)) {
        if (one.value_or(gain) != gain) {
          return Restrict("the head is the embedding, which would have to be stored twice");
        }
        one = gain;
      }
    }
    if (spec_.final_norm.kind != format::NormKind::kRmsNorm || spec_.final_norm.group != 0) {
      Restrict("its norms are not RMSNorms of whole rows");
    }
  }

  const DecoderSpec& spec_;
  const Checkpoint& checkpoint_;
  OfStream found_;
};

std::vector<float> GainsOf(uint32_t norm, const DecoderSpec& spec, const Checkpoint& checkpoint) {
  const TensorRecipe& recipe = spec.tensors[norm];
  std::vector<float> gains;
  for (const TensorRecipe::Part& part : recipe.parts) {
    const std::vector<float> values = ReadPart(recipe, part, checkpoint);
    gains.insert(gains.end(), values.begin(), values.end());
  }
  return gains;
}

// What a sample of the weights says of rounding: its noise as what reads the stream sees it, by the
// signal. Of one basis; energies are by channel of the stream.
class Noise {
 public:
  explicit Noise(uint64_t hidden) : stream_(hidden), read_(hidden) {}

  // Rows of the embedding, which say how loud channels are.
  void AddVectors(const std::vector<float>& rows) {
    std::vector<double> energies(stream_.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      energies[i % energies.size()] += double{rows[i]} * double{rows[i]};
    }
    AddShares(energies, stream_);
  }
  // Columns of a matrix that adds to the stream, [hidden, sample].
  void AddWriter(const std::vector<float>& sample) {
    const size_t cols = sample.size() / stream_.size();
    std::vector<double> energies(stream_.size()), peaks(stream_.size());
    for (size_t i = 0; i < sample.size(); ++i) {
      const double square = double{sample[i]} * double{sample[i]};
      energies[i / cols] += square;
      peaks[i / cols] = std::max(peaks[i / cols], square * static_cast<double>(cols));
    }
    AddShares(energies, stream_);
    writers_.push_back({std::move(energies), std::move(peaks)});
  }
  // Rows of a matrix that reads it: `weights` get rounded and read the channels times `gains`.
  void AddReader(std::vector<float> weights, std::vector<float> gains) {
    std::vector<double> energies(read_.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      const double product = double{weights[i]} * double{gains[i % gains.size()]};
      energies[i % gains.size()] += product * product;
    }
    AddShares(energies, read_);
    readers_.push_back({std::move(weights), std::move(gains)});
  }

  // After all of them: by the signal of `own`, the basis that the model has. In others channels are
  // not independent, and sums of energies say nothing of it.
  double By(const Noise& own) const {
    double sum = 0;
    const auto add = [&](double noise, double signal, size_t of) {
      if (signal > 0) sum += noise / signal / static_cast<double>(of);
    };
    for (size_t i = 0; i < writers_.size(); ++i) {
      add(Product(writers_[i].peaks, read_), Product(own.writers_[i].energies, own.read_),
          writers_.size());
    }
    for (size_t i = 0; i < readers_.size(); ++i) {
      add(Of(readers_[i]).noise, own.Of(own.readers_[i]).signal, readers_.size());
    }
    return sum;
  }

 private:
  struct Writer {
    std::vector<double> energies, peaks;
  };
  struct Reader {
    std::vector<float> weights, gains;
  };

  static void AddShares(const std::vector<double>& energies, std::vector<double>& to) {
    const double all = std::accumulate(energies.begin(), energies.end(), 0.0);
    for (size_t i = 0; i < to.size(); ++i) to[i] += all > 0 ? energies[i] / all : 0;
  }

  static double Product(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }

  struct Rounded {
    double noise = 0, signal = 0;
  };
  Rounded Of(const Reader& reader) const {
    const size_t n = stream_.size();
    std::vector<double> inputs(n);
    double all = 0;
    Rounded rounded;
    for (size_t i = 0; i < n; ++i) {
      inputs[i] = stream_[i] * double{reader.gains[i]} * double{reader.gains[i]};
      all += inputs[i];
    }
    for (size_t row = 0; row < reader.weights.size(); row += n) {
      double peak = 0;
      for (size_t i = 0; i < n; ++i) {
        const double square = double{reader.weights[row + i]} * double{reader.weights[row + i]};
        peak = std::max(peak, square);
        rounded.signal += square * inputs[i];
      }
      rounded.noise += peak * all;
    }
    return rounded;
  }

  std::vector<double> stream_, read_;  // sums of shares
  std::vector<Writer> writers_;
  std::vector<Reader> readers_;
};

// Rows of all parts, at most kRowsLookedAt or a few more, at a distance that no size of heads
// shares.
std::vector<float> SampleRows(const TensorRecipe& recipe, const Checkpoint& checkpoint) {
  const uint64_t step = std::max<uint64_t>(1, recipe.rows() / kRowsLookedAt) | 1;
  const auto cols = static_cast<size_t>(recipe.cols);
  std::vector<float> rows;
  for (const TensorRecipe::Part& part : recipe.parts) {
    PartReader reader(recipe, part, checkpoint);
    for (uint64_t i = 0; i < part.rows; i += step) {
      rows.resize(rows.size() + cols);
      reader.Read(i, std::span(rows).last(cols));
    }
  }
  return rows;
}

// Columns of the one part, [rows, kColsLookedAt or fewer].
std::vector<float> SampleColumns(const TensorRecipe& recipe, const Checkpoint& checkpoint) {
  const auto cols = static_cast<size_t>(recipe.cols);
  const size_t step = std::max<size_t>(1, cols / kColsLookedAt) | 1, rows_per_step = 64;
  PartReader reader(recipe, recipe.parts.front(), checkpoint);
  std::vector<float> sample, rows;
  for (uint64_t row = 0; row < recipe.rows(); row += rows_per_step) {
    rows.resize(std::min<uint64_t>(rows_per_step, recipe.rows() - row) * cols);
    reader.Read(row, rows);
    for (size_t i = 0; i < rows.size(); i += cols) {
      for (size_t col = 0; col < cols; col += step) sample.push_back(rows[i + col]);
    }
  }
  return sample;
}

// visit(item) for some of them, evenly spread.
template <typename Items, typename Visit>
void ForSome(const Items& items, const Visit& visit) {
  const size_t step = std::max<size_t>(1, items.size() / kTensorsLookedAt);
  size_t i = 0;
  for (const auto& item : items) {
    if (i++ % step == 0) visit(item);
  }
}

// The noise of the turned model by that of the model as it is.
double NoiseThatRemains(const OfStream& found, const DecoderSpec& spec,
                        const Checkpoint& checkpoint) {
  const size_t hidden = spec.hidden_size;
  Noise as_it_is(hidden), turned(hidden);
  const auto turn_rows = [&](std::vector<float>& rows) {
    for (size_t i = 0; i < rows.size(); i += hidden) Turn(std::span(rows).subspan(i, hidden));
  };
  ForSome(found.vectors, [&](uint32_t tensor) {
    std::vector<float> rows = SampleRows(spec.tensors[tensor], checkpoint);
    as_it_is.AddVectors(rows);
    turn_rows(rows);
    turned.AddVectors(rows);
  });
  ForSome(found.writers, [&](uint32_t tensor) {
    const TensorRecipe& recipe = spec.tensors[tensor];
    if (recipe.role == TensorRole::kVector) return;
    std::vector<float> sample = SampleColumns(recipe, checkpoint);
    as_it_is.AddWriter(sample);
    TurnColumns(sample, sample.size() / hidden);
    turned.AddWriter(sample);
  });
  ForSome(found.readers, [&](const auto& reader) {
    const TensorRecipe& recipe = spec.tensors[reader.first];
    if (recipe.role == TensorRole::kTable) return;  // which stays float32
    const std::vector<float> gains = GainsOf(reader.second, spec, checkpoint);
    std::vector<float> rows = SampleRows(recipe, checkpoint);
    as_it_is.AddReader(rows, gains);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] *= gains[i % hidden];
    turn_rows(rows);
    turned.AddReader(std::move(rows), std::vector<float>(hidden, 1));
  });
  const double before = as_it_is.By(as_it_is);
  return before > 0 ? turned.By(as_it_is) / before : 1;
}

void Apply(const OfStream& found, const Checkpoint& checkpoint, DecoderSpec& spec) {
  spec.turned = true;
  std::map<uint32_t, std::shared_ptr<const std::vector<float>>> gains;  // by norm
  for (const auto& [tensor, norm] : found.readers) {
    auto& its = gains[norm];
    if (!its) its = std::make_shared<std::vector<float>>(GainsOf(norm, spec, checkpoint));
    spec.tensors[tensor].gains = its;
    spec.tensors[tensor].rows_turned = true;
  }
  for (const uint32_t norm : found.norms) {
    const std::string name = spec.tensors[norm].name;
    spec.tensors[norm] = {name, TensorRole::kVector, {{"", spec.hidden_size}}, 1};
  }
  for (const uint32_t tensor : found.vectors) spec.tensors[tensor].rows_turned = true;
  for (const uint32_t tensor : found.writers) spec.tensors[tensor].columns_turned = true;
}

}  // namespace

StreamTurn TurnStreamWhereNoiseShrinks(const Checkpoint& checkpoint,
                                       const std::function<bool(const TensorRecipe&)>& keeps_bits,
                                       DecoderSpec& spec) {
  const OfStream found = FinderOfStream(spec, checkpoint).Find();
  StreamTurn turn;
  turn.restriction = found.restriction;
  const auto kept = [&](uint32_t tensor) { return keeps_bits(spec.tensors[tensor]); };
  if (std::ranges::any_of(found.readers, [&](const auto& reader) { return kept(reader.first); }) ||
      std::ranges::any_of(found.vectors, kept) || std::ranges::any_of(found.writers, kept)) {
    turn.restriction = "the source's bits are kept";
  }
  if (!turn.restriction.empty()) return turn;
  turn.noise = NoiseThatRemains(found, spec, checkpoint);
  turn.turned = turn.noise <= kWorthIt;
  if (turn.turned) Apply(found, checkpoint, spec);
  return turn;
}

std::string TurnStream(const Checkpoint& checkpoint, DecoderSpec& spec) {
  const OfStream found = FinderOfStream(spec, checkpoint).Find();
  if (found.restriction.empty()) Apply(found, checkpoint, spec);
  return found.restriction;
}

}  // namespace rondo::convert
