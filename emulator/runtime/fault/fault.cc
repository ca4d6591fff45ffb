// SPDX-License-Identifier: Apache-2.0
#include "fault/fault.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "block/state.h"
#include "block/variables.h"

namespace stitch_emulator {

RunningLaunch running_launch{nullptr, nullptr, 0};

namespace {

char kept_message[2048];
bool faulted = false;

void print_kept() { fprintf(stderr, "stitch-emulator: %s\n", kept_message); }

}  // namespace

void describe_where(char* text, size_t bytes) {
  if (running_launch.name == nullptr) {
    text[0] = '\0';
    return;
  }
  const uint3 b = current_block_index;
  const uint3 t = current_thread_index;
  // A launch's macro gives the name in parentheses.
  const char* name = running_launch.name + (running_launch.name[0] == '(');
  const int length = static_cast<int>(strlen(running_launch.name)) - (name == running_launch.name ? 0 : 2);
  snprintf(text, bytes, "kernel %.*s, block (%u,%u,%u), thread (%u,%u,%u), launched at %s:%d", length, name, b.x, b.y,
           b.z, t.x, t.y, t.z, running_launch.file, running_launch.line);
}

void record_fault(const char* message, const char* file, int line) {
  char where[512];
  describe_where(where, sizeof(where));
  char place[512] = "";
  if (file != nullptr) {
    snprintf(place, sizeof(place), "%s:%d: ", file, line);
  }
  snprintf(kept_message, sizeof(kept_message), "%s%s%s%s%s", place, message, where[0] ? " (" : "", where,
           where[0] ? ")" : "");
}

void fault(const char* message, const char* file, int line) {
  if (!inside_block()) {
    host_fault(message, file, line);
  }
  report_fault(message, file, line);
  leave_block_after_fault();
}

void report_fault(const char* message, const char* file, int line) {
  record_fault(message, file, line);
  print_kept();
  faulted = true;
}

void host_fault(const char* message, const char* file, int line) {
  record_fault(message, file, line);
  print_kept();
  end_process();
}

void end_process() {
  fflush(stdout);
  _exit(kFaultExitCode);
}

const char* last_fault() { return kept_message; }

void clear_fault() { kept_message[0] = '\0'; }

bool kernel_faulted() { return faulted; }

void forgive_fault() { faulted = false; }

void describe_waiting(char* message, size_t bytes) {
  int waiting = 0;
  const char* other = nullptr;
  const char* other_file = nullptr;
  int other_line = 0;
  const Lane& first = block.lanes[block.current];
  for (int thread = 0; thread < block.thread_count; ++thread) {
    const Lane& lane = block.lanes[thread];
    if ((warp_of(thread).ended & bit_of(thread)) != 0) {
      continue;
    }
    ++waiting;
    const bool same = strcmp(lane.waits_for, first.waits_for) == 0 && lane.line == first.line;
    if (!same && other == nullptr) {
      other = lane.waits_for;
      other_file = lane.file;
      other_line = lane.line;
    }
  }
  const int length =
      snprintf(message, bytes,
               "no thread can go on: thread %d waits in %s here, %d of the block's %d threads wait and "
               "%d have ended",
               block.current, first.waits_for, waiting, block.thread_count, block.thread_count - block.live);
  if (other != nullptr && static_cast<size_t>(length) < bytes) {
    snprintf(message + length, bytes - static_cast<size_t>(length), "; others wait in %s at %s:%d", other, other_file,
             other_line);
  }
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_emulator_fault(const char* message, const char* file, int line) { fault(message, file, line); }

void stitch_emulator_assert_failed(const char* text, const char* file, int line) {
  char message[512];
  snprintf(message, sizeof(message), "assertion failed: %s", text);
  fault(message, file, line);
}

}  // extern "C"
