"""Serves the browser's package, lets a browser show its page, and looks at the text there: with
the headers that let workers share memory, when there must be a thread for each core but one, and without
them, when there must be one.

    browser.py PACKAGE WORK BROWSER     WORK holds tiny.rondo; RONDO_TEST_TEXT is what it must say
"""
import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, sys.argv[1] + "/example")
from serve import Isolating  # the package's own server

SECONDS = 120
# The page with the model's text. What it shows is sent back, and the image, which the browser waits
# for before it takes its picture, comes then.
PAGE = b"""<!doctype html><title>test</title>
<iframe id="page" src="/example/?go&tokens=64" width="760" height="560"></iframe>
<img src="/wait" alt="">
<script type="module">
const page = document.getElementById('page');
const part = (id) => page.contentDocument.getElementById(id);
async function until(what) {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 2));
}

await until(() => /^Rondo: /.test(page.contentDocument.title));
const shown = [page.contentDocument.title, part('text').textContent, part('state').textContent];
// Once more, and stopped at its first word.
part('go').click();
await until(() => part('text').textContent.length > part('prompt').value.length);
part('stop').click();
await until(() => !part('go').disabled);
shown.push(part('text').textContent, part('state').textContent);
// And whole again.
part('go').click();
await until(() => !part('go').disabled);
shown.push(part('text').textContent);
shown.push(page.contentWindow.crossOriginIsolated, navigator.hardwareConcurrency);
fetch('/done', {method: 'POST', body: JSON.stringify(shown)});
</script>"""


class Visit(Isolating):
    """One showing of the page, which is told of by a class of its own."""
    package = work = shown = done = None

    def __init__(self, *args):
        super().__init__(*args, directory=self.package)

    def translate_path(self, path):
        if path == "/example/model.rondo":
            return str(self.work / "tiny.rondo")
        return super().translate_path(path)

    def do_GET(self):
        if self.path == "/":
            return self.answer("text/html", PAGE)
        if self.path == "/wait":
            self.done.wait(SECONDS)
            return self.answer("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
        return super().do_GET()

    def do_POST(self):
        type(self).shown = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer("text/plain", b"")
        self.done.set()

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# What the page showed; `more`: what else is to be known of this visit's server.
def visit(package, work, browser, **more):
    handler = type("ThisVisit", (Visit,), {
        "package": package, "work": Path(work), "done": threading.Event(), **more})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=800,640",
               f"--user-data-dir={work}/profile", f"--screenshot={work}/page.png",
               f"http://127.0.0.1:{server.server_port}/"]
    with open(f"{work}/browser.log", "w") as log:
        subprocess.run(command, stdout=log, stderr=log, timeout=2 * SECONDS, check=True)
    server.shutdown()
    if handler.shown is None:
        sys.exit(f"the page said nothing, see {work}/browser.log")
    return json.loads(handler.shown)


def check(shown, threads):
    title, text, state, stopped, why, again, isolated, cores = shown
    print(f"{title}; {state}; stopped after {len(stopped)} of {len(text)} characters: {why}; "
          f"{'isolated' if isolated else 'not isolated'}, {cores} cores")
    expected = "Once upon a time" + os.environ["RONDO_TEST_TEXT"]
    for whole in (text, again):
        if whole.strip() != expected.strip():
            sys.exit(f"the page shows other text:\n{whole}\nexpected:\n{expected}")
    if not text.startswith(stopped) or len(stopped) >= len(text) or "abort" not in why:
        sys.exit(f"it was not stopped: {stopped}")
    computing = threads or (cores - 1 if cores > 2 else cores)
    if not state.endswith(f", threads: {computing}"):
        sys.exit(f"other than {computing} threads computed")


def main(*args):
    check(visit(*args, headers_sent={}), threads=1)
    check(visit(*args), threads=None)


if __name__ == "__main__":
    main(*sys.argv[1:])
