"""What tests of the page share: a browser, a server, and the page's parts."""
import json
import sys
import unittest
from pathlib import Path

import chromium
from page_server import Server

TOOL, FOLDER = sys.argv[1], Path(sys.argv[2]).resolve()
SETTINGS = {"temperature": "0", "seed": "7", "max_tokens": "48"}
REQUEST = {"temperature": 0, "seed": 7, "max_tokens": 48}
QUESTION = "Tell me of a dog that found a ball."
SLOW = 3000  # bytes a second: about a dozen tokens
ENDED = "document.querySelector('#talk').getAttribute('aria-busy') === 'false'"
ANSWER = "document.querySelector('.turn:last-child .answer .text').textContent"


class PageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = chromium.Chromium(FOLDER)
        cls.addClassCleanup(cls.browser.close)
        cls.server = Server(TOOL, FOLDER)
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        self.page = self.open(self.server.address)
        self.page.until("document.activeElement.id === 'asked'")

    def open(self, address):
        page = self.browser.open(address)
        self.addCleanup(page.close)
        self.addCleanup(lambda: self.assertEqual(page.faults(), []))
        return page

    def set(self, **settings):
        kept = json.dumps(json.dumps(settings))
        self.page.run(f"localStorage.setItem('rondo.settings', {kept})")
        self.page.load()
        self.page.until("document.activeElement.id === 'asked'")

    def choose(self, model):
        self.page.run(f"document.querySelector('#model').value = '{model}'; document.querySelector("
                      "'#model').dispatchEvent(new Event('change'))")

    def click(self, selector):
        self.page.run(f"document.querySelector('{selector}').click()")

    def send(self, text):
        self.page.run("document.querySelector('#asked').focus()")
        self.page.write(text)
        self.page.press("Enter")

    def ask(self, text):
        self.send(text)
        return self.answer()

    def answer(self):
        self.page.until(ENDED)
        return self.page.run(ANSWER)

    def requests(self):
        """The bodies of what the page asked for."""
        return [json.loads(event["request"]["postData"])
                for event in self.page.events("Network.requestWillBeSent")
                if event["request"]["url"].endswith("/v1/chat/completions")]
