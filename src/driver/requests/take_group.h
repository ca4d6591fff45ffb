// SPDX-License-Identifier: Apache-2.0
// Steps of a folder's program taken as one, for somebody to write in one piece: the plan in the folder gets a boundary,
// the group a file behind the contract of written steps, and whoever judges the folder judges that.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "driver/job/job.h"
#include "driver/written/step_contract.h"

namespace stitch::driver {

struct GroupRequest {
  std::filesystem::path folder;      // that optimize or expert_program() wrote
  std::vector<int> steps{};          // by their numbers in its plan
  std::vector<std::string> nodes{};  // beside theirs, each by the name of its first output
  bool apart = false;                // the other way: what was written of them in groups is the expert's steps again
  Options options;
};

// What the group's file holds to begin with.
enum class GroupText {
  kPresent,   // it is a group already: its file as it was, with what that now declares
  kJoined,    // the files of its steps one after another, as they were
  kSkeleton,  // they cannot be joined by rule: a file that lacks the kernels alone
};

struct TakenGroup {
  StepContract contract;
  std::string file;  // of the folder, "steps/02_fc1_relu.cu"
  GroupText text = GroupText::kJoined;
};

struct GroupReport {
  plan::Plan plan;                    // of the folder now; numbers of steps are others than before
  std::optional<TakenGroup> group{};  // nothing where groups were taken apart
};

// Edited files of steps stay, wherever their steps are now; what earlier groups declare is read from their files as
// they are. A group that shares a node with the new one goes. kUsage and kFileInvalid, in a sentence, where the steps
// can be no group: nodes that are not convex, that are not there, that draw random numbers; then the folder is as it
// was.
Result<GroupReport> take_group(const GroupRequest& request, const Services& services);

}  // namespace stitch::driver
