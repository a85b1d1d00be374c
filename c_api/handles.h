// What stands behind the handles of rondo.h, and the manners that all entry points share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>

#include "c_api/struct_sizes.h"
#include "platforms/file_map.h"
#include "platforms/sync.h"
#include "platforms/this_thread.h"
#include "rondo/rondo.h"
#include "runtime/base/heap_array.h"
#include "runtime/chat/calls/chat_parser.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/session.h"
#include "runtime/grammar/grammar.h"
#include "runtime/model/adapter_file.h"
#include "runtime/model/model_file.h"
#include "runtime/text/tokenizer.h"

// Every handle is counted: one reference for the caller, one for each child. It begins with what it
// is, so that one in the place of another is refused.
struct rondo_model {
  static constexpr uint32_t kKind = 0x4c444f4d;  // "MODL"
  const uint32_t kind = kKind;
  std::atomic<uint32_t> references{1};
  rondo::FileMap map;  // empty for a model from memory
  rondo::ModelFile file;
  std::unique_ptr<rondo::Tokenizer> tokenizer;  // may be null
  uint32_t abi_version = 0;                     // of the caller that opened it
  rondo::HeapArray<const char*> stop_strings;   // that its makers recommend: views into the file
  // What grammars need, from the first one on.
  mutable rondo::Mutex grammar_mutex;
  mutable std::unique_ptr<rondo::grammar::TokenTrie> trie;
};

struct rondo_grammar {
  static constexpr uint32_t kKind = 0x4d4d5247;  // "GRMM"
  const uint32_t kind = kKind;
  std::atomic<uint32_t> references{1};  // the caller's, and one of each session
  rondo_model* model = nullptr;
  rondo::grammar::Grammar* grammar = nullptr;
  void* own_memory = nullptr;  // null: the caller's
  size_t own_bytes = 0;
};

struct rondo_adapter {
  static constexpr uint32_t kKind = 0x50544441;  // "ADTP"
  const uint32_t kind = kKind;
  std::atomic<uint32_t> references{1};  // the caller's, and one of each session
  rondo_model* model = nullptr;
  rondo::FileMap map;  // empty for one from memory
  rondo::AdapterFile file;
};

struct rondo_engine {
  static constexpr uint32_t kKind = 0x4e474e45;  // "ENGN"
  const uint32_t kind = kKind;
  std::atomic<uint32_t> references{1};
  rondo_model* model = nullptr;
  rondo_model* draft = nullptr;  // null: none
  std::unique_ptr<rondo::Engine> engine;
  std::atomic<uint32_t> sessions_open{0};
  std::atomic<uint64_t> tokens_prefilled{0};
  std::atomic<uint64_t> tokens_generated{0};
  std::atomic<uint64_t> callback_thread{0};  // that is inside of a caller's callback; 0: none
  const uint64_t process = rondo::ThisProcess();
  rondo::HostPool host_pool;  // the caller's own

  bool InCallback() const { return callback_thread.load() == rondo::ThisThread(); }
  // In a child of fork(): the threads are the parent's, and perhaps the arena and a held mutex.
  bool Inherited() const { return process != rondo::ThisProcess(); }
};

struct rondo_session {
  static constexpr uint32_t kKind = 0x53534553;  // "SESS"
  const uint32_t kind = kKind;
  std::atomic<uint32_t> references{1};  // the caller's, and one of the call that is running
  std::atomic_flag busy;
  rondo_engine* engine = nullptr;
  rondo_grammar* grammar = nullptr;  // null: none
  rondo_adapter* adapter = nullptr;  // the same
  rondo::Session* session = nullptr;
  rondo::Status last_error;
  uint64_t tokens_prefilled = 0;
  uint64_t tokens_generated = 0;
};

// Of nothing: it has copies of what it needs.
struct rondo_chat_parser {
  static constexpr uint32_t kKind = 0x53525043;  // "CPRS"
  const uint32_t kind = kKind;
  std::unique_ptr<rondo::ChatParser> parser;
};

namespace rondo::c_api {

// Not NULL, and of this kind.
template <typename Handle>
bool Is(const Handle* handle) {
  uint32_t kind = 0;
  if (handle != nullptr) std::memcpy(&kind, static_cast<const void*>(handle), sizeof kind);
  return kind == Handle::kKind;
}
template <typename Handle>
void Retain(Handle* handle) {
  handle->references.fetch_add(1, std::memory_order_relaxed);
}
// True for the last one out.
template <typename Handle>
bool Drop(Handle* handle) {
  return handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}
void Release(rondo_model* model);
void Release(rondo_engine* engine);
void Release(rondo_grammar* grammar);
void Release(rondo_adapter* adapter);
void Release(rondo_session* session);

// ---- Messages ----

inline int32_t Code(const Status& status) { return static_cast<int32_t>(status.code()); }
// Writes the message, empty for success, and returns the code.
int32_t Report(const Status& status, char* message, size_t message_bytes);
Status NullArgument(const char* name);
Status NoHandle(const char* name);  // NULL, or of another kind

// ---- Structs with struct_size ----

Status BadStructSize(const char* what, uint32_t size, size_t known);

// The bytes that both sides know.
template <typename Struct>
size_t SharedSize(uint32_t size) {
  return std::min<size_t>(size, sizeof(Struct));
}

// Zeroes options and sets their struct_size, before their defaults. A status of the C API: not OK
// where no version of the library had such a size.
template <typename Options>
int32_t ClearOptions(Options* options, size_t struct_size) {
  if (options == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  if (struct_size > kMaxStructSize || !IsStructSize<Options>(static_cast<uint32_t>(struct_size))) {
    return RONDO_STATUS_VERSION_MISMATCH;
  }
  std::memset(options, 0, struct_size);
  options->struct_size = static_cast<uint32_t>(struct_size);
  return RONDO_STATUS_OK;
}

// The caller's options as this library knows them; all that it does not know must be zero.
template <typename Options>
Status ReadOptions(const Options* theirs, const char* what, Options* ours) {
  if (theirs == nullptr) return NullArgument("options");
  if (!IsStructSize<Options>(theirs->struct_size)) {
    return BadStructSize(what, theirs->struct_size, sizeof(Options));
  }
  *ours = {};
  std::memcpy(ours, theirs, SharedSize<Options>(theirs->struct_size));
  const auto* bytes = reinterpret_cast<const unsigned char*>(theirs);
  for (size_t i = sizeof(Options); i < theirs->struct_size; ++i) {
    if (bytes[i] != 0) {
      return Status::Error(StatusCode::kVersionMismatch,
                           "%s has a field at byte %zu that this library does not know", what, i);
    }
  }
  return Status();
}

// Everything behind struct_size becomes zero, if struct_size can be believed.
template <typename Struct>
void Clear(Struct* out) {
  if (out == nullptr || !IsStructSize<Struct>(out->struct_size)) return;
  std::memset(reinterpret_cast<char*>(out) + sizeof(uint32_t), 0,
              out->struct_size - sizeof(uint32_t));
}

template <typename Struct>
Status CheckOutput(const Struct* out, const char* what) {
  if (out == nullptr) return NullArgument(what);
  if (IsStructSize<Struct>(out->struct_size)) return Status();
  return BadStructSize(what, out->struct_size, sizeof(Struct));
}

// `out` has passed CheckOutput.
template <typename Struct>
void Fill(Struct* out, Struct value) {
  value.struct_size = out->struct_size;
  Clear(out);
  std::memcpy(out, &value, SharedSize<Struct>(out->struct_size));
}

// ---- Text ----

// As rondo.h says of text outputs.
int32_t PutText(std::string_view text, char* buffer, size_t capacity, size_t* length);

// ---- Files ----

// Why the file `what` could not be opened; `path` may be null.
Status MapError(const FileError& error, const char* what, const char* path);

// ---- Plans ----

Status ReadEngineOptions(const rondo_engine_options* theirs, EngineOptions* ours);
rondo_memory_plan DescribePlan(const EnginePlan& plan);
// Error: kInvalidArgument (no such region).
Status DescribeRegion(const EnginePlan& plan, uint32_t index, rondo_memory_region* region);

}  // namespace rondo::c_api
