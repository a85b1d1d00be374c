// What callers ask of chat templates, as the runtime takes it.
#pragma once

#include "c_api/handles.h"
#include "runtime/chat/chat.h"

namespace rondo::c_api {

// Checks the caller's options, but for the messages, and finds the template. `*tokens` and the
// caller's texts have what
// `*request` points at. Errors: as rondo_chat_render but for what comes of rendering.
Status ReadChatOptions(const OpenModel& model, const rondo_chat_options* theirs,
                       HeapArray<ChatToken>* tokens, ChatRequest* request);
// The same of functions that are about the answer: where there are no messages they take some.
Status ReadAnswerOptions(const OpenModel& model, const rondo_chat_options* theirs,
                         HeapArray<ChatToken>* tokens, ChatRequest* request);

}  // namespace rondo::c_api
