// SPDX-License-Identifier: Apache-2.0
// The text of a PDF, by pdftotext (Poppler), in a process with limits.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "knowledge/source/document.h"

namespace stitch::knowledge {

// One document a page. kEnvironment where there is no pdftotext; kFileInvalid where it makes nothing of the file.
Result<std::vector<Document>> pdf_pages(const Document& base, const std::filesystem::path& file);

}  // namespace stitch::knowledge
