#include "runtime/chat/calls/tool_table.h"

#include "runtime/chat/calls/text_builder.h"

namespace rondo::calls {
namespace {

using jinja::Dict;
using jinja::Kind;
using jinja::Machine;
using jinja::Value;

bool IsStringType(Value type) { return type.is_string() && type.str() == "string"; }

}  // namespace

Value Member(Machine& machine, Value object, std::string_view name) {
  if (!object.is(Kind::kDict)) return Value();
  const Value* found = jinja::Find(machine, *object.dict, name);
  return found == nullptr ? Value() : *found;
}

const Dict* FunctionOf(Machine& machine, Value item, std::string_view* name) {
  const Value inner = Member(machine, item, "function");
  const Value function = inner.is(Kind::kDict) ? inner : item;
  const Value its_name = Member(machine, function, "name");
  if (!its_name.is_string() || its_name.str().empty()) return nullptr;
  *name = its_name.str();
  return function.dict;
}

Value ParametersOf(Machine& machine, const Dict& function) {
  for (const std::string_view name : {"parameters", "inputSchema", "input_schema"}) {
    const Value* found = jinja::Find(machine, function, name);
    if (found != nullptr && !found->is_none()) return *found;
  }
  return Value();
}

ValueType TypeOf(Machine& machine, Value schema) {
  const Value type = Member(machine, schema, "type");
  if (type.is_string()) return IsStringType(type) ? ValueType::kString : ValueType::kOther;
  if (type.is(Kind::kList)) {
    for (size_t i = 0; i < type.sequence->count; ++i) {
      if (IsStringType(type.sequence->items[i])) return ValueType::kUnknown;
    }
    return type.sequence->count > 0 ? ValueType::kOther : ValueType::kUnknown;
  }
  const Value choices = Member(machine, schema, "enum");
  if (!choices.is(Kind::kList) || choices.sequence->count == 0) {
    return Member(machine, schema, "const").is_string() ? ValueType::kString : ValueType::kUnknown;
  }
  for (size_t i = 0; i < choices.sequence->count; ++i) {
    if (!choices.sequence->items[i].is_string()) return ValueType::kUnknown;
  }
  return ValueType::kString;
}

void ToolTable::Read(Machine& reading, std::string_view json, Machine& memory) {
  tools_ = {};
  if (json.empty()) return;
  const Value list = jinja::ParseJson(reading, json, "tools");
  if (!list.is(Kind::kList)) return;
  tools_ = memory.NewArray<Tool>(list.sequence->count);
  if (memory.failed()) return;
  for (size_t i = 0; i < tools_.size(); ++i) {
    std::string_view name;
    const Dict* function = FunctionOf(reading, list.sequence->items[i], &name);
    if (function == nullptr) continue;
    Tool& tool = tools_[i];
    tool.name = KeepText(memory, name);
    const Value properties = Member(reading, ParametersOf(reading, *function), "properties");
    if (!properties.is(Kind::kDict)) continue;
    tool.arguments = memory.NewArray<Tool::Argument>(properties.dict->count);
    for (size_t k = 0; k < tool.arguments.size(); ++k) {
      const Dict::Entry& entry = properties.dict->entries[k];
      tool.arguments[k] = {KeepText(memory, entry.key.str()), TypeOf(reading, entry.value)};
    }
  }
  if (memory.failed()) tools_ = {};
}

const Tool* ToolTable::Find(std::string_view name) const {
  for (const Tool& tool : tools_) {
    if (!tool.name.empty() && tool.name == name) return &tool;
  }
  return nullptr;
}

ValueType ArgumentType(const Tool* tool, std::string_view name) {
  if (tool == nullptr) return ValueType::kUnknown;
  for (const Tool::Argument& argument : tool->arguments) {
    if (argument.name == name) return argument.type;
  }
  return ValueType::kUnknown;
}

}  // namespace rondo::calls
