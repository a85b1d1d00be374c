// Snapshots of sessions, and which tokens a session remembers.
#include <algorithm>

#include "c_api/handles.h"
#include "c_api/turn.h"

namespace {

using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::Code;
using rondo::c_api::NullArgument;
using rondo::c_api::Turn;

}  // namespace

extern "C" {

int32_t rondo_session_save(rondo_session* session, void* buffer, size_t capacity, size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (bytes == nullptr) return turn.Finish(NullArgument("bytes"));
  if (buffer == nullptr && capacity > 0) return turn.Finish(NullArgument("buffer"));
  return turn.Finish(turn->Save({static_cast<uint8_t*>(buffer), capacity}, bytes));
}

int32_t rondo_session_restore(rondo_session* session, const void* bytes, size_t count) {
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (bytes == nullptr) return turn.Finish(NullArgument("bytes"));
  return turn.Finish(turn->Restore({static_cast<const uint8_t*>(bytes), count}));
}

int32_t rondo_session_tokens(rondo_session* session, uint64_t* begin, int32_t* ids, size_t capacity,
                             size_t* count) {
  if (begin != nullptr) *begin = 0;
  if (count != nullptr) *count = 0;
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (begin == nullptr || count == nullptr) return turn.Finish(NullArgument("an output"));
  if (ids == nullptr && capacity > 0) return turn.Finish(NullArgument("ids"));
  const rondo::KeyHistory& keys = turn->keys();
  *begin = keys.begin();
  *count = keys.end() - keys.begin();
  for (size_t i = 0; i < std::min(capacity, *count); ++i) ids[i] = keys[keys.begin() + i];
  if (*count <= capacity) return RONDO_STATUS_OK;
  return turn.Finish(Status::Error(StatusCode::kBufferTooSmall,
                                   "the session remembers %zu tokens, the buffer has room for %zu",
                                   *count, capacity));
}

}  // extern "C"
