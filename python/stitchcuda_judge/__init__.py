# SPDX-License-Identifier: Apache-2.0
"""Makes the text that a judge reads neutral where it is Python: `python -m stitchcuda_judge request.json`. Needs
neither PyTorch nor the rest."""
