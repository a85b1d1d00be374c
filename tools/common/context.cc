#include "tools/common/context.h"

#include <algorithm>

#include "tools/common/library.h"

namespace rondo::tools {
namespace {

bool IsPossible(const rondo_model* model, const rondo_engine_options& options) {
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  return rondo_plan(model, &options, &plan, nullptr, 0) == RONDO_STATUS_OK;
}

}  // namespace

uint32_t ContextFor(const rondo_model* model, uint64_t tokens) {
  const uint64_t wanted = std::max<uint64_t>(tokens, kUsualContext);
  return static_cast<uint32_t>(std::min<uint64_t>(wanted, Facts(model).context_length));
}

std::string WhatSeesMore(const rondo_model* model, uint32_t context, bool slides) {
  rondo_engine_options longer = EngineDefaults(), sliding = longer;
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
