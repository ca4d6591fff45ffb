// SPDX-License-Identifier: Apache-2.0
// A program as ordered, kernel-sized steps over buffers. plan.json is this and nothing else: every number in it follows
// from the graph, the chosen steps and their settings, so a file that was altered or cut is noticed (text/json.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "base/json/json_forward.h"
#include "ir/graph/graph.h"
#include "kernels/template/device_limits.h"
#include "kernels/template/kernel_template.h"
#include "plan/boundaries/boundary.h"
#include "plan/host_choices.h"

namespace stitch::plan {

using kernels::DeviceLimits;
using kernels::Setting;

enum class BufferKind { kInput, kParameter, kConstant, kState, kStateOut, kOutput, kArena, kPrepared };
const char* to_string(BufferKind kind);  // "input", "state_out", "arena"...

struct Buffer {
  std::string name;  // of the value it holds
  ir::ValueId value;
  BufferKind kind = BufferKind::kArena;
  int index = 0;       // place among the program's inputs, parameters...; states and their new values share it
  int64_t offset = 0;  // bytes, in the arena or the prepared memory; of a part of an output, in that
  std::optional<ir::ValueId> whole{};  // of which this is a part, in the whole's own memory
};

enum class Phase { kPrepare, kRun };

struct Alternative {
  Setting setting;
  double estimated_us = 0;
  std::optional<double> measured_us = {};  // on the device the plan is made for
};

struct Step {
  std::string name;  // "fc1_gelu"
  Phase phase = Phase::kRun;
  std::string skeleton;  // name of the kernel template
  Setting setting;
  ir::NodeId root;
  std::vector<ir::NodeId> nodes;
  std::vector<int> operands;  // buffers
  std::vector<int> results;
  std::vector<int64_t> extents;  // what StepArgs::extents points to
  double flops = 0;
  double bytes_min = 0;
  double modelled_us = 0;                  // launches and the roofline
  double estimated_us = 0;                 // with tiles, waves and reached rates: what settings are compared by
  std::optional<double> measured_us = {};  // where it was measured: then settings are compared by that
  int64_t scratch_bytes = 0;
  int64_t scratch_offset = 0;
  int64_t kept_bytes = 0;  // in the prepared memory, filled by prepare() for its own use
  int64_t kept_offset = 0;
  std::vector<Alternative> alternatives;  // the settings not taken, best first
  // With a run-time batch: what extents and scratch grow by from one batch to the next. Else empty and 0.
  std::vector<int64_t> extents_per_batch;
  int64_t scratch_bytes_per_batch = 0;
  std::vector<kernels::InWhole> in_whole{};  // as of its group
  int boundary = -1;                         // of Plan::boundaries, whose code it is; -1: our own
};

// The batch as an argument of the program: an axis of its inputs that a call may give another extent. Every number of
// the plan is the one at the planned batch and lies on a line through it (batch/run_time_batch.h).
struct RunTimeBatch {
  int64_t declared = 0;  // by the program
  int64_t planned = 0;   // of the plan's graph: the declared one, or a larger one where that is 1
  int64_t minimum = 0;   // batches that the program takes
  int64_t maximum = 0;
  int64_t other_batch = 0;
  ir::Graph other;  // the plan's graph at `other_batch`: the two say how each extent follows the batch
};

// How images lie between steps; at the program's ends channels come first.
enum class Layout { kChannelsFirst, kChannelsLast };
const char* to_string(Layout layout);

// What decides how a program is cut, and by what its steps are computed.
enum class Style {
  kByCost,       // whatever is expected to take least
  kByLibraries,  // as PyTorch would run it: by a library where there is one, with what follows as a pass behind it
};

// One of the whole plans that a program may have.
struct PlanForm {
  Layout layout = Layout::kChannelsFirst;
  Style style = Style::kByCost;
  bool operator==(const PlanForm&) const = default;
};
std::string to_string(const PlanForm& form);  // "channels_last", "channels_first_by_libraries"
// The form as the setting of a whole program, by which its measured time is known.
Setting setting_of(const PlanForm& form);

// What is asked of a plan's form; what is left open is chosen.
struct WantedForm {
  std::optional<Layout> layout{};  // none: the one that is expected to be faster
  std::optional<Style> style{};    // none: by cost, or by libraries where that was measured to be faster
  // An estimate counts as much as a measured time, to find out what is worth measuring: else it is doubted beside one.
  bool believes_estimates = false;
};

struct Plan {
  ir::Graph graph;  // after all rewrites
  // What it was made from, as measured times of whole programs are known by; empty when it was read from a file.
  std::string program{};
  PlanForm form{};  // not in files
  MathMode math = MathMode::kFp32;
  std::string device;
  std::vector<Buffer> buffers;
  std::vector<Step> steps;  // prepare first, then run, each in order of execution
  int64_t arena_bytes = 0;
  int64_t prepared_bytes = 0;
  double modelled_us = 0;            // of the run phase
  std::vector<Boundary> boundaries;  // that were given
  std::optional<RunTimeBatch> batch;
  std::string batch_note;             // why there is none; empty when nobody asked
  std::optional<HostChoices> host{};  // nothing: one stream, in the order in which the program was cut
};

// Whether steps may leave their work to cuBLASLt and cuDNN (each such step has its own kernel too).
enum class Libraries {
  kOff,
  kAuto,  // where they are faster, by measurement or, of what nobody measured, by estimate
  kOn,    // also where the estimate says that they are slower
};

// How long a step took with a setting, nullopt where nobody measured it. The signature: step_signature(). Of a whole
// program, its program_signature() and setting_of() its form.
using MeasuredTimes = std::function<std::optional<double>(const std::string& signature, const Setting& setting)>;

struct PlanOptions {
  MathMode math = MathMode::kFp32;
  Libraries libraries = Libraries::kAuto;
  MeasuredTimes measured{};  // none: settings are chosen by estimate
  WantedForm form{};
  DeviceLimits limits = kernels::known_devices().front();
  const Plan* like = nullptr;  // a plan of the same program at other sizes, whose settings are kept where they exist
  std::vector<Boundary> boundaries{};  // none: those of `like`
};

// Rewrites the graph, cuts it into steps, chooses settings and places buffers. Fails with the operator's name and place
// when some part of the program has no kernel.
Result<Plan> make_plan(const ir::Graph& graph, const PlanOptions& options);

Json to_json(const Plan& plan);
Result<Plan> from_json(const Json& json);

// The same plan with another setting of one step. kFileInvalid when the step has no such setting.
Result<Plan> with_setting(const Plan& plan, size_t index, const Setting& setting);

// The same program cut anew with other boundaries; what they leave alone keeps its setting. Names are those of the
// plan's graph. kFileInvalid, in a sentence, for boundaries that cannot be (boundaries/fences.h).
Result<Plan> with_boundaries(const Plan& plan, std::vector<Boundary> boundaries);
// The same steps launched in another order, on other streams. kFileInvalid, in a sentence, for choices that cannot be.
// Memory that steps use at the same time lies apart.
Result<Plan> with_host(const Plan& plan, const HostPlan& host);
// The choices of `like` in a plan of the same program that was cut anew: steps that both have keep order and stream,
// others follow what they read, on the stream of the call. Nothing where `like` made none.
void keep_host(Plan& plan, const Plan& like);
// As the plan stands.
HostPlan host_of(const Plan& plan);
// Host choices that take less time than the plan's by the model of streams/schedule.h, the best first.
std::vector<HostPlan> offered_host(const Plan& plan);
// Why a program with this plan takes no sizes but its own; empty where no written step is for its own alone.
std::string why_own_sizes(const Plan& plan);

// The nodes of step `index` as a group, ready for its template.
kernels::Group step_group(const Plan& plan, size_t index);
// What a measured time of a group computed by `skeleton` holds for: its operators, types and shapes, without names.
std::string step_signature(const kernels::Group& group, const std::string& skeleton);
// The same of a whole program, before all rewrites.
std::string program_signature(const ir::Graph& graph);
// Of a call, in microseconds: its steps as measured where that was done, else as estimated.
double expected_us(const Plan& plan);
// Step `index` as a program of its own: its operands are inputs, its results outputs.
Result<ir::Graph> step_graph(const Plan& plan, int index);
// That program, planned as the step it is: the same skeleton and setting, and hence the same code.
Result<Plan> step_plan(const Plan& plan, int index);

}  // namespace stitch::plan
