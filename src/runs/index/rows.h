// SPDX-License-Identifier: Apache-2.0
// The table of the index, and its rows as values.
#pragma once

#include <string>

#include "runs/index/run_index.h"
#include "runs/index/statement.h"

namespace stitch::runs::internal {

constexpr int64_t kIndexVersion = 1;

// Makes the table in a new file, in one transaction.
std::string make_table_sql();
std::string put_sql();
void bind_run(Statement* statement, const IndexedRun& run);

// Of the columns that make a summary; what follows FROM is appended.
std::string select_summary_sql();
// kFileInvalid where the row holds what we never wrote.
Result<RunSummary> read_summary(const Statement& row);

}  // namespace stitch::runs::internal
