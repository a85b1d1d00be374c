// Which tokens may come next: those whose text a machine can read from a state on.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/grammar/shared_machine.h"
#include "runtime/grammar/token_trie.h"

namespace rondo::grammar {

// How many plain characters, whichever they are, may certainly follow state number 0 of the call: 0
// to `most`; kEndless of a state inside of a string that may hold any text.
constexpr uint32_t kEndless = UINT32_MAX;
uint32_t PlainReach(MachineCall& call, uint32_t most);

// Sets the bits of `mask`, which has trie.mask_words() words, to the tokens that may follow state
// number 0 of the call. Where that is not ok afterwards, the mask means nothing.
void FillMask(MachineCall& call, const TokenTrie& trie, std::span<uint32_t> mask);

}  // namespace rondo::grammar
