// What a file's types of sublayer are: how messages call them, what they must be, and their
// matrices by name. One file each.
#pragma once

#include <cstddef>
#include <iterator>

#include "rondo_generated.h"
#include "runtime/model/operators/layer_checker.h"

namespace rondo {

// Called for each matrix of a sublayer: its name, which is a number of the operator's own, and what
// the file has of it. Refers to a callable that outlives it.
class MatrixVisitor {
 public:
  template <typename Visit>
  explicit MatrixVisitor(const Visit& visit)
      : visit_(&visit), call_([](const void* visitor, size_t name, const format::Linear& linear) {
          (*static_cast<const Visit*>(visitor))(name, linear);
        }) {}

  void operator()(size_t name, const format::Linear& linear) const { call_(visit_, name, linear); }

 private:
  const void* visit_;
  void (*call_)(const void* visitor, size_t name, const format::Linear& linear);
};

struct OperatorRule {
  const char* name;
  const char* norm;  // the sublayer's own norms
  const char* post_norm;
  Status (*check)(const LayerChecker& checker, int layer, const format::Sublayer& sublayer);
  // The matrices that rows are multiplied by, of a sublayer that passed the check; in the order in
  // which data flows.
  void (*matrices)(const format::Sublayer& sublayer, const MatrixVisitor& visit);
  // Sets of matrices, a bit for each name. Those that the rows of a pass go through one by one,
  // each in its place: an adapter may change these.
  uint64_t adaptable = 0;
  // Those that conversions leave exact: a small error of theirs lasts.
  uint64_t exact = 0;
};
inline constexpr uint64_t kAllMatrices = ~uint64_t{0};

extern const OperatorRule kAttentionRule;
extern const OperatorRule kShortConvRule;
extern const OperatorRule kMlpRule;
extern const OperatorRule kExpertsRule;
extern const OperatorRule kLatentAttentionRule;
extern const OperatorRule kLayerEmbeddingRule;
extern const OperatorRule kGatedDeltaNetRule;
extern const OperatorRule kMamba2Rule;
extern const OperatorRule kLaurelRule;

// Of one that the schema has.
inline const OperatorRule& RuleOf(format::Operator type) {
  static constexpr const OperatorRule* kRules[] = {
      &kAttentionRule,      &kShortConvRule,     &kMlpRule,    &kExpertsRule, &kLatentAttentionRule,
      &kLayerEmbeddingRule, &kGatedDeltaNetRule, &kMamba2Rule, &kLaurelRule,
  };
  static_assert(std::size(kRules) == static_cast<size_t>(format::Operator::MAX));
  return *kRules[static_cast<size_t>(type) - 1];
}

}  // namespace rondo
