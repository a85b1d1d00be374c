#include "tools/system/standard_files.h"

#include <cerrno>
#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

namespace rondo::tools {

void PrepareStandardFiles() {
  for (const int descriptor : {kStandardInput, kStandardOutput, kStandardError}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest that is free. Open for what nobody does with it, so that using it fails.
    open("/dev/null", descriptor == kStandardInput ? O_WRONLY : O_RDONLY);
  }
}

bool IsTerminal(int descriptor) { return isatty(descriptor) != 0; }

}  // namespace rondo::tools
