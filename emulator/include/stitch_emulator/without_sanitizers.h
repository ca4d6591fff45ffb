// SPDX-License-Identifier: Apache-2.0
// Comes behind the emulator's header in a checked build of a stranger's program: no macro tells it that it is one.
#pragma once

#undef __SANITIZE_ADDRESS__
#ifdef __has_feature
#undef __has_feature
#define __has_feature(feature) 0
#endif
