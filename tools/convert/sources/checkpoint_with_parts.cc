#include "tools/convert/sources/checkpoint_with_parts.h"

#include <utility>

namespace rondo::convert {

CheckpointWithParts::CheckpointWithParts(std::shared_ptr<const Checkpoint> base)
    : base_(std::move(base)) {
  for (const auto& [name, entry] : base_->tensors()) Add(name, entry);
}

void CheckpointWithParts::AddPart(const std::string& prefix,
                                  std::shared_ptr<const Checkpoint> part) {
  for (const auto& [name, entry] : part->tensors()) Add(prefix + name, entry);
  parts_.emplace(prefix, std::move(part));
}

std::pair<const Checkpoint*, std::string> CheckpointWithParts::Find(const std::string& name) const {
  for (const auto& [prefix, part] : parts_) {
    if (name.starts_with(prefix) && part->tensors().contains(name.substr(prefix.size()))) {
      return {part.get(), name.substr(prefix.size())};
    }
  }
  return {base_.get(), name};
}

void CheckpointWithParts::Read(const std::string& name, uint64_t first,
                               std::span<float> out) const {
  const auto [whose, called] = Find(name);
  whose->Read(called, first, out);
}

uint32_t CheckpointWithParts::BlockOfQ4B(const std::string& name) const {
  const auto [whose, called] = Find(name);
  return whose->BlockOfQ4B(called);
}

void CheckpointWithParts::ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows,
                                  uint8_t* data, uint16_t* scales) const {
  const auto [whose, called] = Find(name);
  whose->ReadQ4B(called, row, n_rows, data, scales);
}

uint32_t CheckpointWithParts::IntegerBits(const std::string& name) const {
  const auto [whose, called] = Find(name);
  return whose->IntegerBits(called);
}

float CheckpointWithParts::ReadIntegers(const std::string& name, uint64_t row,
                                        std::span<int8_t> out) const {
  const auto [whose, called] = Find(name);
  return whose->ReadIntegers(called, row, out);
}

std::string CheckpointWithParts::Where() const {
  const auto& all = base_->tensors();
  return all.empty() ? "the checkpoint" : all.begin()->second.file + " and what lies beside it";
}

}  // namespace rondo::convert
