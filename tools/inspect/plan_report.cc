#include "tools/inspect/plan_report.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

struct SegmentRow {
  const char* name;
  char letter;
  uint64_t bytes;
};

constexpr size_t kMapWidth = 72;  // characters inside of the arena's frame
constexpr size_t kNameWidth = 32;
constexpr int32_t kMaxSteps = 48;  // columns of the lifetime chart

template <typename... Arguments>
void Line(std::string* out, const char* format, Arguments... arguments) {
  char line[256];
  std::snprintf(line, sizeof line, format, arguments...);
  *out += line;
  *out += '\n';
}

void DescribeSegments(const rondo_memory_plan& plan, const SegmentRow (&segments)[5],
                      std::string* out) {
  Line(out, "arena: %s, aligned to %llu", FormatBytes(plan.arena_bytes).c_str(),
       static_cast<unsigned long long>(plan.arena_alignment));
  for (const SegmentRow& segment : segments) {
    const double share = plan.arena_bytes == 0 ? 0
                                               : static_cast<double>(segment.bytes) /
                                                     static_cast<double>(plan.arena_bytes);
    Line(out, "  %c  %-12s %16s  %7s", segment.letter, segment.name,
         FormatCount(segment.bytes).c_str(), FormatShare(share).c_str());
  }
  if (plan.mapped_bytes > 0) {
    Line(out, "besides the arena %s of weights are mapped from the file, as they are",
         FormatBytes(plan.mapped_bytes).c_str());
  }
  Line(out, "activations: %s, of which at most %s live at once: no layout can be smaller",
       FormatCount(plan.activations_bytes, "byte").c_str(),
       FormatCount(plan.activations_lower_bound).c_str());
  Line(out, "kv pool: context of %s in blocks of %u, %s a token, %s",
       FormatCount(plan.context, "token").c_str(), plan.kv_block_tokens,
       FormatCount(plan.kv_bytes_per_token, "byte").c_str(),
       FormatCount(plan.max_sessions, "session").c_str());
  Line(out, "kernels %s, %s, %s a pass", plan.kernels, FormatCount(plan.threads, "thread").c_str(),
       FormatCount(plan.max_rows, "row").c_str());
}

// The arena as a bar, each segment as wide as its share.
void DrawArena(const rondo_memory_plan& plan, const SegmentRow (&segments)[5], std::string* out) {
  std::string bar;
  uint64_t end = 0;
  for (const SegmentRow& segment : segments) {
    end += segment.bytes;
    const auto column = static_cast<size_t>(static_cast<double>(end) /
                                            static_cast<double>(plan.arena_bytes) * kMapWidth);
    // What exists is seen, be it ever so small.
    const size_t least = bar.size() + (segment.bytes > 0 ? 1 : 0);
    bar.resize(std::min(std::max(column, least), kMapWidth), segment.letter);
  }
  const std::string frame = "+" + std::string(kMapWidth, '-') + "+";
  *out += frame + "\n|" + bar + std::string(kMapWidth - bar.size(), ' ') + "|\n" + frame + "\n";
}

// One line per activation region, lowest offset first, marked in the steps in which it is live.
void DrawLifetimes(const std::vector<rondo_memory_region>& regions, std::string* out) {
  std::vector<const rondo_memory_region*> activations;
  int32_t steps = 0;
  for (const rondo_memory_region& region : regions) {
    if (region.segment != RONDO_SEGMENT_ACTIVATIONS) continue;
    activations.push_back(&region);
    steps = std::max(steps, region.first_step + 1);
    if (region.last_step < kMaxSteps) steps = std::max(steps, region.last_step + 1);
  }
  if (activations.empty() || steps > kMaxSteps) return;
  std::stable_sort(activations.begin(), activations.end(),
                   [](const auto* a, const auto* b) { return a->offset < b->offset; });
  const uint64_t base = activations[0]->offset;
  *out += "\nlives of the activations (offsets within their segment; one column per step)\n";
  for (const rondo_memory_region* region : activations) {
    std::string life(static_cast<size_t>(steps), '.');
    for (int32_t step = region->first_step; step <= std::min(region->last_step, steps - 1);
         ++step) {
      life[static_cast<size_t>(step)] = '#';
    }
    Line(out, "  %-*.*s %12s %12s  |%s|", static_cast<int>(kNameWidth),
         static_cast<int>(kNameWidth), region->name, FormatCount(region->offset - base).c_str(),
         FormatCount(region->bytes).c_str(), life.c_str());
  }
}

}  // namespace

std::string DescribePlan(const rondo_memory_plan& plan,
                         const std::vector<rondo_memory_region>& regions) {
  const SegmentRow segments[5] = {
      {"weights", 'W', plan.weights_bytes},     {"kv pool", 'K', plan.kv_pool_bytes},
      {"sessions", 'S', plan.sessions_bytes},   {"activations", 'A', plan.activations_bytes},
      {"workspace", 'X', plan.workspace_bytes},
  };
  std::string out;
  DescribeSegments(plan, segments, &out);
  DrawArena(plan, segments, &out);
  DrawLifetimes(regions, &out);
  out += "\nblocks\n";
  Line(&out, "  %-12s %-*s %16s %16s", "segment", static_cast<int>(kNameWidth), "name", "offset",
       "bytes");
  std::vector<const rondo_memory_region*> ordered;
  for (const rondo_memory_region& region : regions) ordered.push_back(&region);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (const rondo_memory_region* region : ordered) {
    Line(&out, "  %-12s %-*.*s %16s %16s", segments[region->segment].name,
         static_cast<int>(kNameWidth), static_cast<int>(kNameWidth), region->name,
         FormatCount(region->offset).c_str(), FormatCount(region->bytes).c_str());
  }
  return out;
}

}  // namespace rondo::tools
