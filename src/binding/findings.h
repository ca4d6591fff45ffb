// SPDX-License-Identifier: Apache-2.0
// What stages found, as a request says it.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "verify/decide/decide.h"

namespace stitch::binding {

// From {findings: [{stage, kind, reason, evidence}], proof: {builds_only, shapes: [{shape, planned, judged, told,
// refusal}], checked: {planned, judged, told, absence}}, acceptance, remarks: [{text, of: [kind]}], sandbox}. Texts may
// be left out, and so may numbers (0) and lists; kUsage for a name, a stage or a kind that there is not.
Result<verify::Findings> findings_argument(const Json& request);

}  // namespace stitch::binding
