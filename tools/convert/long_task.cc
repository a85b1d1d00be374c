#include "tools/convert/long_task.h"

#include <csignal>
#include <iostream>

#include <unistd.h>
#include <CLI/CLI.hpp>

#include "tools/common/progress_bar.h"

namespace rondo::tools {
namespace {

constexpr int kExitInterrupted = 130;

volatile std::sig_atomic_t interrupted = 0;

struct Interrupted {};

}  // namespace

void RunLongTask(
    const std::filesystem::path& output,
    const std::function<void(const std::function<void(uint64_t done, uint64_t total)>&)>& task) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  try {
    ProgressBar bar(std::cerr, isatty(STDERR_FILENO) != 0);
    task([&bar](uint64_t done, uint64_t total) {
      if (interrupted != 0) throw Interrupted();
      bar.Update(done, total);
    });
  } catch (const Interrupted&) {
    std::cerr << "rondo: interrupted; " << output.string() << " was not written\n";
    throw CLI::RuntimeError(kExitInterrupted);
  }
}

}  // namespace rondo::tools
