#include "tools/common/sampling.h"

#include <cstdio>

#include "tools/common/limits.h"
#include "tools/common/output.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {

SessionSetup SamplingWish::For(const rondo_model* model) const {
  SessionSetup setup = session;
  rondo_session_options& options = setup.options;
  if (const int32_t status = rondo_model_session_options(model, &options)) {
    throw Error(rondo_status_string(status));
  }
  for (const auto& set : numbers) set(&options);
  if (!setup.stop.empty()) options.n_stop_strings = 0;  // in place of the model's
  std::erase(setup.stop, "");
  if (setup.stop.size() > kMostStops) {
    const std::string given = std::to_string(setup.stop.size());
    throw OptionRefused(
        "stop strings: " + given, "--stop",
        "given " + given + " times, at most " + std::to_string(kMostStops) + " are possible");
  }
  return setup;
}

std::string DescribeSampling(const rondo_session_options& options) {
  std::string text = "the most likely token";
  const auto add = [&](const char* name, double value) {
    char part[64];
    std::snprintf(part, sizeof part, ", %s %g", name, value);
    text += part;
  };
  if (options.temperature > 0) {
    text.clear();
    add("temperature", options.temperature);
    text.erase(0, 2);  // the comma
    if (options.top_k > 0) add("top-k", options.top_k);
    if (options.top_p < 1) add("top-p", options.top_p);
    if (options.min_p > 0) add("min-p", options.min_p);
  }
  if (options.repetition_penalty != 1) add("repetition penalty", options.repetition_penalty);
  if (options.presence_penalty != 0) add("presence penalty", options.presence_penalty);
  if (options.frequency_penalty != 0) add("frequency penalty", options.frequency_penalty);
  if (options.no_repeat_ngram_size > 0) add("no repeated n-gram", options.no_repeat_ngram_size);
  if (options.n_logit_bias > 0) add("logit biases", static_cast<double>(options.n_logit_bias));
  for (size_t i = 0; i < options.n_stop_strings; ++i) {
    text += ", stop at \"" + Printable(options.stop_strings[i]) + "\"";
  }
  return text;
}

std::string DescribeDraw(const rondo_session_options& options) {
  const std::string text = DescribeSampling(options);
  return options.temperature > 0 ? text + ", seed " + std::to_string(options.seed) : text;
}

void TellSampling(const rondo_session_options& options) {
  if (!(options.temperature > 0) || !IsTerminal(kStandardError)) return;
  Tell("sampling: ", DescribeDraw(options));
}

}  // namespace rondo::tools
