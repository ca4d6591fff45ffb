# SPDX-License-Identifier: Apache-2.0
"""What stands out in C++ and CUDA sources, found in clang's syntax tree. Needs the package `libclang`."""
