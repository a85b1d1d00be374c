// A .safetensors file with any header: refused with an Error, or every tensor can be read.
#include "tests/support/fuzzing.h"
#include "tests/tools/convert/memory_file.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/safetensors.h"

std::vector<std::string> FirstInputs() {
  return {R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,4],)"
          R"("data_offsets":[0,32]},"b":{"dtype":"BF16","shape":[16],"data_offsets":[32,64]}})",
          R"({"h":{"dtype":"F16","shape":[1,1,32],"data_offsets":[0,64]}})"};
}

// The input is the header; its length before it is right, 64 zeros of data come behind it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static rondo::convert::MemoryFile memory;
  const uint64_t length = size;
  memory.Write(AsInput(reinterpret_cast<const uint8_t*>(&length), sizeof(length)) +
               AsInput(data, size) + std::string(64, '\0'));
  try {
    const rondo::convert::Safetensors file(memory.path());
    for (const auto& [name, tensor] : file.tensors()) {
      std::vector<float> values(tensor.elements());
      file.Read(name, tensor, 0, values);
    }
  } catch (const rondo::convert::Error& error) {
    EXPECT_NE(error.what()[0], '\0');
  }
  return 0;
}
