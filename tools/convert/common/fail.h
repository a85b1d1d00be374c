// The tool's one class of errors, by the names that the converter uses.
#pragma once

#include "tools/common/error.h"

namespace rondo::convert {

using tools::Error;
using tools::Fail;

}  // namespace rondo::convert
