# SPDX-License-Identifier: Apache-2.0
"""Turns a module into a functional graph and writes it down."""
