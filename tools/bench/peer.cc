#include "tools/bench/peer.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/common/error.h"
#include "tools/common/interrupt.h"
#include "tools/system/process.h"

namespace rondo::tools {
namespace {

using nlohmann::json;

constexpr size_t kMostOutput = 1u << 20;

double CheckedSpeed(double speed, const char* what) {
  if (std::isfinite(speed) && speed > 0) return speed;
  throw Error(std::string("the peer's speed of ") + what + " is not a positive number");
}

// The number under `key`; `otherwise` where there is none.
double NumberAt(const json& object, const char* key, double otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

PeerSpeeds ParseJson(const json& entries, const PeerTask& task) {
  const auto prompt = static_cast<double>(task.prompt_tokens);
  const auto decode = static_cast<double>(task.decode_tokens);
  const auto depth = static_cast<double>(task.depth);
  PeerSpeeds speeds;
  for (const json& entry : entries) {
    if (!entry.is_object() || NumberAt(entry, "n_depth", depth) != depth ||
        NumberAt(entry, "n_threads", task.threads) != task.threads) {
      continue;
    }
    const double n_prompt = NumberAt(entry, "n_prompt", 0), n_gen = NumberAt(entry, "n_gen", 0);
    const double speed = NumberAt(entry, "avg_ts", 0);
    if (n_prompt == prompt && n_gen == 0) speeds.prefill = CheckedSpeed(speed, "prefill");
    if (n_gen == decode && n_prompt == 0) speeds.decode = CheckedSpeed(speed, "decode");
  }
  return speeds;
}

PeerSpeeds ParseLines(const std::string& text) {
  PeerSpeeds speeds;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string test, number;
    if (!(words >> test >> number) || (test != "prefill" && test != "decode")) continue;
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    const double speed = CheckedSpeed(*end == '\0' ? value : 0, test.c_str());
    (test == "prefill" ? speeds.prefill : speeds.decode) = speed;
  }
  return speeds;
}

std::string Output(const std::string& command) {
  struct CloseFile {
    void operator()(std::FILE* file) const { EndCommand(file); }
  };
  std::unique_ptr<std::FILE, CloseFile> pipe(StartCommand(command));
  if (pipe == nullptr) throw Error("the peer's command cannot be started");
  std::string output;
  char piece[4096];
  for (size_t n = 0; (n = std::fread(piece, 1, sizeof piece, pipe.get())) > 0;) {
    output.append(piece, n);
    if (output.size() > kMostOutput) throw Error("the peer printed more than a megabyte");
  }
  if (InterruptFlag()) static_cast<void>(pipe.release());  // its end could be far
  CheckInterrupt();
  const std::string failure = EndCommand(pipe.release());
  if (!failure.empty()) throw Error("the peer's command ended with " + failure);
  return output;
}

}  // namespace

PeerSpeeds ParsePeer(std::string_view output, const PeerTask& task) {
  const std::string text(output);
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const PeerSpeeds speeds = parsed.is_array() ? ParseJson(parsed, task) : ParseLines(text);
  if (speeds.prefill == 0 && speeds.decode == 0) {
    throw Error(
        "the peer printed neither lines `prefill NUMBER` or `decode NUMBER` nor JSON entries "
        "with n_prompt, n_gen, n_depth and n_threads as asked for");
  }
  return speeds;
}

PeerSpeeds RunPeer(const std::string& command, const PeerTask& task) {
  std::ostringstream script;
  script << "export P=" << task.prompt_tokens << " N=" << task.decode_tokens << " D=" << task.depth
         << " T=" << task.threads << '\n'
         << command;
  return ParsePeer(Output(script.str()), task);
}

}  // namespace rondo::tools
