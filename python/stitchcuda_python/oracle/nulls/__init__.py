# SPDX-License-Identifier: Apache-2.0
"""Null candidates: answers that do not do a task's work. A task that takes one of them is worth nothing as a task."""
