// SPDX-License-Identifier: Apache-2.0
// What a run left, read with suspicion: the manifest and the files it names, two records of a verdict, and each file
// by its own reader.
#include "artifact/report/verdict.h"
#include "artifact/task/task.h"
#include "base/json/json.h"
#include "fuzz.h"
#include "runs/evidence/agreement.h"
#include "runs/evidence/manifest.h"
#include "runs/evidence/read_evidence.h"
#include "runs/record/program_record.h"
#include "runs/record/run_record.h"

namespace {

using namespace stitch;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void read_object(const Json& json) {
  const auto verdict = verdict_from_json(json);
  if (verdict.has_value()) {
    const auto again = verdict_from_json(to_json(*verdict));
    fuzz::require(again.has_value() && again->kind == verdict->kind && again->reason == verdict->reason,
                  "a verdict is read as written");
  }
  const auto agreement = runs::agreement(json, json);
  if (agreement.has_value()) {
    fuzz::require(agreement->agrees() && agreement->identical == agreement->figures, "a record agrees with itself");
    (void)runs::describe(*agreement);
    (void)dump(runs::to_json(*agreement));
  }
  const auto task = task_from_json(json);
  if (task.has_value()) {
    (void)dump(to_json(*task));
    (void)describe(task->sizes);
  }
  const auto record = runs::run_record_from_json(json);
  if (record.has_value()) {
    (void)dump(runs::to_json(*record));
  }
  const auto program = runs::program_record_from_json(json);
  fuzz::require(program.has_value() || !program.error().message.empty(), "a refusal has a sentence");
}

void read_folder(const fuzz::FolderText& text) {
  const fuzz::ScratchFolder folder(text);
  const auto check = runs::check_manifest(folder.path());
  if (check.has_value()) {
    fuzz::require(check->is_intact() == check->message().empty(), "an altered folder is told in a sentence");
  }
  if (text.links.empty() && !text.files.empty() && runs::write_manifest(folder.path()).has_value()) {
    const auto fresh = runs::check_manifest(folder.path());
    fuzz::require(fresh.has_value() && fresh->is_intact(), "a manifest that was just written holds");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const fuzz::FolderText text = fuzz::folder_text(input);
  if (text.files.empty() && text.links.empty()) {
    const auto json = parse_json(input, "evidence");
    if (json.has_value()) {
      read_object(*json);
    }
    return 0;
  }
  read_folder(text);
  std::vector<std::string> notes;
  (void)dump(runs::read_evidence(text.files, notes));
  for (const auto& [name, contents] : text.files) {
    const auto json = parse_json(contents, name);
    if (json.has_value()) {
      read_object(*json);
    }
  }
  return 0;
}
