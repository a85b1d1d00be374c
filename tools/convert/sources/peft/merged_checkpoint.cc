#include "tools/convert/sources/peft/merged_checkpoint.h"

#include <algorithm>
#include <utility>

#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

constexpr std::string_view kWeight = ".weight";

// [cols, rows] of [rows, cols].
std::vector<float> Turned(const std::vector<float>& matrix, size_t rows, size_t cols) {
  std::vector<float> turned(matrix.size());
  for (size_t i = 0; i < matrix.size(); ++i) turned[i % cols * rows + i / cols] = matrix[i];
  return turned;
}

}  // namespace

MergedCheckpoint::MergedCheckpoint(std::shared_ptr<const Checkpoint> base,
                                   const std::filesystem::path& path)
    : base_(std::move(base)) {
  const PeftAdapter adapter(path);
  std::map<std::string_view, std::string> weights;  // by bare names of modules; empty: several
  for (const auto& [name, entry] : base_->tensors()) {
    Add(name, entry);
    if (!name.ends_with(kWeight)) continue;
    const std::string_view module = std::string_view(name).substr(0, name.size() - kWeight.size());
    const auto [found, is_new] = weights.try_emplace(BareModuleName(module), name);
    if (!is_new) found->second.clear();
  }
  for (const auto& [name, module] : adapter.modules()) {
    std::string tensor = name + std::string(kWeight);
    if (!tensors().contains(tensor)) {
      const auto found = weights.find(BareModuleName(name));
      tensor = found == weights.end() ? "" : found->second;
    }
    if (tensor.empty()) Fail(adapter.Called(name), " is none of the checkpoint's");
    if (changes_.contains(tensor)) Fail(adapter.Called(name), " is there by two names");
    changes_.emplace(tensor, ChangeOf(adapter, name, module, tensors().at(tensor)));
  }
}

MergedCheckpoint::Change MergedCheckpoint::ChangeOf(const PeftAdapter& adapter,
                                                    const std::string& name,
                                                    const PeftAdapter::Module& module,
                                                    const Entry& entry) const {
  const bool turned = adapter.is_transposed() || module.is_embedding;
  const std::vector<uint64_t> shape = turned ? std::vector{module.inputs, module.outputs}
                                             : std::vector{module.outputs, module.inputs};
  if (entry.shape != shape) {
    Fail(adapter.Called(name), " is [", shape[0], ", ", shape[1], "], which its weight in ",
         entry.file, " is not");
  }
  const auto rank = static_cast<size_t>(module.rank);
  Change change = {rank, static_cast<size_t>(shape[1]), module.scale, adapter.Up(module),
                   adapter.Down(module)};
  if (turned) {
    const std::vector<float> up = std::move(change.left), down = std::move(change.right);
    change.left = Turned(down, rank, static_cast<size_t>(module.inputs));
    change.right = Turned(up, static_cast<size_t>(module.outputs), rank);
  }
  return change;
}

void MergedCheckpoint::Read(const std::string& name, uint64_t first, std::span<float> out) const {
  base_->Read(name, first, out);
  const auto found = changes_.find(name);
  if (found == changes_.end()) return;
  const Change& change = found->second;
  std::vector<double> sums(change.cols);
  for (size_t done = 0; done < out.size();) {
    const auto row = static_cast<size_t>((first + done) / change.cols);
    const auto col = static_cast<size_t>((first + done) % change.cols);
    const size_t n = std::min(change.cols - col, out.size() - done);
    std::fill_n(sums.begin(), n, 0.0);
    for (size_t j = 0; j < change.rank; ++j) {
      const double left = change.left[row * change.rank + j];
      const float* right = &change.right[j * change.cols + col];
      for (size_t i = 0; i < n; ++i) sums[i] += left * right[i];
    }
    for (size_t i = 0; i < n; ++i) {
      out[done + i] = static_cast<float>(out[done + i] + change.scale * sums[i]);
    }
    done += n;
  }
}

uint32_t MergedCheckpoint::BlockOfQ4B(const std::string& name) const {
  return changes_.contains(name) ? 0 : base_->BlockOfQ4B(name);
}

void MergedCheckpoint::ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows,
                               uint8_t* data, uint16_t* scales) const {
  base_->ReadQ4B(name, row, n_rows, data, scales);
}

uint32_t MergedCheckpoint::IntegerBits(const std::string& name) const {
  return changes_.contains(name) ? 0 : base_->IntegerBits(name);
}

float MergedCheckpoint::ReadIntegers(const std::string& name, uint64_t row,
                                     std::span<int8_t> out) const {
  return base_->ReadIntegers(name, row, out);
}

std::string MergedCheckpoint::Where() const {
  return tensors().empty() ? "the checkpoint" : tensors().begin()->second.file;
}

}  // namespace rondo::convert
