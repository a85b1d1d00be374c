"""Runs clients/python_test.py, the official clients of OpenAI and Anthropic for Python, against a server.

    python3 tests/tools/serve/python_clients_test.py build/release/rondo SHARED_DATA [PYTHON...]

PYTHON, the words of a command, is whose python3 has them, another Debian's in a chroot for instance;
by default the one that runs this. Exits with 77 where it has none.
"""

import os
import pathlib
import subprocess
import sys

from serve_process import FOLDER, Server, chatting, embedders


def main():
    python = sys.argv[3:] or [sys.executable]
    has = subprocess.run([*python, "-c", "import anthropic, openai"], stderr=subprocess.DEVNULL)
    if has.returncode != 0:
        print("SKIPPED: this python3 has no openai and anthropic, as only Debian after 13 has them")
        sys.exit(77)
    keys = FOLDER / "keys"
    keys.write_text("key\n")
    models = ("plain=" + chatting(thinks=False), embedders()[0], "--context", 2048)
    with Server(*models, "--keys", keys) as server:
        # Read from there, as another root does not have the file.
        with open(pathlib.Path(__file__).parent / "clients/python_test.py") as script:
            environment = os.environ | {"RONDO_URL": server.address}
            code = subprocess.run([*python, "-"], stdin=script, env=environment, timeout=300).returncode
        if server.stop() != 0:
            sys.exit(f"the server failed: {server.log}")
    sys.exit(code)


if __name__ == "__main__":
    main()
