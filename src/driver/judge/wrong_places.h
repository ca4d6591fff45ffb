// SPDX-License-Identifier: Apache-2.0
// Where an output that was refused differs from the reference, for its author.
#pragma once

#include <string>
#include <vector>

#include "verify/compare/output_reference.h"

namespace stitch::driver {

struct WrongPlace {
  int draw = 0;
  std::string output;
  std::string index;  // "[3,17]"
  double got = 0;
  double expected = 0;
  bool is_steady = true;  // the same again when the call is repeated; if not, `got` is one value of many
};

struct WrongPlaces {
  std::vector<WrongPlace> first;  // in the order of elements, at most so many as were asked for
  int64_t count = 0;
};

// Elements that err by an eighth of the output's largest error or more, or are finite where the reference is not, or
// the other way round. No tolerance goes into it, so that none can be learned from it.
WrongPlaces first_wrong_places(const verify::OutputReference& reference, const HostTensor& got, int draw, size_t most);

// Elements that are others in a second call with the same inputs, beyond what an order of additions changes: nobody
// wrote them, so that they hold what memory held, or threads race for them.
WrongPlaces first_unsteady_places(const verify::OutputReference& reference, const HostTensor& got,
                                  const HostTensor& again, int draw, size_t most);

}  // namespace stitch::driver
