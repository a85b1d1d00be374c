#include "tools/convert/sources/checkpoint_folder.h"

#include <algorithm>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/mlx_layout.h"

namespace rondo::convert {

CheckpointFolder::CheckpointFolder(const std::filesystem::path& directory,
                                   const Quantisation& quantisation)
    : tensors_(directory) {
  AddQuantised(quantisation);
  for (const auto& [name, place] : tensors_.all()) {
    if (parts_.count(name) > 0 || quantised_.count(name) > 0) continue;
    if (!quantised_.empty() && IsOfActivations(name)) continue;
    const Safetensors::Tensor& tensor = *place.tensor;
    const bool is_mlx = IsMlxKernel(name, tensor.shape);
    is_of_mlx_ |= is_mlx;
    norms_have_ones_ |= is_mlx && IsOfLinearAttention(name);
    Add(name, {place.file->path(), tensor.dtype, is_mlx ? KernelShape(tensor.shape) : tensor.shape,
               tensor.bytes});
  }
  AddNotes();
}

void CheckpointFolder::AddQuantised(const Quantisation& quantisation) {
  for (const auto& [name, place] : tensors_.all()) {
    std::optional<QuantisedMatrix> matrix = FindQuantised(tensors_, name, quantisation);
    if (!matrix) continue;
    Entry entry = {place.file->path(), matrix->type, matrix->shape, 0};
    for (const std::string& part : matrix->parts) {
      entry.bytes += tensors_.all().at(part).tensor->bytes;
      if (part != matrix->name) parts_.insert(part);
    }
    if (matrix->name != name && tensors_.Find(matrix->name) != nullptr) {
      Fail(tensors_.Called(name), " is a part of ", matrix->name, ", which is there, too");
    }
    Add(matrix->name, std::move(entry));
    std::string key = matrix->name;
    quantised_.emplace(std::move(key), *std::move(matrix));
  }
}

// Of matrices of which the same is said, the first and how many.
void CheckpointFolder::AddNotes() {
  notes_ = tensors_.notes();
  std::map<std::string, std::vector<std::string>> matrices;
  for (const auto& [name, matrix] : quantised_) {
    if (!matrix.note.empty()) matrices[matrix.note].push_back(name);
  }
  for (const auto& [note, names] : matrices) {
    const size_t others = names.size() - 1;
    notes_.push_back(Where() + ": tensor " + names[0] + ": " + note +
                     (others > 0 ? ", as are " + std::to_string(others) + " more" : ""));
  }
}

void CheckpointFolder::Read(const std::string& name, uint64_t first, std::span<float> out) const {
  if (const auto found = quantised_.find(name); found != quantised_.end()) {
    return ReadQuantised(found->second, first, out);
  }
  const FolderTensors::Place& place = tensors_.all().at(name);
  place.file->Read(name, *place.tensor, first, out);
  if (!norms_have_ones_ || !IsNormWithItsOne(name)) return;
  for (float& value : out) value -= 1;
}

void CheckpointFolder::OpenMatrix(const QuantisedMatrix& matrix) const {
  if (open_ == &matrix) return;
  open_ = &matrix;
  read_row_ = nullptr;  // before the next one needs the memory
  read_integers_ = nullptr;
}

ReadIntegersOfRow& CheckpointFolder::OpenIntegers(const std::string& name) const {
  const QuantisedMatrix& matrix = quantised_.at(name);
  OpenMatrix(matrix);
  if (!read_integers_) read_integers_ = matrix.integers->open();
  return read_integers_;
}

uint32_t CheckpointFolder::BlockOfQ4B(const std::string& name) const {
  const auto found = quantised_.find(name);
  if (found == quantised_.end() || !found->second.integers) return 0;
  const auto& [bits, group, unused] = *found->second.integers;
  return bits <= 4 && (group == 32 || group == 64 || group == 128) ? static_cast<uint32_t>(group)
                                                                   : 0;
}

void CheckpointFolder::ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows,
                               uint8_t* data, uint16_t* scales) const {
  ReadIntegersOfRow& read = OpenIntegers(name);
  const size_t cols = quantised_.at(name).shape.back();
  std::vector<int8_t> integers(cols);
  std::vector<float> of_groups(cols / BlockOfQ4B(name));
  for (uint64_t r = row; r < row + n_rows; ++r) {
    read(r, integers, of_groups);
    for (size_t i = 0; i < cols; i += 2) {
      *data++ = static_cast<uint8_t>((integers[i] + 8) | (integers[i + 1] + 8) << 4);
    }
    for (const float scale : of_groups) *scales++ = RoundScale(scale);
  }
}

uint32_t CheckpointFolder::IntegerBits(const std::string& name) const {
  const auto found = quantised_.find(name);
  if (found == quantised_.end() || !found->second.integers) return 0;
  const QuantisedMatrix& matrix = found->second;
  return matrix.integers->group == matrix.shape.back() ? matrix.integers->bits : 0;
}

float CheckpointFolder::ReadIntegers(const std::string& name, uint64_t row,
                                     std::span<int8_t> out) const {
  float scale;
  OpenIntegers(name)(row, out, {&scale, 1});
  return scale;
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
