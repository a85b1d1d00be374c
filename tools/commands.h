// The subcommands of `rondo`, one per folder.
#pragma once

#include <CLI/CLI.hpp>

namespace rondo::tools {

// The callback of each throws Error with a sentence for the user, Interrupted after a signal, or
// CLI11's own errors for wrong usage.
void AddPullCommand(CLI::App& app);
void AddConvertCommand(CLI::App& app);
void AddPackCommand(CLI::App& app);
void AddSplitCommand(CLI::App& app);
void AddRunCommand(CLI::App& app);
void AddChatCommand(CLI::App& app);
void AddServeCommand(CLI::App& app);
void AddBatchCommand(CLI::App& app);
void AddGrammarCommand(CLI::App& app);
void AddEmbedCommand(CLI::App& app);
void AddRerankCommand(CLI::App& app);
void AddInspectCommand(CLI::App& app);
void AddLogitsCommand(CLI::App& app);
void AddEvalCommand(CLI::App& app);
void AddBenchCommand(CLI::App& app);

}  // namespace rondo::tools
