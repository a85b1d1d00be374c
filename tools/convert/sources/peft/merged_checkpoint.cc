#include "tools/convert/sources/peft/merged_checkpoint.h"

#include <algorithm>
#include <utility>

#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

constexpr std::string_view kWeight = ".weight";

std::string Shown(const std::vector<uint64_t>& shape) {
  std::string text;
  for (const uint64_t size : shape) text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return text + "]";
}

// The tensor that a module's products are added to.
std::string TensorOf(const std::string& name, const PeftAdapter::Module& module) {
  return module.parameter.empty() ? name + std::string(kWeight) : name;
}

}  // namespace

MergedCheckpoint::MergedCheckpoint(std::shared_ptr<const Checkpoint> base,
                                   const std::filesystem::path& path, const MergeFacts& facts)
    : base_(std::move(base)), adapter_(path) {
  for (const auto& [name, entry] : base_->tensors()) {
    const auto [found, is_new] = names_.try_emplace(std::string(BareModuleName(name)), name);
    if (!is_new) found->second.clear();  // which of the two, its whole name says
  }
  if (!facts.head.empty()) Untie(facts);
  TakeWhole();
  const auto add = [&](const std::string& name) {
    Entry entry = base_->tensors().at(Origin(name));
    if (Origin(name) != name) entry.file = adapter_.path();  // who makes it one of its own
    if (const auto whole = whole_.find(name); whole != whole_.end()) {
      const Safetensors::Tensor& own = adapter_.Tensor(whole->second);
      entry = {adapter_.path(), own.dtype, own.shape, own.bytes};
    }
    Add(name, entry);
  };
  for (const auto& [name, entry] : base_->tensors()) {
    const std::string& called = names_.at(std::string(BareModuleName(name)));
    const bool is_copy = !called.empty() && called == facts.embedding && name != facts.embedding;
    if (!is_copy) add(name);
  }
  if (!head_.empty() && !tensors().contains(head_)) add(head_);
  AddChanges(facts);
}

std::string MergedCheckpoint::Found(const std::string& tensor) const {
  const auto found = names_.find(std::string(BareModuleName(tensor)));
  if (found == names_.end()) return "";
  return found->second.empty() && base_->tensors().contains(tensor) ? tensor : found->second;
}

const std::string& MergedCheckpoint::Origin(const std::string& name) const {
  return !head_.empty() && name == head_ ? embedding_ : name;
}

bool MergedCheckpoint::IsChanged(const std::string& name) const {
  return changes_.contains(name) || whole_.contains(name);
}

// PEFT changes one of two modules that share a tensor, but where it is to tie what it adds, too. A
// second copy of the tensor in the checkpoint changes nothing of that.
void MergedCheckpoint::Untie(const MergeFacts& facts) {
  const std::string bare_head(BareModuleName(facts.head));
  const std::string copy = Found(facts.head);
  names_.insert_or_assign(bare_head, facts.embedding);
  const auto differs = [&](const std::string& tensor) {
    return BareModuleName(tensor) == bare_head ||
           (!adapter_.ties() && Found(tensor) == facts.embedding);
  };
  bool apart = false;
  for (const auto& [name, module] : adapter_.modules()) {
    apart = apart || differs(TensorOf(name, module));
  }
  for (const auto& [name, whole] : adapter_.whole()) {
    apart = apart || (!whole.is_shared && differs(name));
  }
  if (!apart) return;
  embedding_ = facts.embedding;
  head_ = copy.empty() ? facts.head : copy;
  names_.insert_or_assign(bare_head, head_);
}

void MergedCheckpoint::TakeWhole() {
  for (const auto& [name, whole] : adapter_.whole()) {
    const std::string tensor = Found(name);
    if (tensor.empty()) {
      Fail(adapter_.path(), ": tensor ", whole.tensor, " is none of the checkpoint's");
    }
    const std::vector<uint64_t>& shape = adapter_.Tensor(whole).shape;
    const std::vector<uint64_t>& expected = base_->tensors().at(Origin(tensor)).shape;
    if (shape != expected) {
      Fail(adapter_.path(), ": tensor ", whole.tensor, " is ", Shown(shape), ", expected ",
           Shown(expected), " as the checkpoint has it");
    }
    whole_.insert_or_assign(tensor, whole);
    if (head_.empty() || !(whole.is_shared || adapter_.ties())) continue;
    if (tensor == embedding_) whole_.try_emplace(head_, whole);
    if (tensor == head_) whole_.try_emplace(embedding_, whole);
  }
}

void MergedCheckpoint::AddChanges(const MergeFacts& facts) {
  for (const auto& [name, module] : adapter_.modules()) {
    const Values values = {adapter_.Down(module), adapter_.Up(module)};
    std::string tensor = Found(TensorOf(name, module));
    if (tensor.empty() && !module.parameter.empty()) tensor = Found(name + "_blocks");  // of MXFP4
    if (tensor.empty()) {
      if (AddToExperts(name, module, values)) continue;
      Fail(adapter_.Called(name), " is none of the checkpoint's");
    }
    const std::vector<uint64_t>& shape = tensors().at(tensor).shape;
    const bool of_all = shape.size() == 3;
    const std::vector<uint64_t> outputs_first = {module.outputs, module.inputs};
    const std::vector<uint64_t> inputs_first = {module.inputs, module.outputs};
    bool turned = facts.inputs_first.contains(tensor) || (module.is_embedding && !of_all);
    // Older versions of PEFT take the first of the two for the inputs, whichever it is.
    if (of_all && module.inputs != module.outputs &&
        std::equal(shape.begin() + 1, shape.end(),
                   (turned ? outputs_first : inputs_first).begin())) {
      turned = !turned;
    }
    std::vector<uint64_t> expected = turned ? inputs_first : outputs_first;
    if (of_all || module.experts > 1) expected.insert(expected.begin(), module.experts);
    AddChange(name, tensor, module,
              ChangeOf(module, values, turned, {0, module.experts, 0, module.outputs}), expected);
  }
}

bool MergedCheckpoint::AddToExperts(const std::string& name, const Module& module,
                                    const Values& values) {
  // What those of a single expert are called in most mixtures, and in Mixtral.
  struct Names {
    std::string_view parameter;
    std::vector<std::string> matrices;
  };
  const Names kNames[] = {{"gate_up_proj", {"gate_proj", "up_proj"}},
                          {"gate_up_proj", {"w1", "w3"}},
                          {"down_proj", {"down_proj"}},
                          {"down_proj", {"w2"}}};
  if (module.parameter.empty()) return false;
  const std::string experts = name.substr(0, name.size() - module.parameter.size());
  std::string mixtral = experts;
  constexpr std::string_view kMlp = ".mlp.";
  if (const size_t at = mixtral.find(kMlp); at != std::string::npos) {
    mixtral.replace(at, kMlp.size(), ".block_sparse_moe.");
  }
  for (const auto& [parameter, matrices] : kNames) {
    if (parameter != module.parameter) continue;
    for (const std::string& begin : {experts, mixtral}) {
      const auto tensor = [&](uint64_t expert, const std::string& matrix) {
        return Found(std::string(begin)
                         .append(std::to_string(expert))
                         .append(".")
                         .append(matrix)
                         .append(kWeight));
      };
      if (tensor(0, matrices[0]).empty()) continue;
      const uint64_t outputs = module.outputs / matrices.size();
      const bool are_all = tensor(module.experts, matrices[0]).empty();
      if (!are_all || outputs * matrices.size() != module.outputs) return false;
      for (uint64_t expert = 0; expert < module.experts; ++expert) {
        for (size_t i = 0; i < matrices.size(); ++i) {
          const std::string found = tensor(expert, matrices[i]);
          if (found.empty()) return false;
          AddChange(name, found, module,
                    ChangeOf(module, values, false, {expert, 1, i * outputs, outputs}),
                    {outputs, module.inputs});
        }
      }
      return true;
    }
  }
  return false;
}

void MergedCheckpoint::AddChange(const std::string& name, const std::string& tensor,
                                 const Module& module, Change change,
                                 const std::vector<uint64_t>& shape) {
  const Entry& entry = tensors().at(tensor);
  if (entry.shape != shape) {
    Fail(adapter_.Called(name), " is ", Shown(shape), ", which ",
         module.parameter.empty() ? "its weight" : tensor, " in ", entry.file, " is not");
  }
  if (!changes_.emplace(tensor, std::move(change)).second) {
    Fail(adapter_.Called(name), " is there by two names");
  }
}

MergedCheckpoint::Change MergedCheckpoint::ChangeOf(const Module& module, const Values& values,
                                                    bool inputs_first, const Piece& piece) {
  const auto rank = static_cast<size_t>(module.rank), inputs = static_cast<size_t>(module.inputs);
  const auto outputs = static_cast<size_t>(piece.n_outputs);
  const size_t rows = inputs_first ? inputs : outputs, cols = inputs_first ? outputs : inputs;
  Change change = {rank, cols, rows, module.scale, {}, {}};
  change.left.resize(static_cast<size_t>(piece.n_experts) * rows * rank);
  change.right.resize(static_cast<size_t>(piece.n_experts) * rank * cols);
  for (size_t i = 0; i < piece.n_experts; ++i) {
    const size_t expert = static_cast<size_t>(piece.first_expert) + i;
    for (size_t j = 0; j < rank; ++j) {
      const auto place = [&](bool in_rows, size_t at) -> float& {
        return in_rows ? change.left[(i * rows + at) * rank + j]
                       : change.right[(i * rank + j) * cols + at];
      };
      for (size_t output = 0; output < outputs; ++output) {
        const size_t row = static_cast<size_t>(piece.first_output) + output;
        place(!inputs_first, output) = values.up[(row * rank + j) * module.experts + expert];
      }
      for (size_t input = 0; input < inputs; ++input) {
        place(inputs_first, input) = values.down[(expert * rank + j) * inputs + input];
      }
    }
  }
  return change;
}

void MergedCheckpoint::Read(const std::string& name, uint64_t first, std::span<float> out) const {
  const auto whole = whole_.find(name);
  if (whole == whole_.end()) {
    base_->Read(Origin(name), first, out);
  } else {
    adapter_.Read(whole->second, first, out);
  }
  const auto found = changes_.find(name);
  if (found == changes_.end()) return;
  const Change& change = found->second;
  std::vector<double> sums(change.cols);
  for (size_t done = 0; done < out.size();) {
    const auto row = static_cast<size_t>((first + done) / change.cols);
    const auto col = static_cast<size_t>((first + done) % change.cols);
    const size_t n = std::min(change.cols - col, out.size() - done);
    const size_t matrix = row / change.rows * change.rank;
    std::fill_n(sums.begin(), n, 0.0);
    for (size_t j = 0; j < change.rank; ++j) {
      const double left = change.left[row * change.rank + j];
      const float* right = &change.right[(matrix + j) * change.cols + col];
      for (size_t i = 0; i < n; ++i) sums[i] += left * right[i];
    }
    for (size_t i = 0; i < n; ++i) {
      out[done + i] = static_cast<float>(out[done + i] + change.scale * sums[i]);
    }
    done += n;
  }
}

uint32_t MergedCheckpoint::BlockOfQ4B(const std::string& name) const {
  return IsChanged(name) ? 0 : base_->BlockOfQ4B(Origin(name));
}

void MergedCheckpoint::ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows,
                               uint8_t* data, uint16_t* scales) const {
  base_->ReadQ4B(Origin(name), row, n_rows, data, scales);
}

uint32_t MergedCheckpoint::IntegerBits(const std::string& name) const {
  return IsChanged(name) ? 0 : base_->IntegerBits(Origin(name));
}

float MergedCheckpoint::ReadIntegers(const std::string& name, uint64_t row,
                                     std::span<int8_t> out) const {
  return base_->ReadIntegers(Origin(name), row, out);
}

std::string MergedCheckpoint::Where() const {
  return tensors().empty() ? "the checkpoint" : tensors().begin()->second.file;
}

}  // namespace rondo::convert
