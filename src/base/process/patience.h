// SPDX-License-Identifier: Apache-2.0
// A limit on how long a process may take that a busy machine does not shorten: time in which the process and its
// descendants were ready to run, and others had the processors, does not count. One that sleeps is measured by the
// clock, and so is one that computes on a machine of its own, with however many threads.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>

namespace stitch {

// A thread's nanoseconds on a processor, and waiting for one, as the kernel reports them.
struct ProcessorTime {
  uint64_t ran_ns = 0;
  uint64_t waited_ns = 0;
};

// What the threads that a process and its descendants have now had of processors, in seconds; 0 where the kernel does
// not tell. Of threads that have ended nothing is known.
double processor_seconds(pid_t root);

class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  // Counts from now. A negative limit never ends.
  Patience(pid_t root, int64_t limit_ms);

  // Whether the limit is used up.
  bool is_over();
  // The time since the start that counts.
  Clock::duration counted() const;
  // When to ask again, at the latest.
  Clock::time_point next_look() const { return next_look_; }
  // The earliest moment at which is_over() can be true.
  Clock::time_point end_by_clock() const { return end_by_clock_; }

 private:
  // Of the whole machine, in the kernel's ticks.
  struct MachineTime {
    double busy = 0;
    double all = 0;  // of all processors; 0 where the kernel does not tell
  };
  static MachineTime machine_time();
  // From now on, what others take does not count.
  void watch();
  // Of the milliseconds since the start, those that count.
  int64_t counted_ms(int64_t passed_ms) const;

  pid_t root_;
  int64_t limit_ms_;
  Clock::time_point start_;
  Clock::time_point end_by_clock_;
  Clock::time_point next_look_;
  bool is_watching_ = false;               // whether the next two are filled in
  std::map<pid_t, ProcessorTime> before_;  // by thread
  MachineTime machine_before_;
};

}  // namespace stitch
