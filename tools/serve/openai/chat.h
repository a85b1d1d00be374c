// Bodies of chat completions.
#pragma once

#include "tools/serve/chat_wish.h"
#include "tools/serve/fields.h"
#include "tools/serve/media_source.h"
#include "tools/serve/openai/chat_sink.h"

namespace rondo::tools::serve {

// Reads the whole body but for `model`, which was looked up. Throws ApiError.
ChatWish ReadChat(const ServedModel& model, Fields* fields, const MediaSource& media,
                  ChatReplyForm* form);

// Variables and limits of thoughts, in the fields that these protocols have for them.
void ReadThinking(Fields* fields, ChatWish* wish);

}  // namespace rondo::tools::serve
