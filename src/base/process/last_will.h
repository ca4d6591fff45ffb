// SPDX-License-Identifier: Apache-2.0
// What is left to do when this process is killed in a way that it cannot see: a small process beside us, in a session
// of its own, hears that we are gone by the end of a pipe, ends the process groups that we started and removes our
// temporary folders. (PR_SET_PDEATHSIG alone reaches our children, not the cc1plus of a g++.)
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace stitch {

// Call once, before any other thread is started. Without it the functions below do nothing.
void start_last_will();

// In a child between fork and exec, which leads a group: said before its parent could be killed unheard.
void will_end_own_group();
void will_spare_group(pid_t group);  // it has ended
void will_remove(const std::filesystem::path& folder);
void will_keep(const std::filesystem::path& folder);

// No more children are started from now on; those there are, and theirs, are killed. For the moment before we end.
void end_all_children();
bool no_more_children();

}  // namespace stitch
