// SPDX-License-Identifier: Apache-2.0
// A process and everything that descends from it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace stitch {

// Descendants of `root` as /proc shows them now, parents before children, `root` itself left out.
std::vector<pid_t> list_descendants(pid_t root);

// `root` and its descendants now. As its threads name them where the kernel tells, which is much less to read than all
// of /proc.
std::vector<pid_t> list_tree(pid_t root);

// Resident bytes of `root` and its descendants now. A process that ends meanwhile may or may not count.
uint64_t resident_bytes_of_tree(pid_t root);

// Kills `root`, its process group, and every descendant, including those that moved to a session of their own: the tree
// is stopped from the root downwards until no new member appears, then killed. Does not wait for `root`.
void kill_process_tree(pid_t root);

}  // namespace stitch
