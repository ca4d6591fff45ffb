# SPDX-License-Identifier: Apache-2.0
"""Chooses other sizes at which a program can be run."""
