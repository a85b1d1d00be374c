// What identities the operators have within them, and which of their matrices read their norm.
#pragma once

#include <string>
#include <vector>

#include "tools/convert/identities/identity.h"

namespace rondo::convert {

// Where the identities of a layer go.
struct LayerIdentities {
  const DecoderSpec& spec;
  std::string name;  // of the layer: "layers.0."
  uint32_t layer;
  std::vector<Identity>* all;

  Identity& Add(const std::string& place, const std::string& channels_of, uint64_t channels) const {
    return all->emplace_back(Identity{name + place, channels_of, layer, channels, {}, {}});
  }
};

// Rows [first, first + n) of a matrix and of its bias.
void AddRows(const format::LinearT& linear, uint64_t first, uint64_t n, Places& places,
             uint64_t from = 0);
void AddColumns(const format::LinearT& linear, uint64_t n, Places& places, uint64_t first = 0,
                uint64_t from = 0);
// The n channels of a norm's weight and bias.
void AddGains(const format::NormT& norm, uint64_t n, Places& places);

// The columns of `op` that read what the sublayer's norm makes. False: something else of it does,
// too.
bool AddNormReaders(const format::OperatorUnion& op, uint64_t hidden, Places& readers);

// Keys with queries, and values with outputs. `readers`: the attention of later layers that read
// these keys and values.
void AddAttentionIdentities(const format::AttentionT& attention,
                            const std::vector<const format::AttentionT*>& readers,
                            const std::string& restriction, const LayerIdentities& to);
void AddLatentIdentities(const format::LatentAttentionT& attention, const LayerIdentities& to);
void AddMlpIdentities(const format::MlpT& mlp, const LayerIdentities& to);
void AddExpertsIdentities(const format::ExpertsT& experts, const LayerIdentities& to);
// Convolutions, recurrences and low ranks beside attention.
void AddOtherIdentities(const format::OperatorUnion& op, const LayerIdentities& to);

}  // namespace rondo::convert
