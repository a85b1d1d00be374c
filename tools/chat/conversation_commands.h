// Commands of a conversation: /reset, /save FILE and what else a line may ask for.
#pragma once

#include <string>

#include "tools/chat/conversation.h"

namespace rondo::tools {

// Where a command is given.
struct CommandPlace {
  std::string system;        // of --system; may be empty
  std::string session_path;  // of --session; empty: none
  bool tells = false;        // a person reads what was done
};

// "/word", alone or with something behind a space: what a command looks like. A path or an address
// does not.
bool LooksLikeCommand(const std::string& line);

// False for /exit. Throws Error or Interrupted.
bool RunCommand(const std::string& line, const CommandPlace& place, Conversation& conversation);

// What commands and others do.
void Attach(const std::string& path, bool tells, Conversation* conversation);
void Load(const std::string& path, Conversation* conversation);
void Keep(const std::string& session_path, const Conversation& conversation);
bool HasSystem(const Conversation& conversation, const std::string& system);

}  // namespace rondo::tools
