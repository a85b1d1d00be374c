"""The files in tests/data/families: see the README.md there."""
import array
import base64
import json
import math
import re
import sys

TOKENS = 48
POSITIONS = (11, 30, 47)  # whose logits are kept
# Worst difference from transformers' logits, by their standard deviation, both in float32; those
# kept have 16 bits. GELU's two forms differ by more.
TOLERANCE = 3e-4


def patch_of(old, new):
    """What RFC 7396 makes `new` of `old` with."""
    patch = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key in old and isinstance(value, dict) and isinstance(old[key], dict):
            inner = patch_of(old[key], value)
            if inner:
                patch[key] = inner
        elif key not in old or old[key] != value:
            patch[key] = value
    return patch


def patched(old, patch):
    new = dict(old)
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        elif isinstance(value, dict):
            new[key] = patched(old[key] if isinstance(old.get(key), dict) else {}, value)
        else:
            new[key] = value
    return new


def ranges(numbers):
    """"0-2,5" of [0, 1, 2, 5]."""
    parts = []
    for n in sorted(numbers):
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def folded(tensors):
    """Names that differ in a number and are otherwise alike become one: layers.{0-3}.weight."""
    entries = {tuple(re.split(r"(?<![^.])(\d+)(?![^.])", name)): kind
               for name, kind in tensors.items()}
    for place in range(max((len(name) for name in entries), default=1) - 2, 0, -2):
        groups = {}
        for name, kind in entries.items():
            if place < len(name) and name[place].isdigit():
                key = (name[:place] + (None,) + name[place + 1:], json.dumps(kind))
                groups.setdefault(key, []).append(int(name[place]))
            else:
                groups[(name, json.dumps(kind))] = []
        entries = {}
        for (name, kind), numbers in groups.items():
            if numbers:
                number = str(numbers[0]) if len(numbers) == 1 else f"{{{ranges(numbers)}}}"
                name = tuple(number if part is None else part for part in name)
            entries[name] = json.loads(kind)
    return {"".join(name): kind for name, kind in entries.items()}


def encoded(rows):
    """Each row as its scale, a float, and int16 values."""
    data = b""
    for row in rows:
        scale = array.array("f", [max(map(abs, row)) / 32767 or 1.0])
        data += scale.tobytes() + array.array("h", [round(x / scale[0]) for x in row]).tobytes()
    assert sys.byteorder == "little"
    return base64.b64encode(data).decode()


def decoded(text):
    data = base64.b64decode(text)
    size = len(data) // len(POSITIONS)
    rows = []
    for begin in range(0, len(data), size):
        scale = array.array("f", data[begin:begin + 4])[0]
        rows.append([scale * x for x in array.array("h", data[begin + 4:begin + size])])
    return rows


def difference(want, got):
    """The largest of `got` from `want`, by the standard deviation of `want`; rows of floats."""
    flat = [x for row in want for x in row]
    mean = sum(flat) / len(flat)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in flat) / len(flat))
    worst = max(abs(a - b) for w, g in zip(want, got) for a, b in zip(w, g))
    return worst / deviation


def text_of(golden):
    """JSON with one line for each part and each variant."""
    def line(value):
        return json.dumps(value, separators=(",", ":"))
    parts = [f"{line(key)}:{line(value)}" for key, value in golden.items() if key != "variants"]
    lines = ",\n".join(line(one) for one in golden["variants"])
    parts.append(f'"variants":[\n{lines}]' if lines else '"variants":[]')
    return "{" + ",\n".join(parts) + "}\n"
