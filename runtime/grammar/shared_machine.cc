#include "runtime/grammar/shared_machine.h"

namespace rondo::grammar {

void SharedMachine::Init(Machine* machine, State start, std::span<State> masks) {
  machine_ = machine;
  start_ = start;
  masks_ = masks;
}

void SharedMachine::TakeTurn() {
  MutexLock lock(mutex_);
  const uint64_t turn = asked_++;
  while (served_ != turn) changed_.Wait(lock);
}

void SharedMachine::GiveTurn() {
  const MutexLock lock(mutex_);
  ++served_;
  if (asked_ != served_) changed_.NotifyAll();
}

void SharedMachine::Enter(MachineCall* call) {
  MachineCall** last = &oldest_;
  while (*last != nullptr) last = &(*last)->younger_;
  *last = call;
}

void SharedMachine::Leave(MachineCall* call) {
  MachineCall** at = &oldest_;
  while (*at != call) at = &(*at)->younger_;
  *at = call->younger_;
}

void SharedMachine::Forget() {
  ++epoch_;
  Machine::Kept start = {{&start_, 1}};
  Machine::Kept* last = &start;
  for (MachineCall* call = oldest_; call != nullptr; call = call->younger_) {
    call->kept_.next = nullptr;
    last = last->next = &call->kept_;
  }
  machine_->Forget(&start, masks_);
}

MachineCall::MachineCall(SharedMachine& shared, const Cancellation* cancel)
    : shared_(shared), machine_(*shared.machine_), cancel_(cancel) {
  shared_.TakeTurn();
  shared_.Enter(this);
}

MachineCall::~MachineCall() {
  shared_.Leave(this);
  shared_.GiveTurn();
}

bool MachineCall::Pause(size_t i) {
  spent_ = 0;
  if (cancel_ != nullptr && cancel_->cancelled()) end_ = End::kCancelled;
  if (!ok()) return false;
  Hold(i);
  shared_.GiveTurn();
  shared_.TakeTurn();
  return ok();
}

void MachineCall::MakeRoom(size_t i) {
  Hold(i);
  shared_.Forget();
}

// What others hold is forgotten only where nobody older is there: so one of all always goes on, and
// whether memory suffices does not depend on the others. False: it does not.
bool MachineCall::MakeRoomOnceMore(size_t i, int attempt) {
  if (attempt == 0) {
    MakeRoom(i);
    return true;
  }
  if (shared_.oldest_ != this) {
    end_ = End::kLost;
    return false;
  }
  if (attempt == 2 || younger_ == nullptr) {
    end_ = End::kMemory;
    return false;
  }
  for (MachineCall* call = younger_; call != nullptr; call = call->younger_) {
    call->kept_.states = {};
    call->end_ = End::kLost;
  }
  MakeRoom(i);
  return true;
}

State MachineCall::Make(size_t i, uint32_t byte_class) {
  if (spent_ >= kSlice && !Pause(i)) return Machine::kDead;
  for (int attempt = 0; ok(); ++attempt) {
    Budget budget(kSteps);
    const State made = machine_.NextClass(states_[i], byte_class, budget);
    spent_ += kSteps - budget.left();
    if (budget.ok()) return made;
    if (budget.end() != Budget::End::kMemory) {
      end_ = budget.end() == Budget::End::kSteps ? End::kSteps : End::kDepth;
    } else if (!MakeRoomOnceMore(i, attempt)) {
      break;
    }
  }
  return Machine::kDead;
}

bool MachineCall::Read(size_t i, std::span<const uint8_t> bytes) {
  for (int attempt = 0; ok(); ++attempt) {
    Budget budget(kSteps);
    bool well_formed = false;
    states_[i] = Machine::kDead;
    const State read = machine_.Read(bytes, budget, &well_formed);
    spent_ += kSteps - budget.left();
    if (budget.ok()) {
      states_[i] = read;
      return well_formed;
    }
    if (budget.end() != Budget::End::kMemory) {
      end_ = budget.end() == Budget::End::kSteps ? End::kSteps : End::kDepth;
    } else if (!MakeRoomOnceMore(i, attempt)) {
      break;
    }
  }
  return false;
}

}  // namespace rondo::grammar
