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

// Of the model and the options' template. `with_calls`: also how it spells calls, which takes some
// renderings.
MessageForm MessageFormOf(const rondo_model* model, const rondo_chat_options& options,
                          bool with_calls);

bool HasCalls(const nlohmann::ordered_json& messages);

// The ids of what the options' template makes of these messages, in the place of the options' own.
// Throws Error with the library's sentence, and where the template makes nothing of them.
std::vector<int32_t> ChatIds(const rondo_model* model, rondo_chat_options options,
                             const MessageForm& form, const nlohmann::ordered_json& messages);

}  // namespace rondo::tools
