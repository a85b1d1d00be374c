// What the caller chooses about an engine and its sessions. Plain data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "platforms/thread_pool.h"
#include "runtime/engine/log.h"
#include "runtime/kernels/kv_page.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/weights/load_progress.h"

namespace rondo {

enum class ContextPolicy : int32_t { kStop = 0, kSlide = 1 };

inline constexpr uint32_t kMaxSessions = 64;
inline constexpr uint32_t kMaxRows = 1024;

struct EngineOptions {
  uint32_t context = 0;        // tokens a session can see; 0: the model's own context_length
  uint32_t max_sessions = 1;   // 1..kMaxSessions
  uint32_t max_rows = 256;     // rows of one forward pass (the prefill chunk), 1..kMaxRows
  uint32_t rows_per_step = 0;  // of a pass in which somebody decodes, 1..max_rows; 0: max_rows
  uint32_t threads = 0;        // 0: the performance cores, as far as the system tells
  ContextPolicy policy = ContextPolicy::kStop;
  uint32_t sink_tokens = 0;  // kSlide: first tokens that stay; rounded up to whole blocks
  KvFormat kv_format = KvFormat::kInt8;
  uint32_t kv_tokens = 0;     // the pool's, of all sessions together; 0: enough for each one's ring
  uint32_t duty_percent = 0;  // most of the time that passes take, 1..100; 0: 100
  bool prefix_cache = true;   // sequences take over what others that began alike computed
  uint32_t profile_events = 0;  // that the profile remembers, up to kMaxProfileEvents; 0: none
  std::string_view kernels;     // force a kernel set by name, for tests; empty: the best one
  LoadProgress progress;        // of Engine::Create
  Log log;
  HostPool host_pool;  // computes in place of threads of the engine's own
};

struct SessionOptions {
  SamplerOptions sampler;
  uint64_t max_tokens = 0;  // token limit of generation since the last prefill; 0: none
  bool ignore_eos = false;  // go on after the model's end tokens
  bool logprobs = false;    // each event tells its token's log-probability
  // Drafts out of the session's own tokens, verified where that saves time. They change no token.
  bool prompt_lookup = false;
  std::span<const std::string_view> stop_strings;  // copied; limits in stop_strings.h
};

}  // namespace rondo
