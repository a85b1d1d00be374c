// A checkpoint that says what a script tells it: its next token hangs on the last one alone.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rondo {

struct Script {
  std::vector<std::string> specials =
      {};  // the first ends an answer, and follows whatever has no next
  std::vector<std::string> chunks = {};  // texts that are one token; so is each byte
  std::vector<std::pair<std::string, std::string>> next = {};  // what follows which token
  std::string chat_template = {};
  int context = 2048;
};

// A Llama of one layer that does nothing. `directory` is made.
void WriteScriptModel(const std::filesystem::path& directory, const Script& script);

// The template of many families, with calls as JSON in <tool_call>; `thoughts`: it shows them, too.
std::string ScriptTemplate(bool thoughts);

}  // namespace rondo
