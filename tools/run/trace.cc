#include "tools/run/trace.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace rondo::tools {

namespace {

constexpr const char* kBegin = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
constexpr FileKind kTrace = {"a trace", kBegin, ""};

// The format's times are microseconds.
std::string Microseconds(uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%" PRIu64 ".%03" PRIu64, nanoseconds / 1000,
                nanoseconds % 1000);
  return text;
}

std::string Arguments(const rondo_profile_event& event) {
  std::string text;
  const auto add = [&](const char* name, uint64_t value) {
    text += (text.empty() ? "\"" : ",\"") + std::string(name) + "\":" + std::to_string(value);
  };
  if (event.layer >= 0) add("layer", static_cast<uint64_t>(event.layer));
  if (event.rows > 0) add("rows", event.rows);
  if (event.inputs > 0) add("inputs", event.inputs);
  if (event.outputs > 0) add("outputs", event.outputs);
  return text;
}

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& target)
    : file_(target, kTrace, Replace::kSameKind) {
  file_.Write(kBegin);
}

void TraceFile::Collect(const Engine& engine) {
  rondo_profile_event event = {};
  std::string text;
  for (uint64_t expected = cursor_;; expected = cursor_) {
    const bool is_there = engine.Profile(&cursor_, &event);
    lost_ += cursor_ - expected - (is_there && cursor_ > expected ? 1 : 0);
    if (!is_there) break;
    text += (first_ ? "\n" : ",\n") + std::string(R"({"name":")") + event.name +
            R"(","ph":"X","pid":1,"tid":)" + std::to_string(NumberOf(event.thread)) +
            ",\"ts\":" + Microseconds(event.begin_ns) +
            ",\"dur\":" + Microseconds(event.duration_ns) + ",\"args\":{" + Arguments(event) + "}}";
    first_ = false;
  }
  file_.Write(text);
}

uint64_t TraceFile::Finish() {
  file_.Write("\n]}\n");
  file_.Commit();
  return lost_;
}

size_t TraceFile::NumberOf(uint64_t thread) {
  const auto known = std::find(threads_.begin(), threads_.end(), thread);
  const auto number = static_cast<size_t>(known - threads_.begin()) + 1;
  if (known == threads_.end()) threads_.push_back(thread);
  return number;
}

}  // namespace rondo::tools
