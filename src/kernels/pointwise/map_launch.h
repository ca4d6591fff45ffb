// SPDX-License-Identifier: Apache-2.0
// The host side of the pointwise map skeleton.
#pragma once

#include <optional>
#include <string>

#include "kernels/lowering/lower_functor.h"

namespace stitch::kernels {

// All axes of the domain, as one Index called `at`.
Coordinate map_coordinate(const Domain& domain);

// Adds the shape that functor `variable` walks (names end in `suffix`), and returns the call of launch_map(). Fails
// when its accesses walk more axes in different orders than the skeleton takes.
Result<Expr> map_launch(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
                        const std::string& suffix);

// The axis of the shape, but the innermost, along which most of what is read lies in memory: neighbours along the
// innermost are far apart there. Nothing where all is read as it is written.
std::optional<size_t> turned_axis(const LoweredFunctor& functor);

// map_launch() by tiles of that axis and the innermost: the call of launch_turned_map().
Result<Expr> turned_map_launch(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
                               size_t axis);

// map_launch() for one of several maps that are launched together: the call of map_part().
Result<Expr> map_part(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
                      const std::string& suffix);

}  // namespace stitch::kernels
