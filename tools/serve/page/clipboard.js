// Copies a text. Without https the clipboard's own interface is there for this machine's pages alone.

export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.className = 'unseen';
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (!copied) throw new Error('The browser does not let this page copy.');
}
