// SPDX-License-Identifier: Apache-2.0
// stitchcuda: parse the command line, run the verb, turn an Error into its sentence and exit status.
#include <fmt/format.h>

#include <clocale>
#include <csignal>
#include <cstdlib>

#include "base/guard/guarded.h"
#include "base/interrupt/interrupt.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"

namespace stitch::cli {
namespace {

struct Verb {
  const char* name;
  Result<int> (*run)(Session&);
};

constexpr Verb kVerbs[] = {{"import", run_import},   {"plan", run_plan},     {"emit", run_emit},
                           {"build", run_build},     {"verify", run_verify}, {"optimize", run_optimize},
                           {"profile", run_profile}, {"tune", run_tune},     {"report", run_report},
                           {"doctor", run_doctor}};

Result<int> run_verb(Session& session) {
  for (const Verb& verb : kVerbs) {
    if (session.line().verb == verb.name) {
      // A full disk or memory surfaces in the libraries as an exception; it is the world's failure, not a crash.
      auto ran = guarded([&] { return verb.run(session); }, ErrorCode::kInternal, "an unexpected failure");
      return ran.has_value() ? std::move(ran).value() : Result<int>(failure(ran.error()));
    }
  }
  return failure(ErrorCode::kInternal, "the verb " + session.line().verb + " has no implementation");
}

bool keeps_record(const std::string& verb) { return verb == "optimize" || verb == "tune"; }

int run(int argc, char** argv) {
  Reporter usage_reporter(false, false);
  const Result<CommandLine> line = parse_command_line(argc, argv);
  if (!line.has_value()) {
    usage_reporter.error(line.error(), Json::object());
    return exit_status(line.error().code);
  }
  if (!line->help.empty()) {
    fmt::print("{}", line->help);
    return 0;
  }
  Reporter reporter(line->json, line->quiet);
  RunLog run_log(reporter);
  exit_on_interrupt(
      "stitchcuda: interrupted; nothing was replaced. Repeat the command to go on: what was compiled is kept.",
      [&run_log] { run_log.end(runs::RunState::kInterrupted); });
  if (line->debug) {
    ::setenv("STITCHCUDA_DEBUG", "1", 1);
  }
  const Json schema = {{"schema", "stitchcuda." + line->verb + "/1"}, {"task", line->file}};
  const Result<Resources> resources = find_resources();
  if (!resources.has_value()) {
    reporter.error(resources.error(), schema);
    return exit_status(resources.error().code);
  }
  if (keeps_record(line->verb)) {
    run_log.begin(*line);
  }
  Session session(*line, *resources, reporter, run_log);
  const Result<int> status = run_verb(session);
  if (!status.has_value()) {
    run_log.fail(status.error());
    reporter.error(status.error(), schema);
    return exit_status(status.error().code);
  }
  run_log.end(*status == 0 ? runs::RunState::kVerified : runs::RunState::kNotVerified);
  return *status;
}

}  // namespace
}  // namespace stitch::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return stitch::cli::run(argc, argv);
}
