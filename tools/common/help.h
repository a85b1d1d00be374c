// HelpFormatter: --help as the tool shows it: usage, then options in groups, then examples, in
// lines of at most 100 characters.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace rondo::tools {

// An option is its names and the name of its value; all else stands in its description. Groups keep
// the order in which their first options were added; what every command has comes last.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace rondo::tools
