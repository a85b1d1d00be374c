// Command-line options that several commands share, each with one meaning and one text.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "rondo/rondo.h"
#include "tools/common/library.h"
#include "tools/common/output_file.h"

namespace rondo::tools {

void AddModelArgument(CLI::App* command, std::string* path);
void AddContextFlag(CLI::App* command, rondo_engine_options* options);
void AddThreadsFlag(CLI::App* command, rondo_engine_options* options);
void AddPolicyFlags(CLI::App* command, rondo_engine_options* options);
void AddKvFlag(CLI::App* command, rondo_engine_options* options);
CLI::Option* AddKvFlag(CLI::App* command, rondo_engine_options* options, const std::string& name,
                       const std::string& description);

// --max-tokens, --temperature and all else that chooses and ends a text.
void AddSamplingFlags(CLI::App* command, SessionSetup* setup);

// For every command that writes a file.
void AddForceFlag(CLI::App* command, Replace* replace);

// "1500000", "1500K", "1.5M", "2G" (powers of 1024) as bytes.
CLI::Option* AddBytesOption(CLI::App* command, const std::string& name, uint64_t* bytes,
                            const std::string& description);

}  // namespace rondo::tools
