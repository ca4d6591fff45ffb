# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    pass
