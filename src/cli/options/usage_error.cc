// SPDX-License-Identifier: Apache-2.0
#include "cli/options/usage_error.h"

#include <fmt/format.h>

#include <CLI/App.hpp>

#include "cli/options/nearest.h"

namespace stitch::cli {
namespace {

constexpr const char* kOurs = "stitchcuda";  // the path of no verb at all

// The verb that was being read, with those above it: "runs list".
const CLI::App* deepest(const CLI::App& application, std::string* path) {
  const CLI::App* verb = &application;
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    *path += (path->empty() ? "" : " ") + verb->get_name();
  }
  return verb;
}

std::vector<std::string> verb_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::App* below : verb.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(below->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string first_needed(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_required() && option->count() == 0) {
      return option->get_positional() ? option->get_type_name() : option->get_name();
    }
  }
  return {};
}

std::string unexpected_word(const CLI::App& verb, const std::string& path, const std::string& word) {
  if (word.starts_with("-")) {
    return fmt::format("{} has no option {}{}", path, word,
                       did_you_mean(word.substr(0, word.find('=')), option_names(verb)));
  }
  const std::vector<std::string> below = verb_names(verb);
  if (path == kOurs) {
    return fmt::format("there is no verb '{}'{}", word, did_you_mean(word, below));
  }
  return below.empty() ? fmt::format("{} does not take a further argument: '{}'", path, word)
                       : fmt::format("{} has no verb '{}'{}", path, word, did_you_mean(word, below));
}

std::string message(const CLI::App& application, const CLI::App& verb, const std::string& path,
                    const CLI::Error& error) {
  const std::vector<std::string> left = application.remaining(true);
  const bool lacks_verb = !verb_names(verb).empty() && verb.get_subcommands().empty();
  if (!left.empty() && (lacks_verb || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)) {
    return unexpected_word(verb, path, left.front());
  }
  if (lacks_verb && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (path == kOurs) {
      return "name a verb; the main one is 'stitchcuda optimize FILE.py'";
    }
    return fmt::format("{} needs a verb: {}", path, fmt::join(verb_names(verb), ", "));
  }
  const std::string needed = first_needed(verb);
  if (!needed.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return fmt::format("{} needs {}", path, needed);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string said = error.what();  // "--out: 1 required DIR missing"
    return fmt::format("{} needs a value", said.substr(0, said.find(':')));
  }
  return error.what();
}

}  // namespace

Unexpected usage_error(const CLI::App& application, const CLI::Error& error) {
  std::string path;
  const CLI::App* verb = deepest(application, &path);
  return failure(ErrorCode::kUsage, message(application, *verb, path.empty() ? kOurs : path, error), "",
                 fmt::format("see 'stitchcuda {}{}--help'", path, path.empty() ? "" : " "));
}

}  // namespace stitch::cli
