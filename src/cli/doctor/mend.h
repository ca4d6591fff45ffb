// SPDX-License-Identifier: Apache-2.0
// Commands that mend what is missing, as they must be typed on this machine by this user.
#pragma once

#include <string>

#include "driver/job/resources.h"

namespace stitch::cli::doctor {

// "sudo apt-get install g++", or what another distribution calls it; `otherwise`, a sentence, where its packages are
// unknown to us.
std::string install_packages(const std::string& debian, const std::string& fedora, const std::string& otherwise);

// "make -C /src/stitchcuda setup" in a source tree, whose set-up brings whatever is missing; empty in an installation.
std::string set_up(const driver::Resources& resources);

// A word of a shell's command line: quoted where it must be.
std::string shell_word(const std::string& text);

}  // namespace stitch::cli::doctor
