// SPDX-License-Identifier: Apache-2.0
// An oracle that answers from functions, for tests of what asks it.
#pragma once

#include <functional>
#include <utility>

#include "verify/oracle/oracle.h"

namespace stitch::verify {

class ScriptedOracle final : public Oracle {
 public:
  using Open = std::function<Result<OracleProgram>(const OracleSource&)>;
  using Draw = std::function<Result<OracleDraw>(const OracleProgram&, const std::string& regime, int draw)>;
  using Intermediate = std::function<Result<OutputReference>(const TensorSpec& value)>;

  ScriptedOracle(Open open, Draw draw, Intermediate intermediate = {})
      : open_(std::move(open)), draw_(std::move(draw)), intermediate_(std::move(intermediate)) {}

  Result<OracleProgram> open(const OracleSource& source) override { return open_(source); }
  Result<OracleDraw> draw(const OracleProgram& program, const std::string& regime, int draw) override {
    return draw_(program, regime, draw);
  }
  Result<std::vector<OutputReference>> intermediates(const OracleProgram&,
                                                     const std::vector<TensorSpec>& values) override {
    std::vector<OutputReference> references;
    for (const TensorSpec& value : values) {
      STITCH_ASSIGN(OutputReference reference, intermediate_(value));
      references.push_back(std::move(reference));
    }
    return references;
  }

 private:
  Open open_;
  Draw draw_;
  Intermediate intermediate_;
};

}  // namespace stitch::verify
