// What a chat template makes of messages: the one way from a conversation to tokens.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/dialogue/call_spelling.h"

namespace rondo::tools {

// How a template reads messages, found out once.
struct MessageForm {
  bool parts_alone = false;  // ReadsPartsAlone
  CallSpelling spelling;     // where messages have calls
};

// Of the conversation's template. `with_calls`: also how it spells calls, which takes some
// renderings.
MessageForm MessageFormOf(const Model& model, const Chat& chat, bool with_calls);

bool HasCalls(const nlohmann::ordered_json& messages);

// The ids of what the conversation's template makes of these messages, in the place of its own.
// Throws rondo::Error, and Error where the template makes nothing of them.
std::vector<int32_t> ChatIds(const Model& model, Chat chat, const MessageForm& form,
                             const nlohmann::ordered_json& messages);

}  // namespace rondo::tools
