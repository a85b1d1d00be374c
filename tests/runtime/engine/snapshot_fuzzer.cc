// Snapshots of any bytes, with a good length and checksum: refused, or restored and gone on with.
#include <deque>

#include "tests/runtime/engine/small_snapshot.h"
#include "tests/support/fuzzing.h"

namespace {

// Under both policies, with keys and values, and with states.
std::deque<rondo::SmallSession> NewSessions() {
  std::deque<rondo::SmallSession> sessions;
  for (const auto policy : {rondo::ContextPolicy::kStop, rondo::ContextPolicy::kSlide}) {
    sessions.emplace_back(policy);
    for (const char* model : {"delta", "mamba", "latent"}) sessions.emplace_back(policy, model);
  }
  return sessions;
}

}  // namespace

std::vector<std::string> FirstInputs() {
  std::vector<std::string> inputs;
  for (const size_t tokens : {0, 3, 70, 100}) {
    std::deque<rondo::SmallSession> sessions = NewSessions();
    for (size_t i = 0; i < sessions.size(); ++i) {
      if (tokens > 0) sessions[i].Prefill(tokens);
      const std::vector<uint8_t> snapshot = sessions[i].Save();
      inputs.push_back(static_cast<char>(i) + AsInput(snapshot.data(), snapshot.size()));
    }
  }
  std::deque<rondo::SmallSession> sessions = NewSessions();
  for (size_t i = 0; i < sessions.size(); ++i) {
    sessions[i].PrefillInputs();
    const std::vector<uint8_t> snapshot = sessions[i].Save();
    inputs.push_back(static_cast<char>(i) + AsInput(snapshot.data(), snapshot.size()));
  }
  return inputs;
}

// The first byte chooses the session.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static std::deque<rondo::SmallSession> sessions = NewSessions();
  std::vector<uint8_t> bytes(data + 1, data + size);
  rondo::Seal(&bytes);
  rondo::RestoreAny(sessions[data[0] % sessions.size()], bytes);
  return 0;
}
