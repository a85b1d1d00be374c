// Snapshots of any bytes, with a good length and checksum: refused, or restored and gone on with.
#include "tests/runtime/engine/small_snapshot.h"
#include "tests/support/fuzzing.h"

namespace {

constexpr rondo::ContextPolicy kPolicies[] = {rondo::ContextPolicy::kStop,
                                              rondo::ContextPolicy::kSlide};

}  // namespace

std::vector<std::string> FirstInputs() {
  std::vector<std::string> inputs;
  for (char policy = 0; policy < 2; ++policy) {
    for (const size_t tokens : {0, 3, 70, 100}) {
      rondo::SmallSession session(kPolicies[static_cast<size_t>(policy)]);
      if (tokens > 0) session.Prefill(tokens);
      const std::vector<uint8_t> snapshot = session.Save();
      inputs.push_back(policy + AsInput(snapshot.data(), snapshot.size()));
    }
  }
  return inputs;
}

// The first byte chooses the policy.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static rondo::SmallSession sessions[] = {rondo::SmallSession(kPolicies[0]),
                                           rondo::SmallSession(kPolicies[1])};
  std::vector<uint8_t> bytes(data + 1, data + size);
  rondo::Seal(&bytes);
  rondo::RestoreAny(sessions[data[0] % 2], bytes);
  return 0;
}
