// SPDX-License-Identifier: Apache-2.0
// Cleans up after this process when it is killed without warning: a small process beside it, in a session of its own,
// learns by the end of a pipe that we are gone, ends the process groups that we started and removes our temporary
// folders. (PR_SET_PDEATHSIG alone reaches our children, not the cc1plus of a g++.)
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace stitch {

// Call once, before any other thread is started. Without it the functions below do nothing.
void start_last_will();

// Call in a child that leads a group, between fork and exec: the group is then known before its parent can be killed.
void will_end_own_group();
void will_end_group(pid_t group);    // of a process that is not our own child
void will_spare_group(pid_t group);  // it has ended
void will_remove(const std::filesystem::path& folder);
void will_keep(const std::filesystem::path& folder);

// Prevents new children and kills all present ones with their descendants. Call just before this process ends.
void end_all_children();
bool no_more_children();

}  // namespace stitch
