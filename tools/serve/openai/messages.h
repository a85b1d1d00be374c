// Messages and tools as OpenAI's clients write them, as chat templates read them.
#pragma once

#include <string>

#include "tools/serve/chat_wish.h"
#include "tools/serve/fields.h"
#include "tools/serve/media_source.h"

namespace rondo::tools::serve {

// Adds the messages to the wish, with the files of their pictures. Throws ApiError.
void ReadMessages(const Json& messages, const std::string& pointer, const MediaSource& media,
                  ChatWish* wish);
// tools, tool_choice, parallel_tool_calls.
void ReadTools(Fields* fields, ChatWish* wish);
// {"type": "text" | "json_object" | "json_schema", ...} of response_format.
void ReadForm(const Json* format, const std::string& pointer, ChatWish* wish);

}  // namespace rondo::tools::serve
