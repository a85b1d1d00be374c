// Answers a file of requests, in the form of OpenAI's batches.
#include "tools/commands.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>

#include "tools/common/flags.h"
#include "tools/common/interrupt.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/output_file.h"
#include "tools/serve/handler.h"
#include "tools/serve/models_flags.h"
#include "tools/serve/workers.h"
#include "tools/system/files.h"

namespace rondo::tools {
namespace {

using namespace serve;  // NOLINT(google-build-using-namespace): as of the server

constexpr const char* kExamples = R"(
Examples:
  rondo batch model.rondo requests.jsonl -o answers.jsonl
  rondo batch model.rondo requests.jsonl -o answers.jsonl --sessions 32 --context 2048

A line is a request: {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body":
{...}}; urls are those of `rondo serve`. A line of the output is {"id", "custom_id", "response":
{"status_code", "request_id", "body"}, "error"}, in the order of the requests. Requests without a
seed have the seed 0, so that the same file gives the same bytes, however it was cut, on machines
of the same kernel set. Answers stand in FILE.part until all are there; what is found in it is not
answered again.)";

struct Arguments {
  ModelsWish models;
  std::string input, output;
  Replace replace = Replace::kSameKind;
};

constexpr FileKind kAnswers = {"a file of answers", "{\"id\":\"batch_req_"};

// Tells the main thread that some exchange has its answer.
class Bell {
 public:
  void Ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    changed_.notify_one();
  }
  // A moment at most: Ctrl-C rings nothing.
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

struct Item {
  std::string custom_id;
  std::shared_ptr<Exchange> exchange;
};

// FNV-1a.
uint64_t HashOf(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool Generates(const std::string& url) {
  return url == "/v1/chat/completions" || url == "/v1/completions" || url == "/v1/responses" ||
         url == "/v1/messages";
}

// Of a line of either file; empty where it has none, as where it is no JSON.
std::string CustomIdOf(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("custom_id")) return "";
  const auto* const id = json["custom_id"].get_ptr<const std::string*>();
  return id == nullptr ? "" : *id;
}

// The request of a line; what is wrong with it is its answer.
Item ItemOf(const std::string& line, uint64_t number, const std::shared_ptr<Bell>& bell,
            Handler* handler) {
  Item item;
  Request request;
  Reply refusal;
  item.custom_id = CustomIdOf(line);
  try {
    Json json = ParseBody(line);
    Fields fields(json);
    fields.RequiredText("custom_id");
    request.method = fields.Text("method").value_or("POST");
    request.path = fields.RequiredText("url");
    const Json* const body = fields.Object("body");
    if (body == nullptr) fields.Refuse("body", "an object");
    *handler = FindHandler(request.path);
    if (request.method != "POST" || *handler == nullptr) {
      throw ApiError(404, "there is nothing at " + request.method + " " + request.path, "/url");
    }
    Json sent = *body;
    if (Generates(request.path) && !sent.contains("seed")) sent["seed"] = 0;
    sent.erase("stream");
    sent.erase("stream_options");
    request.body = sent.dump(-1, ' ', false, Json::error_handler_t::replace);
  } catch (const ApiError& error) {
    *handler = nullptr;
    refusal = ErrorReply(error);
  }
  request.id_seed = HashOf(item.custom_id + " " + std::to_string(number));
  item.exchange = std::make_shared<Exchange>(std::move(request), [bell] { bell->Ring(); });
  if (*handler == nullptr) item.exchange->Answer(std::move(refusal));
  return item;
}

// Without what another run would not have again: how long it took.
std::string LineOf(const Item& item, uint64_t number) {
  const Reply& reply = item.exchange->reply();
  Json body = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  body.erase("timings");
  if (body.contains("usage")) {  // what the prefix cache had is the company's doing
    body["usage"].erase("prompt_tokens_details");
    body["usage"].erase("input_tokens_details");
  }
  const Json line = {{"id", "batch_req_" + std::to_string(number)},
                     {"custom_id", item.custom_id},
                     {"response",
                      {{"status_code", reply.status},
                       {"request_id", "req_" + std::to_string(number)},
                       {"body", std::move(body)}}},
                     {"error", nullptr}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The next line that is not blank; false: there is none.
bool NextRequest(std::ifstream* input, std::string* line) {
  while (std::getline(*input, *line)) {
    if (line->find_first_not_of(" \t\r") != line->npos) return true;
  }
  return false;
}

// Lines that an earlier run has answered; what it left of one is taken away. Throws Error where
// they are those of other requests.
uint64_t Resume(const std::string& part, std::ifstream* input) {
  std::ifstream file(part, std::ios::binary);
  if (!file) return 0;
  uint64_t count = 0, bytes = 0;
  for (std::string answer, request; std::getline(file, answer) && !file.eof();) {
    if (!NextRequest(input, &request) || CustomIdOf(answer) != CustomIdOf(request)) {
      Fail(part, " has in line ", count + 1, " the answer to another request: remove it, or go on ",
           "with the file that it is of");
    }
    ++count;
    bytes += answer.size() + 1;
  }
  file.close();
  std::filesystem::resize_file(part, bytes);
  return count;
}

// On the disk, and then under its name.
void Finish(const std::string& part, const std::string& output) {
  std::error_code error;
  const Descriptor file = OpenToRead(part, OpenAs::kFile, error);
  if (!error) Sync(file, error);
  if (error) Fail("cannot write ", part, ": ", error.message());
  std::filesystem::rename(part, output);
}

void Run(const Arguments& arguments) {
  std::ifstream input(arguments.input, std::ios::binary);
  if (!input) Fail("cannot read ", arguments.input);
  { const OutputFile refusing(arguments.output, kAnswers, arguments.replace); }
  const std::string part = arguments.output + ".part";
  uint64_t answered = Resume(part, &input);
  const uint64_t before = answered;
  std::ofstream output(part, std::ios::binary | std::ios::app);
  if (!output) Fail("cannot write ", part);

  Models models(arguments.models.Wishes(), arguments.models.Memory());
  const size_t window = 4 * size_t{arguments.models.each.sessions};
  const MediaSource media("");
  Metrics metrics;
  // The window bounds what waits.
  Stepper stepper(SIZE_MAX, [&](const Generation& generation) {
    metrics.CountGeneration(generation.Facts());
    models.Notify();
  });
  Workers workers(2, window);
  const Service service{models, stepper, metrics, media, TellCut};
  const auto bell = std::make_shared<Bell>();
  std::deque<Item> items;
  uint64_t number = answered, failed = 0;
  bool is_end = false;
  for (std::string line; !is_end || !items.empty();) {
    CheckInterrupt();
    while (!is_end && items.size() < window) {
      is_end = !NextRequest(&input, &line);
      if (is_end) break;
      Handler handler = nullptr;
      Item& item = items.emplace_back(ItemOf(line, ++number, bell, &handler));
      if (handler == nullptr) continue;
      workers.Add(
          [handler, service, exchange = item.exchange] { serve::Run(handler, service, exchange); });
    }
    while (!items.empty() && items.front().exchange->stage() == Exchange::Stage::kAnswered) {
      failed += items.front().exchange->reply().status == 200 ? 0 : 1;
      output << LineOf(items.front(), ++answered) << std::flush;
      if (!output) Fail("cannot write ", part);
      items.pop_front();
    }
    if (!items.empty()) bell->Wait();
  }
  output.close();
  Finish(part, arguments.output);
  Tell(FormatCount(answered, "request"), " answered, ", FormatCount(failed), " of them refused",
       before > 0 ? "; " + FormatCount(before) + " were there" : "");
}

}  // namespace

void AddBatchCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("batch", "Answer a file of requests");
  command->add_option("MODEL", "A Rondo file, which requests call by the file's name")
      ->required()
      ->type_name("")
      ->each([a](const std::string& text) { a->models.models = {text}; });
  command->add_option("INPUT", a->input, "The file of requests, one a line, in JSON")
      ->required()
      ->type_name("");
  AddOutputFile(command, &a->output, "The file of answers to write")->required();
  AddForceFlag(command, &a->replace);
  AddModelsFlags(command, &a->models);
  command->footer(kExamples);
  command->callback([a] { Run(*a); });
}

}  // namespace rondo::tools
