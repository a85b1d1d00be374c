// What embeds: see index.d.cts for what each does.
'use strict';

const {native} = require('./addon.cjs');
const {only, text} = require('./arguments.cjs');

function embeddingText(model, of, options) {
  const {prompt} = only(options, ['prompt']);
  return native.rondo_embedding_text(
      model, prompt === undefined ? undefined : text(prompt, 'prompt'), text(of, 'text'));
}

function pairText(model, query, document, options) {
  const {instruction} = only(options, ['instruction']);
  return native.rondo_pair_text(
      model, instruction === undefined ? undefined : text(instruction, 'instruction'),
      text(query, 'query'), text(document, 'document'));
}

/** The ids of texts one behind the other. */
function joined(lists) {
  const ids = new Int32Array(lists.reduce((sum, {length}) => sum + length, 0));
  lists.reduce((end, list) => {
    ids.set(list, end);
    return end + list.length;
  }, 0);
  return ids;
}

module.exports = {embeddingText, joined, pairText};
