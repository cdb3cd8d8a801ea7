#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Assembler of the example core `simt_core` (simt_isa.vh has the instruction words).

    simt_asm.py programs.s --warps 8 --lanes 4 --output programs.hex

A line is a label, an instruction or a constant, `NAME = expression`; `;` begins a comment. Expressions have integers, constants, labels,
`+ - * / ( )`. WARPS, LANES and THREADS are constants. `@p` before an instruction is its guard. The output is for `$readmemh`: WORDS words,
the rest of them `exit`.
"""

import argparse
import re
import sys

WORDS = 128
OPS = {name: op for op, name in enumerate(["add", "sub", "shr", "tid", "slt", "ld", "st", "bra", "bar", "exit"])}
MODES = {"bra": 0, "bra.any": 1, "bra.none": 2, "bar.arrive": 0, "bar.sync": 1, "bar.wait": 2}
REGISTER = re.compile(r"r([0-7])$")
ADDRESS = re.compile(r"\[\s*(r[0-7])\s*(?:\+\s*(\S.*))?\]$")


class Wrong(Exception):
    """A line that is no instruction; the message has what was expected."""


def value(text, names, low=-0x8000, high=0x7FFF):
    for name in re.findall(r"[A-Za-z_]\w*", text):
        if name not in names:
            raise Wrong(f"`{name}` is no constant and no label")
    if not re.fullmatch(r"[\w\s+\-*/()]+", text):
        raise Wrong(f"`{text}` is not an expression of integers, names, + - * / ( )")
    try:
        number = eval(text.replace("/", "//"), {"__builtins__": {}}, names)
    except (SyntaxError, ZeroDivisionError, TypeError) as error:
        raise Wrong(f"`{text}` has no value: {error}") from None
    if not low <= number <= high:
        raise Wrong(f"`{text}` is {number}; expected {low} to {high}")
    return number


def register(text):
    found = REGISTER.match(text)
    if not found:
        raise Wrong(f"`{text}` is not a register; expected r0 to r7")
    return int(found[1])


def word(op, guard=0, rd=0, ra=0, rb=0, mode=0, imm=0):
    return OPS[op] << 28 | guard << 27 | rd << 24 | ra << 21 | rb << 18 | mode << 16 | imm & 0xFFFF


def encode(text, names):
    guard = int(text.startswith("@p "))
    mnemonic, _, rest = text.removeprefix("@p ").strip().partition(" ")
    op, operands = mnemonic.partition(".")[0], [part.strip() for part in rest.split(",")] if rest.strip() else []
    forms = {"add": (3, 4), "sub": (3, 4), "shr": (3, 3), "tid": (1, 1), "slt": (2, 3), "ld": (2, 2), "st": (2, 2), "bra": (1, 1), "bar": (1, 3), "exit": (0, 0)}
    if op not in forms or (op in ("bra", "bar")) != (mnemonic in MODES) or (mnemonic != op and mnemonic not in MODES):
        raise Wrong(f"`{mnemonic}` is not an instruction; expected {', '.join(sorted({*OPS, *MODES} - {'bar'}))}")
    least, most = forms[op]
    if not least <= len(operands) <= most:
        raise Wrong(f"`{mnemonic}` has {len(operands)} operands; expected {least}" + (f" to {most}" if most > least else ""))
    if guard and op in ("bra", "bar", "exit", "slt"):
        raise Wrong(f"`{mnemonic}` has no guard")
    if op in ("add", "sub"):
        return word(op, guard, register(operands[0]), register(operands[1]), register(operands[2]), imm=value((operands + ["0"])[3], names))
    if op == "shr":
        return word(op, guard, register(operands[0]), register(operands[1]), imm=value(operands[2], names, 0, 31))
    if op == "tid":
        return word(op, guard, register(operands[0]))
    if op == "slt":
        return word(op, ra=register(operands[0]), rb=register(operands[1]), imm=value((operands + ["0"])[2], names))
    if op in ("ld", "st"):
        place, other = (operands[1], operands[0]) if op == "ld" else operands
        found = ADDRESS.match(place)
        if not found:
            raise Wrong(f"`{place}` is not an address; expected [register + expression]")
        imm, base = value(found[2] or "0", names), register(found[1])
        return word(op, guard, rd=register(other), ra=base, imm=imm) if op == "ld" else word(op, guard, ra=base, rb=register(other), imm=imm)
    if op == "bra":
        return word(op, mode=MODES[mnemonic], imm=value(operands[0], names, 0, WORDS - 1))
    if op == "bar":
        token = register(operands.pop(0)) if REGISTER.match(operands[0]) else 0
        if not operands or mnemonic == "bar.sync" and token or mnemonic == "bar.wait" and (not token or len(operands) > 1) or len(operands) > 2:
            raise Wrong("expected `bar.sync id, count`, `bar.arrive id, count`, `bar.arrive register, id, count` or `bar.wait register, id`")
        count = value((operands + ["0"])[1], names, 0, names["WARPS"])
        fields = {"rb": token} if mnemonic == "bar.wait" else {"rd": token}
        return word(op, mode=MODES[mnemonic], imm=count << 8 | value(operands[0], names, 0, 15), **fields)
    return word(op)


def assemble(path, names):
    lines, at = [], 0
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        text = line.partition(";")[0].strip()
        try:
            if "=" in text:
                name, _, expression = text.partition("=")
                names[name.strip()] = value(expression.strip(), names)
            elif text.endswith(":"):
                if text[:-1] in names:
                    raise Wrong(f"`{text[:-1]}` is defined twice")
                names[text[:-1]] = at
            elif text:
                lines.append((number, text))
                at += 1
        except Wrong as error:
            sys.exit(f"{path}:{number}: {error}")
    if len(lines) > WORDS:
        sys.exit(f"{path}: {len(lines)} instructions; the ROM has {WORDS}")
    out = []
    for at, (number, text) in enumerate(lines):
        try:
            out.append(f"{encode(text, names):08x}  // {at:3}: {text}\n")
        except Wrong as error:
            sys.exit(f"{path}:{number}: {error}")
    return "".join(out) + f"{word('exit'):08x}\n" * (WORDS - len(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("--warps", type=int, default=8, help="as in the export, 1 to 64 (default 8)")
    parser.add_argument("--lanes", type=int, default=4, help="as in the export, 1 to 64 (default 4)")
    parser.add_argument("--output", required=True)
    args = parser.parse_args()
    for name, number in (("--warps", args.warps), ("--lanes", args.lanes)):
        if not 1 <= number <= 64:
            parser.error(f"{name} {number}: expected 1 to 64")
    names = {"WARPS": args.warps, "LANES": args.lanes, "THREADS": args.warps * args.lanes}
    text = assemble(args.source, names)
    head = "// SPDX-License-Identifier: Apache-2.0 OR MIT\n"
    head += f"// {args.source.rpartition('/')[2]} for {args.warps} warps of {args.lanes} lanes, by simt_asm.py.\n"
    with open(args.output, "w", encoding="utf-8") as file:
        file.write(head + text)


if __name__ == "__main__":
    main()
