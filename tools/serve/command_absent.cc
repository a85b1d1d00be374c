// `rondo serve` where the tool is built without libmicrohttpd: it says so.
#include "tools/commands.h"
#include "tools/common/error.h"

namespace rondo::tools {

void AddServeCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("serve", "Not in this build, which has no libmicrohttpd");
  command->allow_extras();
  command->footer("\nExamples:\n  rondo chat model.rondo");
  command->callback([] {
    Fail(
        "this build cannot serve: it was made without libmicrohttpd, or for another system than "
        "Linux");
  });
}

void AddBatchCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("batch", "Not in this build, as `rondo serve`");
  command->allow_extras();
  command->footer("\nExamples:\n  rondo run model.rondo TEXT");
  command->callback([] { Fail("this build has no batches: it was made without `rondo serve`"); });
}

}  // namespace rondo::tools
