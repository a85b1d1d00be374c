// Environment variables, which systems set by functions of different names.
#pragma once

#include <cstdlib>

namespace rondo {

inline void UnsetVariable(const char* name) {
#if defined(_WIN32)
  _putenv_s(name, "");
#else
  unsetenv(name);
#endif
}

inline void SetVariable(const char* name, const char* value) {
#if defined(_WIN32)
  _putenv_s(name, value);
#else
  setenv(name, value, 1);
#endif
}

}  // namespace rondo
