#include "tools/convert/sources/gguf/channel_order.h"

namespace rondo::convert {

ChannelOrder PairedHeads(uint64_t head_dim) {
  return [=](uint64_t index) {
    const uint64_t head = index / head_dim, channel = index % head_dim, half = head_dim / 2;
    return head * head_dim + channel % half * 2 + channel / half;
  };
}

ChannelOrder GroupedQkv(uint64_t n_groups, uint64_t heads_per_group, uint64_t head_dim) {
  return [=](uint64_t index) {
    const uint64_t head = index / head_dim, channel = index % head_dim;
    const uint64_t group = head / (heads_per_group + 2), place = head % (heads_per_group + 2);
    const uint64_t in_file =
        place < heads_per_group ? group * heads_per_group + place : n_groups * place + group;
    return in_file * head_dim + channel;
  };
}

ChannelOrder TiledHeads(uint64_t first, uint64_t n_key_heads, uint64_t values_per_key,
                        uint64_t head_dim) {
  return [=](uint64_t index) {
    if (index < first) return index;
    const uint64_t head = (index - first) / head_dim, channel = (index - first) % head_dim;
    const uint64_t in_file = head % values_per_key * n_key_heads + head / values_per_key;
    return first + in_file * head_dim + channel;
  };
}

}  // namespace rondo::convert
