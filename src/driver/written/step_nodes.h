// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph belong to which step of a plan, and the steps that two plans of one graph share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace stitch::driver {

// Of each step those nodes that no earlier one computes: views and the like are computed wherever they are used, and
// belong to the first that does. So each node belongs to one step, and no step needs a later one.
std::vector<std::vector<ir::NodeId>> own_nodes(const plan::Plan& plan);

// The step that has these nodes and no others: they are its own, or its boundary was given by them. Nothing for a group
// that is no step of the plan.
std::optional<size_t> step_with_nodes(const plan::Plan& plan, const std::vector<std::string>& nodes);

// The steps that compute some of these nodes, views that they look through aside.
std::vector<size_t> steps_among(const plan::Plan& plan, const std::vector<std::string>& nodes);

// The same group as a boundary: without views that others look through as well, which it would have to store.
std::vector<std::string> without_shared_views(const plan::Plan& plan, const std::vector<std::string>& nodes);

// Steps of `after` that are steps of `before`, too: the same nodes, kernel and setting.
std::map<size_t, size_t> kept_steps(const plan::Plan& before, const plan::Plan& after);

}  // namespace stitch::driver
