#include "tools/convert/sources/checkpoint.h"

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {
namespace {

std::string Shape(const std::vector<uint64_t>& shape) {
  std::ostringstream text;
  text << '[';
  for (size_t i = 0; i < shape.size(); ++i) text << (i == 0 ? "" : ", ") << shape[i];
  text << ']';
  return text.str();
}

}  // namespace

uint64_t Checkpoint::Entry::elements() const {
  uint64_t product = 1;
  for (const uint64_t size : shape) product *= size;
  return product;
}

void Checkpoint::Add(const std::string& name, Entry entry) {
  const auto [found, is_new] = tensors_.try_emplace(name, entry);
  if (is_new) return;
  if (found->second.file == entry.file) Fail(entry.file, ": tensor ", name, " is there twice");
  Fail(entry.file, ": tensor ", name, " is also in ", found->second.file);
}

const Checkpoint::Entry& Checkpoint::Find(const std::string& name,
                                          const std::vector<uint64_t>& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) Fail(Where(), ": tensor ", name, " is missing");
  const Entry& entry = found->second;
  const bool is_scalar = entry.shape.empty() && shape == std::vector<uint64_t>{1};
  if (entry.shape != shape && !is_scalar) {
    Fail(entry.file, ": tensor ", name, " is ", Shape(entry.shape), ", its config asks for ",
         Shape(shape));
  }
  return entry;
}

uint32_t Checkpoint::BlockOfQ4B(const std::string&) const { return 0; }

uint32_t Checkpoint::IntegerBits(const std::string&) const { return 0; }

float Checkpoint::ReadIntegers(const std::string& name, uint64_t, std::span<int8_t>) const {
  Fail(Where(), ": tensor ", name, " is no integers with a scale for each row");
}

void Checkpoint::ReadQ4B(const std::string& name, uint64_t, uint64_t, uint8_t*, uint16_t*) const {
  Fail(Where(), ": tensor ", name, " is not in blocks of 4 bits");
}

uint16_t Checkpoint::RoundScale(float scale) const {
  const uint16_t bits = ToBfloat16(scale);
  const float rounded = FromBfloat16(bits);
  ++scale_rounding_.scales;
  if (rounded != scale) {
    const double error = (double{rounded} - double{scale}) / double{scale};
    ++scale_rounding_.rounded;
    scale_rounding_.squares += error * error;
  }
  return bits;
}

}  // namespace rondo::convert
