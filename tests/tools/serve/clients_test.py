"""Runs clients_test.mjs, the official clients of OpenAI and Anthropic, against a server.

    python3 tests/tools/serve/clients_test.py build/release/rondo FOLDER

FOLDER keeps the packages of package.json, which come from npm once. Exits with 77 where there is no
node, or npm gives none; with RONDO_NO_SKIP that fails, but for npm's registry.
"""

import os
import pathlib
import shutil
import subprocess
import sys

from serve_process import Server, chatting, embedders

HERE = pathlib.Path(__file__).parent


def skip(why, code):
    print("SKIPPED:", why)
    sys.exit(code)


def main():
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            skip(f"no {tool} here", 1 if os.environ.get("RONDO_NO_SKIP") else 77)
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    kept = folder / "package.json"
    if not (folder / "node_modules/openai").exists() or kept.read_text() != wanted:
        kept.write_text(wanted)
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
        try:
            made = subprocess.run(install, cwd=folder, timeout=300).returncode
        except subprocess.TimeoutExpired:
            made = 1
        if made != 0:
            kept.unlink()
            skip("npm's registry does not give the clients here", 77)
    shutil.copy(HERE / "clients_test.mjs", folder)  # beside what it imports
    models = ("chat=" + chatting(), embedders()[0], "--context", 2048)
    with Server(*models) as server:
        environment = os.environ | {"RONDO_URL": server.address}
        command = ["node", "--test", "clients_test.mjs"]
        code = subprocess.run(command, cwd=folder, env=environment, timeout=300).returncode
        if server.stop() != 0:
            sys.exit(f"the server failed: {server.log}")
    sys.exit(code)


if __name__ == "__main__":
    main()
