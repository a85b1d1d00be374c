// TryWritten: a converted model is opened and run as its user would, before it gets its name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rondo::convert {

// Opens the model, tokenises a text where it has a tokenizer, and makes the plan; with `run_token`
// it then evaluates one where the machine has the memory for it; a sentence in `notes` tells where
// it has not. Throws Error: what a user would be told. Also throws Interrupted.
void TryWritten(const std::filesystem::path& path, bool run_token, std::vector<std::string>& notes);

}  // namespace rondo::convert
