// SPDX-License-Identifier: Apache-2.0
// train and serve-model: become stitchcuda-train, the one program on LibTorch, which those who do not train need not
// have.
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/interrupt/interrupt.h"
#include "base/json/json.h"
#include "base/process/child.h"
#include "cli/commands/commands.h"
#include "recipe/needs/dry_run.h"
#include "report/folder/read_texts.h"
#include "report/training/training_page.h"

namespace stitch::cli {
namespace {

constexpr const char* kProgram = "stitchcuda-train";

// What this process changed for itself would stay with the program that it becomes.
void handle_signals_as_usual() {
  stop_handling_interrupts();
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

Result<int> run_dry_run(Invocation& invocation) {
  STITCH_ASSIGN(const recipe::DryRunReport report, recipe::dry_run({.config = invocation.line().file}));
  invocation.reporter().result(to_json(report), describe(report));
  return 0;
}

// Of a run that has ended or goes on, here or on a machine that has no LibTorch.
Result<int> run_curves(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  const std::filesystem::path run = line.file;
  const std::filesystem::path page = line.out.empty() ? run / "report.html" : std::filesystem::path(line.out);
  STITCH_TRY(report::write_training_page(run, report::report_folder_beside_this_program(), page));
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(page, ignored);
  invocation.reporter().result(
      Json{{"schema", "stitchcuda.report/1"}, {"task", run.string()}, {"out", page.string()}, {"bytes", bytes}},
      fmt::format("{} ({:.2f} MB, offline)", page.string(), static_cast<double>(bytes) * 1e-6));
  return 0;
}

// Returns where it cannot.
Result<int> become_trainer(std::vector<std::string> words) {
  const auto program = find_helper_program(kProgram);
  if (!program.has_value()) {
    return failure(ErrorCode::kEnvironment, std::string(kProgram) + " is not built", program.error().location,
                   "in the source tree, run 'tools/setup --tests' (PyTorch with headers, PCRE2, ICU), 'cmake --preset "
                   "release' and 'cmake --build build --target stitchcuda-train'; see docs/training.md");
  }
  words.insert(words.begin(), program->string());
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  handle_signals_as_usual();
  ::execv(program->c_str(), arguments.data());
  return failure(ErrorCode::kEnvironment, std::string(kProgram) + " cannot be started: " + std::strerror(errno),
                 program->string(), "build it again");
}

}  // namespace

Result<int> run_train(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  if (line.action.empty()) {
    return line.dry_run && !line.file.empty()
               ? run_dry_run(invocation)
               : Result<int>(failure(ErrorCode::kUsage, "train needs a step, or --dry-run and --config FILE", "",
                                     "see 'stitchcuda train --help'"));
  }
  if (line.action == "report") {
    return run_curves(invocation);
  }
  return become_trainer({line.action, "--config", line.file});
}

Result<int> run_serve_model(Invocation& invocation) {
  const std::vector<std::string>& given = invocation.line().words;
  if (given.empty()) {
    return failure(ErrorCode::kUsage, "serve-model needs --model PATH, or --config FILE", "",
                   "see 'stitchcuda serve-model --help'");
  }
  std::vector<std::string> words = {"serve-model"};
  words.insert(words.end(), given.begin(), given.end());
  return become_trainer(std::move(words));
}

}  // namespace stitch::cli
