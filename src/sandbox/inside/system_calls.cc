// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/system_calls.h"

#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "sandbox/inside/attempt.h"

namespace stitch::sandbox {
namespace {

struct Group {
  const char* reason;
  std::vector<const char*> calls;  // by name: one that this libseccomp does not know is left out
};

const std::vector<Group>& forbidden_groups() {
  static const std::vector<Group> groups = {
      {"memory and descriptors of other processes",
       {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd",
        "kcmp"}},
      {"another view of the file system",
       {"mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount",
        "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "quotactl",
        "quotactl_fd"}},
      {"namespaces in which a process has rights that it lacks here", {"unshare", "setns"}},
      {"the kernel's code and the machine's state",
       {"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
        "acct", "iopl", "ioperm", "syslog", "sethostname", "setdomainname", "nfsservctl", "vhangup", "uselib",
        "lookup_dcookie"}},
      {"the clock that others measure by", {"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime"}},
      {"keys of the user", {"add_key", "request_key", "keyctl"}},
      {"large parts of the kernel that no kernel of ours needs",
       {"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"}},
      {"objects that outlive their process",
       {"shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semctl", "semtimedop",
        "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"}},
  };
  return groups;
}

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

// libseccomp answers with a negative errno.
Result<void> added(int status, const std::string& what) {
  errno = -status;
  return attempt(status == 0, "forbid " + what);
}

Result<void> rule(const Filter& filter, uint32_t action, const char* name, const std::vector<scmp_arg_cmp>& when) {
  const int number = ::seccomp_syscall_resolve_name(name);
  if (number == __NR_SCMP_ERROR) {
    return {};
  }
  return added(
      ::seccomp_rule_add_array(filter.get(), action, number, static_cast<unsigned>(when.size()), when.data()), name);
}

Result<void> forbid(const Filter& filter, const char* name, int reason = EPERM,
                    const std::vector<scmp_arg_cmp>& when = {}) {
  return rule(filter, SCMP_ACT_ERRNO(static_cast<uint32_t>(reason)), name, when);
}

Result<void> forbid_new_namespaces(const Filter& filter) {
  for (const uint64_t flag : std::array<uint64_t, 7>{CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET,
                                                     CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    STITCH_TRY(forbid(filter, "clone", EPERM, {SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)}));
  }
  // Its flags lie in memory, where a filter cannot look; without it the C library takes clone().
  return forbid(filter, "clone3", ENOSYS);
}

// Whoever makes code while it runs shows none of it to an inspector. A file that may be executed is another matter: the
// mounts say which are.
Result<void> forbid_making_code(const Filter& filter) {
  const auto all_of = [](unsigned argument, uint64_t bits) {
    return scmp_arg_cmp{.arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = bits, .datum_b = bits};
  };
  const scmp_arg_cmp executable = all_of(2, PROT_EXEC);
  STITCH_TRY(forbid(filter, "mmap", EACCES, {all_of(2, PROT_EXEC | PROT_WRITE)}));
  STITCH_TRY(forbid(filter, "mmap", EACCES, {executable, all_of(3, MAP_ANONYMOUS)}));
  STITCH_TRY(forbid(filter, "mmap", EACCES, {executable, all_of(3, MAP_SHARED)}));
  STITCH_TRY(forbid(filter, "mprotect", EACCES, {executable}));
  STITCH_TRY(forbid(filter, "pkey_mprotect", EACCES, {executable}));
  STITCH_TRY(forbid(filter, "memfd_create", EACCES));
  STITCH_TRY(forbid(filter, "memfd_secret", EACCES));
  // READ_IMPLIES_EXEC makes all of it executable without saying so; asking is harmless.
  constexpr uint64_t kAsked = 0xffffffff;
  return forbid(filter, "personality", EPERM, {SCMP_A0(SCMP_CMP_NE, kAsked)});
}

// A helper that stays behind would work when nobody looks. A thread is no process; vfork and posix_spawn are clones
// without CLONE_THREAD. Whoever gets here went past the C library, whose functions for it are refused before.
Result<void> forbid_processes(const Filter& filter, uint32_t action) {
  STITCH_TRY(rule(filter, action, "fork", {}));
  STITCH_TRY(rule(filter, action, "vfork", {}));
  return rule(filter, action, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
}

// The socket to the supervisor is inherited; pairs of sockets reach nobody.
Result<void> forbid_sockets(const Filter& filter, bool local_sockets) {
  if (local_sockets) {
    return forbid(filter, "socket", EACCES, {SCMP_A0(SCMP_CMP_NE, AF_UNIX)});
  }
  return forbid(filter, "socket", EACCES);
}

Result<void> forbid_signals_to_others(const Filter& filter) {
  const auto self = static_cast<uint64_t>(::getpid());
  for (const char* name : {"kill", "tgkill"}) {
    STITCH_TRY(forbid(filter, name, EPERM, {SCMP_A0(SCMP_CMP_NE, self)}));
  }
  for (const char* name : {"tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"}) {
    STITCH_TRY(forbid(filter, name));
  }
  return {};
}

Result<void> forbid_typing_for_the_user(const Filter& filter) {
  constexpr uint64_t kCommandBits = 0xffffffff;
  for (const uint64_t command : std::array<uint64_t, 2>{TIOCSTI, TIOCLINUX}) {
    STITCH_TRY(forbid(filter, "ioctl", EPERM, {SCMP_A1(SCMP_CMP_MASKED_EQ, kCommandBits, command)}));
  }
  return {};
}

}  // namespace

Result<void> filter_system_calls(const SystemCallRules& rules) {
  const Filter filter(::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release);
  STITCH_TRY(attempt(filter != nullptr, "make a filter on system calls"));
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a binary tree: a few comparisons a call
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_SSB, 1);       // old kernels slow filtered processes down otherwise
  for (const Group& group : forbidden_groups()) {
    for (const char* name : group.calls) {
      STITCH_TRY(forbid(filter, name));
    }
  }
  STITCH_TRY(forbid_new_namespaces(filter));
  STITCH_TRY(forbid_sockets(filter, rules.local_sockets));
  STITCH_TRY(forbid_typing_for_the_user(filter));
  STITCH_TRY(rules.may_make_code ? Result<void>() : forbid_making_code(filter));
  if (!rules.may_start_processes) {  // NVIDIA's driver may ask for a helper, and goes on without one
    STITCH_TRY(forbid_processes(filter, rules.local_sockets ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS));
  }
  STITCH_TRY(rules.signals_to_others ? Result<void>() : forbid_signals_to_others(filter));
  return added(::seccomp_load(filter.get()), "system calls");
}

}  // namespace stitch::sandbox
