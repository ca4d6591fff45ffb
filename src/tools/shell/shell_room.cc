// SPDX-License-Identifier: Apache-2.0
#include "tools/shell/shell_room.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "sandbox/cage/cage.h"

namespace stitch::tools {
namespace {

constexpr int kLookMs = 50;

// The shell's own outputs are one, so that what went wrong stands where it went wrong.
std::vector<std::string> words_for(const std::string& command) {
  return {"/bin/sh", "-c", "exec 1>&2; eval \"$1\"", "sh", command};
}

}  // namespace

Result<Child> ShellRoom::started(std::vector<std::string> words) {
  ChildOptions options{.arguments = std::move(words), .working_directory = rules_.folder};
  sandbox::CagePolicy policy{.mode = rules_.cage,
                             .writable = {rules_.folder},
                             .process_count = rules_.process_count,
                             .may_start_programs = true,
                             .limits = {.address_space_bytes = rules_.memory_bytes,
                                        .cpu_seconds = rules_.cpu_seconds,
                                        .file_bytes = rules_.file_bytes}};
  if (!sandbox::kAddressSpaceCanBeLimited) {
    policy.limits.address_space_bytes.reset();
  }
  return sandbox::start_caged(std::move(options), policy);
}

Result<ShellOutput> ShellRoom::run(const std::string& command, int64_t timeout_ms) {
  return run_program(words_for(command), timeout_ms);
}

Result<ShellOutput> ShellRoom::run_program(const std::vector<std::string>& words, int64_t timeout_ms) {
  STITCH_ASSIGN(Child child, started(words));
  STITCH_ASSIGN(ChildOutput output, collect(std::move(child), timeout_ms));
  return ShellOutput{.exit = output.exit, .text = output.standard_error + output.standard_output};
}

Result<int64_t> ShellRoom::start(const std::string& command) {
  const auto running =
      std::count_if(background_.begin(), background_.end(), [](auto& each) { return each.second.is_running(); });
  if (static_cast<size_t>(running) >= rules_.background_count) {
    return failure(ErrorCode::kUsage, fmt::format("{} processes run in the background already", running), "",
                   "end one of them with shell_end");
  }
  STITCH_ASSIGN(Child child, started(words_for(command)));
  background_.emplace(++last_number_, std::move(child));
  return last_number_;
}

Result<Child*> ShellRoom::find(int64_t number) {
  const auto found = background_.find(number);
  if (found == background_.end()) {
    return failure(ErrorCode::kUsage, fmt::format("no process in the background has the number {}", number), "",
                   "processes end with the run that started them: start it again");
  }
  return &found->second;
}

Result<ShellRoom::Looked> ShellRoom::look(int64_t number, int64_t wait_ms) {
  STITCH_ASSIGN(Child * child, find(number));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  while (child->is_running() && std::chrono::steady_clock::now() < end) {
    child->drain_output();
    ::poll(nullptr, 0, kLookMs);
  }
  Looked looked{.is_running = child->is_running()};
  looked.fresh = child->take_standard_error();
  looked.exit = looked.is_running ? ExitState{} : child->wait(0);
  return looked;
}

Result<void> ShellRoom::end(int64_t number) {
  STITCH_ASSIGN(Child * child, find(number));
  child->kill_tree();
  return {};
}

size_t ShellRoom::end_all() {
  size_t running = 0;
  for (auto& [number, child] : background_) {
    running += child.is_running() ? 1 : 0;
    child.kill_tree();
  }
  background_.clear();
  return running;
}

}  // namespace stitch::tools
