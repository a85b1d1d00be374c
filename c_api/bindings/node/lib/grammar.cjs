// Grammars: see index.d.cts for what each does.
'use strict';

const {native} = require('./addon.cjs');
const {flag, only, text} = require('./arguments.cjs');
const {SchemaFlags} = require('./constants.cjs');
const {Handle} = require('./handle.cjs');

const FLAGS = {noSpaces: SchemaFlags.NO_SPACES, oneSpace: SchemaFlags.ONE_SPACE,
               anyOrder: SchemaFlags.ANY_ORDER, namedOnly: SchemaFlags.NAMED_ONLY};
const KINDS = {schema: 'JSON_SCHEMA', pattern: 'PATTERN', gbnf: 'GBNF'};

// A schema is JSON, or a value of it.
const json = (schema) => typeof schema === 'string' ? schema :
    text(JSON.stringify(schema), 'schema, as JSON,');

// The options and the text of a grammar.
function written(description) {
  const given = only(description, [...Object.keys(KINDS), ...Object.keys(FLAGS), 'memoryBytes']);
  const kinds = Object.keys(KINDS).filter((kind) => given[kind] !== undefined);
  if (kinds.length !== 1) throw new TypeError('of schema, pattern and gbnf one is given');
  const [kind] = kinds;
  const flags = Object.keys(FLAGS).reduce(
      (sum, name) => sum | (flag(given[name], name, false) ? FLAGS[name] : 0), 0);
  return [{kind: KINDS[kind], flags, memoryBytes: given.memoryBytes},
          kind === 'schema' ? json(given.schema) : text(given[kind], kind)];
}

class Grammar extends Handle {
  constructor(model, description) {
    super(native.rondo_grammar_create(model, ...written(description)), native.rondo_grammar_close);
  }
}

function planGrammar(model, description) {
  const [options, grammar] = written(description);
  return native.rondo_grammar_plan(model, options, Buffer.byteLength(grammar));
}

module.exports = {Grammar, planGrammar};
