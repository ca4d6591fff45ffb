# SPDX-License-Identifier: Apache-2.0
"""Named models without a network, by a package that is laid out as transformers is and refuses to download."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

from stitchcuda_python.failures import ENVIRONMENT, PROGRAM_INVALID, Failure
from stitchcuda_python.program import offline_models
from stitchcuda_python.program.source import run_source

PACKAGE = {
    "__init__.py": "from .models.auto.configuration_auto import AutoConfig\n"
    "from .models.auto.auto_factory import AutoModelForCausalLM\n",
    "models/__init__.py": "",
    "models/auto/__init__.py": "",
    "models/auto/configuration_auto.py": """
class AutoConfig:
    @classmethod
    def from_pretrained(cls, name, **options):
        if options.get("local_files_only"):
            raise OSError("not in the cache")
        return "asked the network for " + str(name)

    @classmethod
    def for_model(cls, model_type, **sizes):
        made = cls()
        made.__dict__.update(sizes, model_type=model_type)
        return made
""",
    "models/auto/auto_factory.py": """
class _BaseAutoModelClass:
    @classmethod
    def from_pretrained(cls, name, *arguments, config=None, **options):
        return "asked the network for " + str(name)

    @classmethod
    def from_config(cls, config):
        return cls, config


class AutoModelForCausalLM(_BaseAutoModelClass):
    pass
""",
}
PROGRAM = """
from transformers import AutoConfig, AutoModelForCausalLM

config = AutoConfig.from_pretrained({name!r})
made = AutoModelForCausalLM.from_pretrained({name!r}, config=config)
also = AutoModelForCausalLM.from_pretrained({name!r})
print(made[0].__name__, made[1] is config, config.model_type, also[1].vocab_size)
"""


class OfflineModels(unittest.TestCase):
    """Each in a process of its own: what is imported stays."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def said_of(self, name: str) -> subprocess.CompletedProcess[str]:
        for path, text in PACKAGE.items():
            file = self.folder / "packages" / "transformers" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        program = self.folder / "program.py"
        program.write_text(PROGRAM.format(name=name))
        modules = [str(pathlib.Path(__file__).parents[1]), str(self.folder / "packages")]
        code = (f"import sys; sys.path[:0] = {modules!r}\nfrom stitchcuda_python.program.source import run_source\n"
                f"run_source({str(program)!r}, {{}})")  # fmt: skip
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    def test_a_name_is_its_configuration_and_random_weights(self) -> None:
        done = self.said_of("facebook/opt-1.3b")
        self.assertEqual(done.stdout, "AutoModelForCausalLM True opt 50272\n", done.stderr)

    def test_a_folder_is_loaded_as_ever(self) -> None:
        done = self.said_of(str(self.folder))
        self.assertIn("'str' object has no attribute '__name__'", done.stderr)

    def test_an_unknown_name_is_told(self) -> None:
        done = self.said_of("nobody/nothing")
        self.assertIn("the model nobody/nothing has no configuration here, and none is downloaded", done.stderr)

    def test_configurations_of_the_table_name_their_class(self) -> None:
        with open(offline_models._TABLE, "rb") as stream:
            table = tomllib.load(stream)
        for name, sizes in table.items():
            self.assertIn("model_type", sizes, name)
        self.assertEqual(offline_models.named_model("openai-community/gpt2"), {"model_type": "gpt2"})
        self.assertIsNone(offline_models.named_model("nobody/nothing"))

    def test_a_package_that_is_lacking_is_no_fault_of_the_program(self) -> None:
        program = self.folder / "program.py"
        for package, code in (("torchaudio", ENVIRONMENT), ("no_such_package_at_all", PROGRAM_INVALID)):
            program.write_text(f"import {package}\n")
            with self.assertRaises(Failure) as raised:
                run_source(str(program), {})
            self.assertEqual(raised.exception.code, code)
        program.write_text("from torchaudio.models import Conformer\n")
        with self.assertRaises(Failure) as raised:
            run_source(str(program), {})
        said = raised.exception.message
        self.assertIn("needs the Python package torchaudio, which is not installed here, at `from", said)
        self.assertIn("pip install torchaudio", raised.exception.remedy)


if __name__ == "__main__":
    unittest.main()
