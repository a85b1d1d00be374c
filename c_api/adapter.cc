// Adapters: opened for a model, and kept by the sessions that have them.
#include <new>
#include <utility>

#include "c_api/handles.h"

namespace {

using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::CheckOutput;
using rondo::c_api::Clear;
using rondo::c_api::Code;
using rondo::c_api::Fill;
using rondo::c_api::Held;
using rondo::c_api::MapError;
using rondo::c_api::NewHandle;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenAdapter;
using rondo::c_api::OpenModel;
using rondo::c_api::Report;
using rondo::c_api::Retain;

rondo::Result<rondo_adapter*> Open(OpenModel* model, rondo::FileMap map,
                                   std::span<const uint8_t> bytes) {
  NewHandle handle;
  RONDO_RETURN_IF_ERROR(handle.Check());
  std::unique_ptr<OpenAdapter> adapter(new (std::nothrow) OpenAdapter);
  if (adapter == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(OpenAdapter));
  }
  adapter->map = std::move(map);
  RONDO_ASSIGN(adapter->file, rondo::AdapterFile::Open(bytes, model->file));
  adapter->model = model;
  Retain(model);
  return handle.Open<rondo_adapter>(adapter.release());
}

rondo::Result<rondo_adapter*> OpenPath(const rondo_model* handle, const char* path) {
  const Held model(handle);
  if (!model) return model.Why("model");
  if (path == nullptr) return NullArgument("path");
  rondo::FileMap map;
  if (const rondo::FileError error = rondo::FileMap::OpenPath(path, &map)) {
    return MapError(error, "adapter", path);
  }
  const std::span<const uint8_t> bytes = map.bytes();
  return Open(model.get(), std::move(map), bytes);
}

rondo::Result<rondo_adapter*> OpenMemory(const rondo_model* handle, const void* bytes,
                                         size_t length) {
  const Held model(handle);
  if (!model) return model.Why("model");
  if (bytes == nullptr) return NullArgument("bytes");
  return Open(model.get(), {}, {static_cast<const uint8_t*>(bytes), length});
}

int32_t Answer(const rondo::Result<rondo_adapter*>& opened, rondo_adapter** adapter, char* message,
               size_t message_bytes) {
  if (opened.ok()) *adapter = *opened;
  return Report(opened.status(), message, message_bytes);
}

}  // namespace

extern "C" {

int32_t rondo_adapter_open_path(rondo_model* model, const char* path, rondo_adapter** adapter,
                                char* message, size_t message_bytes) {
  if (adapter == nullptr) return Report(NullArgument("adapter"), message, message_bytes);
  *adapter = nullptr;
  return Answer(OpenPath(model, path), adapter, message, message_bytes);
}

int32_t rondo_adapter_open_memory(rondo_model* model, const void* bytes, size_t length,
                                  rondo_adapter** adapter, char* message, size_t message_bytes) {
  if (adapter == nullptr) return Report(NullArgument("adapter"), message, message_bytes);
  *adapter = nullptr;
  return Answer(OpenMemory(model, bytes, length), adapter, message, message_bytes);
}

void rondo_adapter_close(rondo_adapter* adapter) { rondo::c_api::Close(adapter); }

int32_t rondo_adapter_info(const rondo_adapter* handle, rondo_adapter_facts* facts) {
  Clear(facts);
  const Held adapter(handle);
  if (!adapter) return adapter.code();
  if (const Status status = CheckOutput(facts, "facts"); !status.ok()) return Code(status);
  rondo_adapter_facts f = {};
  f.rank = adapter->file.rank();
  f.n_matrices = static_cast<uint32_t>(adapter->file.n_matrices());
  f.file_bytes = adapter->file.file_bytes();
  Fill(facts, f);
  return RONDO_STATUS_OK;
}

}  // extern "C"
