// Calls of a session in the order that the input says.
#include "tests/c_api/random_calls.h"
#include "tests/c_api/tiny_model.h"
#include "tests/support/fuzzing.h"

namespace {

using namespace rondo::abi_test;

rondo_engine* NewTinyEngine(int32_t policy) {
  static const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.context = 128;
  options.max_rows = 128;  // as cancelling may keep a part of a prompt that is longer, under SLIDE
  options.context_policy = policy;
  return NewEngine(model.get(), options).release();
}

}  // namespace

std::vector<std::string> FirstInputs() {
  std::vector<std::string> inputs;
  for (char c = 0; c < 20; ++c) {
    std::string input;
    for (char i = 0; i < 60; ++i) input += static_cast<char>(c * i * i + 7 * i);
    inputs.push_back(input);
  }
  return inputs;
}

// The first byte chooses the policy; every two bytes then are one choice.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static const Engine engines[] = {Engine(NewTinyEngine(RONDO_POLICY_STOP)),
                                   Engine(NewTinyEngine(RONDO_POLICY_SLIDE))};
  static const uint32_t vocab_size = [] {
    const Model model = OpenTiny();
    rondo_model_facts facts = {};
    facts.struct_size = sizeof facts;
    EXPECT_EQ(rondo_model_info(model.get(), &facts), RONDO_STATUS_OK);
    return facts.vocab_size;
  }();
  rondo_session_options options = SessionOptions();
  options.temperature = 1.5f;
  options.repetition_penalty = 1.2f;
  rondo_engine* const engine = engines[data[0] % 2].get();
  const Session session = NewSession(engine, options);
  size_t at = 1;
  RandomCalls calls(engine, session.get(), vocab_size, [&] {
    if (at + 2 > size) return 0u;
    at += 2;
    return (data[at - 2] | data[at - 1] << 8) * 0x10001u;  // all four bytes of an id, too
  });
  while (at + 2 <= size) calls.Step();
  return 0;
}
