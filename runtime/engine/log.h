// Log: sentences for the host's log, formatted only where it wants them.
#pragma once

#include <cstdarg>
#include <cstdint>

#include "runtime/base/format.h"
#include "runtime/base/message.h"

namespace rondo {

enum class LogLevel : int32_t { kWarning = 0, kInfo = 1, kDebug = 2 };

// Called by whoever holds no lock.
struct Log {
  void (*write)(void* user, int32_t level, const char* message) = nullptr;  // null: nobody listens
  void* user = nullptr;
  LogLevel most = LogLevel::kWarning;

  bool Wants(LogLevel level) const { return write != nullptr && level <= most; }

  // `format` as printf; the text is cut at 255 bytes, between characters.
  RONDO_PRINTF(3, 4) void Write(LogLevel level, const char* format, ...) const {
    if (!Wants(level)) return;
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    FormatMessage(message, sizeof message, format, arguments);
    va_end(arguments);
    write(user, static_cast<int32_t>(level), message);
  }
};

}  // namespace rondo
