#include "tests/tools/convert/identities/scale_at_random.h"

#include <random>
#include <vector>

#include "tools/convert/identities/identity.h"

namespace rondo::convert {
namespace {

constexpr uint32_t kMostPower = 6;

void Multiply(const Places& places, const std::vector<int>& powers, int times, DecoderSpec& spec) {
  for (const Place& place : places) {
    TensorRecipe& recipe = spec.tensors[place.tensor];
    std::vector<int8_t>& all = place.columns ? recipe.col_powers : recipe.row_powers;
    all.resize(static_cast<size_t>(place.columns ? recipe.cols : recipe.rows()));
    for (uint64_t i = 0; i < place.n; ++i) {
      int8_t& power = all.at(place.first + i);
      power = static_cast<int8_t>(power + times * powers.at(place.from + i));
    }
  }
}

}  // namespace

void ScaleAtRandom(uint32_t seed, DecoderSpec& spec) {
  constexpr uint32_t kPowers = 2 * kMostPower + 1;
  std::mt19937 random(seed);
  for (const Identity& identity : FindIdentities(spec)) {
    std::vector<int> powers(identity.channels);
    for (int& power : powers) {
      const auto draw = static_cast<uint32_t>(random() % (4 * kPowers));
      if (draw < kPowers) power = static_cast<int>(draw) - static_cast<int>(kMostPower);
    }
    if (!identity.restriction.empty()) continue;
    Multiply(identity.grows, powers, 1, spec);
    Multiply(identity.shrinks, powers, -identity.degree, spec);
    Multiply(identity.shrinks_apart, powers, -identity.degree, spec);
  }
}

}  // namespace rondo::convert
