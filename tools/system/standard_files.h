// Standard input, output and errors, which are a terminal or not.
#pragma once

namespace rondo::tools {

inline constexpr int kStandardInput = 0, kStandardOutput = 1, kStandardError = 2;

// At the program's begin: those that are closed fail from now on, in place of being the next file
// that is opened; what is written to them stays as it is, and a terminal shows it as UTF-8.
void PrepareStandardFiles();

bool IsTerminal(int descriptor);

}  // namespace rondo::tools
