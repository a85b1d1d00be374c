// What fuzzers share: libFuzzer gets the first inputs, and a failed expectation ends the program.
// Defines LLVMFuzzerInitialize: to be included by a fuzzer alone.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

// Each fuzzer's own: inputs that the code takes, to begin with.
std::vector<std::string> FirstInputs();

// Writes them into the folders of inputs that the program is called with.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  GTEST_FLAG_SET(break_on_failure, true);
  for (int i = 1; i < *argc; ++i) {
    const std::filesystem::path folder = (*argv)[i];
    if (!std::filesystem::is_directory(folder)) continue;
    size_t number = 0;
    for (const std::string& input : FirstInputs()) {
      std::ofstream(folder / ("first-" + std::to_string(number++)), std::ios::binary) << input;
    }
  }
  return 0;
}

inline std::string AsInput(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
