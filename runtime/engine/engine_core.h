// EngineCore: what an engine's sessions share.
#pragma once

#include <mutex>

#include "platforms/thread_pool.h"
#include "runtime/engine/blueprint.h"

namespace rondo {

struct EngineCore {
  const ModelFile* model = nullptr;
  const Tokenizer* tokenizer = nullptr;  // may be null
  Blueprint blueprint;
  ThreadPool* pool = nullptr;
  uint8_t* arena = nullptr;
  size_t mapped_bytes = 0;  // of an arena of our own, else 0
  std::mutex turn;          // one session at a time runs on the engine's threads and scratch

  template <typename T>
  T* At(MemoryPlan::BlockId id) const {
    return reinterpret_cast<T*>(arena + blueprint.plan.memory.block(id).offset);
  }
  size_t Bytes(MemoryPlan::BlockId id) const { return blueprint.plan.memory.block(id).bytes; }
};

}  // namespace rondo
