// SPDX-License-Identifier: Apache-2.0
// A worker or keeper of ours that fails at a chosen request: what its main() puts around the real handler. It is built
// for tests alone; the product has no such switch.
#pragma once

#include "wire/messages/rpc.h"

namespace stitch::faults {

// Whoever wants a fault copies the program and appends kMark and "VERB:NUMBER:HOW" to the copy: a cage hands on no
// environment and shows no other file. At the NUMBER-th request VERB of each of its processes it
//   killed          is killed by SIGKILL before it does anything
//   killed_late     ... when it has done it, before it answers
//   exit            ends itself with status 0
//   abort           aborts
//   rubbish         writes bytes that are no frame, in place of an answer
//   half            writes half an answer and is killed
//   other_answer    answers a request that nobody made
//   world           answers that its world fails
//   silent          never answers
//   memory          takes memory until it gets no more
//   back_in_time    (clock_stop) answers a negative time
// Without the mark `real` comes back as it is.
constexpr const char* kMark = "\nfault to stage: ";
wire::Handler with_fault(wire::Handler real, int channel);

}  // namespace stitch::faults
