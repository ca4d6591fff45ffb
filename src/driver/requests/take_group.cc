// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/take_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "codegen/emit.h"
#include "driver/improve/text_place.h"
#include "driver/joined/joined_steps.h"
#include "driver/judge/folder.h"
#include "driver/judge/judge.h"
#include "driver/project/project.h"
#include "driver/project/python_forms.h"
#include "driver/written/boundaries_with.h"
#include "driver/written/declarations.h"
#include "driver/written/step_nodes.h"
#include "driver/written/try_step.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

bool is_authors(ErrorCode code) { return code == ErrorCode::kUsage || code == ErrorCode::kFileInvalid; }

bool has_written_text(const plan::Plan& plan, size_t step) {
  const int boundary = plan.steps[step].boundary;
  return boundary >= 0 && plan.boundaries[static_cast<size_t>(boundary)].written.has_value();
}

// In the graph's order.
Result<std::vector<std::string>> asked_nodes(const GroupRequest& request, const plan::Plan& plan) {
  std::set<std::string> asked(request.nodes.begin(), request.nodes.end());
  const std::vector<std::vector<ir::NodeId>> own = own_nodes(plan);
  for (const int step : request.steps) {
    if (step < 0 || static_cast<size_t>(step) >= own.size()) {
      return failure(ErrorCode::kUsage, fmt::format("the plan has no step {}", step), request.folder.string(),
                     fmt::format("name steps from 0 to {}", own.size() - 1));
    }
    for (const ir::NodeId node : own[static_cast<size_t>(step)]) {
      asked.insert(plan.graph.value(plan.graph.node(node).outputs.front()).name);
    }
  }
  if (asked.empty()) {
    return failure(ErrorCode::kUsage, "no step is named", request.folder.string(),
                   "name the steps that are to be one, by their numbers");
  }
  std::vector<std::string> nodes;
  for (const ir::Node& node : plan.graph.nodes) {
    const std::string& name = plan.graph.value(node.outputs.front()).name;
    if (asked.erase(name) > 0) {
      nodes.push_back(name);
    }
  }
  nodes.insert(nodes.end(), asked.begin(), asked.end());  // which are not there: the plan says so
  return nodes;
}

Result<plan::WrittenCode> declared_in(const std::string& text, const std::string& file) {
  const auto read = written_code_from_text(text);
  if (const auto* bad = std::get_if<BadDeclaration>(&read); bad != nullptr) {
    return failure(ErrorCode::kFileInvalid, bad->why, file);
  }
  return std::get<plan::WrittenCode>(read);
}

// The folder's plan, with the code and the memory that the files of its groups have now.
Result<plan::Plan> with_present_groups(const Folder& folder) {
  plan::Plan plan = folder.plan;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const std::string file = codegen::step_file_name(plan, i);
    const auto found = folder.sources.files.find(file);
    if (has_written_text(plan, i) && found != folder.sources.files.end()) {
      plan::Boundary& boundary = plan.boundaries[static_cast<size_t>(plan.steps[i].boundary)];
      STITCH_ASSIGN(boundary.written, declared_in(found->second, file));
    }
  }
  return plan;
}

// What the steps compute now, in one file; nothing where no rule makes one of them.
Result<std::optional<std::string>> joined_text(Job& job, const Folder& folder, const TextPlace& place) {
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, folder.task));
  STITCH_ASSIGN(const EmittedProgram emitted, emit_again(job, folder.plan));
  Result<SubjectSet> set = make_subjects(job, folder.task, imported, emitted, folder.sources, DeviceKind::kEmulated);
  if (!set.has_value()) {  // a step that was edited so that it cannot be at other sizes
    return is_authors(set.error().code) ? Result<std::optional<std::string>>(std::nullopt) : failure(set.error());
  }
  const TextProgram program{folder.plan, folder.sources, std::move(*set)};
  std::vector<PartText> parts;
  for (const size_t step : steps_among(folder.plan, place.nodes)) {
    parts.push_back({step, folder.sources.files.at(codegen::step_file_name(folder.plan, step))});
  }
  return joined_steps(program, place, parts);
}

struct FirstText {
  GroupText kind = GroupText::kSkeleton;
  std::string text{};
};

Result<FirstText> first_text(Job& job, const Folder& folder, const TextPlace& place, std::optional<size_t> present) {
  if (present.has_value() && has_written_text(folder.plan, *present)) {
    return FirstText{GroupText::kPresent, folder.sources.files.at(codegen::step_file_name(folder.plan, *present))};
  }
  STITCH_ASSIGN(std::optional<std::string> joined, joined_text(job, folder, place));
  return joined.has_value() ? FirstText{GroupText::kJoined, std::move(*joined)}
                            : FirstText{GroupText::kSkeleton, place.contract->skeleton};
}

// Texts that somebody edited lie in `now` as they are; what the folder remembers is what we emitted, so that they are
// known for edited ones later, too.
Result<void> rewrite_folder(Job& job, const fs::path& path, const Folder& now, bool has_all_texts) {
  STITCH_TRY(check_output_folder(path));
  STITCH_ASSIGN(const EmittedProgram emitted, emit_again(job, now.plan));
  STITCH_ASSIGN(PythonForms forms, python_forms(job, now.task, now.sources));
  std::map<std::string, std::string> files = std::move(forms.files);
  files["plan.json"] = plan::to_json(now.plan).dump(1) + "\n";
  files["task.json"] = to_json(now.task).dump(1) + "\n";
  if (Result<std::string> graph = read_file(path / "graph.ir"); graph.has_value()) {
    files["graph.ir"] = std::move(*graph);
  }
  std::set<std::string> copies;  // of edited texts that were there before
  std::error_code ignored;
  for (fs::directory_iterator entry(path / "steps", ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    copies.insert(entry->path().extension() == ".edited" ? entry->path().filename().string() : "");
  }
  STITCH_TRY(install_project(emitted.bundle, files, path, [&](const fs::path& fresh) -> Result<void> {
    for (const auto& [file, text] : now.sources.files) {
      if (emitted.bundle.files.at(file) != text) {
        STITCH_TRY(write_file(fresh / file, text));
      }
    }
    return {};
  }));
  std::vector<fs::path> needless;  // what was edited lives on in the new files
  for (fs::directory_iterator entry(path / "steps", ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    const bool is_new = entry->path().extension() == ".edited" && copies.count(entry->path().filename().string()) == 0;
    if (is_new && has_all_texts) {
      needless.push_back(entry->path());
    }
  }
  for (const fs::path& each : needless) {
    fs::remove(each, ignored);
  }
  return {};
}

Result<GroupReport> take_apart(Job& job, const fs::path& path, const Folder& folder, const plan::Plan& present,
                               const std::vector<std::string>& nodes) {
  const std::set<std::string> asked(nodes.begin(), nodes.end());
  std::vector<plan::Boundary> left;
  std::copy_if(present.boundaries.begin(), present.boundaries.end(), std::back_inserter(left),
               [&](const plan::Boundary& each) {
                 return std::none_of(each.nodes.begin(), each.nodes.end(),
                                     [&](const std::string& node) { return asked.count(node) > 0; });
               });
  if (left.size() == present.boundaries.size()) {
    return failure(ErrorCode::kUsage, "none of these steps was written as a group", path.string(),
                   "name the step of a group: its skeleton in plan.json is \"written\"");
  }
  STITCH_ASSIGN(plan::Plan plan, plan::with_boundaries(folder.plan, std::move(left)));
  STITCH_ASSIGN(const Folder now, with_plan(job, folder, std::move(plan)));
  STITCH_TRY(rewrite_folder(job, path, now, false));
  return GroupReport{.plan = now.plan};
}

}  // namespace

Result<GroupReport> take_group(const GroupRequest& request, const Services& services) {
  Job job(request.options, services);
  STITCH_ASSIGN(const Folder folder, read_folder(request.folder));
  STITCH_ASSIGN(const std::vector<std::string> asked, asked_nodes(request, folder.plan));
  STITCH_ASSIGN(const plan::Plan present, with_present_groups(folder));
  if (request.apart) {
    return take_apart(job, request.folder, folder, present, asked);
  }
  const std::optional<size_t> own = step_with_nodes(folder.plan, asked);
  TextPlace place;
  if (own.has_value()) {
    STITCH_ASSIGN(place.nodes, boundary_nodes_of(folder.plan, static_cast<int>(*own)));
  } else {
    place.nodes = without_shared_views(folder.plan, asked);
  }
  STITCH_ASSIGN(place.contract, step_contract(folder, place.nodes));
  STITCH_ASSIGN(const FirstText first, first_text(job, folder, place, own));
  plan::Boundary boundary;
  boundary.nodes = place.nodes;
  STITCH_ASSIGN(boundary.written, declared_in(first.text, "the file of the group"));
  STITCH_ASSIGN(plan::Plan plan, plan::with_boundaries(folder.plan, boundaries_with(present, boundary)));
  STITCH_ASSIGN(const Folder now, with_plan(job, folder, std::move(plan)));
  STITCH_ASSIGN(const size_t step, step_of(now.plan, boundary));
  STITCH_TRY(rewrite_folder(job, request.folder, now, first.kind != GroupText::kSkeleton));
  return GroupReport{now.plan,
                     TakenGroup{std::move(*place.contract), codegen::step_file_name(now.plan, step), first.kind}};
}

}  // namespace stitch::driver
