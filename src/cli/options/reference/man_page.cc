// SPDX-License-Identifier: Apache-2.0
#include "cli/options/reference/man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/options/reference/help_text.h"
#include "cli/options/reference/surroundings.h"

namespace stitch::cli {
namespace {

// troff reads a backslash, a leading dot or apostrophe as its own, and makes a hyphen of "-".
std::string escaped_for_roff(const std::string& text) {
  std::string safe;
  for (const char character : text) {
    if ((character == '.' || character == '\'') && safe.empty()) {
      safe = "\\&";
    }
    safe += character == '\\'  ? std::string("\\e")
            : character == '-' ? std::string("\\-")
            : character == '~' ? std::string("\\(ti")
                               : std::string(1, character);
  }
  return safe;
}

std::string message(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return escaped_for_roff(text + (text.ends_with('.') ? "" : "."));
}

std::string entry(const std::string& what, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", what, message(text));
}

std::string option_entry(const OptionReference& option) {
  if (option.is_positional()) {
    return entry(fmt::format("\\fI{}\\fR", escaped_for_roff(option.value)), option.text);
  }
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back("\\fB" + escaped_for_roff(name) + "\\fR");
  }
  const std::string value = option.value.empty() ? "" : " \\fI" + escaped_for_roff(option.value) + "\\fR";
  return entry(fmt::format("{}{}", fmt::join(names, ", "), value), option.text);
}

std::string example_section(const VerbReference& verb) {
  std::string text;
  for (const std::string& example : verb.examples) {
    const size_t comment = std::min(example.find(" # "), example.size());
    text += comment < example.size() ? ".PP\n" + message(example.substr(comment + 3)) + "\n" : ".PP\n";
    text += ".RS\n.nf\n" + escaped_for_roff(example.substr(0, comment)) + "\n.fi\n.RE\n";
  }
  return text;
}

std::string verb_text(const VerbReference& verb, const std::string& path) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n\\fB{}\\fR\n", escaped_for_roff(path.substr(path.find(' ') + 1)),
                                 message(verb.text), escaped_for_roff(usage(verb, path)));
  for (const OptionReference& option : verb.options) {
    if (option.group != "Options" || option.is_positional()) {  // --help is said once, of all verbs
      text += option_entry(option);
    }
  }
  text += verb.examples.empty() ? "" : example_section(verb);
  for (const VerbReference& below : verb.verbs) {
    text += verb_text(below, path + " " + below.name);
  }
  return text;
}

}  // namespace

std::string man_page(const VerbReference& program) {
  std::string text = fmt::format(".TH STITCHCUDA 1 \"\" \"stitchcuda {}\" \"User Commands\"\n", kVersion);
  text += ".SH NAME\nstitchcuda \\- a PyTorch program in, a verified CUDA program out\n";
  text += fmt::format(".SH SYNOPSIS\n\\fBstitchcuda\\fR \\fIVERB\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n");
  text += ".SH DESCRIPTION\n" + escaped_for_roff(kDescription) + "\n.SH OPTIONS\n";
  for (const OptionReference& option : program.options) {
    text += option_entry(option);
  }
  text += ".SH VERBS\n";
  for (const VerbReference& verb : program.verbs) {
    text += verb_text(verb, program.name + " " + verb.name);
  }
  text += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : kExitStatuses) {
    text += entry(fmt::format("\\fB{}\\fR", status), meaning);
  }
  text += ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : kEnvironment) {
    text += entry(fmt::format("\\fB{}\\fR", escaped_for_roff(name)), meaning);
  }
  text += ".SH FILES\n";
  for (const auto& [name, meaning] : kFiles) {
    text += entry(fmt::format("\\fI{}\\fR", escaped_for_roff(name)), meaning);
  }
  return text;
}

}  // namespace stitch::cli
