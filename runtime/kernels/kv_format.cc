#include "runtime/kernels/kv_format.h"

#include "runtime/kernels/pages/page_kinds.h"

namespace rondo {
namespace {

constexpr KvFormatRule kRules[] = {
    {KvFormat::kInt8, "int8", &kInt8Keys, &kInt8Values},
    {KvFormat::kFloat32, "float32", &kFloatKeys, &kFloatValues},
    {KvFormat::kK8V4, "k8v4", &kInt8Keys, &kInt4Values},
    {KvFormat::kK4V4, "k4v4", &kInt4Keys, &kInt4Values},
};
constexpr bool AreByNumber(std::span<const KvFormatRule> rules) {
  for (size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].format != static_cast<KvFormat>(i)) return false;
  }
  return true;
}
static_assert(AreByNumber(kRules));

}  // namespace

std::span<const KvFormatRule> KvFormatRules() { return kRules; }

}  // namespace rondo
