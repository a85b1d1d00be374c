#include "tools/serve/openai/usage.h"

#include <algorithm>
#include <chrono>

namespace rondo::tools::serve {

Json UsageOf(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"total_tokens", usage.prompt_tokens + usage.completion_tokens},
          {"prompt_tokens_details", {{"cached_tokens", usage.cached_tokens}}},
          {"completion_tokens_details", {{"reasoning_tokens", usage.reasoning_tokens}}}};
}

Json TimingsOf(const Usage& usage) {
  const auto per_second = [](uint64_t n, double seconds) {
    return seconds > 0 ? static_cast<double>(n) / seconds : 0;
  };
  const uint64_t read = usage.prompt_tokens - usage.cached_tokens;
  // The first token is there when the prompt is read: the time is that of those behind it.
  const uint64_t behind = std::max<uint64_t>(usage.completion_tokens, 1) - 1;
  return {{"cache_n", usage.cached_tokens},
          {"prompt_n", read},
          {"prompt_ms", 1e3 * usage.prefill_seconds},
          {"prompt_per_second", per_second(read, usage.prefill_seconds)},
          {"predicted_n", usage.completion_tokens},
          {"predicted_ms", 1e3 * usage.decode_seconds},
          {"predicted_per_second", per_second(behind, usage.decode_seconds)},
          {"queue_ms", 1e3 * usage.queue_seconds}};
}

void PromiseEvents(Exchange* exchange, std::string ping) {
  Reply reply;
  reply.type = "text/event-stream";
  reply.headers.push_back({"X-Accel-Buffering", "no"});  // nginx would keep pieces back
  exchange->Promise(std::move(reply), std::move(ping));
}

std::string EventText(const Json& data, const char* event) {
  std::string text = event == nullptr ? "" : std::string("event: ") + event + "\n";
  return text + "data: " + data.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n\n";
}

Json LogprobOf(const std::string& bytes, float logprob) {
  Json list = Json::array();
  for (const char byte : bytes) list.push_back(static_cast<unsigned char>(byte));
  return {{"token", bytes}, {"logprob", logprob}, {"bytes", std::move(list)}};
}

int64_t UnixTime() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace rondo::tools::serve
