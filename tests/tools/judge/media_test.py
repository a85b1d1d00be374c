"""Holds rows among tokens to what transformers makes of pictures and sounds.

    python3 tests/tools/judge/media_test.py build/release/rondo FOLDER

with the Python binding in PYTHONPATH and RONDO_LIBRARY. FOLDER has a checkpoint of a model that
sees or hears, and expected.npz and cases.json: token ids, the rows that stand for media, and the
text model's logits. Exits with 77 where numpy is not there, but 1 with RONDO_NO_SKIP; or where the
folder is not, but 1 with RONDO_REQUIRE_REFERENCE.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIPPED: no numpy here")
    sys.exit(1 if os.environ.get("RONDO_NO_SKIP") else 77)

# Of the expected values' standard deviation: float arithmetic in another order is within.
LIMIT = 1e-4

# Families whose rows of one picture see each other; those of a sound do not.
SEE_WHOLE = {"gemma3", "gemma4"}


def pieces(case, expected, placeholders):
    """Ids, and (first, last position, rows, coordinates) of each run of placeholders."""
    ids = expected[f"{case}.input_ids"]
    is_row = np.isin(ids, placeholders)
    features = expected[f"{case}.features"]
    positions = expected.get(f"{case}.position_ids")
    at = used = 0
    while at < len(ids):
        end = at
        while end < len(ids) and is_row[end] == is_row[at]:
            end += 1
        if is_row[at]:
            coordinates = None
            if positions is not None:
                begin = positions[0, at - 1] + 1 if at > 0 else 0
                coordinates = (positions[:, at:end] - begin).T
            yield at, end, features[used:used + end - at], coordinates
            used += end - at
        else:
            yield at, end, None, ids[at:end].tolist()
        at = end
    assert used == len(features)


def run(case, expected, placeholders, sees_whole, engine):
    import rondo

    wanted = expected[f"{case}.logits_rows"].tolist()
    logits = {}
    with engine.session() as session:
        for begin, end, rows, more in pieces(case, expected, placeholders):
            if rows is not None:
                rows = np.ascontiguousarray(rows, np.float32)
                session.append_inputs([rondo.Input(
                    rows, coordinates=more, sees_whole=sees_whole)])
                stops = [end - 1]  # nothing but the last of a picture's rows is asked
            else:
                stops = range(begin, end)
                for position in stops:
                    session.append(more[position - begin:position - begin + 1])
                    if position in wanted:
                        logits[position] = np.array(session.logits())
                continue
            if end - 1 in wanted:
                logits[end - 1] = np.array(session.logits())
    theirs = expected[f"{case}.logits"].astype(np.float64)
    kept = [i for i, position in enumerate(wanted) if position in logits]
    ours = np.array([logits[wanted[i]] for i in kept], np.float64)
    return np.abs(ours - theirs[kept]).max() / theirs.std(), len(kept)


def main():
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not (folder / "expected.npz").exists():
        print(f"SKIPPED: no reference data at {folder}")
        return 1 if os.environ.get("RONDO_REQUIRE_REFERENCE") else 77
    import rondo

    cases = json.loads((folder / "cases.json").read_text())
    expected = dict(np.load(folder / "expected.npz"))
    failed = False
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "model.rondo"
        done = subprocess.run([program, "convert", folder, "-o", path, "--weights", "f32"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{folder}: {done.stderr.strip()}")
        with rondo.Model(str(path)) as model, model.engine(
                kv_format=rondo.Kv.FLOAT32, max_input_rows=4096, max_rows=512, threads=1) as engine:
            n = 0
            for facts in cases["cases"]:
                case = facts["name"]
                rows = expected.get(f"{case}.features")
                if rows is None or len(rows) != np.isin(
                        expected[f"{case}.input_ids"], cases["placeholder_ids"]).sum():
                    print(f"{folder.parent.name}: {case}: left out, as not all of its rows are kept")
                    continue
                sees_whole = cases["family"] in SEE_WHOLE and "pictures" in facts
                off, count = run(case, expected, cases["placeholder_ids"], sees_whole, engine)
                print(f"{folder.parent.name}: {case}: {count} rows off by {off:.1e} of the deviation")
                failed |= not off <= LIMIT
                n += 1
            if n == 0:
                sys.exit(f"{folder}: no case has all of its rows")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
