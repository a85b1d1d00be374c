"""What a server refuses: fields, hosts, keys, limits, files.

    python3 tests/tools/serve/operation_test.py build/release/rondo ../shared/data [TEST ...]
"""

import concurrent.futures
import json
import os
import shutil
import socket
import subprocess
import threading
import unittest

from serve_bodies import CHAT, COMPLETIONS, RESPONSES, user
from serve_process import (
    FOLDER,
    PATIENCE,
    RONDO,
    SOURCES,
    Server,
    chatting,
    reading,
    run_tests,
    tiny,
    wait_for,
)

ONCE = {"prompt": "Once", "max_tokens": 3}
ENDLESS = {"prompt": "Once", "max_tokens": 30000, "ignore_eos": True, "stream": True}


def begin_stream(server, **more):
    client = server.connect()
    client.sendall(server.bytes_of(COMPLETIONS, ENDLESS | more))
    assert b"200 OK" in client.recv(4096)
    return client


def read_on(client):
    """Reads it to its end, and tells the last bytes."""
    last = b""
    while more := client.recv(65536):
        last = (last + more)[-100:]
    return last


class RefusalsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("chat=" + chatting(), "--host-name", "Models.example.org")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def refused(self, reply, status, code=None, param=None):
        self.assertEqual(reply.status, status, reply.body)
        error = reply.error()
        if code:
            self.assertEqual(error["code"], code)
        self.assertEqual(error["param"], param)
        return error

    def test_fields(self):
        good = {"messages": user("Hi"), "max_tokens": 2}
        for wish, pointer in (
            ({"temprature": 1}, "/temprature"), ({"temperature": "1"}, "/temperature"),
            ({"temperature": -1}, "/temperature"), ({"temperature": 3}, "/temperature"),
            ({"temperature": True}, "/temperature"), ({"top_p": 1.1}, "/top_p"),
            ({"max_tokens": -1}, "/max_tokens"), ({"max_tokens": 1.5}, "/max_tokens"),
            ({"max_tokens": 2**64}, "/max_tokens"), ({"max_tokens": "2"}, "/max_tokens"),
            ({"seed": 2**63}, "/seed"), ({"seed": "a"}, "/seed"), ({"n": 0}, "/n"),
            ({"n": 9}, "/n"), ({"n": -1}, "/n"), ({"top_logprobs": 2}, "/top_logprobs"),
            ({"logprobs": True, "top_logprobs": 21}, "/top_logprobs"),
            ({"stop": [""]}, "/stop"), ({"stop": 3}, "/stop"), ({"stream": "yes"}, "/stream"),
            ({"stream_options": {}}, "/stream_options"), ({"logit_bias": []}, "/logit_bias"),
            ({"logit_bias": {"x": 1}}, "/logit_bias/x"), ({"logit_bias": {"5": 101}}, "/logit_bias/5"),
            ({"logit_bias": {"99999999999": 1}}, "/logit_bias/99999999999"),
            ({"logit_bias": {"a/b~": 1}}, "/logit_bias/a~1b~0"),
            ({"presence_penalty": 3}, "/presence_penalty"), ({"model": 3}, "/model"),
            ({"modalities": ["audio"]}, "/modalities"), ({"top_k": 1.5}, "/top_k"),
            ({"messages": []}, "/messages"), ({"messages": {}}, "/messages"),
            ({"messages": None}, "/messages"), ({"messages": ["a"]}, "/messages/0"),
            ({"messages": [{"content": "a"}]}, "/messages/0/role"),
            ({"messages": [{"role": "bard", "content": "a"}]}, "/messages/0/role"),
            ({"messages": [{"role": "user"}]}, "/messages/0/content"),
            ({"messages": [{"role": "user", "content": 3}]}, "/messages/0/content"),
            ({"messages": [{"role": "user", "content": "a", "x": 1}]}, "/messages/0/x"),
            ({"messages": [{"role": "user", "content": [{"type": "text"}]}]},
             "/messages/0/content/0/text"),
        ):
            with self.subTest(wish=wish):
                reply = self.server.post(CHAT, good | wish)
                error = self.refused(reply, 400, None, pointer)
                self.assertEqual(error["type"], "invalid_request_error")
        reply = self.server.post(CHAT, good | {"temprature": 1})
        self.assertIn("did you mean temperature", reply.error()["message"])
        seeds = (-(2**63), -1, 0, 2**63 - 1)
        self.assertTrue(all(self.server.post(CHAT, good | {"seed": s}).status == 200 for s in seeds))
        self.assertEqual(self.server.post(CHAT, good | {"seed": None, "max_tokens": 2.0}).status, 200)

    def test_models_that_are_not_there(self):
        for path, body in ((CHAT, {"messages": user("Hi")}), (COMPLETIONS, ONCE),
                           (RESPONSES, {"input": "Hi"}), ("/v1/embeddings", {"input": "Hi"}),
                           ("/v1/messages", {"messages": user("Hi"), "max_tokens": 2})):
            reply = self.server.post(path, body | {"model": "gpt-9"})
            self.refused(reply, 404, "model_not_found", "/model")

    def test_prompts_that_are_too_long(self):
        long = "apple pear plum " * 4000
        for path, body in ((CHAT, {"messages": user(long)}), (RESPONSES, {"input": long}),
                           (COMPLETIONS, {"prompt": long}),
                           ("/v1/messages", {"messages": user(long), "max_tokens": 2})):
            for stream in (False, True):
                reply = self.server.post(path, body | {"stream": stream})
                error = self.refused(reply, 400, "context_length_exceeded")
                self.assertGreater(error["n_prompt_tokens"], error["n_ctx"])
                self.assertEqual(error["n_ctx"], 512)

    def test_the_context_ends_an_answer(self):
        reply = self.server.post(CHAT, {"messages": user("Hi"), "ignore_eos": True}).json()
        self.assertEqual(reply["choices"][0]["finish_reason"], "length")
        self.assertIn(reply["usage"]["total_tokens"], (511, 512, 513))

    def test_hosts(self):
        for host in ("evil.example.org", "127.0.0.1.evil.org", "localhost.evil.org", "evil:80",
                     "[evil]", "1.2.3"):
            for path in ("/health", "/v1/models", "/"):
                self.refused(self.server.get(path, Host=host), 403, "host_not_allowed")
            self.refused(self.server.post(COMPLETIONS, ONCE, {"Host": host}), 403)
        for host in ("localhost", "localhost:99", "127.0.0.1", "[::1]:80", "192.0.2.7:80", "[::2]",
                     "models.example.org", "models.example.org:443", "LocalHost",
                     "MODELS.example.org"):
            self.assertEqual(self.server.get("/health", Host=host).status, 200, host)

    def test_no_other_site_is_let_in(self):
        reply = self.server.get("/v1/models", Origin="http://evil.example.org")
        self.assertFalse([name for name in reply.headers if name.startswith("access-control")])
        self.assertIn(self.server.send("OPTIONS", CHAT).status, (403, 405))

    def test_content_types(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            reply = self.server.post(COMPLETIONS, ONCE, {"Content-Type": kind})
            self.refused(reply, 415, "content_type")
        for kind in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
            self.assertEqual(self.server.post(COMPLETIONS, ONCE, {"Content-Type": kind}).status, 200,
                             kind)

    def test_methods_and_paths(self):
        for method, path, allowed in (("GET", CHAT, "POST"), ("DELETE", CHAT, "POST"),
                                      ("PUT", "/health", "GET"), ("POST", "/v1/models", "GET")):
            reply = self.server.send(method, path)
            self.refused(reply, 405, "method_not_allowed")
            self.assertIn(allowed, reply.headers["allow"])
        for path in ("/nothing", "/v1", "/v1/chat", "/v1/chat/completions/", "/../etc/passwd",
                     "/%2e%2e/%2e%2e/etc/passwd", "//health"):
            self.refused(self.server.get(path), 404)

    def test_long_bodies(self):
        client = self.server.connect()
        client.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                       b"application/json\r\nContent-Length: 99999999999\r\n\r\n")
        self.assertIn(b" 413 ", client.recv(4096).split(b"\r\n")[0])
        client.close()
        body = json.dumps(ONCE).encode()
        body += b" " * ((32 << 20) + 1 - len(body))
        try:
            self.refused(self.server.post(COMPLETIONS, body), 413, "body_too_long")
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was answered before all was sent
        client = self.server.connect()  # without a length
        client.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                       b"application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(40):
                client.sendall(b"100000\r\n" + b" " * (1 << 20) + b"\r\n")
            client.sendall(b"0\r\n\r\n")
            answer = client.recv(4096)
            self.assertTrue(answer == b"" or b" 413 " in answer, answer)
        except (BrokenPipeError, ConnectionResetError):
            pass
        client.close()
        self.assertEqual(self.server.post(COMPLETIONS, body[: 1 << 20]).status, 200)

    def test_the_log_has_no_prompts(self):
        self.server.post(CHAT, {"messages": user("Zanzibar"), "max_tokens": 2, "user": "Zanzibar"})
        self.server.post(CHAT, {"messages": user("Zanzibar"), "model": "Zanzibar"})
        self.assertNotIn("Zanzibar", json.dumps(self.server.log))
        self.assertTrue(all(isinstance(line, dict) for line in self.server.log), self.server.log)


class KeysTest(unittest.TestCase):
    def test_are_asked_for(self):
        keys = FOLDER / "keys"
        keys.write_text("# of tests\n\nsecret-one\r\nsecret two  \n")
        with Server(tiny(), "--keys", keys) as server:
            for path in ("/health", "/ready", "/"):
                self.assertEqual(server.get(path).status, 200, path)
            good = ({"Authorization": "Bearer secret-one"}, {"x-api-key": "secret two"},
                    {"Authorization": "bearer secret-one"})
            for headers in good:
                self.assertEqual(server.post(COMPLETIONS, ONCE, headers).status, 200, headers)
                self.assertEqual(server.get("/metrics", **headers).status, 200)
            for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer secret"},
                            {"Authorization": "Bearer secret-one1"}, {"x-api-key": ""},
                            {"Authorization": "secret-one"}, {"Authorization": "Basic secret-one"},
                            {"x-api-key": "# of tests"}, {"Authorization": "Bearer secret-onf"}):
                for path in ("/v1/models", "/metrics", "/version", "/v1/models/tiny", "/models"):
                    self.assertEqual(server.get(path, **headers).status, 401, headers)
                reply = server.post(COMPLETIONS, ONCE, headers)
                self.assertEqual(reply.status, 401)
                self.assertEqual(reply.error()["type"], "authentication_error")
                self.assertEqual(reply.headers["www-authenticate"], "Bearer")

    def test_of_no_file(self):
        for text in (None, "# nothing\n"):
            path = FOLDER / "no_keys"
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text)
            command = [RONDO, "serve", tiny(), "--port", "0", "--keys", path]
            made = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn("no_keys", made.stderr)


VLLM = {
    "vllm:num_requests_waiting": "gauge", "vllm:num_requests_running": "gauge",
    "vllm:kv_cache_usage_perc": "gauge", "vllm:cache_config_info": "gauge",
    "vllm:time_to_first_token_seconds": "histogram",
    "vllm:time_per_output_token_seconds": "histogram",
}


class MetricsNamesTest(unittest.TestCase):
    def kinds(self, *arguments):
        """The names that a server has behind a request, and of what kind they are."""
        with Server(tiny(), *arguments) as server:
            self.assertEqual(server.post(COMPLETIONS, ONCE).status, 200)
            wait_for(lambda: server.metric("rondo_generated_tokens_total") == 3, "it counts")
            lines = server.get("/metrics").body.decode().splitlines()
            self.assertEqual(server.stop(), 0)
        return dict(line.split()[2:] for line in lines if line.startswith("# TYPE "))

    def test_are_ours_alone_or_beside_those_of_vllm(self):
        ours = self.kinds()
        self.assertTrue(all(name.startswith("rondo_") for name in ours), ours)
        self.assertEqual(self.kinds("--metrics-names", "rondo"), ours)
        self.assertEqual(self.kinds("--metrics-names", "vllm"), ours | VLLM)

    def test_what_a_gateway_reads(self):
        more = ("--context", 32768, "--sessions", 1, "--metrics-names", "vllm")
        with Server(tiny(), *more) as server:
            holder = begin_stream(server)
            reader = threading.Thread(target=read_on, args=(holder,))
            reader.start()
            queued = server.connect()
            queued.sendall(server.bytes_of(COMPLETIONS, ONCE))
            wait_for(lambda: server.metric("vllm:num_requests_waiting") == 1, "one waits")
            self.assertEqual(server.metric("vllm:num_requests_running"), 1)
            self.assertTrue(0 < server.metric("vllm:kv_cache_usage_perc") <= 1)
            text = server.get("/metrics").body.decode()
            form = 'model_name="tiny",block_size="64",num_gpu_blocks="512"'
            self.assertIn(f"vllm:cache_config_info{{{form}}} 1\n", text)
            holder.shutdown(socket.SHUT_RDWR)
            reader.join()
            self.assertIn(b"200 OK", queued.recv(4096))
            queued.close()
            wait_for(lambda: server.metric("vllm:num_requests_running") == 0, "nothing runs")
            self.assertGreater(server.metric("vllm:time_to_first_token_seconds_count"), 0)

    def test_of_nobody(self):
        command = [RONDO, "serve", tiny(), "--port", "0", "--metrics-names", "sglang"]
        made = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("--metrics-names", made.stderr)


class LimitsTest(unittest.TestCase):
    def test_a_full_queue(self):
        with Server(tiny(), "--context", 32768, "--sessions", 1, "--queue", 2) as server:
            holder = begin_stream(server)
            reader = threading.Thread(target=read_on, args=(holder,))
            reader.start()
            queued = [server.connect() for _ in range(2)]
            for client in queued:
                client.sendall(server.bytes_of(COMPLETIONS, ONCE))
            wait_for(lambda: server.metric("rondo_requests_waiting") == 2, "two wait")
            reply = server.post(COMPLETIONS, ONCE)
            self.assertEqual((reply.status, reply.error()["type"]), (429, "rate_limit_error"))
            self.assertGreater(int(reply.headers["retry-after"]), 0)
            self.assertEqual(server.get("/health").status, 200)
            holder.shutdown(socket.SHUT_RDWR)
            reader.join()
            for client in queued:  # these are answered
                self.assertIn(b"200 OK", client.recv(4096))
                client.close()
            self.assertEqual(server.post(COMPLETIONS, ONCE).status, 200)

    def test_connections(self):
        with Server(tiny(), "--connections", 4) as server:
            idle = [server.connect() for _ in range(6)]
            wait_for(lambda: server.metric("rondo_connections") >= 6, "they are there")
            reply = server.post(COMPLETIONS, ONCE)
            self.assertEqual(reply.status, 429)
            self.assertIn("retry-after", reply.headers)
            self.assertEqual(server.get("/health").status, 200)
            for client in idle:
                client.close()
            wait_for(lambda: server.metric("rondo_connections") <= 2, "they have gone")
            self.assertEqual(server.post(COMPLETIONS, ONCE).status, 200)

    def test_hundreds_of_connections(self):
        with Server(tiny()) as server:
            idle = [server.connect() for _ in range(500)]
            with concurrent.futures.ThreadPoolExecutor(64) as pool:
                replies = pool.map(lambda _: server.post(COMPLETIONS, ONCE).status, range(200))
                self.assertEqual(set(replies), {200})
            for client in idle:
                client.close()


class FilesTest(unittest.TestCase):
    def test_only_of_the_folder(self):
        picture = SOURCES / "tests/data/reading/held_out/000.jpg"
        root = FOLDER / "root"
        inside = root / "pictures"
        inside.mkdir(parents=True)
        shutil.copy(picture, inside / "in.jpg")
        shutil.copy(picture, root / "out.jpg")
        (root / "pictures2").mkdir()
        shutil.copy(picture, root / "pictures2" / "out.jpg")
        (inside / "alias.jpg").symlink_to("in.jpg")
        (inside / "escape.jpg").symlink_to("../out.jpg")
        (inside / "away").symlink_to(root)
        os.mkfifo(inside / "pipe.jpg")

        def status(url):
            parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "?"}]
            reply = server.post(CHAT, {"messages": [{"role": "user", "content": parts}],
                                       "max_tokens": 2})
            if reply.status != 200:
                self.assertEqual(reply.error()["param"], "/messages/0/content/0/image_url/url")
                self.assertNotIn(str(root), reply.error()["message"])
            return reply.status

        model = (reading(), "--image-rows", 64)
        with Server(*model, "--allow-media-path", inside) as server:
            for name in ("in.jpg", "alias.jpg", "./in.jpg", f"{inside}/in.jpg"):
                self.assertEqual((status("file://" + name), status(name)), (200, 200), name)
            for name in ("../out.jpg", "escape.jpg", "away/out.jpg", f"{root}/out.jpg", "pipe.jpg",
                         "../pictures2/out.jpg", f"{root}/pictures2/out.jpg", "/etc/passwd", "",
                         "..", "%2e%2e/out.jpg", "none.jpg", "x" * 5000):
                self.assertEqual((status("file://" + name), status(name)), (400, 400), name)
        with Server(*model) as server:
            self.assertEqual(status(f"file://{inside}/in.jpg"), 400)


if __name__ == "__main__":
    run_tests()
