// Command-line options that several commands share, each with one meaning and one text. Every
// description ends with the default: "...; default: 0".
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/common/library.h"
#include "tools/common/output_file.h"

namespace rondo::tools {

// The groups of options in a command's help.
inline constexpr const char* kTextGroup = "Text";
inline constexpr const char* kSamplingGroup = "Sampling";
inline constexpr const char* kMemoryGroup = "Memory and speed";
inline constexpr const char* kWeightsGroup = "Weights";
inline constexpr const char* kOutputGroup = "Output";

void AddModelArgument(CLI::App* command, std::string* path);
// `if_absent`: what the command takes where the option is not given, for the description.
void AddContextFlag(CLI::App* command, EngineOptions* options, const std::string& if_absent);
void AddThreadsFlag(CLI::App* command, EngineOptions* options);
void AddPolicyFlags(CLI::App* command, EngineOptions* options);
void AddKvFlag(CLI::App* command, int32_t* kv_format);
CLI::Option* AddKvFlag(CLI::App* command, int32_t* kv_format, const std::string& name,
                       const std::string& description);

// --max-tokens, --temperature and all else that chooses and ends a text.
void AddSamplingFlags(CLI::App* command, SessionOptions* session);

// --speculate, as `session` has it where it is not given, and --draft.
void AddSpeculationFlags(CLI::App* command, EngineOptions* engine, SessionOptions* session,
                         std::string* draft);

// --adapter, a file.
CLI::Option* AddAdapterFlag(CLI::App* command, std::string* adapter);

// --block, of weights in q4b.
CLI::Option* AddBlockOption(CLI::App* command, uint32_t* block);

// For every command that writes a file.
void AddForceFlag(CLI::App* command, Replace* replace);

// -o, --output.
CLI::Option* AddOutputFile(CLI::App* command, std::string* path, const std::string& description);

}  // namespace rondo::tools
