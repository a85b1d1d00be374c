"""A coding agent, unmodified and offline, whose model `rondo serve` has: its tool runs as the model
calls it, and the model reads what came of that. By each of the three protocols.

    python3 tests/tools/serve/agents_trial.py build/release/rondo SHARED_DATA FOLDER

FOLDER keeps the agent, which comes from npm once. Nothing is asked for but what the agent asks for
itself, with tool_choice auto: the tiny model is made to begin answers with the token of a call, whose
form is its grammar's. Only ls is allowed, as nobody knows what such a model wants.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

from serve_process import FOLDER, SOURCES, Server, convert

AGENT, VERSION = "@mariozechner/pi-coding-agent", "0.73.1"
PROTOCOLS = {"openai-completions": "/v1", "openai-responses": "/v1", "anthropic-messages": ""}
PADDING = 2  # a token that nothing else needs
FILES = ("apples.txt", "pears.txt")


def calling():
    """The tiny model, where it would begin an answer with "M", as it mostly does, begins a call."""
    folder = FOLDER / "calling"
    shutil.copytree(SOURCES / "tests/data/tiny", folder)
    named = json.loads((folder / "tokenizer.json").read_text())
    named["added_tokens"][PADDING] |= {"content": "<tool_call>", "special": False}
    vocabulary = named["model"]["vocab"]
    vocabulary["<tool_call>"] = vocabulary.pop("<|pad|>")
    (folder / "tokenizer.json").write_text(json.dumps(named))
    for name in ("config.json", "tokenizer_config.json"):
        settings = json.loads((folder / name).read_text())
        settings = {key: value for key, value in settings.items() if "pad_token" not in key}
        (folder / name).write_text(json.dumps(settings))
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    (size,) = struct.unpack_from("<Q", data)
    table = json.loads(data[8 : 8 + size])["model.embed_tokens.weight"]
    (_, width), begin = table["shape"], 8 + size + table["data_offsets"][0]
    for i in range(width):
        (half,) = struct.unpack_from("<H", data, begin + 2 * (vocabulary["M"] * width + i))
        (number,) = struct.unpack("<f", struct.pack("<I", half << 16))
        (bits,) = struct.unpack("<I", struct.pack("<f", 1.6 * number))
        struct.pack_into("<H", data, begin + 2 * (PADDING * width + i), bits >> 16)
    weights.write_bytes(data)
    template = pathlib.Path(__file__).with_name("calling.jinja").read_text()
    # It would call for ever, did not an answer to a result begin in words.
    begin = "block('assistant')"
    last = template.rindex(begin)
    words = begin + " + ('There' if messages[-1].role == 'tool' else '')"
    template = template[:last] + template[last:].replace(begin, words)
    (folder / "chat_template.jinja").write_text(template)
    return convert(folder, "calling", "--weights", "q8")


def ask(agent, address, protocol, path):
    """The messages of a conversation that the agent has by itself."""
    home, work = FOLDER / protocol, FOLDER / protocol / "work"
    work.mkdir(parents=True)
    for name in FILES:
        (work / name).touch()
    model = {"id": "calling", "contextWindow": 8192, "maxTokens": 300}
    provider = {"baseUrl": address + path, "api": protocol, "apiKey": "none", "models": [model]}
    (home / "models.json").write_text(json.dumps({"providers": {"rondo": provider}}))
    options = ["--provider", "rondo", "--model", "calling", "--tools", "ls", "--mode", "json"]
    options += ["--no-session", "--no-extensions", "--no-skills", "--no-context-files"]
    options += ["--system-prompt", "You list files."]
    environment = os.environ | {"PI_CODING_AGENT_DIR": str(home), "PI_OFFLINE": "1", "PI_TELEMETRY": "0"}
    done = subprocess.run(
        [agent, *options, "What is here?"],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=True,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return next(event["messages"] for event in events if event["type"] == "agent_end")


def main():
    folder = pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run([*install, "--prefix", folder, f"{AGENT}@{VERSION}"], check=True)
    agent = (folder / "node_modules/.bin/pi").resolve()
    with Server(calling(), "--context", 8192) as server:
        for protocol, path in PROTOCOLS.items():
            messages = ask(agent, server.address, protocol, path)
            for message in messages:
                print(f"{protocol}: {message['role']}: {json.dumps(message['content'])[:200]}")
            told = [m for m in messages if m["role"] == "toolResult" and not m["isError"]]
            assert any("\n".join(FILES) in m["content"][0]["text"] for m in told), "no files were listed"
            last = messages[-1]
            assert last["role"] == "assistant" and last["stopReason"] in ("stop", "length"), last
        assert server.stop() == 0, server.log


if __name__ == "__main__":
    main()
