// SPDX-License-Identifier: Apache-2.0
// The source of right answers: it draws inputs and parameters, and returns what the program makes of them, how far the
// reference's own runs stray from that, and the value of any intermediate.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "artifact/device_kind.h"
#include "artifact/task/task.h"
#include "artifact/tensor/host_tensor.h"
#include "verify/compare/compare_output.h"
#include "verify/compare/output_reference.h"
#include "verify/oracle/null_candidate.h"

namespace stitch::verify {

// The regime in which inputs are as the program draws them itself.
inline constexpr const char* kAsGiven = "as_given";

// Which program at which sizes, and how it is drawn.
struct OracleSource {
  Task task;
  uint64_t seed = 0;
  TorchDevice device = TorchDevice::kCpu;
  std::filesystem::path folder;  // for tensor files; best in memory
};

// What was opened. Parameters are followed by constants, in the order of the graph's values.
struct OracleProgram {
  int64_t id = 0;
  std::vector<std::string> regimes;  // kAsGiven is the first
  std::vector<TensorSpec> inputs;    // the last `random_inputs` of them are random numbers, which a call may leave out
  size_t random_inputs = 0;
  std::vector<bool> whole_inputs;  // of each input: whether contents made of two draws take it from one of them
  std::vector<TensorSpec> parameters;
  std::vector<TensorSpec> states;
  std::vector<TensorSpec> outputs;     // role kOutput
  std::vector<TensorSpec> states_out;  // role kState
  // Whether the imported graph, interpreted in the program's own precision, equals the eager module.
  bool gate_ok = false;
  double gate_max_ratio = 0;
};

struct NullList {
  std::vector<NullCandidate> nulls;
  std::vector<std::string> notes;  // what was left out
};

// What a null candidate answers in one draw.
struct NullAnswer {
  std::vector<HostTensor> made;  // outputs, then new states; none where it has nothing to say in this draw
  bool applies = true;           // false: it has nothing to say in any draw of the program
  // Outputs about which it never says anything, and those that it leaves as they are here: the right answer stands for
  // them.
  std::vector<int64_t> silent{};
  std::vector<int64_t> unchanged{};
};

struct OracleDraw {
  std::optional<std::string> dropped;  // why this draw says nothing; the rest is then empty
  std::optional<std::string> note;     // e.g. that the regime fell back to redrawing in the observed range
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> parameters;
  std::vector<HostTensor> states;
  std::vector<OutputReference> outputs;  // outputs, then new states
  int64_t near_ties = 0;                 // decisions of the program that lie within rounding; see OutputReference
  double cpu_seconds = 0;                // that the answers took, where contents were given

  // Whether some of it stays with the oracle: it is gone with the next draw.
  bool stays() const;
};

// Contents that no draw has. The numbers of a program that draws its own are inputs like any other.
struct GivenContents {
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> states;
  int draw = 0;                  // number of the draw in regime as_given whose parameters are used
  std::filesystem::path folder;  // for tensor files, from now on; best in memory
};

// Not safe for use by two threads at once.
class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual Result<OracleProgram> open(const OracleSource& source) = 0;
  // The same (seed, regime, draw) always gives the same tensors. They stay valid for as long as they are held.
  virtual Result<OracleDraw> draw(const OracleProgram& program, const std::string& regime, int draw) = 0;
  // The same draw, but what is large stays where it is until the next one: of inputs, parameters and states the places
  // are told, and a candidate's outputs are looked at by look_at(). An oracle that cannot hands everything over.
  virtual Result<OracleDraw> draw_staying(const OracleProgram& program, const std::string& regime, int number) {
    return draw(program, regime, number);
  }
  // Compares outputs and new states that lie at a place with the last draw's references; nothing for the others.
  virtual Result<std::vector<std::optional<OutputComparison>>> look_at(const OracleProgram& program,
                                                                       const std::vector<HostTensor>& got,
                                                                       MathMode math);
  // Frees what stays: nobody asks about the last draw again.
  virtual Result<void> rest(const OracleProgram&) { return {}; }
  // The answers to these contents, and nothing else of a draw; dropped where the program does not take them, or gives
  // non-finite results that it does not give to its own. These contents then count as the last draw.
  virtual Result<OracleDraw> given(const OracleProgram&, const GivenContents&) {
    OracleDraw draw;
    draw.dropped = "this oracle knows its own draws alone";
    return draw;
  }
  // Values of the functional graph in the last draw of `program`, by name, as references for a single step.
  virtual Result<std::vector<OutputReference>> intermediates(const OracleProgram& program,
                                                             const std::vector<TensorSpec>& values) = 0;
  // Outputs, then new states, of runs of the eager module on the last draw of `program`, each of which draws its own
  // random numbers. Empty from an oracle that cannot run it so.
  virtual Result<std::vector<std::vector<HostTensor>>> own_draws(const OracleProgram&, int /*count*/) {
    return std::vector<std::vector<HostTensor>>{};
  }
  // The null candidates of `program`. Draws made after this call have answers of theirs: null_answer().
  virtual Result<NullList> nulls(const OracleProgram&) { return NullList{}; }
  // In words, what every verdict asks and this program does not take.
  virtual Result<std::vector<std::string>> unasked(const OracleProgram&) { return std::vector<std::string>{}; }
  // The answer of one null candidate in the last draw.
  virtual Result<NullAnswer> null_answer(const OracleProgram&, const NullCandidate&) { return NullAnswer{}; }
};

}  // namespace stitch::verify
