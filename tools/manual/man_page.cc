#include "tools/manual/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "tools/common/commands_of.h"

namespace rondo::tools {
namespace {

// As it stands: no character of it means anything to roff.
std::string Verbatim(const std::string& text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";  // to be copied from the page, not a hyphen
    } else {
      out += c;
    }
  }
  return out;
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

size_t Indent(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// One entry of a group in the help: two spaces, the names, and two spaces or a new line before the
// description.
std::string Entry(const std::string& line) {
  const size_t end = line.find("  ", 2);
  std::string out = ".TP\n\\fB" + Verbatim(line.substr(2, end - 2)) + "\\fR\n";
  if (end != std::string::npos) {
    out += Verbatim(line.substr(line.find_first_not_of(' ', end))) + '\n';
  }
  return out;
}

// What the help has behind its first line and its usage.
std::string Body(std::istream& help) {
  std::string out;
  bool verbatim = false;  // in the examples, lines stay lines
  bool in_group = false;
  for (std::string line; std::getline(help, line);) {
    const bool title = !line.empty() && Indent(line) == 0 && line.ends_with(':');
    if (verbatim && (title || (!line.empty() && Indent(line) == 0))) {
      out += ".fi\n.RE\n.PP\n";
      verbatim = false;
    }
    if (title) {
      out += ".SH " + Upper(line.substr(0, line.size() - 1)) + '\n';
      verbatim = line == "Examples:";
      if (verbatim) out += ".RS\n.nf\n";
      in_group = !verbatim;
    } else if (verbatim) {
      out += Verbatim(line.substr(std::min<size_t>(Indent(line), 2))) + '\n';
    } else if (line.empty()) {
      if (!in_group) out += ".PP\n";
    } else if (in_group && Indent(line) == 2) {
      out += Entry(line);
    } else {
      if (Indent(line) == 0 && in_group) {
        out += ".SH NOTES\n";
        in_group = false;
      }
      out += Verbatim(line.substr(Indent(line))) + '\n';
    }
  }
  return out + (verbatim ? ".fi\n.RE\n" : "");
}

}  // namespace

std::string ManPage(const CLI::App& app, const CLI::App* command) {
  const CLI::App& about = command == nullptr ? app : *command;
  const std::string shown = command == nullptr ? "rondo" : "rondo " + command->get_name();
  const std::string page = command == nullptr ? "rondo" : "rondo-" + command->get_name();
  std::istringstream help(
      app.get_formatter()->make_help(&about, shown, CLI::AppFormatMode::Normal));
  std::string line;
  std::getline(help, line);  // the description, once more below
  while (std::getline(help, line) && !line.starts_with("Usage: ")) {
  }
  std::string out = ".TH " + Upper(page) + " 1\n.SH NAME\n" + page + " \\- " +
                    Verbatim(about.get_description()) + "\n.SH SYNOPSIS\n.B " +
                    Verbatim(line.substr(std::string("Usage: ").size())) + '\n' + Body(help) +
                    ".SH SEE ALSO\n";
  if (command != nullptr) return out + ".BR rondo (1)\n";
  std::string all;
  for (const CLI::App* other : CommandsOf(app)) {
    all += (all.empty() ? "" : " ,\n") + (".BR rondo\\-" + other->get_name() + " (1)");
  }
  return out + all + '\n';
}

}  // namespace rondo::tools
