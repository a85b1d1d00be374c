"""A `rondo serve` for tests of its page: a tiny model that chats, and one that reads digits."""
import base64
import contextlib
import json
import shutil
import subprocess
import urllib.request
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
TEMPLATE = """\
{%- for m in messages %}<|{{ m.role }}|>
{{ m.content }}</s>
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}"""


def make_models(tool, folder):
    folder.mkdir(parents=True, exist_ok=True)
    chat = folder / "chat"
    shutil.rmtree(chat, ignore_errors=True)
    shutil.copytree(TOP / "tests/data/tiny", chat)
    (chat / "chat_template.jinja").write_text(TEMPLATE)
    for source in (chat, TOP / "tests/data/reading"):
        subprocess.run([tool, "convert", source, "-o", folder / f"{source.name}.rondo", "--weights",
                        "q8", "--force"], check=True, stdout=subprocess.DEVNULL)


class Server:
    """At a port that is free. `key`: what requests must have."""

    def __init__(self, tool, folder, key=None):
        command = [tool, "serve", folder / "chat.rondo", folder / "reading.rondo", "--port", "0",
                   "--image-rows", "64", "--drain", "0"]
        if key:
            (folder / "keys").write_text(key + "\n")
            command += ["--keys", folder / "keys"]
        self.log = folder / ("serve.log" if key is None else "serve_key.log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        self.address = None
        while self.address is None:
            if self.process.poll() is not None:
                raise RuntimeError(self.log.read_text())
            for line in self.log.read_text().splitlines():
                with contextlib.suppress(ValueError):  # half a line
                    self.address = json.loads(line).get("address", self.address)

    def close(self):
        self.process.terminate()
        self.process.wait()

    def answer(self, messages, model="chat", **request):
        body = json.dumps({"model": model, "messages": messages, **request}).encode()
        asked = urllib.request.Request(self.address + "/v1/chat/completions", body,
                                       {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]

    @staticmethod
    def base64(path):
        return base64.b64encode(path.read_bytes()).decode()
