// ToolTable: names and argument types of the functions that a model may call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/chat/jinja/text_form.h"

namespace rondo::calls {

enum class ValueType : uint8_t {
  kUnknown,  // or one of several that a text may stand for
  kString,
  kOther
};

struct Tool {
  struct Argument {
    std::string_view name;
    ValueType type;
  };
  std::string_view name;
  std::span<Argument> arguments;
};

// The function in an item of a list of tools: its "function", or itself; nullptr where it has no
// name.
const jinja::Dict* FunctionOf(jinja::Machine& machine, jinja::Value item, std::string_view* name);
// The schema of its arguments, as chat templates, MCP or another maker name it, or undefined.
jinja::Value ParametersOf(jinja::Machine& machine, const jinja::Dict& function);
// The member of an object, or undefined.
jinja::Value Member(jinja::Machine& machine, jinja::Value object, std::string_view name);
ValueType TypeOf(jinja::Machine& machine, jinja::Value schema);

class ToolTable {
 public:
  // Of a list in JSON; empty or null: none. The texts are in `memory`. Fails the machine that it
  // reads with, `reading`, or `memory`.
  void Read(jinja::Machine& reading, std::string_view json, jinja::Machine& memory);
  // nullptr for none.
  const Tool* Find(std::string_view name) const;
  size_t size() const { return tools_.size(); }

 private:
  std::span<Tool> tools_;
};
// kUnknown where the function or the argument is not known.
ValueType ArgumentType(const Tool* tool, std::string_view name);

}  // namespace rondo::calls
