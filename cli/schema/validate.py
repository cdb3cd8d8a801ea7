# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Validates the JSON of `bcu run` and `bcu check` for every example against the schemas beside this file.

Needs `jsonschema` from PyPI; takes the path of `bcu`, and exits with 1 if a report does not fit its schema.
"""

import json
import pathlib
import re
import subprocess
import sys

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"


def subjects():
    """Yields each program or launch file with the options of its line `// check: OPTIONS`."""
    files = [*EXAMPLES.glob("*.*"), *EXAMPLES.glob("check/*.*"), *EXAMPLES.glob("kernels/*/*.toml"), *EXAMPLES.glob("kernels/*/bugs/*.toml")]
    for file in sorted(files):
        text = file.read_text()
        launches = re.search(r"^// launch: ", text, re.M)
        if launches or (file.suffix == ".toml" and "[[launch]]" not in text):
            # Skips a machine file, and a program with the line `// launch:`, which runs only from its launch file.
            continue
        options = re.search(r"^// check: (.*)$", text, re.M)
        words = options.group(1).split() if options else []
        yield file, [str(file.parent / word) if word.endswith(".toml") else word for word in words]


def for_run(options):
    """The options of a check without those that `bcu run` does not have."""
    line = " ".join(map(str, options)) + " "
    return re.sub(r"--strict |--schedules \d+ ", "", line).split()


def main(bcu):
    schemas = {name: json.loads((HERE / f"{name}.schema.json").read_text()) for name in ("run", "check")}
    validators = {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.items()}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    reports, wrong = 0, 0
    for file, options in subjects():
        for command, validator in validators.items():
            own = options if command == "check" else for_run(options)
            done = subprocess.run([bcu, command, file, *own, "--format", "json"], capture_output=True, text=True)
            if not done.stdout:
                print(f"{command} {file}: no report: {done.stderr}")
                wrong += 1
                continue
            report = json.loads(done.stdout)
            for error in validator.iter_errors(report):
                print(f"{command} {file}: {list(error.absolute_path)}: {error.message}")
                wrong += 1
            # The schema must reject an unknown key and a missing key.
            del report["cycles"]
            for changed in (report, {**report, "cycles": 1, "added": 1}):
                if validator.is_valid(changed):
                    print(f"{command} {file}: the schema accepts a changed report")
                    wrong += 1
            reports += 1
    print(f"schemas: {reports} reports, {wrong} errors")
    return 1 if wrong or reports < 300 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
