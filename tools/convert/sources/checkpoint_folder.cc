#include "tools/convert/sources/checkpoint_folder.h"

#include <algorithm>
#include <set>

#include "tools/convert/common/fail.h"

namespace rondo::convert {

CheckpointFolder::CheckpointFolder(const std::filesystem::path& directory,
                                   const Quantisation& quantisation)
    : tensors_(directory) {
  std::set<std::string> parts;
  for (const auto& [name, place] : tensors_.all()) {
    std::optional<QuantisedMatrix> matrix = FindQuantised(tensors_, name, quantisation);
    if (!matrix) continue;
    Entry entry = {place.file->path(), matrix->type, matrix->shape, 0};
    for (const std::string& part : matrix->parts) {
      entry.bytes += tensors_.all().at(part).tensor->bytes;
      if (part != matrix->name) parts.insert(part);
    }
    if (matrix->name != name && tensors_.Find(matrix->name) != nullptr) {
      Fail(tensors_.Called(name), " is a part of ", matrix->name, ", which is there, too");
    }
    Add(matrix->name, std::move(entry));
    std::string key = matrix->name;
    quantised_.emplace(std::move(key), *std::move(matrix));
  }
  for (const auto& [name, place] : tensors_.all()) {
    if (parts.count(name) > 0 || quantised_.count(name) > 0) continue;
    Add(name, {place.file->path(), place.tensor->dtype, place.tensor->shape, place.tensor->bytes});
  }
}

void CheckpointFolder::Read(const std::string& name, uint64_t first, std::span<float> out) const {
  if (const auto found = quantised_.find(name); found != quantised_.end()) {
    return ReadQuantised(found->second, first, out);
  }
  const FolderTensors::Place& place = tensors_.all().at(name);
  place.file->Read(name, *place.tensor, first, out);
}

void CheckpointFolder::OpenMatrix(const QuantisedMatrix& matrix) const {
  if (open_ == &matrix) return;
  open_ = &matrix;
  read_row_ = nullptr;  // before the next one needs the memory
  read_integers_ = nullptr;
}

bool CheckpointFolder::HoldsQ8(const std::string& name) const {
  const auto found = quantised_.find(name);
  return found != quantised_.end() && found->second.open_integers;
}

float CheckpointFolder::ReadQ8(const std::string& name, uint64_t row, std::span<int8_t> out) const {
  const QuantisedMatrix& matrix = quantised_.at(name);
  OpenMatrix(matrix);
  if (!read_integers_) read_integers_ = matrix.open_integers();
  return read_integers_(row, out);
}

void CheckpointFolder::ReadQuantised(const QuantisedMatrix& matrix, uint64_t first,
                                     std::span<float> out) const {
  OpenMatrix(matrix);
  if (!read_row_) read_row_ = matrix.open();
  const uint64_t cols = matrix.shape.back();
  std::vector<float> row;
  for (size_t done = 0; done < out.size();) {
    const uint64_t skipped = (first + done) % cols;
    const auto n = static_cast<size_t>(std::min<uint64_t>(cols - skipped, out.size() - done));
    if (n == cols) {
      read_row_((first + done) / cols, out.subspan(done, n));
    } else {
      row.resize(cols);
      read_row_((first + done) / cols, row);
      std::copy_n(&row[skipped], n, &out[done]);
    }
    done += n;
  }
  tensors_.all().at(matrix.parts[0]).file->CheckFinite(matrix.name, first, out);
}

}  // namespace rondo::convert
