// Versions, statuses, capabilities: what needs no handle.
#include <cstring>

#include "rondo/rondo.h"
#include "runtime/base/status.h"
#include "runtime/chat/chat.h"
#include "runtime/decoder/profile.h"
#include "runtime/engine/options.h"
#include "runtime/grammar/grammar.h"
#include "runtime/model/adapter_file.h"
#include "runtime/model/file_header.h"
#include "runtime/plan/memory_plan.h"
#include "runtime/sampling/stop_strings.h"

namespace {

struct Capability {
  const char* name;
  int64_t value;
};

constexpr Capability kCapabilities[] = {
    {"abi.version", RONDO_ABI_VERSION},
    {"format.version", rondo::kFormatVersion},
    {"limit.sessions", rondo::kMaxSessions},
    {"limit.rows", rondo::kMaxRows},
    {"limit.stop_strings", rondo::kMaxStopStrings},
    {"limit.stop_bytes", rondo::kMaxStopStringBytes},
    {"limit.logit_biases", rondo::kMaxLogitBias},
    {"limit.penalty_tokens", rondo::kMaxPenaltyWindow},
    {"limit.ngram", rondo::kMaxNgram},
    {"limit.profile_events", rondo::kMaxProfileEvents},
    {"limit.adapter_rank", rondo::kMaxAdapterRank},
    {"limit.input_rows", rondo::kMaxInputRows},
    {"arena.alignment", rondo::kArenaAlignment},
};

}  // namespace

extern "C" {

uint32_t rondo_abi_version(void) { return RONDO_ABI_VERSION; }

const char* rondo_version_string(void) { return RONDO_VERSION_STRING; }

const char* rondo_status_string(int32_t status) {
  if (status == RONDO_STATUS_INVALID_HANDLE) return "no open handle";  // no code of the runtime
  switch (static_cast<rondo::StatusCode>(status)) {
    case rondo::StatusCode::kOk:
      return "ok";
    case rondo::StatusCode::kInvalidArgument:
      return "invalid argument";
    case rondo::StatusCode::kBufferTooSmall:
      return "buffer too small";
    case rondo::StatusCode::kBusy:
      return "busy";
    case rondo::StatusCode::kVersionMismatch:
      return "caller and library are of different versions";
    case rondo::StatusCode::kIoError:
      return "the file cannot be read";
    case rondo::StatusCode::kNotAModel:
      return "not a Rondo model";
    case rondo::StatusCode::kNewerFormat:
      return "of a newer format";
    case rondo::StatusCode::kCorrupt:
      return "damaged";
    case rondo::StatusCode::kUnsupported:
      return "not supported";
    case rondo::StatusCode::kOutOfMemory:
      return "out of memory";
    case rondo::StatusCode::kArenaTooSmall:
      return "arena too small";
    case rondo::StatusCode::kArenaMisaligned:
      return "arena misaligned";
    case rondo::StatusCode::kContextFull:
      return "context full";
    case rondo::StatusCode::kCancelled:
      return "cancelled";
    case rondo::StatusCode::kNoLogits:
      return "no logits yet";
    case rondo::StatusCode::kKvPoolFull:
      return "KV pool full";
    case rondo::StatusCode::kSnapshotMismatch:
      return "a snapshot of another model or of other options";
    case rondo::StatusCode::kConstraint:
      return "the grammar leaves no token, or ran out of memory or steps";
    case rondo::StatusCode::kInternal:
      return "internal error";
  }
  return "unknown status";
}

int32_t rondo_query(const char* name, int64_t* value) {
  if (value != nullptr) *value = 0;
  if (name == nullptr || value == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  const struct {
    const char* name;
    bool there;
  } parts[] = {{"chat", rondo::HasChat()}, {"grammar", rondo::grammar::HasGrammars()}};
  for (const auto& part : parts) {
    if (std::strcmp(name, part.name) != 0) continue;
    *value = part.there ? 1 : 0;
    return RONDO_STATUS_OK;
  }
  for (const Capability& capability : kCapabilities) {
    if (std::strcmp(name, capability.name) == 0) {
      *value = capability.value;
      return RONDO_STATUS_OK;
    }
  }
  return RONDO_STATUS_UNSUPPORTED;
}

}  // extern "C"
