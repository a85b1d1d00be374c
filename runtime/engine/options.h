// What the caller chooses about an engine and its sessions. Plain data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "platforms/cpu_set.h"
#include "platforms/thread_pool.h"
#include "runtime/engine/log.h"
#include "runtime/generation/constraint.h"
#include "runtime/kernels/kv_page.h"
#include "runtime/model/sampler_options.h"
#include "runtime/weights/load_progress.h"

namespace rondo {

class AdapterFile;
class Cancellation;
class ModelFile;
class Tokenizer;

enum class ContextPolicy : int32_t { kStop = 0, kSlide = 1 };

// Which CPUs the engine's own threads run on.
enum class Affinity : int32_t {
  kSystem = 0,       // those that the system puts them on
  kPerformance = 1,  // the performance cores, where the system tells them
  kCpus = 2,         // those of EngineOptions.cpus
};

// Where drafts come from: tokens that may come next, verified in one pass where that saves time.
// They change no token.
enum class Speculation : int32_t {
  kNone = 0,          // but for what Session::Propose is given
  kPromptLookup = 1,  // what followed the last tokens where these were before
  kDraftModel = 2,    // what the engine's draft model makes of them
  kDraftHead = 3,     // what the draft head in the model's file does
};

// A small model that proposes what a larger one of the same vocabulary says; both outlive the
// engine. No `file`: none.
struct DraftModel {
  const ModelFile* file = nullptr;
  const Tokenizer* tokenizer = nullptr;  // null: token ids only
};

inline constexpr uint32_t kMaxSessions = 64;
inline constexpr uint32_t kMaxRows = 8192;

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
  bool no_prefix_cache = false;  // sequences take over nothing of others that began alike
  uint32_t profile_events = 0;   // that the profile remembers, up to kMaxProfileEvents; 0: none
  std::string_view kernels;      // force a kernel set by name, for tests; empty: the best one
  DraftModel draft;
  bool draft_head = false;  // the file's runs behind every pass, and can propose
  LoadProgress progress;    // of Engine::Create
  Log log;
  Affinity affinity = Affinity::kSystem;
  CpuSet cpus;         // of kCpus
  HostPool host_pool;  // computes in place of threads of the engine's own
  // The largest rank of adapters that sessions may have, up to kMaxAdapterRank; 0: none.
  uint32_t adapter_rank = 0;
  // Rows of inputs that all sessions may hold together, up to kMaxInputRows; 0: they have none.
  uint32_t max_input_rows = 0;
  // The same of pictures; 0: what sees for the model takes nothing, and sees nothing.
  uint32_t max_media_rows = 0;

  // Positions that sessions have may be rows.
  bool has_inputs() const { return max_input_rows > 0 || max_media_rows > 0; }
};

struct SessionOptions {
  SamplerOptions sampler;
  uint64_t max_tokens = 0;  // token limit of generation since the last prefill; 0: none
  bool ignore_eos = false;  // go on after the model's end tokens
  bool logprobs = false;    // each event tells its token's log-probability
  Speculation speculation = Speculation::kNone;
  uint32_t max_drafts = 0;  // of one pass, 1..TokenChoices::kMostDrafts, less than max_rows; 0: all
  ConstraintOptions constraint;
  std::span<const std::string_view> stop_strings;  // copied; limits in stop_strings.h
  const AdapterFile* adapter = nullptr;            // outlives the session; null: none
  Cancellation* cancellation = nullptr;            // the same; null: one of the session's own
};

}  // namespace rondo
