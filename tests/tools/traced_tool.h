// Runs the tool under trace and sends it a signal at a chosen system call: every moment between two
// of them can be tried, and none depends on the clock.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rondo {

struct TracedRun {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;      // that one
  size_t stops = 0;    // seen: two for each system call of the main thread
};

struct Tracing {
  size_t stop =
      0;  // where the signal is sent, counted from when the tool notes signals; 0: nowhere
  int signal = 0;
  bool nameless_files = true;  // false: as on a file system that has none (O_TMPFILE)
};

// Whether this machine lets a process be traced.
bool CanTrace();
TracedRun RunTraced(const std::vector<std::string>& arguments, const Tracing& tracing);

// Every file of a folder and its bytes.
std::map<std::string, std::string> Contents(const std::filesystem::path& folder);

}  // namespace rondo
