"""What Rondo makes of the checkpoints: goldens for the tests, with what it refuses."""
import array
import json
import re
import struct
import subprocess
import tempfile
from pathlib import Path

from golden import POSITIONS, TOLERANCE, decoded, difference, text_of

FAMILIES = Path(__file__).parents[3] / "data" / "families"
LISTED = "refused.json"
NOT_MADE = "not made: "


def read_rows(path, rows):
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    values = array.array("f")
    values.frombytes(data[begin:])
    cols = len(values) // rows
    return [list(values[row * cols:(row + 1) * cols]) for row in POSITIONS]


def outcome_of(folder, want, rondo, scratch):
    """("ok", difference), ("refused", sentence) or ("WRONG", why)."""
    model, output = scratch / "model.rondo", scratch / "logits.npy"
    ids = json.loads((folder / "ids.json").read_text())
    for command in ([rondo, "convert", folder, "-o", model, "--weights", "f32"],
                    [rondo, "logits", model, "-o", output, "--kv", "f32", "--threads", "1",
                     "--ids", ",".join(map(str, ids))]):
        run = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if run.returncode != 0:
            said = [line for line in run.stderr.splitlines() if line.strip()]
            sentence = (said or [f"exit status {run.returncode}"])[-1]
            if run.returncode < 0 or not said:
                return "WRONG", sentence
            sentence = re.sub(r"^rondo: |; known: .*", "", sentence)
            return "refused", sentence.replace(str(folder) + "/", "")
    got = read_rows(output, len(ids))
    if len(want[0]) != len(got[0]):
        return "WRONG", f"{len(got[0])} logits in place of {len(want[0])}"
    worst = difference(want, got)
    if not worst <= TOLERANCE:
        return "WRONG", f"differs by {worst:.1e} of a standard deviation"
    return "ok", worst


def keys_of(patch):
    """All keys of a config's patch, outer ones first, those inside text_config alone."""
    for key, value in patch.items():
        if key not in ("text_config", "llm_config"):
            yield key
        if isinstance(value, dict):
            yield from keys_of(value)


def record_type(folder, golden, rondo, scratch):
    """Completes `golden`; returns (state, what is to be said of it)."""
    state, detail = outcome_of(folder / "base", decoded(golden["logits"]), rondo, scratch)
    if state != "ok":
        return state, detail
    wrong = []
    for i, one in enumerate(golden["variants"]):
        want = decoded(one.get("logits", golden["logits"]))
        state, why = outcome_of(folder / f"v{i}", want, rondo, scratch)
        if state == "ok":
            detail = max(detail, why)
        elif state == "WRONG":
            wrong.append(f"{one['label']} (v{i}: {why})")
        else:
            # Its own key, or what the sentence tells instead.
            named = [key for key in keys_of(one["config"]) if key in why]
            named += re.findall(r"(?:key|tensor) (\S+)", why)
            if named:
                one["refused"] = named[0]
                if named[0] not in keys_of(one["config"]):
                    print(f"{golden['type']}: {one['label']} is refused by {named[0]}")
            else:
                wrong.append(f"{one['label']} (v{i}: refused without a key: {why})")
    golden["worst"] = float(f"{detail:.0e}")
    return ("WRONG", "; ".join(wrong)) if wrong else ("ok", f"{len(golden['variants'])} variants")


def record(folder, rondo, wanted):
    FAMILIES.mkdir(parents=True, exist_ok=True)
    listed_path = FAMILIES / LISTED
    listed = json.loads(listed_path.read_text()) if listed_path.exists() else {}
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(folder.glob("*/golden.json")):
            golden = json.loads(path.read_text())
            kind = golden["type"]
            if wanted and kind not in wanted:
                continue
            if "error" in golden:
                state, detail = "refused", NOT_MADE + golden["error"]
            else:
                state, detail = record_type(path.parent, golden, rondo, Path(scratch))
            print(kind, state, detail, flush=True)
            if state == "ok":
                variants = golden.pop("variants")
                golden["variants"] = variants  # the last part
                (FAMILIES / f"{kind}.json").write_text(text_of(golden))
                listed.pop(kind, None)
            elif state == "refused":
                listed[kind] = detail
            failed |= state == "WRONG"
    listed_path.write_text(json.dumps(listed, indent=1, sort_keys=True) + "\n")
    return failed
