// Conversion: the options of the commands that convert a model, and what they then do.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/common/output_file.h"

namespace rondo::tools {

struct ConversionWish {
  std::string output;
  std::string weights;    // empty: not given
  std::string embedding;  // empty: not given
  std::string media;      // format of what sees; empty: not given
  std::string calibrate;  // empty: not given
  uint32_t block = 0;     // the same
  double bits = 0;        // with auto; 0: 4.5
  uint64_t fit = 0;       // bytes; 0: not given
  uint32_t context = 0;   // with fit; 0: not given
  bool mtp = false;
  bool text_only = false;
  std::string mmproj;  // empty: not given
  bool reranker = false;
  std::string merge;        // empty: none
  std::string adapter_for;  // the model is an adapter for this one; empty: it is a model
  Replace replace = Replace::kSameKind;
};

// All but the output.
void AddConversionFlags(CLI::App* command, ConversionWish* wish);
// Throws CLI::ValidationError where options contradict each other.
void CheckCombination(const ConversionWish& wish);
// Throws Error where what the wish makes cannot be written.
void CheckOutput(const ConversionWish& wish);
// The options of what is said of adapters.
void AddAdapterFlags(CLI::App* command, ConversionWish* wish);
// Converts `model`, a folder or a GGUF file, with a progress bar, and prints what was made. Throws
// Error or Interrupted.
void RunConversion(const std::string& model, const ConversionWish& wish);

}  // namespace rondo::tools
