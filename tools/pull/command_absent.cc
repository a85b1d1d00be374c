// `rondo pull` where the tool is built without libcurl: it says so.
#include "tools/commands.h"
#include "tools/common/error.h"

namespace rondo::tools {

void AddPullCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("pull", "Not in this build, which has no libcurl");
  command->allow_extras();
  command->footer("\nExamples:\n  rondo convert ORG/MODEL -o FILE");
  command->callback([] {
    Fail(
        "this build cannot download: it was made without libcurl; what the hub's own clients "
        "downloaded `rondo convert ORG/MODEL` finds");
  });
}

}  // namespace rondo::tools
