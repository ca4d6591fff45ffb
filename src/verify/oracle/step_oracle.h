// SPDX-License-Identifier: Apache-2.0
// Makes one step of a plan look like a program of its own: its inputs are the true values (fp64, rounded to their type)
// of what it reads in the whole program's draw, its answers those of what it writes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "verify/oracle/oracle.h"

namespace stitch::verify {

// One tensor of the step, in the order its program describes them, and the name by which the oracle knows its contents:
// an input, parameter or state of the whole program, or a value of its graph.
struct StepTensor {
  TensorSpec spec;
  std::string value;
};

struct ValueNames {
  std::map<std::string, std::string> names{};  // by what the plan calls them
  std::string why_not{};  // a sentence where the oracle cannot make what a rewrite added; then nothing else counts
};
// Returns the oracle's name of each value of the plan, for the whole program as it was opened. A value that a rewrite
// added is made known to the oracle first.
using NameValues = std::function<Result<ValueNames>(const OracleProgram& whole)>;

struct StepProgram {
  std::vector<StepTensor> inputs;
  std::vector<StepTensor> parameters;  // then constants
  std::vector<StepTensor> outputs;
  NameValues name_values{};  // empty: the names are the oracle's own
};

class StepOracle final : public Oracle {
 public:
  // `whole` outlives this.
  StepOracle(Oracle& whole, StepProgram step) : whole_(whole), step_(std::move(step)) {}

  // kProgramInvalid with why_not(), where the oracle cannot make a value of the step.
  Result<OracleProgram> open(const OracleSource& source) override;
  Result<OracleDraw> draw(const OracleProgram& program, const std::string& regime, int draw) override;
  Result<std::vector<OutputReference>> intermediates(const OracleProgram& program,
                                                     const std::vector<TensorSpec>& values) override;

  // Why the step cannot be judged by itself, once open() failed for that: the whole program can. Else empty.
  const std::string& why_not() const { return values_.why_not; }

 private:
  Result<std::vector<HostTensor>> contents(const std::vector<StepTensor>& tensors, const OracleDraw& whole_draw);

  Oracle& whole_;
  StepProgram step_;
  const std::string& known_name(const std::string& value) const;

  OracleProgram whole_program_;
  ValueNames values_;
};

}  // namespace stitch::verify
