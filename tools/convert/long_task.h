// RunLongTask: a task that writes a file, with a progress bar, until Ctrl-C.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace rondo::tools {

// `task` is given what to tell its progress to, in bytes. An interruption unwinds through that like
// any failure, so that no partial file is left, and ends as a CLI::RuntimeError of 130 after saying
// that `output` was not written.
void RunLongTask(
    const std::filesystem::path& output,
    const std::function<void(const std::function<void(uint64_t done, uint64_t total)>&)>& task);

}  // namespace rondo::tools
