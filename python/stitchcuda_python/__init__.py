# SPDX-License-Identifier: Apache-2.0
"""The part of stitchcuda that needs PyTorch: importer and oracle, started as `python -m stitchcuda_python.server`."""
