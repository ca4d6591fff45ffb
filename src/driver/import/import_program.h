// SPDX-License-Identifier: Apache-2.0
// PyTorch program to graph.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "artifact/task/task.h"
#include "driver/job/job.h"
#include "ir/graph/graph.h"

namespace stitch::driver {

struct ImportedProgram {
  ir::Graph graph;
  int operators = 0;
  std::string torch_version;         // that exported it
  std::vector<std::string> sources;  // its own files, relative to the folder it lies in; none leads out of it
  int64_t parameters = 0;            // elements
  double flops = 0;                  // of one call, counted over the exported graph
  std::vector<std::pair<std::string, double>> seconds;  // of the Python process, by what they went into
};

// Hidden shapes of a verdict.
inline constexpr int kHiddenShapes = 3;

// Has Python work on what will be asked after the first import while that is made: the batch's axis and, where a
// verdict is made at the program's own sizes, hidden shapes and reduced sizes. A job's first question to Python.
Result<void> look_ahead(Job& job, const Task& task, bool at_own_sizes);

// kUnsupportedOperator lists every operator we lack, with its place and the nearest one we have.
Result<ImportedProgram> import_program(Job& job, const Task& task);

// What one draw of a program at reduced sizes may take the emulated device, as estimated: a checked one takes ten times
// that, and a verdict seconds.
inline constexpr double kSmallSeconds = 0.15;

// Sizes at which a draw takes at most so much, or as near as can be had: what kernels cut into tiles keeps two of them
// and a rest where the program reached so far.
struct SmallSizes {
  Sizes sizes;
  double seconds = 0;              // estimated, of a draw
  std::vector<std::string> short_of;  // what had to reach less far, "mean of images reduced"
};
// With `whole_tiles` what the program's own sizes are multiples of, powers of two up to a tile, these are, too, so that
// kernels take the same ways; a draw may take several times as long.
Result<SmallSizes> small_sizes(Job& job, const Task& task, bool whole_tiles = false);

// At most `count` other shapes the program must also hold for.
Result<std::vector<Sizes>> hidden_sizes(Job& job, const Task& task, int count, uint64_t seed);

}  // namespace stitch::driver
