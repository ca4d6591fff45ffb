// SPDX-License-Identifier: Apache-2.0
// Runs that are on record. Verdicts are told by their state alone, and seeds not at all: both would show what was
// hidden from a candidate.
#include <fmt/format.h>

#include "runs/store/run_store.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

constexpr int64_t kDefaultRuns = 20;

std::string time_of(const runs::RunSummary& record) {
  if (record.measured_us.has_value()) {
    return fmt::format("{:.2f} us measured", *record.measured_us);
  }
  return record.modelled_us.has_value() ? fmt::format("{:.2f} us modelled", *record.modelled_us) : "-";
}

Json row_of_run(const runs::RunSummary& record) {
  return Json{{"id", record.id},
              {"verb", record.verb},
              {"task", record.task},
              {"state", runs::to_string(record.state)},
              {"started", record.started},
              {"modelled_us", record.modelled_us.has_value() ? Json(*record.modelled_us) : Json()},
              {"measured_us", record.measured_us.has_value() ? Json(*record.measured_us) : Json()},
              {"out", record.out}};
}

Result<ToolReply> list_runs(const runs::RunStore& store, size_t first, size_t count) {
  STITCH_ASSIGN(const std::vector<runs::RunSummary> records, store.list());
  ToolReply reply;
  reply.facts = {{"total", records.size()}, {"first", first}};
  if (first >= records.size()) {
    reply.text = records.empty() ? "No run is on record." : fmt::format("There are {} runs only.", records.size());
    return reply;
  }
  const size_t end = std::min(records.size(), first + count);
  for (size_t i = first; i < end; ++i) {
    const runs::RunSummary& record = records[i];
    reply.text += fmt::format("{}  {}  {}  {}  {}  {}\n", record.id, record.verb, record.task,
                              runs::to_string(record.state), time_of(record), record.out);
  }
  if (end < records.size()) {
    reply.text += fmt::format("{} more: first={}\n", records.size() - end, end);
    reply.facts["next_first"] = end;
  }
  return reply;
}

ToolReply show_run(const runs::RunRecord& record) {
  ToolReply reply;
  const runs::RunSummary summary = summary_of(record);
  reply.facts = row_of_run(summary);
  reply.text = fmt::format("{} of {} ({})\nstate    {}\nstarted  {}, {:.1f} s\ntime     {}\ndevice   {}, math {}\n",
                           record.verb, record.task, record.file, runs::to_string(record.state), record.started,
                           record.seconds, time_of(summary), record.device, record.math);
  reply.text += record.steps.has_value()
                    ? fmt::format("steps    {} from {} operators\n", *record.steps, record.operators.value_or(0))
                    : "";
  reply.text += record.error.empty() ? "" : "error    " + record.error + "\n";
  reply.text += record.out.empty() ? "" : "folder   " + record.out + "\n";
  return reply;
}

Result<ToolReply> run_runs(const Json& arguments, ToolContext&) {
  STITCH_ASSIGN(const std::filesystem::path state, runs::state_folder());
  const runs::RunStore store(state);
  if (const std::optional<std::string> id = text_in(arguments, "id")) {
    STITCH_ASSIGN(const runs::RunRecord record, store.read(*id));
    return show_run(record);
  }
  return list_runs(store, static_cast<size_t>(whole_in(arguments, "first").value_or(0)),
                   static_cast<size_t>(whole_in(arguments, "count").value_or(kDefaultRuns)));
}

}  // namespace

std::unique_ptr<Tool> runs_tool() {
  return request_tool(
      {.name = "runs",
       .schema = object_schema({text_property("id", "Shows that run; an unambiguous beginning of its id is enough."),
                                whole_property("first", 0, 1'000'000, "Lists from that one on, the newest being 0."),
                                whole_property("count", 1, 100, "Lists so many; 20 where it is left out.")},
                               {}),
       .cost = Cost::kInstant},
      run_runs);
}

}  // namespace stitch::tools
