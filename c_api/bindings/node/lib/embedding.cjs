// What embeds: see index.d.cts for what each does.
'use strict';

const {native} = require('./addon.cjs');
const {only, text} = require('./arguments.cjs');
const {explained} = require('./errors.cjs');

function embeddingText(model, of, options) {
  const {prompt} = only(options, ['prompt']);
  const name = prompt === undefined ? undefined : text(prompt, 'prompt');
  return explained(() => native.rondo_embedding_text(model, name, text(of, 'text')), {
    UNSUPPORTED: 'the model makes no vectors of texts',
    INVALID_ARGUMENT: `the model has no prompt named '${name}'`,
  });
}

function pairText(model, query, document, options) {
  const {instruction} = only(options, ['instruction']);
  return explained(() => native.rondo_pair_text(
      model, instruction === undefined ? undefined : text(instruction, 'instruction'),
      text(query, 'query'), text(document, 'document')), {
    UNSUPPORTED: 'the model scores no pairs',
    INVALID_ARGUMENT: 'the query has the token that stands between the two texts',
  });
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
