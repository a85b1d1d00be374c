// Data that tests read. Reference data is no part of the repository: tests skip without it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/places.h"

namespace rondo {

inline std::filesystem::path SharedData(const std::string& name) {
  return std::filesystem::path(kSharedData) / name;
}
inline std::filesystem::path TestData(const std::string& name) {
  return std::filesystem::path(kTestData) / name;
}

// Where such data is to be had, its absence is a failure: RONDO_REQUIRE_REFERENCE is set. A build
// that was told of none (cross builds) still skips.
inline bool ReferenceIsRequired() {
  return *kSharedData != '\0' && std::getenv("RONDO_REQUIRE_REFERENCE") != nullptr;
}

}  // namespace rondo

// Ends the test where this file or folder is not there.
#define RONDO_SKIP_WITHOUT(data)                                                   \
  do {                                                                             \
    if (std::filesystem::exists(data)) break;                                      \
    if (rondo::ReferenceIsRequired()) FAIL() << "no reference data at " << (data); \
    GTEST_SKIP() << "no reference data at " << (data);                             \
  } while (false)
