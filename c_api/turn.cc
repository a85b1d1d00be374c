#include "c_api/turn.h"

#include <algorithm>

namespace rondo::c_api {

Status Turns::Take(const OpenEngine& engine, std::span<rondo_session* const> sessions) {
  for (size_t i = 0; i < sessions.size(); ++i) {
    LaterTurn& turn = turns_[i].emplace(sessions[i]);
    if (!turn.is_open()) {
      const Status why = turn.Why();
      return Status::Error(why.code(), "session %zu: %s", i, why.message());
    }
    if (&turn.engine() != &engine) {
      return Status::Error(StatusCode::kInvalidArgument, "session %zu is of another engine", i);
    }
    if (std::find(sessions.begin(), sessions.begin() + i, sessions[i]) != sessions.begin() + i) {
      return Status::Error(StatusCode::kInvalidArgument, "session %zu is given twice", i);
    }
  }
  for (; n_ < sessions.size(); ++n_) {
    LaterTurn& turn = *turns_[n_];
    turn.Take();
    if (!turn.taken()) {
      return Status::Error(StatusCode::kBusy, "session %zu is in use by another call", n_);
    }
    sessions_[n_] = &*turn;
  }
  for (size_t i = 0; i < n_; ++i) turns_[i]->Number();
  return Status();
}

}  // namespace rondo::c_api
