// A conversation in a file: its messages as JSON for people and programs to read, and behind them
// what the session has computed, so that nothing of it is computed again.
//
//     [
//       {
//         "role": "user",
//         ...
//     ]
//     RNDOSNAP...               the bytes of rondo_session_save, up to the end of the file
#pragma once

#include <string>

#include "tools/chat/conversation.h"
#include "tools/common/output_file.h"

namespace rondo::tools {

// Throws Error where the conversation could not be kept under this name: a file of another kind, a
// folder, ...
void CheckConversationFile(const std::string& path);

// Write the conversation; one without messages is an empty file. They throw as OutputFile. Keep is
// --session's, which replaces nothing of another kind; Save is /save's.
void KeepConversation(const std::string& path, const Conversation& conversation);
void SaveConversation(const std::string& path, Replace replace, const Conversation& conversation);

// Goes on with the conversation of a file; of an empty file nothing is taken. False where it has
// messages only, as another program writes them: the next turn reads them all. Throws Error, and
// the conversation is as before: a file of another kind or damaged, a snapshot of another model or
// of other options.
bool ReadConversation(const std::string& path, Conversation* conversation);

}  // namespace rondo::tools
