"""Serves the browser's package, lets a browser show its page, and looks at the text there: with
the headers that let workers share memory, when there must be a thread for each core but one, and without
them, when there must be one.

    browser.py PACKAGE WORK BROWSER     WORK holds tiny.rondo; RONDO_TEST_TEXT is what it must say.
                                        WORK holds seeing.rondo; of picture.png it must say
                                        RONDO_TEST_OF_FILE, of camera.y4m RONDO_TEST_OF_CAMERA
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
shown.push(part('sight').hidden);
fetch('/done', {method: 'POST', body: JSON.stringify(shown)});
</script>"""
# The same page with the model that sees: asked about the camera's frame, then about a file.
SIGHT = b"""<!doctype html><title>test</title>
<iframe id="page" src="/example/?model=seeing.rondo&tokens=48" width="760" height="720"></iframe>
<img src="/wait" alt="">
<script type="module">
const page = document.getElementById('page');
const part = (id) => page.contentDocument.getElementById(id);
async function until(what) {
  while (!what()) {
    if (/failed/.test(page.contentDocument.title)) throw new Error(part('state').textContent);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
async function ask() {
  part('go').click();
  await until(() => !part('go').disabled);
  const {width, height} = part('picture');
  return {text: part('text').textContent, state: part('state').textContent, size: [width, height]};
}
async function askAll() {
  await until(() => part('go') && !part('go').disabled);
  part('prompt').value = 'What is this?';
  part('camera').click();
  await until(() => !part('video').hidden);
  const camera = await ask();
  part('camera').click();
  await until(() => part('video').hidden);
  const files = new DataTransfer();
  files.items.add(new File([await (await fetch('/picture.png')).blob()], 'picture.png'));
  part('file').files = files.files;
  return {camera, file: await ask()};
}
const shown = await askAll().catch((error) => ({failed: String(error)}));
fetch('/done', {method: 'POST', body: JSON.stringify(shown)});
</script>"""
CAMERA = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]


class Visit(Isolating):
    """One showing of the page, which is told of by a class of its own."""
    package = work = shown = done = None
    page = PAGE

    def __init__(self, *args):
        super().__init__(*args, directory=self.package)

    def translate_path(self, path):
        of_the_test = {"/example/model.rondo": "tiny.rondo", "/example/seeing.rondo": "seeing.rondo",
                       "/picture.png": "picture.png"}
        if path in of_the_test:
            return str(self.work / of_the_test[path])
        return super().translate_path(path)

    def do_GET(self):
        if self.path == "/":
            return self.answer("text/html", self.page)
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
def visit(package, work, browser, picture="page.png", flags=(), **more):
    handler = type("ThisVisit", (Visit,), {
        "package": package, "work": Path(work), "done": threading.Event(), **more})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=800,640",
               f"--user-data-dir={work}/profile", f"--screenshot={work}/{picture}", *flags,
               f"http://127.0.0.1:{server.server_port}/"]
    with open(f"{work}/browser.log", "w") as log:
        subprocess.run(command, stdout=log, stderr=log, timeout=2 * SECONDS, check=True)
    server.shutdown()
    if handler.shown is None:
        sys.exit(f"the page said nothing, see {work}/browser.log")
    return json.loads(handler.shown)


def check(shown, threads):
    title, text, state, stopped, why, again, isolated, cores, blind = shown
    print(f"{title}; {state}; stopped after {len(stopped)} of {len(text)} characters: {why}; "
          f"{'isolated' if isolated else 'not isolated'}, {cores} cores")
    expected = "Once upon a time" + os.environ["RONDO_TEST_TEXT"]
    for whole in (text, again):
        if whole.strip() != expected.strip():
            sys.exit(f"the page shows other text:\n{whole}\nexpected:\n{expected}")
    if not text.startswith(stopped) or len(stopped) >= len(text) or "abort" not in why:
        sys.exit(f"it was not stopped: {stopped}")
    if not blind:
        sys.exit("the page takes pictures, and its model does not see")
    computing = threads or (cores - 1 if cores > 2 else cores)
    if not state.endswith(f", threads: {computing}"):
        sys.exit(f"other than {computing} threads computed")


def check_sight(shown):
    if "failed" in shown:
        sys.exit(f"the page failed: {shown['failed']}")
    for name, size in (("camera", [64, 48]), ("file", [40, 24])):
        its = shown[name]
        print(f"of the {name}: {its['state']}")
        expected = os.environ["RONDO_TEST_OF_" + name.upper()]
        if its["text"].strip() != expected.strip() or its["size"] != size:
            sys.exit(f"of the {name}, {its['size']}, the page says:\n{its['text']}\nexpected:\n"
                     f"{expected}")
    if shown["camera"]["text"] == shown["file"]["text"]:
        sys.exit("the page says the same of two pictures")


def main(package, work, browser):
    check(visit(package, work, browser, headers_sent={}), threads=1)
    check(visit(package, work, browser), threads=None)
    flags = ["--window-size=800,800", *CAMERA, f"--use-file-for-fake-video-capture={work}/camera.y4m"]
    check_sight(visit(package, work, browser, "sight.png", flags, page=SIGHT))


if __name__ == "__main__":
    main(*sys.argv[1:])
