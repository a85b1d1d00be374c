// Writes the man pages and the shells' completions of `rondo`, which the build installs:
//   rondo_make_manual FOLDER
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tools/app.h"
#include "tools/common/commands_of.h"
#include "tools/manual/completion.h"
#include "tools/manual/man_page.h"

namespace {

void Write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: rondo_make_manual FOLDER");
    const std::filesystem::path share = argv[1];
    const auto app = rondo::tools::MakeApp();
    const auto man = share / "man" / "man1";
    Write(man / "rondo.1", rondo::tools::ManPage(*app, nullptr));
    for (const CLI::App* command : rondo::tools::CommandsOf(*app)) {
      Write(man / ("rondo-" + command->get_name() + ".1"), rondo::tools::ManPage(*app, command));
    }
    Write(share / "bash-completion/completions/rondo", rondo::tools::BashCompletion(*app));
    Write(share / "zsh/site-functions/_rondo", rondo::tools::ZshCompletion(*app));
    Write(share / "fish/vendor_completions.d/rondo.fish", rondo::tools::FishCompletion(*app));
  } catch (const std::exception& error) {
    std::cerr << "rondo_make_manual: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
