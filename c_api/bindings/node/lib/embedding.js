// Embedding: see index.d.ts for what each does.
'use strict';

const koffi = require('koffi');
const {library, textOutput} = require('./library.js');

const SizeArray = koffi.sizeof('size_t') === 8 ? BigUint64Array : Uint32Array;

function embeddingText(model, text, {prompt = null} = {}) {
  const bytes = Buffer.from(text, 'utf8');
  return textOutput((...out) => library.rondo_embedding_text(
      model, prompt, bytes, bytes.length, ...out));
}

function pairText(model, query, document, {instruction = null} = {}) {
  const [asked, found] = [Buffer.from(query, 'utf8'), Buffer.from(document, 'utf8')];
  return textOutput((...out) => library.rondo_pair_text(
      model, instruction, asked, asked.length, found, found.length, ...out));
}

// Room for vectors, never without an address: where the model makes none, the library says so.
function room(n, texts = 1) {
  return new Float32Array(Math.max(n * texts, 1));
}

/** The ids of texts one behind the other, and how many each has. */
function joined(lists) {
  const ids = new Int32Array(lists.reduce((sum, {length}) => sum + length, 0));
  const counts = new SizeArray(lists.length);
  let end = 0;
  lists.forEach((list, i) => {
    ids.set(list, end);
    end += list.length;
    counts[i] = counts instanceof Uint32Array ? list.length : BigInt(list.length);
  });
  return {ids, counts};
}

module.exports = {embeddingText, joined, pairText, room};
