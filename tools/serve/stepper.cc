#include "tools/serve/stepper.h"

#include <algorithm>
#include <chrono>

namespace rondo::tools::serve {
namespace {

// After which what nobody was woken for is looked at: a client that reads again, one that has gone.
constexpr auto kLook = std::chrono::milliseconds(50);

}  // namespace

Stepper::Stepper(size_t most_queued, std::function<void(const Generation&)> ended)
    : most_queued_(most_queued), ended_(std::move(ended)), thread_([this] { Run(); }) {}

Stepper::~Stepper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Stepper::Add(std::vector<std::unique_ptr<Generation>> generations) {
  {
    const std::lock_guard lock(mutex_);
    const size_t waiting = arrived_.size() + load_.queued;
    if (stopping_ || (waiting > 0 && waiting + generations.size() > most_queued_)) return false;
    for (auto& one : generations) arrived_.push_back(std::move(one));
  }
  changed_.notify_all();
  return true;
}

Stepper::Load Stepper::load() const {
  const std::lock_guard lock(mutex_);
  return {load_.queued + arrived_.size(), load_.running};
}

void Stepper::Run() {
  bool stepped = false;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (!stepped) {
        const auto is_due = [this] { return stopping_ || !arrived_.empty(); };
        if (queued_.empty() && running_.empty()) {
          changed_.wait(lock, is_due);
        } else {
          changed_.wait_for(lock, kLook, is_due);
        }
      }
      if (stopping_) break;
      for (auto& one : arrived_) queued_.push_back(std::move(one));
      arrived_.clear();
      load_.queued = queued_.size();
    }
    Drop();
    Admit();
    Count();  // what waits while a step takes its time
    stepped = StepAll();
    Drop();
    Count();
  }
  const ApiError stopping(503, "the server is going down", "", "shutting_down");
  for (auto* const list : {&queued_, &running_}) {
    for (auto& one : *list) one->Fail(stopping);
  }
}

void Stepper::Count() {
  const std::lock_guard lock(mutex_);
  load_ = {queued_.size(), running_.size()};
}

// Gives back the places of what is over, and of those whose client has gone.
void Stepper::Drop() {
  for (auto* const list : {&queued_, &running_}) {
    list->remove_if([&](const std::unique_ptr<Generation>& one) {
      if (!one->over() && !one->exchange().gone()) return false;
      if (list == &running_) sessions_[one->wish().model.get()] -= one->sessions_wanted();
      ended_(*one);
      return true;
    });
  }
  std::erase_if(sessions_, [](const auto& entry) { return entry.second == 0; });
}

// In the order of their coming, of each model.
void Stepper::Admit() {
  std::vector<const ServedModel*> full;
  for (auto at = queued_.begin(); at != queued_.end();) {
    const auto next = std::next(at);
    const ServedModel* const model = (*at)->wish().model.get();
    const size_t wanted = (*at)->sessions_wanted();
    const bool waits = std::find(full.begin(), full.end(), model) != full.end();
    if (waits || sessions_[model] + wanted > model->memory().max_sessions) {
      full.push_back(model);
    } else {
      sessions_[model] += wanted;
      (*at)->Open();
      running_.splice(running_.end(), queued_, at);
    }
    at = next;
  }
}

// One step of each engine that somebody waits for; false where none does.
bool Stepper::StepAll() {
  std::map<const ServedModel*, std::vector<Generation*>> by_model;
  for (const auto& one : running_) by_model[one->wish().model.get()].push_back(one.get());
  bool stepped = false;
  for (auto& [model, generations] : by_model) {
    std::vector<rondo::Session*> sessions;
    for (Generation* const one : generations) one->AddWaiting(&sessions);
    if (sessions.empty()) continue;
    stepped = true;
    try {
      model->engine().Step(sessions);
    } catch (const rondo::Error& error) {
      for (Generation* const one : generations) {
        one->Fail(ApiError(error.status() == RONDO_STATUS_KV_POOL_FULL ? 503 : 500, error.what()));
      }
      continue;
    }
    for (Generation* const one : generations) one->Collect();
  }
  return stepped;
}

}  // namespace rondo::tools::serve
