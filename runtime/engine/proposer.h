// Proposer: who makes drafts by passes of its own, before the pass that verifies them.
#pragma once

#include <cstdint>

#include "runtime/engine/pass_queue.h"

namespace rondo {

// One engine pass asks it once. It works in slices, so that whoever is cancelled meanwhile leaves
// within one; and a text that is new to it takes one pass of it at a time, behind which its session
// goes on without drafts: others wait for no more than that.
class Proposer {
 public:
  virtual ~Proposer() = default;

  // For the sequences of `requests` that want drafts of it; false: none does.
  virtual bool Begin(PassRequest* requests) = 0;
  // A slice: a layer of a pass, or what is sampled behind it. False: all have what they get.
  virtual bool Continue() = 0;
  // A sequence leaves, where it is one of them, with what was proposed for it.
  virtual void Drop(const Sequence* sequence) = 0;

  // Nanoseconds since Begin: of texts that were new to it, and of drafts.
  uint64_t prefill_ns() const { return prefill_ns_; }
  uint64_t decode_ns() const { return decode_ns_; }

 protected:
  uint64_t prefill_ns_ = 0;
  uint64_t decode_ns_ = 0;
};

}  // namespace rondo
