// Metrics: what the server does, in numbers, as Prometheus reads them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace rondo::tools::serve {

// Seconds, in buckets.
class Histogram {
 public:
  static constexpr std::array<double, 16> kBounds = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120};

  void Observe(double seconds);
  void Add(const Histogram& other);
  // Lines of the text format; `labels` as "{model=\"a\"}" without the braces.
  void Write(const std::string& name, const std::string& labels, std::string* out) const;

 private:
  std::array<uint64_t, kBounds.size() + 1> counts_ = {};
  double sum_ = 0;
  uint64_t count_ = 0;
};

// What a generation that has ended adds.
struct GenerationFacts {
  std::string model;
  uint64_t prompt_tokens = 0, cached_tokens = 0, completion_tokens = 0;
  double queue_seconds = 0, first_seconds = 0, whole_seconds = 0;
  bool was_left = false;  // its client has gone
  Histogram between;      // tokens
};

class Metrics {
 public:
  // [any thread, all of them]
  void CountReply(const std::string& path, int status);
  void CountGeneration(const GenerationFacts& facts);

  struct Gauges {
    size_t queued = 0, running = 0, connections = 0;
    struct OfModel {
      std::string name;
      double kv_share = 0;
      uint64_t prefix_hits = 0, drafts_proposed = 0, drafts_accepted = 0, passes = 0, rows = 0;
      uint32_t context = 0, sessions = 0;
    };
    std::vector<OfModel> models;
  };
  // `vllm_names`: beside our own those that vLLM's dashboards and gateways know.
  std::string Text(const Gauges& gauges, bool vllm_names) const;

 private:
  struct OfModel {
    uint64_t requests = 0, left = 0, prompt_tokens = 0, cached_tokens = 0, completion_tokens = 0;
    Histogram queue, first, between, whole;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> replies_;
  std::map<std::string, OfModel> models_;
};

}  // namespace rondo::tools::serve
