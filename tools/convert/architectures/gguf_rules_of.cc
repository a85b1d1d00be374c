#include "tools/convert/architectures/gguf_rules_of.h"

#include "tools/convert/architectures/architecture.h"

namespace rondo::convert {

GgufRules GgufRulesOf(const GgufKeys& keys) {
  const Architecture& row = FindArchitecture(keys);
  return {.architecture = row.name,
          .model_type = row.model_type,
          .names = row.gguf_names,
          .rope_theta = row.gguf_rope_theta,
          .usual_heads = row.gguf_usual_heads,
          .add = row.add_gguf};
}

}  // namespace rondo::convert
