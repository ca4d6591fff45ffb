// SPDX-License-Identifier: Apache-2.0
// Whether a GPU is one program's alone while it is timed.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace stitch::evaluate {

// nvidia-smi --query-gpu=<this> and --query-compute-apps=<that>, --format=csv,noheader
inline constexpr const char* kSharingQuery = "mig.mode.current";
inline constexpr const char* kProcessQuery = "pid,process_name";

// Empty, or a sentence: MIG slices share memory and L2 cache, MPS clients share everything and fall together, and any
// other process takes turns with ours. `own`: the processes of this run; the oracle is one of them and waits meanwhile.
std::string sharing_refusal(std::string_view mig_mode, std::string_view processes, const std::vector<pid_t>& own);

}  // namespace stitch::evaluate
