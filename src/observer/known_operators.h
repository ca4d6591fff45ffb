// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether it is an operator of PyTorch's own, as stitch_observer_start was told.
bool is_known_operator(const char* name);
