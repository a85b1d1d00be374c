#include "tools/convert/tokenizer/json_value.h"

#include <cmath>
#include <utility>

#include "tools/common/interrupt.h"

namespace rondo::convert {
namespace {

const nlohmann::json kNull;

}  // namespace

void JsonValue::Fail(const std::string& what) const {
  throw Error(file_ + ": " + (key_.empty() ? "the file" : key_) + " " + what);
}

JsonValue JsonValue::Find(const std::string& name) const {
  if (!value_->is_object())
    Fail(std::string("is of type ") + value_->type_name() + ", expected object");
  const auto member = value_->find(name);
  return {member == value_->end() ? kNull : *member, file_,
          key_.empty() ? name : key_ + "." + name};
}

JsonValue JsonValue::At(const std::string& name) const {
  JsonValue member = Find(name);
  if (member.IsNull()) member.Fail("is missing");
  return member;
}

std::vector<JsonValue> JsonValue::Items() const {
  if (!value_->is_array())
    Fail(std::string("is of type ") + value_->type_name() + ", expected array");
  std::vector<JsonValue> items;
  for (size_t i = 0; i < value_->size(); ++i) {
    items.emplace_back((*value_)[i], file_, key_ + "[" + std::to_string(i) + "]");
  }
  return items;
}

std::string JsonValue::String() const {
  tools::CheckInterrupt();  // every token and merge of a tokenizer comes by
  if (!value_->is_string())
    Fail(std::string("is of type ") + value_->type_name() + ", expected string");
  return value_->get<std::string>();
}

bool JsonValue::Bool() const {
  if (!value_->is_boolean())
    Fail(std::string("is of type ") + value_->type_name() + ", expected boolean");
  return value_->get<bool>();
}

double JsonValue::Number() const {
  if (!value_->is_number())
    Fail(std::string("is of type ") + value_->type_name() + ", expected number");
  const double number = value_->get<double>();
  if (!std::isfinite(number)) Fail("is not a finite number");
  return number;
}

uint32_t JsonValue::Uint(uint32_t limit) const {
  // A document made in memory may hold it as a signed number.
  const bool whole =
      value_->is_number_unsigned() || (value_->is_number_integer() && value_->get<int64_t>() >= 0);
  if (!whole || value_->get<uint64_t>() >= limit) {
    // Only a number is shown: other values may be of any size and depth.
    Fail("is " +
         (value_->is_number() ? value_->dump() : std::string("of type ") + value_->type_name()) +
         ", expected a whole number below " + std::to_string(limit));
  }
  return value_->get<uint32_t>();
}

}  // namespace rondo::convert
