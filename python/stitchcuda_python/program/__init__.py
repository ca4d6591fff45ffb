# SPDX-License-Identifier: Apache-2.0
"""Loads a user's PyTorch file and builds the module and its inputs."""
