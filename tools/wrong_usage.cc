#include "tools/wrong_usage.h"

#include "tools/common/commands_of.h"
#include "tools/common/nearest.h"
#include "tools/common/printable.h"

namespace rondo::tools {
namespace {

// "--context" of a command.
std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : OptionsOf(command)) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& names) {
  const std::string nearest = Nearest(word, names);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::string Extra(const CLI::App& app, const std::string& word) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    const CLI::App& command = chosen.empty() ? app : *chosen[0];
    return "there is no option " + name + DidYouMean(name, OptionNames(command));
  }
  if (chosen.empty()) return UnknownCommand(app, word);
  return "nothing is known to do with \"" + word +
         "\" (a text of several words is given in quotes)";
}

// "--ids and --prompt" of CLI11's "[--ids,--prompt]".
std::string Listed(const std::string& text) {
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos) return "";
  std::string out;
  for (size_t begin = open + 1; begin < close;) {
    const size_t end = std::min(text.find(',', begin), close);
    out += (out.empty() ? "" : end == close ? " and " : ", ") + text.substr(begin, end - begin);
    begin = end + 1;
  }
  return out;
}

// CLI11's own errors; those of our options are sentences already.
std::string Sentence(const CLI::Error& error) {
  std::string text = error.what();
  const std::string option = text.substr(0, text.find_first_of(": "));
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      if (Listed(text).empty()) return text;
      return text.ends_with("is required") ? "one of " + Listed(text) + " is required"
                                           : "only one of " + Listed(text) + " can be given";
    case CLI::ExitCodes::ArgumentMismatch:
      if (text.ends_with("missing")) return option + " needs a value behind it";
      if (text.ends_with("override")) return "--" + option + " takes no value";
      return option + " can be given only once";
    case CLI::ExitCodes::ConversionError:  // of a flag: all values are read as texts
      return text.substr(text.find('-'), text.find(" = ") - text.find('-')) + " takes no value";
    default:
      return text;
  }
}

}  // namespace

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : CommandsOf(app)) names.push_back(command->get_name());
  return names;
}

std::string UnknownCommand(const CLI::App& app, const std::string& name) {
  return "there is no command " + name + DidYouMean(name, CommandNames(app));
}

std::string WrongUsage(const CLI::App* app, const CLI::Error& error) {
  const std::vector<std::string> extra = app->remaining(/*recurse=*/true);
  const std::vector<CLI::App*> chosen = app->get_subcommands();
  if (chosen.empty() && extra.empty()) return app->help();
  const std::string name = chosen.empty() ? "rondo" : "rondo " + chosen[0]->get_name();
  const bool is_extra =
      chosen.empty() || error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  const std::string sentence = is_extra && !extra.empty() ? Extra(*app, extra[0]) : Sentence(error);
  const std::string help = name == "rondo help" ? name : name + " --help";
  return name + ": " + Printable(sentence) + "\n`" + help + "` shows what there is.\n";
}

}  // namespace rondo::tools
