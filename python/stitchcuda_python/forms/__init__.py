# SPDX-License-Identifier: Apache-2.0
"""What the Python forms of a program (model_new.py, kernelbench_solution.py) need to know of the user's file."""
