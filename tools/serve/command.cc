// Answers requests over HTTP, by the protocols that clients speak already.
#include "tools/commands.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/text_io.h"
#include "tools/serve/frontend.h"
#include "tools/serve/models_flags.h"
#include "tools/serve/openai/usage.h"

namespace rondo::tools {
namespace {

using namespace serve;  // NOLINT(google-build-using-namespace): the command is the server's own

constexpr const char* kServerGroup = "Server";
constexpr const char* kExamples = R"(
Examples:
  rondo serve model.rondo
  rondo serve chat=llama.rondo embed=bge.rondo --memory 6G --sessions 16
  rondo serve model.rondo --adapter poet=poet-lora.rondo --keys keys.txt --host 0.0.0.0 \
      --host-name models.example.org
  curl localhost:8080/v1/chat/completions -H 'Content-Type: application/json' \
      -d '{"messages": [{"role": "user", "content": "Hello!"}]}'

Paths: POST /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/rerank, /v1/score,
/v1/responses, /v1/messages (with /v1/messages/count_tokens), /tokenize, /detokenize,
/apply-template; GET /v1/models, /health, /ready, /metrics, /version, and a page to chat at /. The
same request with the same seed gives the same text alone and in company. Models are loaded when
they are first asked for, in the place of those that are not used. Pictures come as data: URLs;
nothing is ever fetched from the net. SIGTERM and Ctrl-C end it when its streams have ended, within
--drain.)";

struct Arguments {
  ModelsWish models;
  ListenAt at;
  HttpLimits limits;
  FrontendOptions frontend;
  uint32_t queue = 256;
  uint32_t drain = 30;  // seconds
  std::string keys, media_path;
};

// A key in each line; blank lines and those that begin with # are none.
std::vector<std::string> ReadKeys(const std::string& path) {
  std::vector<std::string> keys;
  const std::string text = ReadTextFile("the keys", path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    while (line.ends_with('\r') || line.ends_with(' ')) line.pop_back();
    if (!line.empty() && line[0] != '#') keys.push_back(line);
    at = end + 1;
  }
  if (keys.empty()) Fail(path, " has no key");
  return keys;
}

void Log(const Json& line) { TellLine(line.dump(-1, ' ', false, Json::error_handler_t::replace)); }

void LogGeneration(const GenerationFacts& facts) {
  Log({{"time", UnixTime()},
       {"event", facts.was_left ? "left" : "generated"},
       {"model", facts.model},
       {"prompt_tokens", facts.prompt_tokens},
       {"cached_tokens", facts.cached_tokens},
       {"completion_tokens", facts.completion_tokens},
       {"queue_seconds", facts.queue_seconds},
       {"first_seconds", facts.first_seconds},
       {"seconds", facts.whole_seconds}});
}

void LogCut(const std::string& place, size_t tokens, size_t most) {
  Log({{"time", UnixTime()},
       {"event", "cut"},
       {"text", place},
       {"tokens", tokens},
       {"model_takes", most}});
}

void LogRefused(const std::string& path, int status) {
  Log({{"time", UnixTime()}, {"event", "refused"}, {"path", path}, {"status", status}});
}

// Loads those that fit together, the first ones first, so that their first request does not wait.
void LoadEarly(Models* models) {
  uint64_t bytes = 0;
  for (const ModelCard& card : models->cards()) {
    bytes += card.bytes;
    const bool fits = bytes <= models->most_bytes();
    Log({{"time", UnixTime()},
         {"event", fits ? "loading" : "loaded when it is asked for"},
         {"model", card.wish.name},
         {"arena_bytes", card.bytes},
         {"context", card.context},
         {"sessions", card.wish.sessions}});
    if (fits) models->Find(card.wish.name);
  }
}

void Serve(const Arguments& arguments) {
  FrontendOptions options = arguments.frontend;
  options.refused = LogRefused;
  if (!arguments.keys.empty()) options.keys = ReadKeys(arguments.keys);
  const bool is_open = arguments.at.unix_path.empty() && arguments.at.host != "127.0.0.1" &&
                       arguments.at.host != "localhost" && arguments.at.host != "::1";
  if (is_open && options.keys.empty()) {
    Log({{"time", UnixTime()},
         {"event", "note"},
         {"text",
          "anybody who reaches " + arguments.at.host + " may use the models: --keys FILE"}});
  }
  Models models(arguments.models.Wishes(), arguments.models.Memory());
  const MediaSource media(arguments.media_path);
  Metrics metrics;
  LoadEarly(&models);
  Stepper stepper(arguments.queue, [&](const Generation& generation) {
    const GenerationFacts facts = generation.Facts();
    metrics.CountGeneration(facts);
    LogGeneration(facts);
    models.Notify();
  });
  constexpr size_t kWorkers = 4;
  Workers workers(kWorkers, arguments.queue);
  Frontend frontend({models, stepper, metrics, media, LogCut}, &workers, options);
  HttpServer server(arguments.at, arguments.limits, frontend.Handlers());
  Log({{"time", UnixTime()}, {"event", "listening"}, {"address", server.address()}});

  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::time_point::max();
  server.Run([&] {
    if (last == Clock::time_point::max()) {
      if (!InterruptFlag()) return true;
      frontend.Drain();
      last = Clock::now() + std::chrono::seconds(arguments.drain);
      Log({{"time", UnixTime()}, {"event", "draining"}});
    }
    return server.open_exchanges() > 0 && Clock::now() < last;
  });
  Log({{"time", UnixTime()}, {"event", "ended"}});
}

}  // namespace

void AddServeCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("serve", "Answer requests over HTTP");
  AddTexts(
      command, "MODEL", &a->models.models,
      "Rondo files, which requests call by the file's name, or by what stands before it and an "
      "equals sign")
      ->type_name("")
      ->required();
  command->add_option("--host", a->at.host, "The address to listen at; default: 127.0.0.1")
      ->type_name("ADDRESS")
      ->group(kServerGroup);
  AddInteger(command, "--port", &a->at.port, {0, 65535, "one that is free"},
             "The port to listen at", "8080")
      ->group(kServerGroup);
  AddFile(command, "--unix", &a->at.unix_path,
          "Listen at this socket in place of a port; default: do not")
      ->group(kServerGroup);
  AddTexts(command, "--host-name", &a->frontend.hosts,
           "A name that this server is called by, beside localhost: requests for others are "
           "refused; can be given several times; default: none")
      ->type_name("NAME")
      ->group(kServerGroup);
  AddFile(command, "--keys", &a->keys,
          "A file with a key in each line, of which requests must have one, but for /health and "
          "/ready; default: none is asked for")
      ->group(kServerGroup);
  AddFile(command, "--allow-media-path", &a->media_path,
          "A folder whose pictures requests may name; default: none")
      ->type_name("FOLDER")
      ->group(kServerGroup);
  AddInteger(command, "--connections", &a->limits.connections, {1, 60000}, "Connections at once",
             "1,024")
      ->group(kServerGroup);
  AddInteger(command, "--queue", &a->queue, {1, 65536}, "Requests that wait at most", "256")
      ->group(kServerGroup);
  AddInteger(command, "--drain", &a->drain, {0, 86400},
             "Seconds that streams have to end when the server is asked to", "30")
      ->group(kServerGroup);
  AddChoice(command, "--metrics-names", {"rondo", "vllm"},
            "Whose names /metrics has: vllm is beside our own; default: rondo",
            [a](const std::string& word) { a->frontend.vllm_metrics = word == "vllm"; })
      ->group(kServerGroup);
  AddModelsFlags(command, &a->models);
  command->footer(kExamples);
  command->callback([a] { Serve(*a); });
}

}  // namespace rondo::tools
