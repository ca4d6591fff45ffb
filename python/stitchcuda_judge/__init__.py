# SPDX-License-Identifier: Apache-2.0
"""Asks a language model for marks: `python -m stitchcuda_judge request.json`. Needs neither PyTorch nor the rest."""
