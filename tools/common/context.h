// How many tokens a model sees at once where the user does not say.
#pragma once

#include <cstdint>
#include <string>

#include "tools/common/library.h"

namespace rondo::tools {

// What most texts and conversations stay below. A model's own length may be 16 times as much, and
// its keys and values gigabytes.
inline constexpr uint32_t kUsualContext = 8192;

// The context for a text of `tokens`: kUsualContext, more where the text needs it, never more than
// the model was trained for.
uint32_t ContextFor(const Model& model, uint64_t tokens);

// What lets the model see more than `context` tokens of a text: "a larger --context, or --policy
// slide,", one of these, or nothing. `slides`: the policy is that already.
std::string WhatSeesMore(const Model& model, uint32_t context, bool slides);

}  // namespace rondo::tools
