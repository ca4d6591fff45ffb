// SPDX-License-Identifier: Apache-2.0
// Makes one step of a plan look like a program of its own: its inputs are the true values (fp64, rounded to their type)
// of what it reads in the whole program's draw, its answers those of what it writes.
#pragma once

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

struct StepProgram {
  std::vector<StepTensor> inputs;
  std::vector<StepTensor> parameters;  // then constants
  std::vector<StepTensor> outputs;
};

class StepOracle final : public Oracle {
 public:
  // `whole` outlives this.
  StepOracle(Oracle& whole, StepProgram step) : whole_(whole), step_(std::move(step)) {}

  Result<OracleProgram> open(const OracleSource& source) override;
  Result<OracleDraw> draw(const OracleProgram& program, const std::string& regime, int draw) override;
  Result<std::vector<OutputReference>> intermediates(const OracleProgram& program,
                                                     const std::vector<TensorSpec>& values) override;

 private:
  Result<std::vector<HostTensor>> contents(const std::vector<StepTensor>& tensors, const OracleDraw& whole_draw);

  Oracle& whole_;
  StepProgram step_;
  OracleProgram whole_program_;
};

}  // namespace stitch::verify
