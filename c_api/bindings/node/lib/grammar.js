// Grammars: see index.d.ts for what each does.
'use strict';

const raw = require('./raw.js');
const {Handle} = require('./handle.js');
const {checkMessage, library, optionsOf} = require('./library.js');

const {GrammarKind, SchemaFlags} = raw;

// The options and the text of a grammar.
function written({schema, pattern, gbnf, noSpaces = false, oneSpace = false, anyOrder = false,
  namedOnly = false, memoryBytes = 0}) {
  if ([schema, pattern, gbnf].filter((written) => written !== undefined).length !== 1) {
    throw new TypeError('of schema, pattern and gbnf one is given');
  }
  const options = optionsOf('rondo_grammar_options', {
    kind: pattern !== undefined ? GrammarKind.PATTERN :
        gbnf !== undefined ? GrammarKind.GBNF : GrammarKind.JSON_SCHEMA,
    flags: (noSpaces ? SchemaFlags.NO_SPACES : 0) |
        (oneSpace ? SchemaFlags.ONE_SPACE : 0) | (anyOrder ? SchemaFlags.ANY_ORDER : 0) |
        (namedOnly ? SchemaFlags.NAMED_ONLY : 0),
    memoryBytes});
  const text = pattern ?? gbnf ?? (typeof schema === 'string' ? schema : JSON.stringify(schema));
  return {options, text: Buffer.from(text, 'utf8')};
}

class Grammar extends Handle {
  constructor(handle) {
    super(handle, library.rondo_grammar_close);
  }
}

function createGrammar(model, description) {
  const {options, text} = written(description);
  const grammar = [null];
  checkMessage((...message) => library.rondo_grammar_create(
      model.handle, options, text, text.length, null, 0, grammar, ...message));
  return new Grammar(grammar[0]);
}

function planGrammar(model, description) {
  const {options, text} = written(description);
  const bytes = [0];
  checkMessage((...message) => library.rondo_grammar_plan(
      model.handle, options, text.length, bytes, ...message));
  return bytes[0];
}

module.exports = {Grammar, createGrammar, planGrammar};
