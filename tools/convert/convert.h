// Convert: from a Hugging Face folder or a GGUF file to a Rondo file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rondo_generated.h"

namespace rondo::convert {

struct ConvertOptions {
  std::filesystem::path directory;  // config.json, *.safetensors, tokenizer.json; or a GGUF file
  std::filesystem::path output;     // replaced if it is a Rondo file
  format::TensorFormat weights = format::TensorFormat::Q8;
  format::TensorFormat embedding = format::TensorFormat::Q8;  // and the output head
  uint32_t block = 32;  // columns per scale of Q4: 32, 64 or 128
  // What a GGUF file has in Q4_0 becomes Q4 in blocks of 32, whatever the formats above.
  bool keep_q4 = false;
};

struct ConvertReport {
  std::string architecture;
  uint64_t parameters = 0;  // values in the file's tensors; a tied embedding counts once
  uint64_t file_bytes = 0;
  std::vector<std::string> notes;  // what the user may want to know, a sentence each
};

// Told the source bytes converted so far and those of the whole.
using ConvertProgress = std::function<void(uint64_t done, uint64_t total)>;

// The output appears whole and checked, or not at all. Throws Error: one sentence naming the file,
// key or tensor and what was expected. Needs memory for some rows of floats and the scales
// of the largest tensor, whatever the size of the model.
ConvertReport Convert(const ConvertOptions& options, const ConvertProgress& progress);

}  // namespace rondo::convert
