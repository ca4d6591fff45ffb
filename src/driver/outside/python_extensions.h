// SPDX-License-Identifier: Apache-2.0
// The kernels of a ModelNew that brings them as text, by torch.utils.cpp_extension: built here, for the worker that
// will run it.
#pragma once

#include "artifact/report/finding.h"
#include "base/json/json_forward.h"
#include "driver/job/job.h"
#include "driver/outside/source_facts.h"
#include "evaluate/candidate.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

// Whether a .py in the candidate's folder, or the file itself, names torch's builder of extensions.
bool names_cpp_extension(const std::string& file);

// Fills host.extensions, and `source` with what stands out in them; a verdict where one of them does not build, or may
// not be loaded. `interface` as candidate.interface answers it. What one costs: PyTorch's headers are parsed once for
// each PyTorch (half a minute, 530 MB in the cache), then each unit takes some seconds, once.
Result<std::optional<Finding>> build_extensions(Job& job, const toolchain::Toolchain& tools, const std::string& file,
                                                const Json& interface, evaluate::PythonHost& host, SourceFacts& source);

// On a GPU PyTorch's own builder compiles them, in a rehearsal that leaves its sources below `folder`: these are read.
Result<void> read_compiled_sources(const Job& job, const toolchain::Toolchain& tools, const std::string& folder,
                                   const Json& interface, SourceFacts& source);

}  // namespace stitch::driver
