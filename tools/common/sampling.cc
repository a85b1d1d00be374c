#include "tools/common/sampling.h"

#include <algorithm>
#include <cstdio>

#include "tools/common/limits.h"
#include "tools/common/output.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {

void CheckStops(const SessionOptions& options) {
  const auto given = std::ranges::count_if(options.stop, [](const auto& s) { return !s.empty(); });
  if (given <= static_cast<std::ptrdiff_t>(kMostStops)) return;
  const std::string times = std::to_string(given);
  throw OptionRefused(
      "stop strings: " + times, "--stop",
      "given " + times + " times, at most " + std::to_string(kMostStops) + " are possible");
}

std::vector<std::string> StopsOf(const Model& model, const SessionOptions& options) {
  std::vector<std::string> stops;
  options.With(model.get(), [&stops](const rondo_session_options* raw) {
    stops.assign(raw->stop_strings, raw->stop_strings + raw->n_stop_strings);
  });
  return stops;
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

std::string DescribeSampling(const Model& model, const SessionOptions& options) {
  std::string text;
  options.With(model.get(),
               [&](const rondo_session_options* raw) { text = DescribeSampling(*raw); });
  return text;
}

std::string DescribeDraw(const Model& model, const SessionOptions& options) {
  std::string text;
  options.With(model.get(), [&](const rondo_session_options* raw) { text = DescribeDraw(*raw); });
  return text;
}

void TellSampling(const Model& model, const SessionOptions& options) {
  if (!IsTerminal(kStandardError)) return;
  options.With(model.get(), [](const rondo_session_options* raw) {
    if (raw->temperature > 0) Tell("sampling: ", DescribeDraw(*raw));
  });
}

}  // namespace rondo::tools
