// Stepper: the one thread that steps engines, for all that is generated.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/serve/generation.h"

namespace rondo::tools::serve {

class Stepper {
 public:
  struct Load {
    size_t queued = 0;   // requests that wait for a session
    size_t running = 0;  // that have one
  };

  // `ended` is told, on the thread that steps, of each generation that is over or was left.
  Stepper(size_t most_queued, std::function<void(const Generation&)> ended);
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;
  // What is not over is broken off.
  ~Stepper();

  // Those of one request. False: as many wait as may, beside which not all of them have room.
  // [any thread]
  bool Add(std::vector<std::unique_ptr<Generation>> generations);
  Load load() const;

 private:
  void Run();
  void Admit();
  bool StepAll();
  void Drop();
  void Count();

  const size_t most_queued_;
  const std::function<void(const Generation&)> ended_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Generation>> arrived_;
  bool stopping_ = false;
  Load load_;
  // Of the thread alone.
  std::list<std::unique_ptr<Generation>> queued_, running_;
  std::map<const ServedModel*, size_t> sessions_;  // of each model's, that are taken
  std::thread thread_;
};

}  // namespace rondo::tools::serve
