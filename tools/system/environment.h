// The names of the environment's variables, which are each system's own.
#pragma once

namespace rondo::tools {

extern const char* const kHomeVariable;       // the user's own folder
extern const char* const kTemporaryVariable;  // the folder of temporary files

}  // namespace rondo::tools
