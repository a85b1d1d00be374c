#include "tools/common/help.h"

#include <algorithm>
#include <vector>

namespace rondo::tools {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kIndent = 28;  // of descriptions

// `text` behind a name, wrapped.
std::string Entry(const std::string& name, const std::string& text) {
  std::string out = "  " + name;
  size_t column = out.size();
  if (column + 2 > kIndent) column = kWidth;  // the description begins in a line of its own
  bool at_start = true;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (at_start && column < kIndent) {
      out.append(kIndent - column, ' ');
      column = kIndent;
    } else if (column + 1 + (end - begin) > kWidth) {
      out += '\n' + std::string(kIndent, ' ');
      column = kIndent;
    } else {
      out += ' ';
      ++column;
    }
    out.append(text, begin, end - begin);
    column += end - begin;
    at_start = false;
    begin = end + 1;
  }
  return out + '\n';
}

std::string NameOf(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string name;
  for (const std::string& part : CLI::detail::split(option.get_name(false, true), ',')) {
    name += (name.empty() ? "" : ", ") + part;
  }
  const std::string value = option.get_items_expected_max() > 0 ? option.get_type_name() : "";
  return value.empty() ? name : name + " " + value;
}

std::string Group(const std::string& title, const std::vector<const CLI::Option*>& options) {
  if (options.empty()) return "";
  std::string out = "\n" + title + ":\n";
  for (const CLI::Option* option : options) {
    const bool tells_need = option->get_required() && option->nonpositional();
    out += Entry(NameOf(*option), option->get_description() + (tells_need ? "; required" : ""));
  }
  return out;
}

std::string Usage(const CLI::App& app, const std::string& name) {
  std::string usage = "Usage: " + name;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      const std::string argument = NameOf(*option);
      usage += " " + (option->get_required() ? argument : "[" + argument + "]");
    }
  }
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional() || !option->get_required()) continue;
    usage += " " + (option->get_snames().empty() ? "--" + option->get_lnames()[0]
                                                 : "-" + option->get_snames()[0]);
    usage += " " + option->get_type_name();
  }
  const bool has_commands =
      !app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); }).empty();
  return usage + (has_commands ? " COMMAND" : "") + " [OPTIONS]\n";
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode) const {
  std::string out = app->get_description() + ".\n\n" + Usage(*app, name);
  std::string commands;
  for (const CLI::App* sub :
       app->get_subcommands([](const CLI::App* s) { return !s->get_name().empty(); })) {
    commands += Entry(sub->get_name(), sub->get_description());
  }
  if (!commands.empty()) out += "\nCommands:\n" + commands;
  out += Group("Arguments",
               app->get_options([](const CLI::Option* o) { return o->get_positional(); }));
  // Groups of which one option can be given are nameless subcommands.
  for (const CLI::App* sub :
       app->get_subcommands([](const CLI::App* s) { return s->get_name().empty(); })) {
    out +=
        Group(sub->get_group(),
              sub->get_options([sub](const CLI::Option* o) { return o != sub->get_help_ptr(); }));
  }
  std::vector<std::string> groups = app->get_groups();
  const auto common = std::find(groups.begin(), groups.end(), "Options");
  if (common != groups.end()) std::rotate(common, common + 1, groups.end());
  for (const std::string& group : groups) {
    out += Group(group, app->get_options([&](const CLI::Option* o) {
      return o->nonpositional() && o->get_group() == group;
    }));
  }
  return out + app->get_footer() + '\n';
}

}  // namespace rondo::tools
