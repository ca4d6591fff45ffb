// SPDX-License-Identifier: Apache-2.0
#include "cli/options/reference/reference.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <sstream>

namespace stitch::cli {
namespace {

OptionReference make_option(const CLI::Option& option) {
  OptionReference made;
  for (const std::string& name : option.get_snames()) {
    made.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    made.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0) {
    made.value = option.get_type_name();
  }
  made.text = option.get_description();
  made.group = option.get_group();
  made.is_required = option.get_required();
  made.is_repeated = option.get_items_expected_max() > 1;
  return made;
}

}  // namespace

std::vector<std::string> OptionReference::choices() const {
  std::vector<std::string> found;
  if (value.find('|') != std::string::npos) {
    std::istringstream words(value);
    for (std::string word; std::getline(words, word, '|');) {
      found.push_back(word);
    }
  }
  return found;
}

const VerbReference* VerbReference::find(const std::string& verb) const {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const auto& below) { return below.name == verb; });
  return found == verbs.end() ? nullptr : &*found;
}

VerbReference make_reference(const CLI::App& application) {
  VerbReference made;
  made.name = application.get_name();
  made.text = application.get_description();
  made.group = application.get_group();
  for (const CLI::Option* option : application.get_options()) {
    made.options.push_back(make_option(*option));
  }
  for (const CLI::App* verb : application.get_subcommands([](const CLI::App*) { return true; })) {
    made.verbs.push_back(make_reference(*verb));
  }
  std::istringstream footer(application.get_footer());
  for (std::string line; std::getline(footer, line);) {
    if (line.starts_with("stitchcuda ")) {
      made.examples.push_back(line);
    } else {
      made.closing += (made.closing.empty() ? "" : " ") + line;
    }
  }
  return made;
}

}  // namespace stitch::cli
