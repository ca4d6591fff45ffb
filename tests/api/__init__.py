# SPDX-License-Identifier: Apache-2.0
"""The Python package `stitchcuda` on the build tree: live modules in, verified modules out."""
