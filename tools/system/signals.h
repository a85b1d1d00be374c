// The signals that ask a program to end.
#pragma once

#include <atomic>

namespace rondo::tools {

// Ctrl-C, and what else asks this program to end, call `note` with the signal from now on, at any
// time and on any thread; but for those that the program was started to ignore.
void OnSignals(void (*note)(int signal));

// Waits until there is something to read, or the end; returns at once where one of the signals has
// come, which `interrupted` tells, or comes.
void WaitForInput(int descriptor, const std::atomic<bool>& interrupted);

}  // namespace rondo::tools
