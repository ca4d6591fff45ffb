// SPDX-License-Identifier: Apache-2.0
// CMake wants a target that owns the precompiled headers.
