#include "tools/manual/completion.h"

#include "tools/common/commands_of.h"

namespace rondo::tools {
namespace {

// In single quotes; with a backslash before each of `special`, too.
std::string Quoted(const std::string& text, const std::string& special = "") {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (special.find(c) != std::string::npos) out += '\\';
      out += c;
    }
  }
  return out + "'";
}

// The first clause: the whole is in the help.
std::string Short(const std::string& description) {
  return description.substr(0, description.find_first_of(";\n"));
}

std::string Names(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : OptionsOf(command)) {
    for (const std::string& name : option->get_snames()) names += " -" + name;
    for (const std::string& name : option->get_lnames()) names += " --" + name;
  }
  return names;
}

std::string CommandNames(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : CommandsOf(app)) names += " " + command->get_name();
  return names;
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  std::string out =
      "# bash completion for rondo\n"
      "_rondo() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} words=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words='" +
      CommandNames(app) + Names(app) +
      "'\n"
      "  else\n"
      "    case ${COMP_WORDS[1]} in\n"
      "      help) words='" +
      CommandNames(app) + "' ;;\n";
  for (const CLI::App* command : CommandsOf(app)) {
    if (command->get_name() == "help") continue;
    out += "      " + command->get_name() + ") [ \"${current#-}\" = \"$current\" ] || words='" +
           Names(*command) + "' ;;\n";
  }
  return out +
         "    esac\n"
         "  fi\n"
         "  [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _rondo rondo\n";
}

std::string ZshCompletion(const CLI::App& app) {
  std::string out =
      "#compdef rondo\n"
      "local -a commands\n"
      "commands=(\n";
  for (const CLI::App* command : CommandsOf(app)) {
    out += "  " + Quoted(command->get_name() + ":" + Short(command->get_description())) + '\n';
  }
  out +=
      ")\n"
      "if (( CURRENT == 2 )); then\n"
      "  _describe command commands\n"
      "  return\n"
      "fi\n"
      "local command=$words[2]\n"
      "shift words\n"
      "(( CURRENT-- ))\n"
      "case $command in\n"
      "  help) _describe command commands ;;\n";
  for (const CLI::App* command : CommandsOf(app)) {
    if (command->get_name() == "help") continue;
    out += "  " + command->get_name() + ")\n    _arguments";
    for (const CLI::Option* option : OptionsOf(*command)) {
      const std::string about = "['" + Quoted(Short(option->get_description()), "\\:[]") + "']" +
                                (option->get_items_expected_max() > 0 ? ":value:_files" : "") + "'";
      for (const std::string& name : option->get_lnames()) {
        out.append(" \\\n      '*--").append(name).append(about);
      }
    }
    out += " \\\n      '*:file:_files'\n    ;;\n";
  }
  return out + "esac\n";
}

std::string FishCompletion(const CLI::App& app) {
  std::string out = "# fish completion for rondo\n";
  for (const CLI::App* command : CommandsOf(app)) {
    const std::string& name = command->get_name();
    out += "complete -c rondo -f -n __fish_use_subcommand -a " + name + " -d " +
           Quoted(Short(command->get_description()), "\\") + '\n';
    for (const CLI::Option* option : OptionsOf(*command)) {
      out += "complete -c rondo -n '__fish_seen_subcommand_from " + name + "'";
      for (const std::string& letter : option->get_snames()) out += " -s " + letter;
      for (const std::string& word : option->get_lnames()) out += " -l " + word;
      out += (option->get_items_expected_max() > 0 ? " -r -d " : " -d ") +
             Quoted(Short(option->get_description()), "\\") + '\n';
    }
  }
  return out;
}

}  // namespace rondo::tools
