// SPDX-License-Identifier: Apache-2.0
#include "runs/index/rows.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "runs/record/run_times.h"

namespace stitch::runs::internal {
namespace {

// In the order in which they are bound.
constexpr const char* kColumns =
    "id, written_ns, bytes, started_s, verb, task, state, started, seconds, stage, error, reason, device, math, out, "
    "file, modelled_us, measured_us, steps, operators, options, system, models, attempts, agent_steps, "
    "steps_by_others, dollars, tokens";
constexpr int kColumnCount = 28;

}  // namespace

std::string make_table_sql() {
  return fmt::format(
      "BEGIN IMMEDIATE; CREATE TABLE runs (id TEXT PRIMARY KEY NOT NULL, written_ns INTEGER NOT NULL, "
      "bytes INTEGER NOT NULL, started_s INTEGER NOT NULL, verb TEXT, task TEXT, state TEXT NOT NULL, "
      "started TEXT NOT NULL, seconds REAL, stage TEXT, error TEXT, reason TEXT, device TEXT, math TEXT, out TEXT, "
      "file TEXT, modelled_us REAL, measured_us REAL, steps INTEGER, operators INTEGER, options TEXT, system TEXT, "
      "models TEXT, attempts INTEGER, agent_steps INTEGER, steps_by_others INTEGER, dollars REAL, tokens INTEGER) "
      "WITHOUT ROWID; CREATE INDEX by_age ON runs (started_s, state, bytes); CREATE INDEX by_out ON runs (out); "
      "CREATE INDEX by_id ON runs (id, state, written_ns); PRAGMA user_version = {}; COMMIT",
      kIndexVersion);
}

std::string put_sql() {
  std::string values = "?";
  for (int i = 1; i < kColumnCount; ++i) {
    values += ", ?";
  }
  return fmt::format("INSERT OR REPLACE INTO runs ({}) VALUES ({})", kColumns, values);
}

void bind_run(Statement* statement, const IndexedRun& run) {
  const RunRecord& record = run.record;
  statement->bind(record.id);
  statement->bind(run.written_ns);
  statement->bind(run.bytes);
  statement->bind(seconds_since_1970(record.started).value_or(0));
  for (const std::string& text : {record.verb, record.task, std::string(to_string(record.state)), record.started}) {
    statement->bind(text);
  }
  statement->bind(record.seconds);
  for (const std::string* text :
       {&record.stage, &record.error, &record.verdict, &record.device, &record.math, &record.out, &record.file}) {
    statement->bind(*text);
  }
  statement->bind(record.modelled_us);
  statement->bind(record.measured_us);
  statement->bind(record.steps);
  statement->bind(record.operators);
  statement->bind(Json(record.options).dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!record.agents.has_value()) {
    for (int i = 0; i < 7; ++i) {
      statement->bind_null();
    }
    return;
  }
  const AgentsSummary agents = summary_of(*record.agents);
  statement->bind(agents.system);
  statement->bind(agents.models);
  for (const int64_t count : {agents.attempts, agents.steps, agents.steps_by_others}) {
    statement->bind(count);
  }
  statement->bind(agents.dollars);
  statement->bind(agents.tokens);
}

std::string select_summary_sql() {
  return "SELECT id, verb, task, state, started, seconds, stage, device, out, modelled_us, measured_us, system, "
         "models, "
         "attempts, agent_steps, steps_by_others, dollars, tokens ";
}

Result<RunSummary> read_summary(const Statement& row) {
  RunSummary summary;
  summary.id = row.text(0);
  summary.verb = row.text(1);
  summary.task = row.text(2);
  STITCH_ASSIGN(summary.state, state_from_string(row.text(3)));
  summary.started = row.text(4);
  summary.seconds = row.number(5);
  summary.stage = row.text(6);
  summary.device = row.text(7);
  summary.out = row.text(8);
  if (!row.is_null(9)) {
    summary.modelled_us = row.number(9);
  }
  if (!row.is_null(10)) {
    summary.measured_us = row.number(10);
  }
  if (!row.is_null(11)) {
    summary.agents = AgentsSummary{row.text(11),    row.text(12),   row.integer(13), row.integer(14),
                                   row.integer(15), row.number(16), row.integer(17)};
  }
  return summary;
}

}  // namespace stitch::runs::internal
