// GGUF files as llama.cpp's converter makes them, of small checkpoints, written by its rules: which
// names it gives, and what it does to values. They share nothing with the rules that read them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// Of a folder with config.json and model.safetensors. Throws std::exception where there is no rule.
void WriteLlamaCppGguf(const std::filesystem::path& folder, const std::filesystem::path& path);

// What a config.json's model_type is called there.
std::string LlamaCppArchitecture(const nlohmann::json& config);
void WriteLlamaCppKeys(const nlohmann::json& config, GgufWriter& writer);
void WriteLlamaCppTensors(const Checkpoint& checkpoint, const nlohmann::json& config,
                          GgufWriter& writer);

}  // namespace rondo::convert
