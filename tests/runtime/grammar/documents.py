"""Documents written under grammars, judged by python3-jsonschema, which knows nothing of Rondo.

documents.py PROGRAM FOLDER SCHEMAS [COUNT [DOCUMENTS [SEED]]]

PROGRAM is rondo_schema_trial, FOLDER has a tokenizer or a model, SCHEMAS maskbench's files. Each
document that is complete must be JSON, and valid by its schema.
"""

import json
import os
import pathlib
import subprocess
import sys


def skipped(why, forbidden):
    """The exit code for CTest where the variable of that name forbids to skip, or does not."""
    print("SKIPPED:", why)
    return 1 if os.environ.get(forbidden) else 77


def read(text, counts):
    """The value of a JSON text, read as strictly as it is defined. A grammar does not remember the
    names of members that its schema does not name: such a name may come twice, which is counted."""

    def members(pairs):
        value = dict(pairs)
        counts["names twice"] += len(value) != len(pairs)
        return value

    def constant(name):
        raise ValueError(name + " is no JSON")

    return json.loads(text, object_pairs_hook=members, parse_constant=constant)


def main(program, folder, schemas, count="200", documents="10000", seed="1"):
    try:
        import jsonschema
    except ImportError:
        return skipped("no python3-jsonschema here", "RONDO_NO_SKIP")
    if not pathlib.Path(schemas).is_dir() or not pathlib.Path(folder).is_dir():
        return skipped("no reference data at " + schemas, "RONDO_REQUIRE_REFERENCE")
    validators = {}
    counts = {"documents": 0, "complete": 0, "valid": 0, "invalid": 0, "names twice": 0}
    used = set()
    command = [program, "documents", folder, schemas, count, documents, seed]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as lines:
        for line in lines.stdout:
            document = json.loads(line)
            name = document["schema"]
            used.add(name)
            counts["documents"] += 1
            if not document["complete"]:
                continue
            counts["complete"] += 1
            if name not in validators:
                schema = json.loads((pathlib.Path(schemas) / name).read_text("utf-8"))["schema"]
                kind = jsonschema.validators.validator_for(
                    schema, default=jsonschema.Draft202012Validator
                )
                validators[name] = kind(schema, format_checker=kind.FORMAT_CHECKER)
            try:
                validators[name].validate(read(document["text"], counts))
                counts["valid"] += 1
            except (ValueError, jsonschema.ValidationError) as why:
                counts["invalid"] += 1
                print(name, document["text"][:300], str(why)[:300], sep="\n  ")
    print(len(used), "schemas:", counts)
    if lines.returncode != 0 or counts["documents"] != int(documents):
        return 1
    return 1 if counts["invalid"] > 0 or counts["complete"] * 2 < counts["documents"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
