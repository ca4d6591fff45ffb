// SPDX-License-Identifier: Apache-2.0
// Which files of a bundle a translation unit depends on: so that two bundles that share a step share its object,
// whatever else they hold.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/source/source_bundle.h"

namespace stitch::toolchain {

// Folders of a bundle that are searched for includes, in order, after the including file's own.
const std::vector<std::string>& include_folders();

// The names in the #include lines of a source, as they stand there. Conditions are not evaluated.
std::vector<std::string> included_names(std::string_view text);

// The files that `unit` includes, directly or not, `unit` itself left out. Conditions are not evaluated: a file that
// may be included counts, and where a macro names one it may be any. Includes that the bundle does not hold are the
// compiler's own.
std::set<std::string> include_closure(const SourceBundle& bundle, const std::string& unit);

// kFileInvalid when a path of the bundle is absolute, leaves the bundle, or a unit is not among its files.
Result<void> check_bundle_paths(const SourceBundle& bundle);

}  // namespace stitch::toolchain
