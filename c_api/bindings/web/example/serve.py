"""Serves the package with the headers that isolate its pages: their workers may share memory.

    serve.py [PORT]     the example is then at http://localhost:PORT/example/; by default 8000
"""
import http.server
import sys
from pathlib import Path


class Isolating(http.server.SimpleHTTPRequestHandler):
    # On every file: scripts of workers need them, too.
    headers_sent = {"Cross-Origin-Opener-Policy": "same-origin",
                    "Cross-Origin-Embedder-Policy": "require-corp"}
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                      ".wasm": "application/wasm", ".js": "text/javascript"}

    def end_headers(self):
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        super().end_headers()


if __name__ == "__main__":
    package = str(Path(__file__).resolve().parent.parent)
    http.server.test(lambda *args: Isolating(*args, directory=package),
                     http.server.ThreadingHTTPServer, "HTTP/1.0", int((sys.argv + [8000])[1]))
