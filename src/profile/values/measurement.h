// SPDX-License-Identifier: Apache-2.0
// What one rung of the ladder found out about one call of a program. Every rung fills in what it can see; what it
// cannot is empty and never 0. It is what a process with a stranger's code in it left behind: evidence, never a
// verdict.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/values/rung.h"

namespace stitch::profile {

// Of one launch.
struct LaunchShape {
  std::optional<double> blocks{};
  std::optional<double> block_threads{};
  std::optional<double> registers{};       // a thread
  std::optional<double> static_shared{};   // bytes a block
  std::optional<double> dynamic_shared{};  // bytes a block
  std::optional<double> local_bytes{};     // a thread: spills, and arrays that are indexed as they run
};

// All launches of one function (in one step, where steps are known) in one call.
struct Kernel {
  std::string name;
  int step = -1;  // of the plan; -1: unknown, or none
  double launches = 0;
  std::optional<double> time_us{};        // of all launches together
  std::optional<double> bytes{};          // of device memory, read and written
  std::optional<double> flops{};          // on the ordinary pipes
  std::optional<double> tensor_flops{};   // on tensor cores
  std::optional<double> tensor_peak{};    // FLOP/s of the pipe that did them
  std::optional<double> floor_us{};       // that no implementation goes below
  std::optional<double> memory_share{};   // of what the device's memory can do, 0 to 1, as the tool itself counts
  std::string memory_name{};              // whose rate memory_share is of; empty: the device's memory
  std::optional<double> compute_share{};  // likewise of its busiest pipe
  LaunchShape shape{};
  std::map<std::string, double> metrics{};  // by id of metrics.def; of several launches the mean, weighted by time
  std::map<std::string, double> opcodes{};  // by family: instructions in the code, each once
};

struct Copies {
  std::string kind;  // "host to device"; "fill"
  double count = 0;
  double bytes = 0;
  double time_us = 0;
};

// Of one call among calls that are not waited for, in the middle of a row of them.
struct SystemFigures {
  double wall_us = 0;
  double busy_us = 0;  // of the device: at least one kernel or copy under way
  double launches = 0;
  double host_us = 0;  // inside of CUDA's functions
  double waits = 0;    // synchronisations
  std::vector<Copies> copies{};

  double idle_share() const { return wall_us > 0 ? (wall_us - busy_us) / wall_us : 0; }
};

// A thing on the timeline of a call; times from its first one.
struct TimelineEvent {
  std::string what;  // "kernel", "copy", "fill", "wait", "call"
  std::string name;
  double start_us = 0;
  double end_us = 0;
};

struct Measurement {
  RungKind rung = RungKind::kRoofline;
  std::vector<Kernel> kernels{};
  std::optional<SystemFigures> system{};
  std::vector<TimelineEvent> timeline{};
  std::vector<std::string> notes{};  // what is missing, and why
  // How much slower the program was while it was looked at, where that was compared: 0.05 means 5 %.
  std::optional<double> slowdown{};
};

}  // namespace stitch::profile
