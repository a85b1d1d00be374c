// Status and Result: how every fallible function of the runtime answers. No exceptions, no heap.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/base/format.h"
#include "runtime/base/message.h"

namespace rondo {

// The values are part of the ABI (RONDO_STATUS_* in rondo.h): pinned, grouped by their high digit.
enum class StatusCode : int32_t {
  kOk = 0x00,
  // The caller's arguments.
  kInvalidArgument = 0x10,  // a value outside of what the call accepts
  kBufferTooSmall = 0x11,   // the caller's buffer; the needed size was reported
  kBusy = 0x12,             // the object is in use by another call or session
  kVersionMismatch = 0x13,  // caller and library disagree about the ABI
  // The model file, or a snapshot.
  kIoError = 0x20,      // the system could not read or write
  kNotAModel = 0x21,    // not a Rondo file at all
  kNewerFormat = 0x22,  // of a newer format version
  kCorrupt = 0x23,      // truncated, altered, or contradicting itself
  kUnsupported = 0x24,  // well formed, but asks for what this build cannot do
  // Memory.
  kOutOfMemory = 0x30,      // the system refused memory
  kArenaTooSmall = 0x31,    // the caller's arena is smaller than the plan
  kArenaMisaligned = 0x32,  // the caller's arena is not aligned as the plan asks
  // A running session.
  kContextFull = 0x40,       // no room for these tokens under the STOP policy
  kCancelled = 0x41,         // rondo_session_cancel was called
  kNoLogits = 0x42,          // nothing was prefilled yet
  kKvPoolFull = 0x43,        // all KV blocks are in use by open sessions
  kSnapshotMismatch = 0x44,  // of another model, or of other options of the engine
  kConstraint = 0x45,        // what a grammar leaves: no token, or it ran out of memory or steps
  // The library itself.
  kInternal = 0x50,  // an invariant of ours failed: please report
};

// A code, and for errors one sentence that names what was wrong, where, and what was expected.
class [[nodiscard]] Status {
 public:
  static constexpr size_t kMaxMessage = 256;

  Status() { message_[0] = '\0'; }

  // `format` as printf; the text is cut at kMaxMessage - 1 bytes, between characters.
  RONDO_PRINTF(2, 3) static Status Error(StatusCode code, const char* format, ...) {
    Status status;
    status.code_ = code;
    va_list arguments;
    va_start(arguments, format);
    FormatMessage(status.message_, kMaxMessage, format, arguments);
    va_end(arguments);
    return status;
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  // UTF-8, zero-terminated, empty when ok; lives as long as this Status.
  const char* message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  char message_[kMaxMessage];
};

// A value, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  // Only when ok().
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace rondo

// Leaves the enclosing function with the error, if `expression` (a Status) is one.
#define RONDO_RETURN_IF_ERROR(expression)                                                     \
  do {                                                                                        \
    if (::rondo::Status rondo_status = (expression); !rondo_status.ok()) return rondo_status; \
  } while (false)

// `RONDO_ASSIGN(auto x, Call())`: declares x from a Result, or leaves with its error.
#define RONDO_ASSIGN(declaration, expression) \
  RONDO_ASSIGN_IMPL(declaration, expression, RONDO_CONCAT(rondo_result_, __LINE__))
#define RONDO_CONCAT_IMPL(a, b) a##b
#define RONDO_CONCAT(a, b) RONDO_CONCAT_IMPL(a, b)
#define RONDO_ASSIGN_IMPL(declaration, expression, name) \
  auto name = (expression);                              \
  if (!name.ok()) return name.status();                  \
  declaration = std::move(*name)
