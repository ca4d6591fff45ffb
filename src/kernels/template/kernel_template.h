// SPDX-License-Identifier: Apache-2.0
// What a kernel skeleton of runtime/kernels can do: whether it can compute a group, with which settings, at what cost,
// and the code that does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "kernels/code/step_draft.h"
#include "kernels/group/group.h"
#include "kernels/template/device_limits.h"

namespace stitch::kernels {

// One way to run a skeleton. `variant` names what is compiled in, `splits` is a run-time argument.
struct Setting {
  std::string variant;
  int64_t splits = 1;
  bool operator==(const Setting&) const = default;
};

enum class Pipe { kFp32, kTf32, kFp16 };

// Counted work. The first block is what the roofline is made of, the second what tells settings apart.
struct Work {
  int launches = 1;
  Pipe pipe = Pipe::kFp32;
  double flops = 0;
  double lane_operations = 0;
  double bytes = 0;

  double padded_flops = 0;  // with the parts of tiles that hang over the edge
  double extra_bytes = 0;   // partial sums, second reads
  double serial_bytes = 0;  // read by a second launch, which waits for the first
  double serial_us = 0;     // of what a block does step after step, however little each step is; blocks side by side
  double peak_share = 1;    // what a full device reaches of its peak, by experience with this variant
  double bandwidth_share = 1;
  int64_t blocks = 1;  // of the largest launch
  int blocks_per_multiprocessor = 1;
  int threads_per_block = 256;
};

struct Fit {
  bool ok = false;
  std::string reason;                    // why not
  std::vector<ir::ValueId> store_first;  // it would fit with these operands in memory
};

class KernelTemplate {
 public:
  virtual ~KernelTemplate() = default;
  virtual const char* name() const = 0;
  // Whether this is the skeleton of chains of pointwise work, which others take in where they can.
  virtual bool is_pointwise() const { return false; }
  // Whether `node` can be the root of a group of this skeleton.
  virtual bool is_root(const ir::Graph& graph, const ir::Node& node) const = 0;
  // The settings worth trying, best guess first; never empty for a group that fits.
  virtual std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const = 0;
  // Settings that leave the work to a library where it is installed, and do it themselves elsewhere.
  virtual std::vector<Setting> library_space(const Group&, const DeviceLimits&, MathMode) const { return {}; }
  // Whether a setting that space() does not offer (it is made for other sizes) would still compute the group.
  virtual bool allows(const Group& group, const Setting& setting) const;
  // Whether a step with this setting takes as long alone as it does in its program.
  virtual bool is_timed_alone(const Setting&) const { return true; }
  virtual Work work(const Group& group, const Setting& setting) const = 0;
  // Decides the step's code. Fails, with the reason, for a group it cannot compute.
  virtual Result<StepDraft> draft(const Group& group, const Setting& setting) const = 0;
  // The extents and the scratch memory of that code.
  Result<StepShape> shape(const Group& group, const Setting& setting) const;
  // Operands of the root that this skeleton cannot read as they are, because they are views it cannot stride through
  // or values that would have to be computed on the way.
  virtual std::vector<ir::ValueId> store_first(const Group&) const { return {}; }

  Fit fits(const Group& group) const;

 protected:
  // Whether some mode's library_space() has this setting.
  bool allows_library(const Group& group, const Setting& setting) const;
};

// The minimum of bytes that must move: operands and results once, of sliced operands the part that is read.
double min_bytes(const Group& group);
// Lane operations of the group's pointwise nodes.
double pointwise_operations(const Group& group);

}  // namespace stitch::kernels
