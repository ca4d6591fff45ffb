// SPDX-License-Identifier: Apache-2.0
// Is a library without the entry of a program.
extern "C" int forward() { return 0; }
