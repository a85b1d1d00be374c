// Any bytes as a GGUF file: the answer is an Error or a model.
#include "tests/support/fuzzing.h"
#include "tests/tools/convert/memory_file.h"
#include "tests/tools/convert/sources/gguf/damaged_gguf.h"
#include "tools/convert/common/fail.h"

std::vector<std::string> FirstInputs() { return {rondo::convert::WholeGguf()}; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static rondo::convert::MemoryFile memory;
  memory.Write(AsInput(data, size));
  try {
    rondo::convert::ReadWholeGguf(memory.path());
  } catch (const rondo::convert::Error& error) {
    EXPECT_NE(error.what()[0], '\0');
  }
  return 0;
}
