"""Which causal language models of transformers Rondo runs: measured, not listed.

  coverage make FOLDER [TYPE ...]                     where transformers and torch are installed
  coverage record FOLDER [TYPE ...] --rondo BINARY    anywhere
  coverage table [--check]                            anywhere
  coverage sight FOLDER [NAME ...]                    where torchvision and Pillow are, too

`make` walks transformers' maps of causal language models and of those that see, too, which are then
given text alone. Of each type it makes a tiny checkpoint, and one more for every key of the config
that can be set otherwise (switches turned, numbers moved, RoPE scaled), and logits of each.
`record` converts each with --weights f32 and compares the logits. What agrees goes into
tests/data/families, with the settings that are refused by their key; a type refused whole is
listed. A key that changes what the model computes must be read or refused: a variant that the
converter overlooks is WRONG, nothing of its type is recorded, and the exit status is 1.
`table` writes tests/data/families/COVERAGE.md; with --check it only compares.
`sight` completes the goldens of models that see, tests/data/sight, where they lie.
"""
import argparse
import sys
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    for mode in ("make", "sight", "record"):
        command = modes.add_parser(mode)
        command.add_argument("folder", type=Path)
        command.add_argument("types", nargs="*")
    command.add_argument("--rondo", default="rondo", help="the program to test")
    modes.add_parser("table").add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.mode == "make":
        from make import make  # needs what the others do not
        return make(arguments.folder, arguments.types)
    if arguments.mode == "sight":
        from sight import make as make_sight
        return make_sight(arguments.folder, arguments.types)
    if arguments.mode == "record":
        from record import record
        return record(arguments.folder, arguments.rondo, arguments.types)
    from table import table
    return table(arguments.check)


if __name__ == "__main__":
    sys.exit(main())
