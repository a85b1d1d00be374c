#include "tools/serve/metrics.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace rondo::tools::serve {
namespace {

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// In a label's quotes.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

std::string OfModelLabel(const char* label, const std::string& model) {
  return std::string(label) + "=" + Quoted(model);
}

class TextPage {
 public:
  void Head(const std::string& name, const char* type, const char* help) {
    text_ += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void Line(const std::string& name, const std::string& labels, double value) {
    text_ += name;
    if (!labels.empty()) text_.append("{").append(labels).append("}");
    text_.append(" ").append(Number(value)).append("\n");
  }
  void One(const std::string& name, const char* type, const char* help, double value) {
    Head(name, type, help);
    Line(name, "", value);
  }
  std::string* text() { return &text_; }

 private:
  std::string text_;
};

}  // namespace

void Histogram::Observe(double seconds) {
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++counts_[static_cast<size_t>(bucket)];
  sum_ += seconds;
  ++count_;
}

void Histogram::Add(const Histogram& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  sum_ += other.sum_;
  count_ += other.count_;
}

void Histogram::Write(const std::string& name, const std::string& labels, std::string* out) const {
  uint64_t below = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    below += counts_[i];
    const std::string bound = i < kBounds.size() ? Number(kBounds[i]) : "+Inf";
    out->append(name).append("_bucket{").append(labels).append(",le=\"").append(bound);
    out->append("\"} ").append(std::to_string(below)).append("\n");
  }
  *out += name + "_sum{" + labels + "} " + Number(sum_) + "\n";
  *out += name + "_count{" + labels + "} " + std::to_string(count_) + "\n";
}

void Metrics::CountReply(const std::string& path, int status) {
  const std::lock_guard lock(mutex_);
  ++replies_[{path, status}];
}

void Metrics::CountGeneration(const GenerationFacts& facts) {
  const std::lock_guard lock(mutex_);
  OfModel& its = models_[facts.model];
  ++its.requests;
  its.left += facts.was_left ? 1 : 0;
  its.prompt_tokens += facts.prompt_tokens;
  its.cached_tokens += facts.cached_tokens;
  its.completion_tokens += facts.completion_tokens;
  its.queue.Observe(facts.queue_seconds);
  if (facts.first_seconds > 0) its.first.Observe(facts.first_seconds);
  its.whole.Observe(facts.whole_seconds);
  its.between.Add(facts.between);
}

std::string Metrics::Text(const Gauges& gauges, bool vllm_names) const {
  const std::lock_guard lock(mutex_);
  TextPage page;
  page.One("rondo_requests_waiting", "gauge", "Requests that wait for a session.",
           static_cast<double>(gauges.queued));
  page.One("rondo_requests_running", "gauge", "Requests that have one.",
           static_cast<double>(gauges.running));
  page.One("rondo_connections", "gauge", "Open connections.",
           static_cast<double>(gauges.connections));
  page.Head("rondo_http_replies_total", "counter", "Replies, by path and status.");
  for (const auto& [key, count] : replies_) {
    page.Line("rondo_http_replies_total",
              "path=" + Quoted(key.first) + ",status=\"" + std::to_string(key.second) + "\"",
              static_cast<double>(count));
  }
  const auto counter = [&](const char* name, const char* help, uint64_t OfModel::*field) {
    page.Head(name, "counter", help);
    for (const auto& [model, its] : models_) {
      page.Line(name, OfModelLabel("model", model), static_cast<double>(its.*field));
    }
  };
  counter("rondo_generations_total", "Generations that have ended.", &OfModel::requests);
  counter("rondo_generations_left_total", "Of these, whose client had gone.", &OfModel::left);
  counter("rondo_prompt_tokens_total", "Tokens of prompts.", &OfModel::prompt_tokens);
  counter("rondo_cached_tokens_total", "Of these, that the prefix cache had.",
          &OfModel::cached_tokens);
  counter("rondo_generated_tokens_total", "Tokens generated.", &OfModel::completion_tokens);
  const auto histogram = [&](const std::string& name, const char* help, Histogram OfModel::*field,
                             const char* label) {
    page.Head(name, "histogram", help);
    for (const auto& [model, its] : models_) {
      (its.*field).Write(name, OfModelLabel(label, model), page.text());
    }
  };
  histogram("rondo_queue_seconds", "From request to session.", &OfModel::queue, "model");
  histogram("rondo_first_token_seconds", "From request to first token.", &OfModel::first, "model");
  histogram("rondo_token_seconds", "Between two tokens.", &OfModel::between, "model");
  histogram("rondo_generation_seconds", "From request to its end.", &OfModel::whole, "model");
  const auto gauge = [&](const char* name, const char* type, const char* help, auto value,
                         const char* label) {
    page.Head(name, type, help);
    for (const Gauges::OfModel& its : gauges.models) {
      page.Line(name, OfModelLabel(label, its.name), static_cast<double>(value(its)));
    }
  };
  using Of = const Gauges::OfModel&;
  gauge(
      "rondo_kv_usage", "gauge", "Share of the KV pool that sessions hold, 0 to 1.",
      [](Of its) { return its.kv_share; }, "model");
  gauge(
      "rondo_prefix_hits_total", "counter", "Sessions that began with what the cache had.",
      [](Of its) { return its.prefix_hits; }, "model");
  gauge(
      "rondo_drafts_proposed_total", "counter", "Drafts that passes verified.",
      [](Of its) { return its.drafts_proposed; }, "model");
  gauge(
      "rondo_drafts_accepted_total", "counter", "Of these, that were right.",
      [](Of its) { return its.drafts_accepted; }, "model");
  gauge(
      "rondo_passes_total", "counter", "Forward passes.", [](Of its) { return its.passes; },
      "model");
  gauge(
      "rondo_rows_total", "counter", "Rows that they had.", [](Of its) { return its.rows; },
      "model");
  if (!vllm_names) return *page.text();
  const auto all = [&](const char* name, const char* help, size_t value) {
    page.Head(name, "gauge", help);
    for (const Gauges::OfModel& its : gauges.models) {
      page.Line(name, OfModelLabel("model_name", its.name), static_cast<double>(value));
    }
  };
  all("vllm:num_requests_waiting", "Requests that wait.", gauges.queued);
  all("vllm:num_requests_running", "Requests that run.", gauges.running);
  gauge(
      "vllm:kv_cache_usage_perc", "gauge", "Share of the KV cache in use, 0 to 1.",
      [](Of its) { return its.kv_share; }, "model_name");
  page.Head("vllm:cache_config_info", "gauge", "The KV cache's form.");
  for (const Gauges::OfModel& its : gauges.models) {
    page.Line("vllm:cache_config_info",
              OfModelLabel("model_name", its.name) + ",block_size=\"64\",num_gpu_blocks=\"" +
                  std::to_string(uint64_t{its.context} * its.sessions / 64) + "\"",
              1);
  }
  histogram("vllm:time_to_first_token_seconds", "From request to first token.", &OfModel::first,
            "model_name");
  histogram("vllm:time_per_output_token_seconds", "Between two tokens.", &OfModel::between,
            "model_name");
  return *page.text();
}

}  // namespace rondo::tools::serve
