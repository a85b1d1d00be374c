#include "tools/convert/identities/scale_channels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tools/convert/identities/identity.h"
#include "tools/convert/identities/magnitudes.h"
#include "tools/convert/output/fine_rows.h"

namespace rondo::convert {
namespace {

// Steps of two that a channel must be away from the others to be changed: nearer ones gain nothing.
// Where none is far away, all stay.
constexpr double kLeastSteps = 0.7, kFarSteps = 1.2;
// Above the middle one of both sides together: rows of 8 bits that have such a channel lose the
// others. Of models without outliers none is above 2.5.
constexpr double kLoudSteps = 4;
constexpr uint32_t kRowBits = 8, kFineRowBits = 15;
// No channel is changed by more, so that the powers that meet in one tensor fit into a byte.
constexpr double kMostSteps = 20;

constexpr const char* kKept = "the source's bits are kept";

// By how many steps of two each channel is above the middle one; 0 where that is unknown.
std::vector<double> Steps(const std::vector<double>& magnitudes) {
  std::vector<double> steps(magnitudes.size()), known;
  for (const double magnitude : magnitudes) {
    if (magnitude > 0 && std::isfinite(magnitude)) known.push_back(std::log2(magnitude));
  }
  if (known.empty()) return steps;
  const auto middle = known.begin() + static_cast<ptrdiff_t>(known.size() / 2);
  std::ranges::nth_element(known, middle);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (magnitudes[i] > 0 && std::isfinite(magnitudes[i])) {
      steps[i] = std::log2(magnitudes[i]) - *middle;
    }
  }
  return steps;
}

// The same of both sides. Where a channel is dead on one, the other is to be as quiet as can be:
// few bits may have no zero, and a loud weight that does nothing takes theirs from the others.
struct BothSteps {
  std::vector<double> made, read;
};
BothSteps StepsOf(const std::vector<double>& made, const std::vector<double>& read) {
  BothSteps steps = {Steps(made), Steps(read)};
  for (size_t i = 0; i < made.size(); ++i) {
    double& quiet = made[i] == 0 ? steps.made[i] : steps.read[i];
    const double& other = made[i] == 0 ? steps.read[i] : steps.made[i];
    if (made[i] == 0 || read[i] == 0) quiet = -2 * kMostSteps - std::fabs(other);
  }
  return steps;
}

bool AreLoud(const std::vector<double>& made, const std::vector<double>& read) {
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i] + read[i] > kLoudSteps) return true;
  }
  return false;
}

// Errors are as large as the loudest channel of a row of either: where a channel is loud in both,
// their sum is least where each has half of it, shifted by half of what the bits differ by.
double Step(double made, double read, double shift) {
  const double middle = (read - made) / 2;
  return made + read > 0 ? std::clamp(middle + shift, -made, read) : middle;
}

// Where rows of weights read the channels, and not what is a row itself: keys and queries.
bool AreColumns(const Places& places) {
  return std::ranges::any_of(places, [](const Place& place) { return place.columns; });
}

// Whether all of these could be made fine.
bool MakeFine(const Places& places, const std::map<uint32_t, format::LinearT*>& finable) {
  const auto can_be = [&](const Place& place) { return finable.contains(place.tensor); };
  if (!std::ranges::all_of(places, can_be)) return false;
  for (const Place& place : places) finable.at(place.tensor)->fine_rows = true;
  return true;
}

// For each channel the power of two; empty: all are 0. A gain may be small because its channel
// comes in loud: of the stream only what its reader makes good for is changed, else a channel that
// is loud would be made louder.
std::vector<int> Powers(const std::vector<double>& own, const std::vector<double>& others,
                        const Identity& identity, double shift) {
  std::vector<int> powers(own.size());
  bool is_far = false;
  for (size_t i = 0; i < own.size(); ++i) {
    double step = Step(own[i], others[i], shift) / identity.degree;
    if (identity.of_stream) {
      const double both = std::min(std::fabs(others[i]), std::fabs(own[i])) / identity.degree;
      step = others[i] * own[i] < 0 ? std::copysign(both, others[i]) : 0;
    }
    if (std::fabs(step) < kLeastSteps) continue;
    powers[i] = static_cast<int>(std::lround(std::clamp(step, -kMostSteps, kMostSteps)));
    is_far |= std::fabs(step) >= kFarSteps;
  }
  return is_far ? powers : std::vector<int>();
}

void Apply(const Places& places, const std::vector<int>& powers, int times, DecoderSpec& spec) {
  for (const Place& place : places) {
    TensorRecipe& recipe = spec.tensors[place.tensor];
    std::vector<int8_t>& all = place.columns ? recipe.col_powers : recipe.row_powers;
    all.resize(static_cast<size_t>(place.columns ? recipe.cols : recipe.rows()));
    for (uint64_t i = 0; i < place.n; ++i) {
      int8_t& power = all.at(place.first + i);
      power = static_cast<int8_t>(power + times * powers[place.from + i]);
    }
  }
}

struct Counts {
  size_t changed = 0, all = 0;
};

std::string FactOf(const std::map<std::string, Counts>& counts,
                   const std::map<std::string, std::set<std::string>>& left) {
  std::string fact;
  const auto add = [&](const std::string& text) { fact += (fact.empty() ? "" : "; ") + text; };
  for (const auto& [kind, n] : counts) {
    add(std::to_string(n.changed) + " of " + std::to_string(n.all) + " " + kind);
  }
  for (const auto& [reason, kinds] : left) {
    std::string names;
    for (const std::string& kind : kinds) names.append(names.empty() ? "" : ", ").append(kind);
    add(names.append(" stay where ").append(reason));
  }
  return fact;
}

}  // namespace

ChannelScales ScaleChannels(const Checkpoint& checkpoint,
                            const std::function<bool(const TensorRecipe&)>& keeps_bits,
                            uint32_t weight_bits, DecoderSpec& spec) {
  std::vector<Identity> identities = FindIdentities(spec);
  ChannelScales scales;
  for (Identity& identity : identities) {
    for (const Places* const places :
         {&identity.grows, &identity.shrinks, &identity.shrinks_apart}) {
      if (std::ranges::any_of(*places, [&](const Place& place) {
            return keeps_bits(spec.tensors[place.tensor]);
          })) {
        identity.restriction = kKept;
        scales.beside_kept = true;
      }
    }
  }
  const std::map<uint32_t, format::LinearT*> finable = Finable(spec);
  Magnitudes magnitudes(spec, checkpoint, identities);
  std::vector<std::vector<int>> powers;
  std::map<std::string, Counts> counts;
  std::map<std::string, std::set<std::string>> left;
  for (size_t i = 0; i < identities.size(); ++i) {
    const Identity& identity = identities[i];
    if (i > 0 && identities[i - 1].layer != identity.layer) magnitudes.Forget();
    powers.emplace_back();
    if (!identity.restriction.empty()) {
      left[identity.restriction].insert(identity.channels_of);
      continue;
    }
    const auto [made, read] = StepsOf(magnitudes.Made(identity), magnitudes.Read(identity));
    uint32_t row_bits = kRowBits;
    const bool columns = AreColumns(identity.shrinks);
    if (columns && !identity.of_stream && AreLoud(made, read) &&
        MakeFine(identity.shrinks, finable)) {
      row_bits = kFineRowBits;
    }
    const double shift = columns ? (static_cast<double>(row_bits) - weight_bits) / 2 : 0;
    powers.back() = Powers(made, read, identity, shift);
    Counts& count = counts[identity.channels_of];
    count.all += identity.channels;
    count.changed += static_cast<size_t>(
        std::ranges::count_if(powers.back(), [](int power) { return power != 0; }));
  }
  // Only now: magnitudes are those of the weights as they were.
  for (size_t i = 0; i < identities.size(); ++i) {
    if (powers[i].empty()) continue;
    Apply(identities[i].grows, powers[i], 1, spec);
    Apply(identities[i].shrinks, powers[i], -identities[i].degree, spec);
    Apply(identities[i].shrinks_apart, powers[i], -identities[i].degree, spec);
  }
  scales.fact = FactOf(counts, left);
  return scales;
}

}  // namespace rondo::convert
