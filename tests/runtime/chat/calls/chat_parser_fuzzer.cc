// Any answer in any of the small forms: the same parts however it is cut.
#include "tests/runtime/chat/calls/answer_pieces.h"
#include "tests/runtime/chat/calls/forms.h"
#include "tests/runtime/chat/calls/parsed.h"
#include "tests/support/fuzzing.h"

std::vector<std::string> FirstInputs() {
  std::vector<std::string> inputs;
  for (size_t form = 0; form < std::size(rondo::test::kForms); ++form) {
    std::string input(1, static_cast<char>(form));
    for (const char* const piece : rondo::test::kAnswerPieces) input += piece;
    inputs.push_back(input);
  }
  for (const char* const piece : rondo::test::kAnswerPieces)
    inputs.push_back("\x01" + std::string(piece));
  return inputs;
}

// Which form, and the answer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::unique_ptr<rondo::ChatParser> parsers[std::size(rondo::test::kForms)];
  if (size == 0) return 0;
  const size_t form = data[0] % std::size(rondo::test::kForms);
  std::unique_ptr<rondo::ChatParser>& parser = parsers[form];
  if (parser == nullptr) {
    auto made = rondo::ChatParser::Create(rondo::test::FormRequest(rondo::test::kForms[form]));
    if (!made.ok()) return 0;
    parser = std::move(*made);
  }
  const std::string answer = AsInput(data + 1, size - 1);
  const rondo::test::Parsed parsed = rondo::test::Parse(*parser, answer);
  EXPECT_EQ(rondo::test::Parse(*parser, answer, 1, 1), parsed);
  EXPECT_EQ(rondo::test::Parse(*parser, answer, size / 2, 7), parsed);
  return 0;
}
