// SPDX-License-Identifier: Apache-2.0
#include "cli/options/command_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>

#include "base/guard/guarded.h"
#include "base/json/json.h"
#include "cli/options/application.h"
#include "cli/options/nearest.h"
#include "cli/options/reference/help_text.h"
#include "cli/options/usage_error.h"

namespace stitch::cli {
namespace {

// FILE.py:Name -> FILE.py and Name; a colon inside a folder's name stays where it is.
void split_target(CommandLine* line, std::string* file) {
  const size_t colon = file->rfind(".py:");
  if (colon != std::string::npos) {
    line->target = file->substr(colon + 4);
    file->resize(colon + 3);
  }
}

// Paths travel to Python and into files as JSON, which is UTF-8: other bytes would come back as another path.
Result<void> check_text(const std::string& path) {
  const Result<std::string> printed =
      guarded([&] { return Json(path).dump(); }, ErrorCode::kUsage, path + " is not valid UTF-8");
  if (!printed.has_value()) {
    return failure(ErrorCode::kUsage, path + " is not valid UTF-8", "", "rename it");
  }
  return {};
}

Result<CommandLine> checked(CommandLine line) {
  for (const std::string& path :
       {line.file, line.out, line.candidate, line.program, line.weights, line.feedback, line.previous}) {
    STITCH_TRY(check_text(path));
  }
  if (line.verb == "score" && !line.program.empty()) {
    line.candidate = std::exchange(line.file, {});
  }
  split_target(&line, &line.file);
  split_target(&line, &line.program);
  if (line.verb == "verify" && line.file.empty() == line.candidate.empty()) {
    return failure(ErrorCode::kUsage, "verify takes either a folder or --candidate DIR --program FILE", "",
                   "see 'stitchcuda verify --help'");
  }
  if (line.verb == "verify" && !line.candidate.empty() && line.program.empty()) {
    return failure(ErrorCode::kUsage, "--candidate needs --program FILE", "", "see 'stitchcuda verify --help'");
  }
  if (line.verb == "score" && line.rubric == "judge" && line.judge_url.empty()) {
    return failure(ErrorCode::kUsage, "--rubric judge needs --judge URL", "", "see 'stitchcuda score --help'");
  }
  return line;
}

// The help of the verb that `path` leads to from `application`.
Result<std::string> help_of(const CLI::App& application, const std::vector<std::string>& path) {
  const VerbReference reference = make_reference(application);
  const VerbReference* verb = &reference;
  std::string called = reference.name;
  for (const std::string& name : path) {
    std::vector<std::string> known;
    for (const VerbReference& below : verb->verbs) {
      known.push_back(below.name);
    }
    verb = verb->find(name);
    if (verb == nullptr) {
      const std::string meant = did_you_mean(name, known);
      return failure(ErrorCode::kUsage,
                     called == reference.name ? fmt::format("there is no verb '{}'{}", name, meant)
                                              : fmt::format("{} has no verb '{}'{}", called, name, meant),
                     "", "see 'stitchcuda --help'");
    }
    called += " " + name;
  }
  return help_text(*verb, called, find_terminal(STDOUT_FILENO));
}

// "runs", "list": the verbs that were named.
std::vector<std::string> named_verbs(const CLI::App& application) {
  std::vector<std::string> names;
  for (const CLI::App* verb = &application; !verb->get_subcommands().empty();) {
    verb = verb->get_subcommands().front();
    names.push_back(verb->get_name());
  }
  return names;
}

Result<CommandLine> with_help(CommandLine line, const CLI::App& application, const std::vector<std::string>& path) {
  STITCH_ASSIGN(line.help, help_of(application, path));
  return line;
}

// As they were written: what CLI11 keeps of a choice is the number that it stands for.
std::map<std::string, std::string> given_options(const CLI::App& verb, const std::vector<std::string>& command) {
  std::map<std::string, std::string> given;
  for (size_t i = 1; i < command.size(); ++i) {
    const size_t end = std::min(command[i].find('='), command[i].size());
    const CLI::Option* option =
        command[i].starts_with("--") ? verb.get_option_no_throw(command[i].substr(0, end)) : nullptr;
    if (option == nullptr) {
      continue;
    }
    const std::string name = option->get_single_name();
    if (end < command[i].size()) {
      given[name] = command[i].substr(end + 1);
    } else if (option->get_items_expected_max() > 0 && i + 1 < command.size()) {
      given[name] = command[++i];
    } else {
      given[name] = "true";
    }
  }
  return given;
}

}  // namespace

Result<CommandLine> parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  const std::unique_ptr<CLI::App> application = make_application(&line);
  try {
    application->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return with_help(line, *application, named_verbs(*application));
  } catch (const CLI::CallForVersion& version) {
    line.help = std::string(version.what()) + "\n";
    return line;
  } catch (const CLI::Error& error) {
    return usage_error(*application, error);
  }
  const std::vector<std::string> verbs = named_verbs(*application);
  line.verb = verbs.front();
  line.action = verbs.size() > 1 ? verbs[1] : "";
  line.command.assign(argv, argv + argc);
  line.given = given_options(*application->get_subcommands().front(), line.command);
  return line.verb == "help" ? with_help(line, *application, line.words) : checked(std::move(line));
}

}  // namespace stitch::cli
