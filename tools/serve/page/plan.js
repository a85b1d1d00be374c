// What the server planned for a model, as a sentence.

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytesText(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < UNITS.length - 1) {
    bytes /= 1024;
    ++unit;
  }
  return `${bytes.toLocaleString('en', {maximumFractionDigits: bytes < 10 ? 1 : 0})}\u00a0${UNITS[unit]}`;
}

export function planSentence(model) {
  const parts = [
    `context of ${model.max_model_len.toLocaleString('en')} tokens`,
    `${model.sessions} ${model.sessions === 1 ? 'session' : 'sessions'}`,
    `arena of ${bytesText(model.arena_bytes)}`,
  ];
  if (model.parent) parts.unshift(`adapter of ${model.parent}`);
  if (model.modalities.includes('image')) parts.push('sees pictures');
  parts.push(model.loaded ? 'loaded' : 'not loaded yet');
  return `Plan: ${parts.join(' · ')}`;
}
