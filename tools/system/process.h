// This process, the machine's memory, and other programs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace rondo::tools {

// Differs between any two that live at the same time.
uint64_t ProcessId();

// Bytes that a process can take without others having to give up theirs, as far as is told.
uint64_t AvailableMemory();

// Starts `command` by the system's shell, to read what it prints; null where it cannot be started.
std::FILE* StartCommand(const std::string& command);

// Waits for its end, and tells how it was; empty: well.
std::string EndCommand(std::FILE* output);

}  // namespace rondo::tools
