// SPDX-License-Identifier: Apache-2.0
// Loads a program's shared library and wraps its C ABI in functions that return Results. A mistake of the candidate is
// kProgramInvalid; a device that cannot be used is kEnvironment.
#pragma once

#include <stitch_program.h>

#include <string>
#include <vector>

#include "wire/messages/program_description.h"

namespace stitch::worker {

class Candidate {
 public:
  static Result<Candidate> load(const std::string& library);
  Candidate(Candidate&& other) noexcept;
  Candidate& operator=(Candidate&&) = delete;
  ~Candidate();

  Result<wire::ProgramDescription> describe() const;
  Result<void> create(int device);
  Result<void> prepare(const StitchParameters& parameters, void* stream);
  Result<uint64_t> workspace_bytes(const std::vector<StitchTensor>& inputs);
  Result<void> run(const StitchCall& call);
  // Nothing else may be called afterwards.
  void destroy();

 private:
  explicit Candidate(const StitchProgramV1* program) : program_(program) {}
  Result<void> judge(const char* function, int status) const;

  const StitchProgramV1* program_;
  StitchHandle* handle_ = nullptr;
};

}  // namespace stitch::worker
