// Which tokens may come next: those whose text a machine can read from a state on.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/grammar/machine.h"
#include "runtime/grammar/token_trie.h"

namespace rondo::grammar {

// How many plain characters, whichever they are, may certainly follow the state: 0 to `most`;
// kEndless of a state inside of a string that may hold any text.
constexpr uint32_t kEndless = UINT32_MAX;
uint32_t PlainReach(Machine& machine, State state, uint32_t most, Budget& budget);

// Sets the bits of `mask`, which has trie.mask_words() words, to the tokens that may follow. Where
// `budget` runs out the mask means nothing.
void FillMask(Machine& machine, State state, const TokenTrie& trie, std::span<uint32_t> mask,
              Budget& budget);

}  // namespace rondo::grammar
