// Where a tensor's rows or columns lie in a GGUF file, where llama.cpp's converter moved them.
#pragma once

#include <cstdint>
#include <functional>

namespace rondo::convert {

// From an index in the checkpoint to the one in the file. Empty: they are the same.
using ChannelOrder = std::function<uint64_t(uint64_t index)>;

// Channels i and i + head_dim / 2 of each head are neighbours in the file (llama).
ChannelOrder PairedHeads(uint64_t head_dim);

// Heads of query, key and value, `heads_per_group` queries to one key and one value: group by group
// in the checkpoint, in the file all queries, all keys, all values. GPT-NeoX has one to a group.
ChannelOrder GroupedQkv(uint64_t n_groups, uint64_t heads_per_group, uint64_t head_dim);

// The channels from `first` on are those of the value heads of a delta net: in the checkpoint the
// heads of one key head beside each other, in the file the first of every key head, then the
// second.
ChannelOrder TiledHeads(uint64_t first, uint64_t n_key_heads, uint64_t values_per_key,
                        uint64_t head_dim);

}  // namespace rondo::convert
