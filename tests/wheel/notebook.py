# SPDX-License-Identifier: Apache-2.0
"""A notebook with a class of its own through a real kernel: progress in one display, a summary, the program's place."""

import nbclient
import nbformat

CELLS = (
    "import torch, stitchcuda\nfrom torch import nn",
    "class Gate(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.a = nn.Linear(24, 24)\n"
    "    def forward(self, x):\n"
    "        return torch.sigmoid(self.a(x)) * x\n"
    "model = Gate()",
    "fast = stitchcuda.optimize(model, torch.randn(8, 24), device='emulated', compile_for_gpu=False)\nfast",
    "x = torch.randn(8, 24)\n"
    "with torch.no_grad():\n"
    "    torch.testing.assert_close(fast(x), model(x))\n"
    "'@ In[2]:6' in open(fast.folder + '/graph.ir').read()",
    "class Bad(nn.Module):\n"
    "    def forward(self, x):\n"
    "        return x @ x\n"
    "try:\n"
    "    stitchcuda.optimize(Bad(), torch.randn(2, 3), progress=False)\n"
    "except stitchcuda.ProgramError as error:\n"
    "    print(error.place, error)",
)


def main() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells]
    displays = [output for output in outputs[2] if output.output_type == "display_data"]
    assert len(displays) == 1 and "verify" in displays[0].data["text/html"], outputs[2]
    shown = next(output for output in outputs[2] if output.output_type == "execute_result")
    assert "verified: " in shown.data["text/html"], shown
    assert outputs[3][-1].data["text/plain"] == "True", outputs[3]
    assert outputs[4][0].text.startswith("In[5]:3 ") and "return x @ x" in outputs[4][0].text, outputs[4]
    print(outputs[4][0].text.strip())


if __name__ == "__main__":
    main()
