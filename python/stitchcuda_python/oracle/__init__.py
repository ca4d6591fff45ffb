# SPDX-License-Identifier: Apache-2.0
"""Runs the user's program as the reference: native, in fp64, perturbed and disturbed."""
