// Metadata of any bytes behind the sections of a good file, with good checksums: opened, verified,
// planned and run, or refused.
#include "tests/runtime/model/damaged_model.h"
#include "tests/runtime/model/operator_models.h"
#include "tests/support/fuzzing.h"

namespace {

// Packed files have other rules than portable ones, and each operator has its own.
const std::vector<rondo::ModelBytes>& GoodFiles() {
  static const std::vector<rondo::ModelBytes> files = [] {
    std::vector<rondo::ModelBytes> all = {rondo::SmallModel(""), rondo::SmallModel("scalar")};
    for (const auto& model : rondo::kOperatorModels) all.push_back(rondo::Converted(model));
    return all;
  }();
  return files;
}

}  // namespace

std::vector<std::string> FirstInputs() {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < GoodFiles().size(); ++i) {
    rondo::ModelBytes file = GoodFiles()[i];
    inputs.push_back(static_cast<char>(i) +
                     AsInput(file.metadata().data(), file.metadata().size()));
  }
  return inputs;
}

// The first byte chooses the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const rondo::ModelBytes& good = GoodFiles()[data[0] % GoodFiles().size()];
  rondo::FileHeader header = good.header();
  std::vector<uint8_t> bytes(good.bytes().begin(),
                             good.bytes().begin() + static_cast<long>(header.metadata_offset));
  bytes.insert(bytes.end(), data + 1, data + size);
  header.metadata_bytes = size - 1;
  header.file_bytes = bytes.size();
  rondo::ModelBytes damaged(bytes);
  damaged.set_header(header);
  damaged.SealMetadata();
  const rondo::Result<rondo::ModelFile> file = rondo::ModelFile::Open(damaged.bytes());
  if (!file.ok()) {
    EXPECT_NE(file.status().message()[0], '\0');
    return 0;
  }
  rondo::ReadAll(*file);
  static_cast<void>(file->VerifyAll());
  rondo::RunIt(*file);
  return 0;
}
