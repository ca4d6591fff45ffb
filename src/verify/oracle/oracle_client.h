// SPDX-License-Identifier: Apache-2.0
// The oracle in its own Python process, asked over a JSON channel; tensors come as files.
#pragma once

#include <functional>

#include "base/json/json_forward.h"
#include "verify/oracle/oracle.h"

namespace stitch::verify {

// Sends one request and waits for its answer: JsonChannel::request with a time limit, or a script in tests.
using OracleRequest = std::function<Result<Json>(const std::string& verb, const Json& arguments)>;

class OracleClient final : public Oracle {
 public:
  explicit OracleClient(OracleRequest request) : request_(std::move(request)) {}

  Result<OracleProgram> open(const OracleSource& source) override;
  Result<OracleDraw> draw(const OracleProgram& program, const std::string& regime, int draw) override;
  Result<OracleDraw> draw_staying(const OracleProgram& program, const std::string& regime, int number) override;
  Result<std::vector<std::optional<OutputComparison>>> look_at(const OracleProgram& program,
                                                               const std::vector<HostTensor>& got,
                                                               MathMode math) override;
  Result<void> rest(const OracleProgram& program) override;
  Result<OracleDraw> given(const OracleProgram& program, const GivenContents& contents) override;
  Result<std::vector<std::vector<HostTensor>>> own_draws(const OracleProgram& program, int count) override;
  Result<NullList> nulls(const OracleProgram& program) override;
  Result<std::vector<std::string>> unasked(const OracleProgram& program) override;
  Result<NullAnswer> null_answer(const OracleProgram& program, const NullCandidate& null) override;
  Result<std::vector<OutputReference>> intermediates(const OracleProgram& program,
                                                     const std::vector<TensorSpec>& values) override;

 private:
  Result<OutputComparison> judge_doubt(const OracleProgram& program, const Json& outputs, size_t index, MathMode math);

  OracleRequest request_;
};

}  // namespace stitch::verify
