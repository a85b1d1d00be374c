#include "tools/convert/sources/gguf/joined_checkpoint.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tools/convert/common/fail.h"

namespace rondo::convert {

JoinedCheckpoint::JoinedCheckpoint(std::shared_ptr<const Checkpoint> base,
                                   std::vector<JoinedTensor> joined)
    : base_(std::move(base)) {
  std::erase_if(joined, [&](const JoinedTensor& tensor) {
    return !std::ranges::all_of(
        tensor.parts, [&](const std::string& part) { return base_->tensors().contains(part); });
  });
  std::set<std::string> parts;
  for (const JoinedTensor& tensor : joined) parts.insert(tensor.parts.begin(), tensor.parts.end());
  for (const auto& [name, entry] : base_->tensors()) {
    if (!parts.contains(name)) Add(name, entry);
  }
  for (const JoinedTensor& tensor : joined) Join(tensor);
}

void JoinedCheckpoint::Join(const JoinedTensor& tensor) {
  Entry entry = base_->tensors().at(tensor.parts.front());
  uint64_t run = entry.elements();
  for (const std::string& part : tensor.parts) {
    const Entry& other = base_->tensors().at(part);
    if (other.shape != entry.shape) {
      Fail(other.file, ": tensor ", part, " has another shape than ", tensor.parts.front(),
           ", with which it is one");
    }
    if (part != tensor.parts.front()) entry.bytes += other.bytes;
  }
  std::vector<uint64_t>& shape = entry.shape;
  if (tensor.way == JoinedTensor::Way::kFrames) {
    if (shape.size() != 4) {
      Fail(entry.file, ": tensor ", tensor.parts.front(), " has ", shape.size(),
           " dimensions, expected rows, channels, y and x");
    }
    run = shape[2] * shape[3];
    shape.insert(shape.begin() + 2, tensor.parts.size());
  } else {
    shape.front() *= tensor.parts.size();
  }
  Add(tensor.name, std::move(entry));
  joined_.emplace(tensor.name, Joined{tensor.parts, run});
}

void JoinedCheckpoint::Read(const std::string& name, uint64_t first, std::span<float> out) const {
  const auto found = joined_.find(name);
  if (found == joined_.end()) return base_->Read(name, first, out);
  const auto& [parts, run] = found->second;
  for (size_t done = 0; done < out.size();) {
    const uint64_t turn = (first + done) / run, within = (first + done) % run;
    const auto n = static_cast<size_t>(std::min<uint64_t>(run - within, out.size() - done));
    base_->Read(parts[turn % parts.size()], turn / parts.size() * run + within,
                out.subspan(done, n));
    done += n;
  }
}

uint32_t JoinedCheckpoint::BlockOfQ4B(const std::string& name) const {
  return joined_.contains(name) ? 0 : base_->BlockOfQ4B(name);
}

void JoinedCheckpoint::ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows,
                               uint8_t* data, uint16_t* scales) const {
  base_->ReadQ4B(name, row, n_rows, data, scales);
}

std::string JoinedCheckpoint::Where() const {
  const auto& all = tensors();
  return all.empty() ? "the checkpoint" : all.begin()->second.file;
}

}  // namespace rondo::convert
