# SPDX-License-Identifier: Apache-2.0
"""Verbs about this machine and about stitchcuda itself: doctor, runs, completion, man, help."""
