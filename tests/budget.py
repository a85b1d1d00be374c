#!/usr/bin/env python3
"""What each test may take: tests/budgets.txt, rows of KIND TEST SECONDS.

  budget.py write KIND...    writes these kinds' rows anew, from each test's last pass in
                             build/tests.json
  budget.py trial            tries the rule on a few figures

Seconds are the CPU's, a program's shards together. How much faster or slower this machine is than
the one that wrote the table is the median, over all tests of the kind, of what they take by what
they may. A test fails where it takes more than half as much again as it may here, and more than
FLOOR seconds more; where that is right, its row is to be changed. Rows are of tests that take a
second; others may take one.
"""
import json
import re
import statistics
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "budgets.txt"
FLOOR = 5
LEAST = 1.0


def group(name):
    return re.sub(r"\.\d+$", "", name)


def table():
    rows = [line.split() for line in TABLE.read_text().splitlines() if line and line[0] != "#"] \
        if TABLE.exists() else []
    return {(kind, test): float(seconds) for kind, test, seconds in rows}


def summed(seconds):
    sums = {}
    for name, value in seconds.items():
        sums[group(name)] = sums.get(group(name), 0.0) + value
    return sums


def over(kind, seconds, known, failed, rows=None):
    """A line for each test that outgrew its budget, by its group. `known` are times of earlier
    passes, which tell how fast the machine is; groups that did not run whole are not judged."""
    budgets = {test: value for (k, test), value in (table() if rows is None else rows).items()
               if k == kind}
    if not budgets:
        return {}
    partly = set(map(group, failed)) | set(map(group, known)) & set(map(group, seconds))
    measured = {test: taken for test, taken in summed(seconds).items() if test not in partly}
    ratios = [taken / budgets[test] for test, taken in {**summed(known), **measured}.items()
              if test in budgets and test not in partly]
    factor = statistics.median(ratios) if ratios else 1.0
    lines = {}
    for test, taken in sorted(measured.items()):
        may = budgets.get(test, LEAST) * factor
        if taken > 1.5 * may and taken > may + FLOOR * max(1.0, factor):
            lines[test] = f"{test} takes {taken:.1f} s; its budget here is {may:.1f} s: budgets.txt"
    return lines


def write(kinds):
    passes = json.loads(Path("build/tests.json").read_text())
    rows = {key: value for key, value in table().items() if key[0] not in kinds}
    for kind in kinds:
        last = {key.split()[1]: entries[0]["seconds"] for key, entries in passes.items()
                if key.split()[0] == kind and entries}
        rows.update({(kind, g): s for g, s in summed(last).items() if s >= LEAST})
    head = [line for line in TABLE.read_text().splitlines() if line.startswith("#")]
    lines = [f"{kind} {test} {seconds:.1f}" for (kind, test), seconds in sorted(rows.items())]
    TABLE.write_text("\n".join(head + lines) + "\n")


def trial():
    rows = {("x", "a"): 10, ("x", "b"): 20, ("x", "c"): 40, ("x", "d"): 4}

    def outgrown(seconds, known=(), failed=()):
        return sorted(over("x", seconds, dict(known), failed, rows))

    usual = {"a.0": 5, "a.1": 5, "b": 20, "c": 40, "d": 4}
    assert outgrown(usual) == []
    assert outgrown({name: 3 * s for name, s in usual.items()}) == []  # a slow machine
    assert outgrown({**usual, "b": 31}) == ["b"]
    assert outgrown({**usual, "b": 29}) == []  # not by half
    assert outgrown({**usual, "d": 8}) == []  # by less than the floor
    assert outgrown({**usual, "new": 7}) == ["new"]  # one without a row
    assert outgrown({"b": 31}, {"a.0": 10, "c": 40, "d": 4}) == ["b"]  # the others were spared
    assert outgrown({"a.0": 50, "b": 20}, {"a.1": 5}) == []  # one shard alone
    assert outgrown({**usual, "b": 31}, failed=["b"]) == []
    assert over("y", {"a": 1000}, {}, [], rows) == {}  # no rows, no rule


if __name__ == "__main__":
    {"write": lambda: write(sys.argv[2:]), "trial": trial}[sys.argv[1]]()
