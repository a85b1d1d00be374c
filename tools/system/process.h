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
// The same, with a file as the command's standard input, which is read from where it stands. The
// file is one of TemporaryFile, and open until EndCommand.
std::FILE* StartCommand(const std::string& command, std::FILE* input);
// A new file that nobody else sees, and that is gone when it is closed; null: there is no room.
std::FILE* TemporaryFile();

// Waits for its end, and tells how it was; empty: well.
std::string EndCommand(std::FILE* output);

}  // namespace rondo::tools
