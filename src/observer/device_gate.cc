// SPDX-License-Identifier: Apache-2.0
#include "observer/device_gate.h"

#include "observer/ledger.h"
#include "observer/observer.h"
#include "observer/python_place.h"

namespace {

stitch_device_functions device{};

bool may_pass() {
  if (device.copy != nullptr && only_own_code_runs()) {
    return true;
  }
  write_to_ledger("event", "called functions of the emulated device");
  return false;
}

}  // namespace

extern "C" {

void stitch_observer_keep_device(const stitch_device_functions* functions, void* const* codes, size_t count) {
  if (device.copy != nullptr) {
    return;  // a candidate that finds this function would name code of its own
  }
  device = *functions;
  set_own_code(codes, count);
  stitch_observer_watch_device(reinterpret_cast<void*>(device.enter), reinterpret_cast<void*>(device.leave));
}

void stitch_observer_begin_trial(const stitch_emulator_range* ranges, size_t count, int what) {
  if (may_pass()) {
    device.keep_apart(ranges, count);
    device.run_only(what);
    write_to_ledger("trial", "");
  }
}

void stitch_observer_end_trial(int all) {
  if (may_pass()) {
    device.run_only(all);
    device.keep_apart(nullptr, 0);
  }
}

void stitch_observer_copy(void* to, const void* from, size_t bytes) {
  if (may_pass()) {
    device.copy(to, from, bytes);
  }
}

int stitch_observer_equal(const void* left, const void* right, size_t bytes) {
  return may_pass() ? device.equal(left, right, bytes) : 0;
}

void stitch_observer_keep_commands_from(const stitch_emulator_range* memory, size_t count) {
  if (may_pass()) {
    device.keep_commands_from(memory, count);
  }
}

void stitch_observer_end_keeping() {
  if (may_pass()) {
    device.keep_commands(0);
  }
}

void stitch_observer_put_first_contents_back() {
  if (may_pass()) {
    device.put_first_contents_back();
  }
}

void stitch_observer_forget_commands() {
  if (may_pass()) {
    device.forget_commands();
  }
}

int stitch_observer_begin_playing(const stitch_emulator_range* on_device, size_t count, size_t given_back) {
  return may_pass() ? device.begin_playing(on_device, count, given_back) : 0;
}

int stitch_observer_play_up_to(size_t end) { return may_pass() ? device.play_up_to(end) : 0; }

void stitch_observer_end_playing() {
  if (may_pass()) {
    device.end_playing();
  }
}

size_t stitch_observer_count_commands() { return device.count_commands == nullptr ? 0 : device.count_commands(); }
}
