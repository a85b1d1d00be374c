#include "tools/convert/change_for_formats.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/model/tensor_format.h"
#include "tools/convert/identities/scale_channels.h"
#include "tools/convert/identities/turn_stream.h"
#include "tools/convert/output/taken.h"

namespace rondo::convert {
namespace {

// Whether the source has quantised some of it, and its bits are written as they are, or as near to
// that as can be. In q8 what has another grid is no nearer than floats are.
bool KeepsBits(const TensorRecipe& recipe, const ConvertOptions& options,
               const Checkpoint& checkpoint) {
  const bool is_matrix = recipe.role == TensorRole::kMatrix;
  if (!is_matrix && recipe.role != TensorRole::kEmbedding) return false;
  const bool keeps = is_matrix ? options.keep_weights : options.keep_embedding;
  const std::optional<Encoding> kept = keeps ? Kept(recipe, checkpoint) : std::nullopt;
  const Encoding encoding = {is_matrix ? options.weights : options.embedding, options.block};
  // Any of the formats may be chosen, but where a text chooses the codes anew.
  const bool any_codes = is_matrix && options.bits > 0 && !options.calibration;
  return std::ranges::any_of(recipe.parts, [&](const TensorRecipe::Part& part) {
    if (part.source.empty()) return false;
    if (kept)
      return kept->format != format::TensorFormat::Q8 || IsTaken(recipe, part, *kept, checkpoint);
    return (any_codes && checkpoint.IntegerBits(part.source) != 0) ||
           IsTaken(recipe, part, encoding, checkpoint);
  });
}

std::string FactOf(const StreamTurn& turn) {
  if (!turn.restriction.empty()) return "no: " + turn.restriction;
  const std::string noise =
      std::to_string(std::lround(100 * turn.noise)) + " % of the noise of few bits, by estimate";
  return turn.turned ? "yes: that left " + noise : "no: that would leave " + noise;
}

}  // namespace

Facts ChangeForFormats(const ConvertOptions& options, const Checkpoint& checkpoint,
                       DecoderSpec& spec, std::vector<std::string>& notes) {
  const FormatRule& rule = RuleOf(options.weights);
  if (rule.is_float()) return {};
  const auto keeps_bits = [&](const TensorRecipe& recipe) {
    return KeepsBits(recipe, options, checkpoint);
  };
  Facts facts;
  const ChannelScales scales = ScaleChannels(checkpoint, keeps_bits, rule.bits, spec);
  if (!scales.fact.empty()) facts.push_back({"channels scaled", scales.fact});
  if (scales.beside_kept) {
    notes.push_back(
        "no channel beside a matrix that keeps the bits of the source was scaled to lose less in "
        "few bits");
  }
  facts.push_back(
      {"stream turned", FactOf(TurnStreamWhereNoiseShrinks(checkpoint, keeps_bits, spec))});
  return facts;
}

}  // namespace rondo::convert
