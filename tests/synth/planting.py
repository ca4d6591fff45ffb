# SPDX-License-Identifier: Apache-2.0
"""Plants contaminations: copies of programs that a copyist would make, and neighbours that are programs of their own.

    python tests/synth/planting.py BASES OUT [--seed S] [--count 100]

BASES is a folder of programs in KernelBench's form. OUT/planted gets `count` copies, a quarter each renamed,
reordered, at other shapes and inlined (half of the last three renamed as well). OUT/clean gets as many neighbours, in
which half of the statements of forward, two at least, are followed by a step of two other operators. All of it is done
to the syntax tree, by nothing of ours that finds copies.
"""

from __future__ import annotations

import argparse
import ast
import pathlib
import random

KINDS = ("renamed", "reordered", "shapes", "inlined")
COMMUTING = (ast.Add, ast.Mult)
KEPT_NAMES = {"self", "torch", "nn", "F", "Model", "get_inputs", "get_init_inputs", "super"}
# Each keeps shapes and takes any number.
INSERTED = ["torch.sin({})", "torch.atan({})", "torch.erf({})", "torch.cos({})", "F.softsign({})", "torch.asinh({})",
            "{0} - torch.tanh({0})", "torch.sinh(torch.tanh({}))", "torch.square(torch.cos({}))", "F.hardtanh({})"]
MODULES = {"relu": "ReLU()", "gelu": "GELU()", "silu": "SiLU()", "mish": "Mish()", "hardswish": "Hardswish()",
           "tanh": "Tanh()", "sigmoid": "Sigmoid()", "softsign": "Softsign()", "relu6": "ReLU6()", "selu": "SELU()",
           "logsigmoid": "LogSigmoid()", "tanhshrink": "Tanhshrink()", "hardsigmoid": "Hardsigmoid()"}


def model_of(tree: ast.Module) -> ast.ClassDef:
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Model")


def method(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    return next((node for node in model_of(tree).body if isinstance(node, ast.FunctionDef) and node.name == name), None)


def statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]


class Rename(ast.NodeTransformer):
    """Every name of the program's own: variables, arguments, attributes of self, constants."""

    def __init__(self, tree: ast.Module) -> None:
        own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        self._names = {name: f"value_{number}" for number, name in enumerate(sorted(own - KEPT_NAMES))}
        attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        stored = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
        self._attributes = {name: f"part_{number}" for number, name in enumerate(sorted(stored))}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._names.get(node.arg, node.arg)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            node.attr = self._attributes.get(node.attr, node.attr)
        return node


class SwapOperands(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        self.generic_visit(node)
        if isinstance(node.op, COMMUTING):
            node.left, node.right = node.right, node.left
        return node


def reordered(tree: ast.Module, chance: random.Random) -> None:
    """Operands of sums and products in forward, layers in the constructor, inputs of forward."""
    forward, construct, inputs = method(tree, "forward"), method(tree, "__init__"), None
    SwapOperands().visit(forward)
    layers = [one for one in construct.body if isinstance(one, ast.Assign)]
    rest = [one for one in construct.body if not isinstance(one, ast.Assign)]
    chance.shuffle(layers)
    construct.body = rest + layers
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "get_inputs":
            inputs = node.body[-1].value if isinstance(node.body[-1], ast.Return) else None
    if isinstance(inputs, ast.List) and len(inputs.elts) == len(forward.args.args) - 1:
        inputs.elts.reverse()
        forward.args.args[1:] = reversed(forward.args.args[1:])


def other_shapes(tree: ast.Module, chance: random.Random) -> None:
    """Doubles constants, so that what divided them goes on to do so."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and type(node.value.value) is int:
            node.value.value *= chance.choice([2, 3]) if node.value.value < 4 else 2


class Inline(ast.NodeTransformer):
    """Layers become functions over parameters, and functions become layers."""

    def __init__(self, tree: ast.Module) -> None:
        self._construct = method(tree, "__init__")
        self._linear: dict[str, tuple[str, str, bool]] = {}
        self._added = 0
        for one in list(self._construct.body):
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
                self._take(one)

    def _take(self, one: ast.Assign) -> None:
        name = ast.unparse(one.value.func)
        target, arguments = ast.unparse(one.targets[0]), one.value.args
        if name == "nn.Linear" and len(arguments) == 2:
            rows, columns = ast.unparse(arguments[1]), ast.unparse(arguments[0])
            has_bias = not one.value.keywords
            index = self._construct.body.index(one)
            made = [statement(f"{target}_weight = nn.Parameter(torch.randn({rows}, {columns}) * 0.02)")]
            if has_bias:
                made.append(statement(f"{target}_bias = nn.Parameter(torch.zeros({rows}))"))
            self._construct.body[index : index + 1] = made
            self._linear[target] = (f"{target}_weight", f"{target}_bias", has_bias)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = ast.unparse(node.func)
        if called in self._linear and len(node.args) == 1:
            weight, bias, has_bias = self._linear[called]
            product = f"torch.matmul({ast.unparse(node.args[0])}, {weight}.t())"
            return ast.parse(f"({product} + {bias})" if has_bias else product, mode="eval").body
        short = called.rpartition(".")[2]
        is_plain = len(node.args) == 1 and not node.keywords
        if called in (f"F.{short}", f"torch.{short}") and short in MODULES and is_plain:
            self._added += 1
            name = f"self.function_{self._added}"
            self._construct.body.append(statement(f"{name} = nn.{MODULES[short]}"))
            return ast.parse(f"{name}({ast.unparse(node.args[0])})", mode="eval").body
        return node


def inlined(tree: ast.Module, chance: random.Random) -> None:
    """Layers and functions exchanged, and values that are read once put where they are read."""
    forward = method(tree, "forward")
    Inline(tree).visit(forward)
    index = 0
    while index + 1 < len(forward.body):
        here, after = forward.body[index], forward.body[index + 1]
        target = here.targets[0].id if isinstance(here, ast.Assign) and isinstance(here.targets[0], ast.Name) else None
        read = [node for node in ast.walk(after) if isinstance(node, ast.Name) and node.id == target
                and isinstance(node.ctx, ast.Load)]
        later = [node for one in forward.body[index + 2 :] for node in ast.walk(one)
                 if isinstance(node, ast.Name) and node.id == target and isinstance(node.ctx, ast.Load)]
        again = isinstance(after, ast.Assign) and ast.unparse(after.targets[0]) == target
        if target and len(read) == 1 and (not later or again):
            forward.body[index + 1] = Put(target, here.value).visit(after)
            del forward.body[index]
        else:
            index += 1


class Put(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self._name, self._value = name, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._value if node.id == self._name and isinstance(node.ctx, ast.Load) else node


def copied(source: str, kind: str, chance: random.Random) -> str:
    tree = ast.parse(source)
    {"renamed": lambda *_: None, "reordered": reordered, "shapes": other_shapes, "inlined": inlined}[kind](tree, chance)
    if kind == "renamed" or chance.random() < 0.5:
        tree = Rename(tree).visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def neighbour(source: str, chance: random.Random) -> str:
    """Steps of other operators between half of its own, two at least; where a text is long, so are its neighbours."""
    tree = ast.parse(source)
    forward = method(tree, "forward")
    statements = [one for one in forward.body if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)]
    first = forward.args.args[1].arg
    places = chance.sample(statements, min(max(2, -(-len(statements) // 2)), len(statements)))
    for one in places + [statements[-1]] * max(0, 2 - len(places)):
        name = one.targets[0].id if one.targets[0].id not in ("mask", "halves", "parts", "qkv") else first
        inner, outer = chance.sample(INSERTED, 2)
        where = forward.body.index(one) + 1
        forward.body.insert(where, statement(f"{name} = {outer.format('(' + inner.format(name) + ')')} + 0.5 * {name}"))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def plant(bases: pathlib.Path, out: pathlib.Path, seed: int, count: int) -> None:
    chance = random.Random(seed)
    files = sorted(bases.glob("*.py"))
    for folder in ("planted", "clean"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        base = files[number % len(files)]
        kind = KINDS[number % len(KINDS)]
        (out / "planted" / f"{number:03}_{kind}.py").write_text(copied(base.read_text(), kind, chance))
        (out / "clean" / f"{number:03}.py").write_text(neighbour(base.read_text(), chance))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bases", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    asked = parser.parse_args()
    plant(asked.bases, asked.out, asked.seed, asked.count)
