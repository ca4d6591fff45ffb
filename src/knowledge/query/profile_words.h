// SPDX-License-Identifier: Apache-2.0
// What a profile found, in the words that cards are written with.
#pragma once

#include <string>

#include "knowledge/query/query.h"

namespace stitch::knowledge {

std::string profile_words(const ProfileQuery& profile);

}  // namespace stitch::knowledge
