// What a model file holds and whether it is whole.
#pragma once

#include <string>

#include "tools/common/library.h"

namespace rondo::tools {

// Names, sizes and facts; several lines, each ended.
std::string DescribeModel(const Model& model);
// One line, ended.
std::string DescribeAdapter(const rondo_adapter_facts& facts);

// Every tensor with format, shape and bytes. Throws Error.
std::string DescribeTensors(const std::string& path);

// Compares every checksum of the file and tokenises its stored texts anew. Returns what was
// checked, in one line; throws Error at the first difference, naming it.
std::string CheckModel(const std::string& path, const Model& model);

}  // namespace rondo::tools
