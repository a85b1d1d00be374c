// TraceFile: what an engine computes and when, as a trace that chrome://tracing and Perfetto show.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/common/library.h"
#include "tools/common/output_file.h"

namespace rondo::tools {

class TraceFile {
 public:
  // Events that the engine is to remember between two calls of Collect.
  static constexpr uint32_t kEvents = 1u << 18;

  // Replaces only traces. Throws Error, as the rest.
  explicit TraceFile(const std::filesystem::path& target);

  // Writes what the engine has computed since the last call.
  void Collect(const Engine& engine);
  // Once, behind the last Collect. Returns how many events were lost.
  uint64_t Finish();

 private:
  size_t NumberOf(uint64_t thread);

  OutputFile file_;
  uint64_t cursor_ = 0;
  uint64_t lost_ = 0;
  bool first_ = true;
  std::vector<uint64_t> threads_;  // in the order of their coming
};

}  // namespace rondo::tools
