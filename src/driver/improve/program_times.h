// SPDX-License-Identifier: Apache-2.0
// How long a program with somebody's steps takes: counted on the emulated device, measured on a GPU.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "driver/improve/text_trial.h"

namespace stitch::driver {

class ProgramTimes {
 public:
  ProgramTimes(Job& job, const toolchain::Toolchain& tools, DeviceKind device)
      : job_(job), tools_(tools), device_(device) {}

  // Nothing is taken where no time may be told.
  bool are_taken() const { return device_ != DeviceKind::kCuda || !job_.options().no_time; }
  bool are_measured() const { return device_ == DeviceKind::kCuda; }

  // Of the program and all of its steps, by what it was counted to do.
  Result<TakenTimes> executed(const TextProgram& program);
  // What the host has the device do in a call; nothing where it cannot be counted.
  Result<std::optional<HostCounts>> host_counts(const TextProgram& program);
  // Of the program that `report` is about, on a GPU.
  Result<std::optional<TakenTime>> measured(const TextProgram& program, MathMode math,
                                            const evaluate::EvaluateReport& report);
  // Of one of its steps, alone, on a GPU.
  Result<TakenTime> measured_step(const TextProgram& program, size_t step);
  // Of all steps that a call runs, each alone.
  Result<TakenTimes> measured_steps(const TextProgram& program);

 private:
  Result<ExecutedTime> counted_call(const TextProgram& program);

  Job& job_;
  const toolchain::Toolchain& tools_;
  DeviceKind device_;
  std::map<std::pair<std::string, std::string>, TakenTime> known_;  // by step and text
};

}  // namespace stitch::driver
