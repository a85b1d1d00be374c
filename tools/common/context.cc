#include "tools/common/context.h"

#include <algorithm>

namespace rondo::tools {
namespace {

bool IsPossible(const Model& model, const EngineOptions& options) {
  try {
    model.Plan(options);
  } catch (const rondo::Error&) {
    return false;
  }
  return true;
}

}  // namespace

uint32_t ContextFor(const Model& model, uint64_t tokens) {
  const uint64_t wanted = std::max<uint64_t>(tokens, kUsualContext);
  return static_cast<uint32_t>(std::min<uint64_t>(wanted, model.Info().context_length));
}

std::string WhatSeesMore(const Model& model, uint32_t context, bool slides) {
  EngineOptions longer, sliding;
  longer.context = context + 1;
  sliding.context = context;
  sliding.context_policy = RONDO_POLICY_SLIDE;
  const bool may_be_longer = IsPossible(model, longer);
  const bool may_slide = !slides && IsPossible(model, sliding);
  const std::string larger = "a larger --context", policy = "--policy slide";
  if (may_be_longer && may_slide) return larger + ", or " + policy + ",";
  return may_be_longer ? larger : may_slide ? policy : "";
}

}  // namespace rondo::tools
