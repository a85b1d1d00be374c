"""The page of `rondo serve` in a headless Chromium: its answers are the API's, it stops,
regenerates, edits, takes pictures and keys, and can be used by keyboard and screen reader.

    python3 tests/tools/serve/page_test.py build/release/rondo FOLDER [TestCase.name ...]

Leaves screenshots in the FOLDER. Exits with 77 where there is no Chromium, but 1 with RONDO_NO_SKIP.
"""
import json
import os
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/support"))
import chromium

if not chromium.program():
    print("SKIPPED: no chromium here")
    sys.exit(1 if os.environ.get("RONDO_NO_SKIP") else 77)

import page_access
from page_case import ANSWER, ENDED, FOLDER, QUESTION, REQUEST, SETTINGS, SLOW, TOOL, PageCase
from page_server import Server, make_models

READING = TOP / "tests/data/reading"


class TalkTest(PageCase):
    def test_answers_are_the_apis_and_come_bit_by_bit(self):
        self.set(**SETTINGS)
        self.page.slow(SLOW)
        self.send(QUESTION)
        self.page.until(f"{ANSWER}.length > 10")
        self.assertFalse(self.page.run(ENDED))
        self.page.slow(-1)
        messages = [{"role": "user", "content": QUESTION}]
        first = self.server.answer(messages, **REQUEST)
        self.assertEqual(self.answer(), first.strip())
        messages += [{"role": "assistant", "content": first}, {"role": "user", "content": "And?"}]
        self.assertEqual(self.ask("And?"), self.server.answer(messages, **REQUEST).strip())
        self.assertEqual(self.requests()[-1]["messages"], messages)
        self.assertRegex(self.page.run("document.querySelector('#pace').textContent"),
                         r"48 tokens · [\d.,]+ tokens/s · first after [\d.]+\sm?s · "
                         r"prompt of \d+ tokens, [1-9]\d* of them cached$")
        self.assertEqual(self.page.run("document.querySelector('.turn:last-child .note').textContent"),
                         "The answer ended at its limit of tokens.")

    def test_settings_are_asked_for_and_kept(self):
        self.set(**SETTINGS, system="You are a cat.", top_p="0.5", thinking="off")
        self.ask(QUESTION)
        request = self.requests()[-1]
        self.assertEqual(request["messages"][0], {"role": "system", "content": "You are a cat."})
        self.assertEqual(request["chat_template_kwargs"], {"enable_thinking": False})
        self.assertEqual({name: request[name] for name in ("temperature", "top_p", "seed")},
                         {"temperature": 0, "top_p": 0.5, "seed": 7})
        self.click("#open-settings")
        self.click("#clear-settings")
        self.page.picture(FOLDER / "settings.png")
        self.page.press("Escape")
        self.assertEqual(self.page.run("localStorage.getItem('rondo.settings')"), "{}")
        self.page.slow(SLOW)
        self.send("And?")
        self.page.until(f"{ANSWER}.length > 10")
        self.assertEqual(set(self.requests()[-1]), {"model", "messages", "stream", "stream_options"})
        self.page.press("Escape")

    def test_stops(self):
        self.set(**SETTINGS)
        whole = self.server.answer([{"role": "user", "content": QUESTION}], **REQUEST).strip()
        for stop in (lambda: self.page.press("Escape"), lambda: self.click("#stop")):
            self.page.slow(SLOW)
            self.send(QUESTION)
            self.page.until(f"{ANSWER}.length > 10")
            self.page.picture(FOLDER / "streaming.png")
            stop()
            text = self.answer()
            self.page.slow(-1)
            self.assertTrue(whole.startswith(text) and len(text) < len(whole), text)
            self.assertEqual(
                self.page.run("document.querySelector('.turn:last-child .note').textContent"), "Stopped.")
            self.assertIn("about", self.page.run("document.querySelector('#pace').textContent"))
            self.assertEqual(self.page.run("document.activeElement.id"), "asked")
            self.click("#anew")
            self.page.until("document.querySelectorAll('.turn').length === 0")
        self.assertEqual(self.ask(QUESTION), whole)

    def test_regenerates_and_edits_the_last_question(self):
        self.set(**SETTINGS)
        self.ask(QUESTION)
        first = self.ask("And then?")
        self.click(".turn:last-child .answer button.last")
        self.page.until("document.querySelector('#pace').textContent && " + ENDED)
        self.assertEqual(self.answer(), first)
        self.assertEqual(len(self.requests()), 3)
        self.assertEqual(self.requests()[1], self.requests()[2])
        self.click(".turn:last-child .question button")
        self.assertEqual(self.page.run("document.querySelector('#asked').value"), "And then?")
        self.page.picture(FOLDER / "editing.png")
        self.page.run("document.querySelector('#asked').select()")
        other = self.ask("Why?")
        self.assertEqual(self.page.run("document.querySelectorAll('.turn').length"), 2)
        self.assertEqual(other, self.server.answer(self.requests()[-1]["messages"], **REQUEST).strip())
        self.assertEqual(self.requests()[-1]["messages"][-1]["content"], "Why?")
        # One that is left stays as it is.
        self.click(".turn:last-child .question button")
        self.page.press("Escape")
        self.assertTrue(self.page.run("document.querySelector('#editing').hidden"))
        self.assertEqual(self.page.run("document.querySelector('#asked').value"), "")
        self.assertEqual(self.page.run(ANSWER), other)

    def test_pictures_of_files_the_clipboard_and_dropped(self):
        self.set(temperature="0")
        self.assertTrue(self.page.run("document.querySelector('#sight').hidden"))
        drop = ("const data = new DataTransfer(); data.items.add(new File([Uint8Array.from(atob('%s'), "
                "(c) => c.charCodeAt(0))], '%s', {type: 'image/jpeg'}));")
        rows = json.loads((READING / "answers.json").read_text())[:12:4]
        data = [drop % (self.server.base64(READING / row["picture"]), row["picture"]) for row in rows]
        dropped = ("{%s document.querySelector('#asked').dispatchEvent(new DragEvent('drop', "
                   "{dataTransfer: data, bubbles: true, cancelable: true}));}")
        pasted = ("{%s document.querySelector('#asked').dispatchEvent(new ClipboardEvent('paste', "
                  "{clipboardData: data, bubbles: true, cancelable: true}));}")
        self.page.run(dropped % data[1])  # on a model that does not see
        self.assertEqual(self.page.run("document.querySelector('#problem').textContent"),
                         "This model does not see pictures.")
        self.choose("reading")
        self.page.run("document.querySelector('#asked').focus()")
        self.page.press("Tab")
        self.assertEqual(self.page.run("document.activeElement.id"), "file")
        for i, take in enumerate((
                lambda: self.page.choose_files("#file", READING / rows[0]["picture"]),
                lambda: self.page.run(dropped % data[1]),
                lambda: self.page.run(pasted % data[2]))):
            take()
            self.page.until("document.querySelectorAll('#pictures img').length === 1")
            self.assertTrue(self.page.run("document.querySelector('#problem').hidden"))
            answer = self.ask(rows[i]["asked"])
            self.assertEqual(answer, rows[i]["said"])
            messages = self.requests()[-1]["messages"]
            self.assertEqual(messages[-1]["content"][0]["image_url"]["url"],
                             "data:image/jpeg;base64," + self.server.base64(READING / rows[i]["picture"]))
            self.assertEqual(answer, self.server.answer(messages, model="reading", temperature=0).strip())
            self.page.picture(FOLDER / f"picture{i}.png")
            self.click("#anew")
        # Taken out again, and gone with a model that does not see.
        self.page.size(390, 800)
        for leave in (lambda: self.click("#pictures button"), lambda: self.choose("chat")):
            self.choose("reading")
            self.page.run(pasted % data[0])
            self.page.until("document.querySelectorAll('#pictures img').length === 1")
            self.page.picture(FOLDER / "picture_phone.png")
            leave()
            self.assertTrue(self.page.run("document.querySelector('#pictures').hidden"))

    def test_errors_are_the_servers_sentences(self):
        self.set(temperature="9")
        self.ask(QUESTION)
        self.assertEqual(self.page.run("document.querySelector('.answer [role=alert]').textContent"),
                         "/temperature is 9, expected a number from 0.0 to 2.0")
        self.page.picture(FOLDER / "error.png")
        self.set(temperature="warm")
        self.ask(QUESTION)
        self.assertIn('"warm"', self.page.run("document.querySelector('.answer [role=alert]').textContent"))

    def reply(self, *events):
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
        self.page.reply_to("*/v1/chat/completions", lambda: self.send(QUESTION), body,
                           "text/event-stream")
        return self.answer()

    def test_thoughts_are_apart_and_failures_in_the_middle_told(self):
        def piece(**delta):
            return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        pieces = [piece(reasoning_content="A ball, "), piece(reasoning_content="a dog."),
                  piece(content="Like this:\n```py\nprint(1)\n``"), piece(content="`\nDone.")]
        self.assertEqual(self.reply(*pieces), "Like this:print(1)Done.")
        self.assertEqual(self.page.run("document.querySelector('.answer [role=alert]').textContent"),
                         "The answer broke off: the server closed the connection.")
        self.assertEqual(self.page.run("document.querySelector('.thoughts div').textContent"),
                         "A ball, a dog.")
        self.assertEqual(self.page.run("document.querySelector('.thoughts summary').textContent"),
                         "Thoughts")
        self.assertFalse(self.page.run("document.querySelector('.thoughts').open"))
        self.click(".thoughts summary")
        self.assertTrue(self.page.run("document.querySelector('.thoughts').open"))
        self.page.size(390, 800)
        self.page.picture(FOLDER / "thoughts_phone.png")
        self.reply(pieces[0], {"error": {"message": "There is no room."}})
        self.assertEqual(
            self.page.run("document.querySelector('.turn:last-child [role=alert]').textContent"),
            "There is no room.")
        # What was said goes with the next question, what nothing was said to does not.
        self.ask("And?")
        messages = self.requests()[-1]["messages"]
        self.assertEqual([message["role"] for message in messages], ["user", "assistant", "user"])
        self.assertEqual(messages[1]["reasoning_content"], "A ball, a dog.")

    def test_asks_for_a_key(self):
        server = Server(TOOL, FOLDER, key="open sesame")
        self.addCleanup(server.close)
        self.page = self.open(server.address)
        self.page.until("document.activeElement.id === 'key'")
        self.page.picture(FOLDER / "key.png")
        self.page.write("wrong")
        self.page.press("Enter")
        self.page.until("document.activeElement.id === 'key' && "
                        "document.querySelector('#key').value === ''")
        self.page.write("open sesame")
        self.page.press("Enter")
        self.page.until("document.querySelector('#key-form').hidden")
        self.assertTrue(self.ask(QUESTION))
        server.close()
        self.ask(QUESTION)
        self.assertEqual(
            self.page.run("document.querySelector('.turn:last-child [role=alert]').textContent"),
            "The server does not answer.")

    def test_copies_answers(self):
        self.set(**SETTINGS)
        text = self.ask(QUESTION)
        self.browser.call("Browser.grantPermissions", browserContextId=self.page.context,
                          permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        # Where a page has no clipboard of its own, by the older way.
        for before in ("0", "Object.defineProperty(navigator, 'clipboard', {value: null})"):
            self.page.run("navigator.clipboard.writeText('')")
            self.page.run(f"window.clipboard = navigator.clipboard; {before}")
            self.click(".answer button")
            self.page.until("document.querySelector('.answer button').textContent === 'Copied'")
            self.assertEqual(self.page.run("clipboard.readText()").strip(), text)
            self.assertEqual(self.page.run("document.querySelector('#announced').textContent"),
                             "Copied.")
            self.page.until("document.querySelector('.answer button').textContent === 'Copy'")

    def test_text_is_never_markup(self):
        text = ("<b>a</b> & *b*\n\n```html\n<img src=x onerror=alert(1)>\n\n  <i>\n```\nend\n"
                "~~~~\n```\n~~~~\n``` open\nlast\n")
        blocks = self.page.run(f"import('/page/text.js').then((text) => text.blocksOf({json.dumps(text)}))")
        self.assertEqual([(block["code"], block["text"]) for block in blocks],
                         [(False, "<b>a</b> & *b*"), (True, "<img src=x onerror=alert(1)>\n\n  <i>"),
                          (False, "end"), (True, "```"), (True, "last\n")])
        # However it comes, it ends as when it comes at once, and nothing but these elements is made.
        shown = self.page.run("""(async () => {
            const {showText} = await import('/page/text.js');
            const text = %s, bits = document.createElement('div'), once = document.createElement('div');
            for (let i = 0; i <= text.length; ++i) showText(bits, text.slice(0, i));
            showText(once, text);
            return [bits.innerHTML === once.innerHTML,
                    [...new Set([...once.querySelectorAll('*')].map((one) => one.tagName))].sort()];
        })()""" % json.dumps(text))
        self.assertEqual(shown, [True, ["CODE", "P", "PRE"]])


def main():
    make_models(TOOL, FOLDER)
    cases = unittest.TestSuite()
    for module in (sys.modules[__name__], page_access):
        for group in unittest.defaultTestLoader.loadTestsFromModule(module):
            cases.addTests(case for case in group
                           if not sys.argv[3:] or any(word in case.id() for word in sys.argv[3:]))
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(cases).wasSuccessful())


if __name__ == "__main__":
    main()
