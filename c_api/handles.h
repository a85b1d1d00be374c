// What stands behind the handles of rondo.h, and the manners that all entry points share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

#include "c_api/handle_table.h"
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

namespace rondo::c_api {

// ---- What stands behind handles ----
//
// All but sessions and parsers are counted: one reference for the table of handles, one for each
// child.

struct OpenModel {
  std::atomic<uint32_t> references{1};
  FileMap map;  // empty for a model from memory
  ModelFile file;
  std::unique_ptr<Tokenizer> tokenizer;  // may be null
  uint32_t abi_version = 0;              // of the caller that opened it
  HeapArray<const char*> stop_strings;   // that its makers recommend: views into the file
  // What grammars need, from the first one on.
  mutable Mutex grammar_mutex;
  mutable std::unique_ptr<grammar::TokenTrie> trie;
};

struct OpenGrammar {
  std::atomic<uint32_t> references{1};
  OpenModel* model = nullptr;
  grammar::Grammar* grammar = nullptr;
  void* own_memory = nullptr;  // null: the caller's
  size_t own_bytes = 0;
};

struct OpenAdapter {
  std::atomic<uint32_t> references{1};
  OpenModel* model = nullptr;
  FileMap map;  // empty for one from memory
  AdapterFile file;
};

struct OpenEngine {
  std::atomic<uint32_t> references{1};
  OpenModel* model = nullptr;
  OpenModel* draft = nullptr;  // null: none
  std::unique_ptr<Engine> engine;
  std::atomic<uint32_t> sessions_open{0};
  std::atomic<uint64_t> tokens_prefilled{0};
  std::atomic<uint64_t> tokens_generated{0};
  std::atomic<uint64_t> callback_thread{0};  // that is inside of a caller's callback; 0: none
  const uint64_t process = ThisProcess();
  HostPool host_pool;  // the caller's own

  bool InCallback() const { return callback_thread.load() == ThisThread(); }
  // In a child of fork(): the threads are the parent's, and perhaps the arena and a held mutex.
  bool Inherited() const { return process != ThisProcess(); }
};

struct OpenSession {
  std::atomic_flag busy;
  OpenEngine* engine = nullptr;
  OpenGrammar* grammar = nullptr;  // null: none
  OpenAdapter* adapter = nullptr;  // the same
  Session* session = nullptr;
  Status last_error;
  uint64_t tokens_prefilled = 0;
  uint64_t tokens_generated = 0;
};

struct OpenMedia {
  std::atomic<uint32_t> references{1};
  OpenEngine* engine = nullptr;
  Media media;
};

// Of nothing: it has copies of what it needs.
struct OpenChatParser {
  std::atomic_flag busy;
  std::unique_ptr<ChatParser> parser;
};

template <typename Object>
void Retain(Object* object) {
  object->references.fetch_add(1, std::memory_order_relaxed);
}
void Release(OpenModel* model);
void Release(OpenEngine* engine);
void Release(OpenGrammar* grammar);
void Release(OpenAdapter* adapter);
void Release(OpenSession* session);
void Release(OpenMedia* media);
void Release(OpenChatParser* parser);

// ---- Handles ----

template <typename Handle>
struct Behind;
template <>
struct Behind<rondo_model> {
  using Object = OpenModel;
  static constexpr HandleKind kKind = HandleKind::kModel;
};
template <>
struct Behind<rondo_grammar> {
  using Object = OpenGrammar;
  static constexpr HandleKind kKind = HandleKind::kGrammar;
};
template <>
struct Behind<rondo_adapter> {
  using Object = OpenAdapter;
  static constexpr HandleKind kKind = HandleKind::kAdapter;
};
template <>
struct Behind<rondo_engine> {
  using Object = OpenEngine;
  static constexpr HandleKind kKind = HandleKind::kEngine;
};
template <>
struct Behind<rondo_session> {
  using Object = OpenSession;
  static constexpr HandleKind kKind = HandleKind::kSession;
};
template <>
struct Behind<rondo_media> {
  using Object = OpenMedia;
  static constexpr HandleKind kKind = HandleKind::kMedia;
};
template <>
struct Behind<rondo_chat_parser> {
  using Object = OpenChatParser;
  static constexpr HandleKind kKind = HandleKind::kChatParser;
};

template <typename Handle>
uintptr_t AsNumber(const Handle* handle) {
  return reinterpret_cast<uintptr_t>(handle);
}
// Behind this door nobody has handles, nor a code for them.
inline constexpr auto kInvalidHandle = static_cast<StatusCode>(RONDO_STATUS_INVALID_HANDLE);
Status NotOpen(const void* handle, const char* name);  // NULL, or none of its kind

// What a handle stands for, for the time of one call: the only way to it. Whoever closes the handle
// meanwhile, the object stays; the last call that holds it gives it up.
template <typename Handle>
class Held {
 public:
  using Object = typename Behind<Handle>::Object;

  explicit Held(const Handle* handle)
      : handle_(handle), slot_(HoldHandle(AsNumber(handle), Behind<Handle>::kKind)) {}
  ~Held() {
    if (slot_ == nullptr || !LetGo(slot_)) return;
    Release(get());
    GiveSlotBack(slot_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  explicit operator bool() const { return slot_ != nullptr; }
  // Null: there is none.
  Object* get() const { return slot_ == nullptr ? nullptr : static_cast<Object*>(slot_->object); }
  Object* operator->() const { return get(); }
  Object& operator*() const { return *get(); }
  // Why there is none.
  Status Why(const char* name) const { return NotOpen(handle_, name); }
  // The same of one that may be NULL.
  Status CheckIfGiven(const char* name) const {
    return slot_ != nullptr || handle_ == nullptr ? Status() : Why(name);
  }
  int32_t code() const {
    return handle_ == nullptr ? RONDO_STATUS_INVALID_ARGUMENT : RONDO_STATUS_INVALID_HANDLE;
  }
  // No call finds it from here on. False where it was closed before.
  bool Close() { return CloseHandle(slot_); }

 private:
  const Handle* handle_;
  HandleSlot* slot_;
};

// Gives a handle up; one that is not open is left alone.
template <typename Handle>
void Close(Handle* handle) {
  Held held(handle);
  if (held) held.Close();
}

// The place of a handle that is being made, so that nothing can fail once the object is there.
class NewHandle {
 public:
  NewHandle() : slot_(TakeSlot()) {}
  ~NewHandle() {
    if (slot_ != nullptr) GiveSlotBack(slot_);
  }
  NewHandle(const NewHandle&) = delete;
  NewHandle& operator=(const NewHandle&) = delete;

  Status Check() const;  // kOutOfMemory
  Cancellation* cancellation() const { return &slot_->cancellation; }
  // The table has the object's first reference from here on. Once.
  template <typename Handle>
  Handle* Open(typename Behind<Handle>::Object* object) {
    HandleSlot* const slot = slot_;
    slot_ = nullptr;
    return reinterpret_cast<Handle*>(OpenHandle(slot, Behind<Handle>::kKind, object));
  }

 private:
  HandleSlot* slot_;
};

// ---- Messages ----

inline int32_t Code(const Status& status) { return static_cast<int32_t>(status.code()); }
// Writes the message, empty for success, and returns the code.
int32_t Report(const Status& status, char* message, size_t message_bytes);
Status NullArgument(const char* name);

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

// A field that means nothing yet, and is not zero.
Status ReservedIsSet(const char* what, const char* field, uint32_t value);

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
  for (const ReservedField& field : kReservedFields<Options>) {
    uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(ours) + field.offset, sizeof value);
    if (value != 0) return ReservedIsSet(what, field.name, value);
  }
  return Status();
}

// An option that is 0 or 1.
Status ReadFlag(const char* name, uint32_t value, bool* flag);

// An option whose values the runtime checks.
template <typename Enum>
void ReadEnum(int32_t value, Enum* ours) {
  *ours = static_cast<Enum>(value);
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

// `draft` holds the options' draft model, or nothing.
Status ReadEngineOptions(const rondo_engine_options* theirs, EngineOptions* ours,
                         std::optional<Held<rondo_model>>* draft);
rondo_memory_plan DescribePlan(const EnginePlan& plan);
// Error: kInvalidArgument (no such region).
Status DescribeRegion(const EnginePlan& plan, uint32_t index, rondo_memory_region* region);

}  // namespace rondo::c_api
