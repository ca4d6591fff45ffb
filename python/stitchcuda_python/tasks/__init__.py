# SPDX-License-Identifier: Apache-2.0
"""Programs looked at as tasks: what they cost, what they are made of, whether they run and compile."""
