"""Runs clients/*.mjs, clients of OpenAI, Anthropic and others, against a server.

    python3 tests/tools/serve/clients_test.py build/release/rondo FOLDER

FOLDER keeps the packages of clients/package.json, which come from npm once, and with them a node for
those clients that want a newer one than Debian 12 has. Exits with 77 where there is no node, or npm
gives none; with RONDO_NO_SKIP that fails, but for what npm does not have.
"""

import os
import pathlib
import shutil
import subprocess
import sys

from serve_process import Server, chatting, embedders

CLIENTS = pathlib.Path(__file__).parent / "clients"


def skip(why, code):
    print("SKIPPED:", why)
    sys.exit(code)


def install(folder):
    """Its packages, where they are not there already."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = (CLIENTS / "package.json").read_text()
    kept = folder / "package.json"
    if (folder / "node_modules/openai").exists() and kept.read_text() == wanted:
        return
    kept.write_text(wanted)
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    try:
        made = subprocess.run(command, cwd=folder, timeout=300).returncode
    except subprocess.TimeoutExpired:
        made = 1
    if made != 0:
        kept.unlink()
        skip("npm's registry does not give the clients here", 77)


def main():
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            skip(f"no {tool} here", 1 if os.environ.get("RONDO_NO_SKIP") else 77)
    folder = pathlib.Path(sys.argv[2])
    install(folder)
    for script in CLIENTS.glob("*.mjs"):
        shutil.copy(script, folder)  # beside what it imports
    newer = (folder / "node_modules/.bin/node").resolve()
    nodes = {"official": "node"}
    if newer.exists():
        nodes |= {name: newer for name in ("ai", "langchain", "agents")}
    models = ["chat=" + chatting(), "plain=" + chatting(thinks=False), embedders()[0]]
    failed = []
    with Server(*models, "--context", 2048) as server:
        environment = os.environ | {"RONDO_URL": server.address}
        for name, node in nodes.items():
            command = [node, "--test", f"{name}_test.mjs"]
            if subprocess.run(command, cwd=folder, env=environment, timeout=300).returncode != 0:
                failed.append(name)
        if server.stop() != 0:
            sys.exit(f"the server failed: {server.log}")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
    if len(nodes) == 1:
        skip("npm has no newer node for this machine, which all but the official clients want", 77)


if __name__ == "__main__":
    main()
