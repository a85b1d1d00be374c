#include "c_api/handles.h"

#include <algorithm>

#include "platforms/memory.h"

namespace rondo::c_api {

void Release(rondo_model* model) {
  if (Drop(model)) delete model;
}

void Release(rondo_engine* engine) {
  if (!Drop(engine)) return;
  rondo_model* model = engine->model;
  rondo_model* draft = engine->draft;
  delete engine;
  Release(model);
  if (draft != nullptr) Release(draft);
}

void Release(rondo_grammar* grammar) {
  if (!Drop(grammar)) return;
  rondo_model* model = grammar->model;
  if (grammar->grammar != nullptr) std::destroy_at(grammar->grammar);
  if (grammar->own_memory != nullptr) UnmapMemory(grammar->own_memory, grammar->own_bytes);
  delete grammar;
  Release(model);
}

void Release(rondo_adapter* adapter) {
  if (!Drop(adapter)) return;
  rondo_model* model = adapter->model;
  delete adapter;
  Release(model);
}

void Release(rondo_session* session) {
  if (!Drop(session)) return;
  rondo_engine* engine = session->engine;
  rondo_grammar* grammar = session->grammar;
  rondo_adapter* adapter = session->adapter;
  // An inherited session goes with its engine: whoever holds the engine's turn is not here.
  if (!engine->Inherited()) engine->engine->CloseSession(session->session);
  engine->sessions_open.fetch_sub(1, std::memory_order_relaxed);
  delete session;
  Release(engine);
  if (grammar != nullptr) Release(grammar);
  if (adapter != nullptr) Release(adapter);
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

Status NoHandle(const char* name) {
  return Status::Error(StatusCode::kInvalidArgument, "%s is NULL or a handle of another kind",
                       name);
}

Status BadStructSize(const char* what, uint32_t size, size_t known) {
  return Status::Error(StatusCode::kVersionMismatch,
                       "%s has struct_size %u; this library knows %zu bytes of it (is the struct "
                       "initialised?)",
                       what, size, known);
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
