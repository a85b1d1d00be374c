"""That the page can be used by keyboard and screen reader, on a phone, in the light and in the dark."""
from chromium import SHIFT
from page_case import ANSWER, ENDED, FOLDER, QUESTION, SETTINGS, SLOW, PageCase

# Of each text that is seen: its colour's contrast to what it stands on, where that is below 4.5.
FAINT = """(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3).map((part) => part / 255).map(
      (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
      .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if ((parts(colour)[3] ?? 1) === 1) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    const isText = [...element.childNodes].some(({nodeType, data}) => nodeType === 3 && data.trim());
    if (!isText && !element.placeholder) continue;
    if (!element.checkVisibility({visibilityProperty: true})) continue;
    const style = element.placeholder ? getComputedStyle(element, '::placeholder')
                                      : getComputedStyle(element);
    const [low, high] = [light(style.color), light(ground(element))].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) faint.push([element.id || element.className || element.tagName, contrast]);
  }
  return faint;
})()"""
NAME = ("(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]"
        "?.firstElementChild.textContent ?? document.activeElement.textContent).trim().replace(/\\s+/g, ' ')")


class AccessTest(PageCase):
    def test_keyboard_alone(self):
        names = []
        for _ in range(5):
            self.page.press("Tab", SHIFT)
            names.append(self.page.run(NAME))
        self.assertEqual(names, ["Conversation", "Settings", "New conversation", "Model",
                                 "Skip to the question"])
        self.page.press("Enter")
        self.assertEqual(self.page.run("document.activeElement.id"), "asked")
        for _ in range(2):
            self.page.press("Tab", SHIFT)
        self.page.press("Enter")
        self.assertTrue(self.page.run("document.querySelector('#settings').open"))
        for field, value in (("system", ""), ("temperature", "0"), ("top_p", ""), ("seed", "7"),
                             ("max_tokens", "48")):
            self.page.until(f"document.activeElement.dataset.setting === '{field}'")
            self.page.write(value)
            self.page.press("Tab")
        self.page.press("Escape")
        self.assertFalse(self.page.run("document.querySelector('#settings').open"))
        self.assertEqual(self.page.run("document.activeElement.id"), "open-settings")
        self.page.press("Tab")
        self.page.press("Tab")
        self.page.write("One line")
        self.page.press("Enter", SHIFT)
        self.page.write("and another.")
        self.page.press("Enter")
        self.answer()
        self.assertEqual(self.requests()[-1]["messages"][-1]["content"], "One line\nand another.")
        names = []
        for _ in range(3):
            self.page.press("Tab", SHIFT)
            names.append(self.page.run(NAME))
        self.assertEqual(names, ["Regenerate the answer", "Copy the answer", "Edit the question"])
        self.page.press("Tab")
        self.page.press("Tab")
        self.page.press("Enter")
        self.page.until("document.querySelectorAll('.turn').length === 1 && " + ENDED)
        self.assertEqual(len(self.requests()), 2)
        self.assertEqual(self.page.run("document.activeElement.id"), "asked")

    def test_the_finished_answer_is_announced_once(self):
        self.set(**SETTINGS)
        self.page.run("""window.heard = []; new MutationObserver(() => heard.push(
            document.querySelector('#announced').textContent)).observe(
            document.querySelector('#announced'), {childList: true, characterData: true, subtree: true})""")
        self.page.slow(SLOW)
        self.send(QUESTION)
        self.page.until(f"{ANSWER}.length > 10")
        self.page.slow(-1)
        text = self.answer()
        heard = [one for one in self.page.run("heard") if one]
        self.assertEqual(heard, [text.strip() + "\nThe answer ended at its limit of tokens."])

    def test_controls_have_names(self):
        self.choose("reading")
        self.set(**SETTINGS)
        self.ask(QUESTION)
        self.click("#open-settings")
        for opened in (True, False):
            nodes = self.page.call("Accessibility.getFullAXTree")["nodes"]
            controls = [node for node in nodes if not node["ignored"] and node["role"]["value"] in (
                "button", "textbox", "combobox", "link", "log", "dialog", "image", "list")]
            self.assertGreater(len(controls), 5)
            nameless = [node for node in controls if not node.get("name", {}).get("value")]
            self.assertEqual(nameless, [], opened)
            self.page.press("Escape")

    def test_light_dark_and_a_phone(self):
        self.set(**SETTINGS)
        self.ask(QUESTION)
        self.ask("And then?")
        for width, height, name in ((1100, 800, ""), (390, 800, "_phone"), (320, 500, "_least")):
            self.page.size(width, height)
            for scheme in ("light", "dark"):
                self.page.media(prefers_color_scheme=scheme)
                self.assertEqual(self.page.run(FAINT), [], scheme)
                self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), width)
                self.page.picture(FOLDER / f"{scheme}{name}.png")
        # The end of the answer is in sight, whatever the size.
        self.assertLess(self.page.run("document.querySelector('.turn:last-child').getBoundingClientRect()"
                                      ".bottom - document.querySelector('#question').offsetTop"), 0)
        self.click("#open-settings")
        self.assertEqual(self.page.run(FAINT), [])
        self.page.picture(FOLDER / "dark_settings_least.png")

    def test_motion_is_reduced(self):
        self.set(**SETTINGS)
        for wish, moving in (("reduce", 0), ("no-preference", 1)):
            self.page.media(prefers_reduced_motion=wish)
            self.page.slow(SLOW)
            self.send(QUESTION)
            self.page.until(f"{ANSWER}.length > 10")
            self.assertEqual(self.page.run("document.getAnimations().length"), moving)
            self.page.press("Escape")
            self.answer()
