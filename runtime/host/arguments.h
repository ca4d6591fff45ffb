// SPDX-License-Identifier: Apache-2.0
// Checks of what a caller hands to a generated program.
#pragma once

#include "host/program_tables.h"

namespace stitch {

// A sentence for last_error(), in memory of the handle's own.
class ErrorText {
 public:
  // printf-style; longer sentences are cut.
  __attribute__((format(printf, 2, 3))) void set(const char* format, ...);
  void clear() { text_[0] = '\0'; }
  const char* text() const { return text_; }

 private:
  char text_[512] = "";
};

// The tensors of one role in a description, in order.
struct RoleTensors {
  const StitchTensorInfo* first;
  int32_t count;
};

RoleTensors inputs_of(const StitchDescription& description);
RoleTensors parameters_of(const StitchDescription& description);  // parameters, then constants
RoleTensors states_in_of(const StitchDescription& description);
RoleTensors states_out_of(const StitchDescription& description);
RoleTensors outputs_of(const StitchDescription& description);

// Whether `tensors` are as `expected` says: count, rank, extents, alignment, non-null data. Returns a STITCH_ number
// and sets `error` where it is not STITCH_OK.
int check_tensors(const char* what, const RoleTensors& expected, const StitchTensor* tensors, int32_t count,
                  ErrorText* error);

// As check_tensors(), but extents only: what workspace_bytes() is asked about may have no memory yet.
int check_extents(const char* what, const RoleTensors& expected, const StitchTensor* tensors, int32_t count,
                  ErrorText* error);

// The batch of a call, as the first of the program's batch axes shows it in `inputs`, and whether the `count` tensors
// of `role` (`tensors`; optional ones may be missing) agree with it. 0 where the program has no run-time batch. Their
// extents have been checked before.
int check_batch(const ProgramTables& tables, int32_t role, const StitchTensor* inputs, const StitchTensor* tensors,
                int32_t count, int64_t* batch, ErrorText* error);

// Whether a struct that begins with {struct_size, abi_version} was made for this version of the ABI.
int check_version(const char* what, uint32_t struct_size, uint32_t expected_size, uint32_t abi_version,
                  ErrorText* error);

}  // namespace stitch
