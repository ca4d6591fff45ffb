// SPDX-License-Identifier: Apache-2.0
// A plan's steps, its memory over time, and the device it is made for, as the page shows them.
#pragma once

#include "base/json/json_forward.h"
#include "plan/plan.h"
#include "report/report.h"

namespace stitch::report {

// One object a step. Beside the plan's own numbers: `floor_us` (the roofline without launches), `bound` ("memory",
// "compute", "lanes"), `roof` (the peak it is held against), `author` ("expert" or "edited by hand"), `file` and
// `code`.
Json steps_json(const plan::Plan& plan, const FolderTexts& folder);

// {"arena_bytes", "prepared_bytes", "buffers": [{name, kind, type, bytes, offset, first, last}], "scratch": [...]}:
// steps first to last need the buffer; both null for one that no step touches.
Json memory_json(const plan::Plan& plan);

// Datasheet peaks by which the plan was made; null for a device we have no peaks of.
Json device_json(const plan::Plan& plan);

// Whether the batch is an argument of the program, or why not; null when nobody asked.
Json batch_json(const plan::Plan& plan);

}  // namespace stitch::report
