// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/become_program.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "sandbox/inside/attempt.h"
#include "sandbox/inside/landlock.h"
#include "sandbox/inside/own_user.h"
#include "sandbox/inside/root_folder.h"
#include "sandbox/inside/system_calls.h"

namespace stitch::sandbox {
namespace {

constexpr uint64_t kOpenFiles = 4096;

void lower_limit(__rlimit_resource resource, uint64_t value) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) == 0) {
    limit.rlim_max = std::min<rlim_t>(limit.rlim_max, value);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, limit.rlim_max);
    ::setrlimit(resource, &limit);
  }
}

// Whether the limit of processes counts those in the cage alone, and not all of the user's.
bool counts_alone(const Layers& layers, std::optional<uid_t> user) {
  return user.has_value() || layers.maker == Maker::kUserNamespace;
}

uint64_t processes_here() {
  struct sysinfo machine {};
  return ::sysinfo(&machine) == 0 ? machine.procs : 0;
}

// Below its own folder where that is shown, else at the root.
Result<void> keep_working_folder(const std::string& folder) {
  return attempt(::chdir(folder.c_str()) == 0 || ::chdir("/") == 0, "enter the working folder");
}

}  // namespace

Result<void> close_the_cage(const CageOrder& order, std::optional<uid_t> user) {
  const Layers& layers = order.layers;
  const bool own_processes = layers.has(Layer::kProcesses);
  const bool own_root = layers.has(Layer::kFiles);
  CagePolicy policy = order.policy;
  policy.readable.emplace_back(order.command.front());
  char* folder = ::get_current_dir_name();
  const std::string working_folder = folder == nullptr ? "/" : folder;
  ::free(folder);
  if (own_root && !order.inside) {
    STITCH_TRY(enter_own_root(policy, layers));
  }
  STITCH_TRY(keep_working_folder(working_folder));
  STITCH_TRY(give_up_privileges(user));
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // forgotten when a process changes its user
  STITCH_TRY(attempt(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "forbid new privileges"));
  lower_limit(RLIMIT_NOFILE, kOpenFiles);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_MEMLOCK, uint64_t{1} << 30);
  lower_limit(RLIMIT_NPROC, policy.process_count + (counts_alone(layers, user) ? 0 : processes_here()));
  if (layers.has(Layer::kLandlock)) {
    STITCH_TRY(apply_landlock(policy, order.command.front(), own_root, own_processes));
  }
  if (layers.has(Layer::kSystemCalls)) {
    STITCH_TRY(filter_system_calls({.local_sockets = policy.gpu,
                                    .may_make_code = policy.may_make_code,
                                    .may_start_processes = policy.may_start_programs,
                                    .signals_to_others = own_processes}));
  }
  return {};
}

Result<void> execute(const CageOrder& order) {
  std::vector<std::string> words = order.command;
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  ::execve(words.front().c_str(), arguments.data(), environ);
  return attempt(false, "start " + words.front());
}

}  // namespace stitch::sandbox
