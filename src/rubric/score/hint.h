// SPDX-License-Identifier: Apache-2.0
// What the reviewer of a right program may be told of its marks.
#pragma once

#include <string>

#include "rubric/score/score.h"

namespace stitch::rubric {

// A line each criterion of CUDA Engineering with a mark under 4, the lowest first: its name, its mark, its question.
// No reason is told, since sizes of hidden draws may stand there, no other dimension, since those look for cheats, and
// nothing at all of a program whose verdict is not ok, since that caps its marks. Empty: nothing to tell.
std::string engineering_hint(const Facts& facts, const RubricVersion& rubric);

}  // namespace stitch::rubric
