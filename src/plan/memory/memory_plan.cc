// SPDX-License-Identifier: Apache-2.0
#include "plan/memory/memory_plan.h"

#include <algorithm>
#include <map>

#include "plan/memory/arena.h"
#include "plan/memory/wholes.h"
#include "plan/streams/step_streams.h"

namespace stitch::plan {
namespace {

// Everything that prepare makes stays for good: nothing is ever reused.
void place_prepared(Plan& plan) {
  std::vector<Piece> pieces;
  std::vector<int64_t*> offsets;
  for (Buffer& buffer : plan.buffers) {
    if (buffer.kind == BufferKind::kPrepared) {
      pieces.push_back({plan.graph.type(buffer.value).bytes()});
      offsets.push_back(&buffer.offset);
    }
  }
  for (Step& step : plan.steps) {
    if (step.phase == Phase::kPrepare && step.scratch_bytes > 0) {
      pieces.push_back({step.scratch_bytes});
      offsets.push_back(&step.scratch_offset);
    }
    if (step.kept_bytes > 0) {
      pieces.push_back({step.kept_bytes});
      offsets.push_back(&step.kept_offset);
    }
  }
  plan.prepared_bytes = stack_pieces(pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    *offsets[i] = pieces[i].offset;
  }
}

// A step's memory is taken until nothing runs any more that was launched while the step may have been running. Of two
// pieces of memory, one then ends before the other begins, or both are taken at some step: lives as in the order of
// launch, on however many streams.
void place_arena(Plan& plan) {
  std::map<int, Piece> lives;  // by buffer
  std::vector<Piece> pieces;
  std::vector<int64_t*> offsets;
  const CallStreams call = streams_of(plan);
  const Wholes wholes(plan);
  for (int number = 0; number < static_cast<int>(plan.steps.size()); ++number) {
    Step& step = plan.steps[static_cast<size_t>(number)];
    const int last = call.steps[static_cast<size_t>(number)].last_beside;
    for (const int result : step.results) {
      const int holder = wholes.holder_of(result);
      const Piece piece{plan.graph.type(plan.buffers[static_cast<size_t>(holder)].value).bytes(), number, last};
      Piece& life = lives.emplace(holder, piece).first->second;
      life.last_step = std::max(life.last_step, last);
    }
    for (const int operand : step.operands) {
      if (const auto life = lives.find(wholes.holder_of(operand)); life != lives.end()) {
        life->second.last_step = std::max(life->second.last_step, last);
      }
    }
    if (step.phase == Phase::kRun && step.scratch_bytes > 0) {
      pieces.push_back({step.scratch_bytes, number, last});
      offsets.push_back(&step.scratch_offset);
    }
  }
  for (const auto& [number, piece] : lives) {
    Buffer& buffer = plan.buffers[static_cast<size_t>(number)];
    if (buffer.kind == BufferKind::kArena) {
      pieces.push_back(piece);
      offsets.push_back(&buffer.offset);
    }
  }
  plan.arena_bytes = place_pieces(pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    *offsets[i] = pieces[i].offset;
  }
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    Buffer& buffer = plan.buffers[number];
    if (buffer.whole.has_value()) {  // an output's own offset is 0
      const int part = static_cast<int>(number);
      buffer.offset =
          plan.buffers[static_cast<size_t>(wholes.holder_of(part))].offset + wholes.start_of(part, plan.graph);
    }
  }
}

}  // namespace

void place_buffers(Plan& plan) {
  place_prepared(plan);
  place_arena(plan);
}

}  // namespace stitch::plan
