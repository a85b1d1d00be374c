// A file with the functions that a model may call.
#pragma once

#include <string>

namespace rondo::tools {

// As JSON in the form that chat templates read, whatever form the file has: theirs, without their
// "function" around, MCP's (inputSchema), another maker's (input_schema). Throws Error naming the
// function where its schema would not be found: it would be one of any arguments.
std::string ReadFunctions(const std::string& path);

}  // namespace rondo::tools
