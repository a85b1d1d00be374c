// A model's text in the page: as it is, but for fenced blocks of code. Nothing of it is ever markup.

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

/** The blocks of a text, {code, text}. A block of code that is not closed goes to the end. */
export function blocksOf(text) {
  const blocks = [];
  let lines = [];
  let fence = '';
  const end = (code) => {
    const whole = lines.join('\n');
    const shown = code ? whole : whole.replace(blocks.length ? /^\n+|\s+$/g : /^\s+|\s+$/g, '');
    if (shown || code) blocks.push({code, text: shown});
    lines = [];
  };
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line);
    if (!fence && mark) {
      end(false);
      fence = mark[1];
    } else if (fence && mark && mark[1].startsWith(fence) && !mark[2].trim()) {
      end(true);
      fence = '';
    } else {
      lines.push(line);
    }
  }
  end(fence !== '');
  return blocks;
}

function elementOf({code}) {
  if (!code) return document.createElement('p');
  const pre = document.createElement('pre');
  pre.tabIndex = 0;  // which scrolls
  pre.append(document.createElement('code'));
  return pre;
}

/** Shows a text that may have grown since the last call: what is the same is left alone. */
export function showText(element, text) {
  const blocks = blocksOf(text);
  blocks.forEach((block, i) => {
    let shown = element.children[i];
    if (!shown || (shown.tagName === 'PRE') !== block.code) {
      const made = elementOf(block);
      if (shown) shown.replaceWith(made);
      else element.append(made);
      shown = made;
    }
    const place = shown.firstElementChild ?? shown;
    if (place.textContent !== block.text) place.textContent = block.text;
  });
  while (element.children.length > blocks.length) element.lastElementChild.remove();
}
