// Another program's benchmark, run in turn with ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/bench/measurement.h"

namespace rondo::tools {

// What the peer is to measure, handed to the command as the shell variables P, N, D and T.
struct PeerTask {
  uint64_t prompt_tokens, decode_tokens, depth;
  uint32_t threads;
};

// Tokens per second; 0: not told.
struct PeerSpeeds {
  double prefill = 0;
  double decode = 0;
};

// Runs `command` with /bin/sh and reads its answer. Throws Error where it fails, or tells neither.
PeerSpeeds RunPeer(const std::string& command, const PeerTask& task);

// Reads what a peer printed: a JSON array in the form of `llama-bench -o json`, of which the
// entries with n_prompt or n_gen (not both) of this task and, where told, its n_depth and n_threads
// count; or lines `prefill NUMBER` and `decode NUMBER`, other lines being ignored. Throws Error.
PeerSpeeds ParsePeer(std::string_view output, const PeerTask& task);

}  // namespace rondo::tools
