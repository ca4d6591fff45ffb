// SPDX-License-Identifier: Apache-2.0
// Warp operations: lanes that name the same mask meet; the last to arrive combines their operands.
#include <cstdio>
#include <cstring>

#include "access/accesses.h"
#include "block/switching.h"
#include "fault/fault.h"
#include "updates/order.h"

namespace stitch_emulator {
namespace {

// Combines for the lanes that arrived and leaves the results of other meetings, not yet read, as they are.
void combine(WarpExchange& exchange, const WarpMeeting& meeting) {
  const Uncounted uncounted;
  if (meeting.arrived == kFullMask) {
    meeting.combine(exchange, meeting.arrived);
    return;
  }
  uint64_t kept[kWarpSize];
  memcpy(kept, exchange.out, sizeof(kept));
  meeting.combine(exchange, meeting.arrived);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((meeting.arrived >> lane & 1u) == 0) {
      exchange.out[lane] = kept[lane];
    }
  }
}

// Ends the meeting and frees its entry; `except` is the running lane's bit, or 0.
void complete(unsigned int warp, int index, uint32_t except) {
  WarpMeetings& all = block.meetings[warp];
  const WarpMeeting meeting = all.meetings[index];
  all.meetings[index] = all.meetings[--block.warps[warp].meeting_count];
  ++counts.warp_operations;
  note_warp_operation(warp);
  note_warp_meeting(warp);
  combine(all.exchange, meeting);
  make_ready(warp, meeting.arrived & ~except);
}

[[noreturn]] void report_mixed(const WarpMeeting& meeting, const char* name, const char* file, int line) {
  char message[512];
  snprintf(message, sizeof(message),
           "lane %d calls %s while other lanes of its warp wait in %s with the same mask 0x%08x; all lanes named in a "
           "mask must call the same operation",
           static_cast<int>(lane_number(block.current)), name, meeting.name, meeting.mask);
  fault(message, file, line);
}

[[noreturn]] void report_overlap(const WarpMeeting& meeting, uint32_t mask, const char* name, const char* file,
                                 int line) {
  char message[512];
  snprintf(message, sizeof(message),
           "lane %d calls %s with mask 0x%08x while lanes named in that mask wait in %s with mask 0x%08x; all lanes "
           "named in a mask must pass the same mask",
           static_cast<int>(lane_number(block.current)), name, mask, meeting.name, meeting.mask);
  fault(message, file, line);
}

int find_meeting(unsigned int warp, WarpCombine combine, uint32_t mask, const char* name, const char* file, int line) {
  WarpMeeting* meetings = block.meetings[warp].meetings;
  int& count = block.warps[warp].meeting_count;
  for (int i = 0; i < count; ++i) {
    WarpMeeting& meeting = meetings[i];
    if (meeting.mask == mask) {
      if (meeting.combine != combine) {
        report_mixed(meeting, name, file, line);
      }
      return i;
    }
    if (meeting.arrived & mask) {
      report_overlap(meeting, mask, name, file, line);
    }
  }
  meetings[count] = {mask, 0, combine, name};
  return count++;
}

[[noreturn]] void report_own_bit(uint32_t mask, const char* name, const char* file, int line) {
  char message[256];
  snprintf(message, sizeof(message), "lane %d calls %s with mask 0x%08x, which does not name the lane itself",
           static_cast<int>(lane_number(block.current)), name, mask);
  fault(message, file, line);
}

using CollectiveBody = void (*)(void* const lane_states[32]);

// The body's address is in every lane's result slot, since a pointer does not fit in `argument`.
void combine_collective(WarpExchange& exchange, uint32_t lanes) {
  void* states[kWarpSize];
  CollectiveBody body = nullptr;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    states[lane] = nullptr;
    if (lanes >> lane & 1u) {
      states[lane] = reinterpret_cast<void*>(exchange.in[lane]);
      body = reinterpret_cast<CollectiveBody>(exchange.out[lane]);
    }
  }
  body(states);
}

}  // namespace

void release_complete_meetings(unsigned int warp) {
  for (int i = block.warps[warp].meeting_count - 1; i >= 0; --i) {
    const WarpMeeting& meeting = block.meetings[warp].meetings[i];
    if ((meeting.mask & ~block.warps[warp].ended & ~meeting.arrived) == 0) {
      complete(warp, i, 0);
    }
  }
}

// When no thread of the block can run: the lanes that stand at one place are those active there.
bool release_converged() {
  bool released = false;
  for (unsigned int number = 0; number < block.warp_count; ++number) {
    Warp& warp = block.warps[number];
    if (warp.converging == 0) {
      continue;
    }
    const int first = __builtin_ctz(warp.converging);
    const Lane* lanes = &block.lanes[number * kWarpSize];
    uint32_t together = 0;
    for (int lane = first; lane < kWarpSize; ++lane) {
      if ((warp.converging >> lane & 1u) && lanes[lane].line == lanes[first].line &&
          strcmp(lanes[lane].file, lanes[first].file) == 0) {
        together |= 1u << lane;
      }
    }
    for (int lane = first; lane < kWarpSize; ++lane) {
      if (together >> lane & 1u) {
        block.meetings[number].exchange.out[lane] = together;
      }
    }
    warp.converging &= ~together;
    note_warp_operation(number);
    make_ready(number, together);
    released = true;
  }
  return released;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

uint64_t stitch_warp_exchange(WarpCombine combine, uint32_t mask, uint64_t in, uint32_t argument, const char* name,
                              const char* file, int line) {
  if (!inside_block()) {
    host_fault("a warp operation was called outside a kernel", file, line);
  }
  const unsigned int warp = warp_number(block.current);
  const unsigned int lane = lane_number(block.current);
  const uint32_t bit = 1u << lane;
  if ((mask & bit) == 0) {
    report_own_bit(mask, name, file, line);
  }
  const int index = find_meeting(warp, combine, mask, name, file, line);
  WarpMeeting& meeting = block.meetings[warp].meetings[index];
  WarpExchange& exchange = block.meetings[warp].exchange;
  exchange.in[lane] = in;
  exchange.argument[lane] = argument;
  meeting.arrived |= bit;
  if ((mask & ~block.warps[warp].ended & ~meeting.arrived) == 0) {
    complete(warp, index, bit);
  } else {
    suspend(name, file, line);
  }
  return exchange.out[lane];
}

void stitch_warp_collective(void* lane_state, CollectiveBody body, const char* file, int line) {
  if (!inside_block()) {
    host_fault("a warp operation was called outside a kernel", file, line);
  }
  block.meetings[warp_number(block.current)].exchange.out[lane_number(block.current)] =
      reinterpret_cast<uint64_t>(body);
  stitch_warp_exchange(combine_collective, kFullMask, reinterpret_cast<uint64_t>(lane_state), 0,
                       "a warp-wide instruction", file, line);
}

uint32_t stitch_warp_converge(const char* file, int line) {
  if (!inside_block()) {
    host_fault("__activemask was called outside a kernel", file, line);
  }
  const int thread = block.current;
  warp_of(thread).converging |= bit_of(thread);
  suspend("__activemask", file, line);
  return static_cast<uint32_t>(block.meetings[warp_number(thread)].exchange.out[lane_number(thread)]);
}

}  // extern "C"
