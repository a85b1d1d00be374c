#include "c_api/handles.h"

#include <algorithm>

#include "platforms/memory.h"

namespace rondo::c_api {

namespace {

// True for the last one out.
template <typename Object>
bool Drop(Object* object) {
  return object->references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

}  // namespace

void Release(OpenModel* model) {
  if (Drop(model)) delete model;
}

void Release(OpenEngine* engine) {
  if (!Drop(engine)) return;
  OpenModel* model = engine->model;
  OpenModel* draft = engine->draft;
  delete engine;
  Release(model);
  if (draft != nullptr) Release(draft);
}

void Release(OpenGrammar* grammar) {
  if (!Drop(grammar)) return;
  OpenModel* model = grammar->model;
  if (grammar->grammar != nullptr) std::destroy_at(grammar->grammar);
  if (grammar->own_memory != nullptr) UnmapMemory(grammar->own_memory, grammar->own_bytes);
  delete grammar;
  Release(model);
}

void Release(OpenAdapter* adapter) {
  if (!Drop(adapter)) return;
  OpenModel* model = adapter->model;
  delete adapter;
  Release(model);
}

void Release(OpenSession* session) {
  OpenEngine* engine = session->engine;
  OpenGrammar* grammar = session->grammar;
  OpenAdapter* adapter = session->adapter;
  // An inherited session goes with its engine: whoever holds the engine's turn is not here.
  if (!engine->Inherited()) engine->engine->CloseSession(session->session);
  engine->sessions_open.fetch_sub(1, std::memory_order_relaxed);
  delete session;
  Release(engine);
  if (grammar != nullptr) Release(grammar);
  if (adapter != nullptr) Release(adapter);
}

// A child of fork() leaves the store of its parent's inputs alone.
void Release(OpenMedia* media) {
  if (!Drop(media)) return;
  OpenEngine* engine = media->engine;
  if (!engine->Inherited()) media->media.Release(&engine->engine->inputs());
  delete media;
  Release(engine);
}

void Release(OpenChatParser* parser) { delete parser; }

Status NotOpen(const void* handle, const char* name) {
  if (handle == nullptr) return NullArgument(name);
  return Status::Error(kInvalidHandle,
                       "%s is no open handle: it was closed, is one of another kind, or never was "
                       "one",
                       name);
}

Status NewHandle::Check() const {
  if (slot_ != nullptr) return Status();
  return Status::Error(StatusCode::kOutOfMemory, "the system refused memory for a handle");
}

int32_t Report(const Status& status, char* message, size_t message_bytes) {
  if (message != nullptr && message_bytes > 0) {
    const auto n = static_cast<size_t>(CutForMessage(status.message(), message_bytes - 1));
    std::memcpy(message, status.message(), n);
    message[n] = '\0';
  }
  return Code(status);
}

Status NullArgument(const char* name) {
  return Status::Error(StatusCode::kInvalidArgument, "%s is NULL", name);
}

Status BadStructSize(const char* what, uint32_t size, size_t known) {
  return Status::Error(StatusCode::kVersionMismatch,
                       "%s has struct_size %u; this library knows %zu bytes of it (is the struct "
                       "initialised?)",
                       what, size, known);
}

Status ReservedIsSet(const char* what, const char* field, uint32_t value) {
  return Status::Error(StatusCode::kVersionMismatch,
                       "%s has %u in its field %s, which means nothing to this library: expected 0",
                       what, value, field);
}

Status ReadFlag(const char* name, uint32_t value, bool* flag) {
  if (value > 1) {
    return Status::Error(StatusCode::kInvalidArgument, "%s is %u, but must be 0 or 1", name, value);
  }
  *flag = value == 1;
  return Status();
}

Status MapError(const FileError& error, const char* what, const char* path) {
  using Kind = FileError::Kind;
  const bool of_model = std::string_view(what) == "model";
  return Status::Error(
      error.kind == Kind::kNoMemory ? StatusCode::kOutOfMemory : StatusCode::kIoError,
      "cannot open the %s: %s%s (error %d)%s%s", what, error.reason(),
      error.kind == Kind::kDirectory && of_model
          ? "; expected a model file (`rondo convert` makes one of it)"
          : "",
      error.system, path != nullptr ? ": " : "", path != nullptr ? path : "");
}

int32_t PutText(std::string_view text, char* buffer, size_t capacity, size_t* length) {
  *length = text.size();
  if (buffer != nullptr && capacity > 0) buffer[0] = '\0';
  if (buffer == nullptr || text.size() >= capacity) return RONDO_STATUS_BUFFER_TOO_SMALL;
  text.copy(buffer, text.size());
  buffer[text.size()] = '\0';
  return RONDO_STATUS_OK;
}

}  // namespace rondo::c_api
