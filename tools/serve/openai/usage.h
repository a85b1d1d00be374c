// What a generation took, as OpenAI's clients read it.
#pragma once

#include "tools/serve/sink.h"

namespace rondo::tools::serve {

// prompt_tokens, completion_tokens, total_tokens and their details.
Json UsageOf(const Usage& usage);
// As llama.cpp's server tells times: prompt_n, prompt_ms, predicted_n, predicted_ms, ...
Json TimingsOf(const Usage& usage);

// That server-sent events are to come. `ping`: one that says nothing; here a comment.
void PromiseEvents(Exchange* exchange, std::string ping = ": ping\n\n");
// "data: ...\n\n" of server-sent events, with `event` by its name before it.
std::string EventText(const Json& data, const char* event = nullptr);

// {"token", "logprob", "bytes"} of chat completions.
Json LogprobOf(const std::string& bytes, float logprob);

int64_t UnixTime();

}  // namespace rondo::tools::serve
