// A GGUF file of a Hugging Face folder, as llama.cpp's converter would make it: for architectures
// of which no GGUF file is at hand.
#pragma once

#include <filesystem>
#include <string>

namespace rondo::convert {

// Writes float32 tensors under general.architecture `architecture`, and the recommended sampling;
// no tokenizer.
void WriteGgufOf(const std::filesystem::path& folder, const std::string& architecture,
                 const std::filesystem::path& path);

}  // namespace rondo::convert
