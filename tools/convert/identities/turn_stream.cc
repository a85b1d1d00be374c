#include "tools/convert/identities/turn_stream.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tools/convert/identities/operator_identities.h"
#include "tools/convert/output/part_reader.h"
#include "tools/convert/output/turn.h"

namespace rondo::convert {
namespace {

constexpr double kWorthIt = 0.85;
constexpr uint64_t kRowsLookedAt = 64;  // of each matrix

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
      return Restrict("a sublayer reads the stream itself");
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
    if (const auto* const attention = op.AsAttention()) return AddWriter(*attention->output);
    if (const auto* const latent = op.AsLatentAttention()) return AddWriter(*latent->output);
    if (const auto* const conv = op.AsShortConv()) return AddWriter(*conv->output);
    if (const auto* const mlp = op.AsMlp()) return AddWriter(*mlp->down);
    if (const auto* const net = op.AsGatedDeltaNet()) return AddWriter(*net->output);
    if (const auto* const mamba = op.AsMamba2()) return AddWriter(*mamba->output);
    const auto* const experts = op.AsExperts();
    if (experts == nullptr || experts->router_norm != nullptr || experts->shared_norm != nullptr ||
        experts->experts_post_norm != nullptr || experts->shared_post_norm != nullptr) {
      return false;
    }
    for (const auto& expert : experts->experts) {
      if (!AddWriter(*expert->down)) return false;
    }
    return experts->shared == nullptr || AddWriter(*experts->shared->down);
  }

  bool AddWriter(const format::LinearT& linear) {
    found_.writers.push_back(linear.weight);
    if (linear.bias >= 0) found_.writers.push_back(static_cast<uint32_t>(linear.bias));
    return std::ranges::all_of(found_.writers, [&](uint32_t tensor) {
      const TensorRecipe& recipe = spec_.tensors[tensor];
      return recipe.parts.size() == 1 && recipe.rows() == spec_.hidden_size;
    });
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

// The largest square of a row by their mean; 0 of a row of zeros.
double PeakOf(std::span<const float> row) {
  double sum = 0, most = 0;
  for (const float value : row) {
    const double square = double{value} * double{value};
    sum += square;
    most = std::max(most, square);
  }
  return sum > 0 ? most * static_cast<double>(row.size()) / sum : 0;
}

double PeaksThatRemain(const OfStream& found, const DecoderSpec& spec,
                       const Checkpoint& checkpoint) {
  double before = 0, after = 0;
  std::vector<float> row(spec.hidden_size);
  for (const auto& [tensor, norm] : found.readers) {
    const TensorRecipe& recipe = spec.tensors[tensor];
    const std::vector<float> gains = GainsOf(norm, spec, checkpoint);
    const uint64_t step = std::max<uint64_t>(1, recipe.rows() / kRowsLookedAt);
    for (const TensorRecipe::Part& part : recipe.parts) {
      PartReader reader(recipe, part, checkpoint);
      for (uint64_t i = 0; i < part.rows; i += step) {
        reader.Read(i, row);
        before += PeakOf(row);
        for (size_t col = 0; col < row.size(); ++col) row[col] *= gains[col];
        Turn(row);
        after += PeakOf(row);
      }
    }
  }
  return before > 0 ? after / before : 1;
}

void Apply(const OfStream& found, const Checkpoint& checkpoint, DecoderSpec& spec) {
  for (const auto& [tensor, norm] : found.readers) {
    spec.tensors[tensor].gains = GainsOf(norm, spec, checkpoint);
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

StreamTurn TurnStreamWherePeaksShrink(const Checkpoint& checkpoint,
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
  turn.peaks = PeaksThatRemain(found, spec, checkpoint);
  turn.turned = turn.peaks <= kWorthIt;
  if (turn.turned) Apply(found, checkpoint, spec);
  return turn;
}

std::string TurnStream(const Checkpoint& checkpoint, DecoderSpec& spec) {
  const OfStream found = FinderOfStream(spec, checkpoint).Find();
  if (found.restriction.empty()) Apply(found, checkpoint, spec);
  return found.restriction;
}

}  // namespace rondo::convert
