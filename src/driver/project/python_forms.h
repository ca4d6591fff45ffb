// SPDX-License-Identifier: Apache-2.0
// The Python forms of a program, beside its project.
#pragma once

#include <map>
#include <string>

#include "artifact/source/source_bundle.h"
#include "artifact/task/task.h"
#include "driver/job/job.h"

namespace stitch::driver {

struct PythonForms {
  std::map<std::string, std::string> files;  // relative path -> text
  std::string missing;                       // a sentence where a form could not be made
};

// A program whose arguments or results cannot be written down as Python has no such forms; that is no error.
Result<PythonForms> python_forms(Job& job, const Task& task, const SourceBundle& bundle);

}  // namespace stitch::driver
