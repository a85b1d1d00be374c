#include "tools/convert/fit_bytes.h"

#include <algorithm>
#include <array>

#include "tools/common/context.h"
#include "tools/common/library.h"
#include "tools/common/numbers.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

// Bits for which it is worth to keep this format, and not take the next one.
struct Step {
  int32_t kv_format;
  double worth;
};
constexpr std::array kSteps = {Step{RONDO_KV_INT8, 4.25}, Step{RONDO_KV_K8V4, 3.25},
                               Step{RONDO_KV_K4V4, 2.25}};
// What kernels add to a matrix depends on its shape alone, or nearly.
constexpr double kSpareBits = 0.01;
// The tables of codes of 4, 3 and 2 bits as kernels want them, of which a draft has one.
constexpr double kTables = 3 * 8192;

uint64_t ArenaBytes(const std::filesystem::path& file, const FitWish& wish, int32_t kv_format) {
  const tools::Model model = tools::OpenModel(file.string());
  tools::EngineOptions options;
  options.context = wish.context;
  options.kv_format = kv_format;
  return model.Plan(options).arena_bytes;
}

}  // namespace

FittedBits FitBits(const Draft& draft, const FitWish& wish) {
  double least = 0;
  for (const Step& step : kSteps) {
    const double rest = static_cast<double>(ArenaBytes(draft.file, wish, step.kv_format)) -
                        static_cast<double>(draft.matrix_bytes) + kTables;
    const auto weights = static_cast<double>(draft.matrix_weights);
    const double bits = (static_cast<double>(wish.bytes) - rest) * 8 / weights - kSpareBits;
    if (bits >= step.worth) return {step.kv_format, bits};
    least = rest + (step.worth + kSpareBits) * weights / 8;
  }
  Fail("the model does not fit ", tools::FormatBytes(wish.bytes), " with a context of ",
       tools::FormatCount(wish.context), ": at the least it takes ",
       tools::FormatBytes(static_cast<uint64_t>(least)));
}

Fitted CheckFit(const std::filesystem::path& file, const FitWish& wish, int32_t kv_format) {
  const uint64_t bytes = ArenaBytes(file, wish, kv_format);
  if (bytes > wish.bytes) {
    Fail("the model takes ", tools::FormatBytes(bytes), ", more than ",
         tools::FormatBytes(wish.bytes));
  }
  return {kv_format, bytes};
}

}  // namespace rondo::convert
