// Grammars: see rondo.d.ts for what each does.
import {flag, only, text as checkedText} from './arguments.js';
import {Handle} from './handle.js';
import {SchemaFlags} from './layout.js';

export class Grammar extends Handle {
  constructor(model, handle) {
    super(model.rondo, handle, (grammar) => {
      model.rondo.c.rondo_grammar_close(grammar);
      model.release();
    });
    model.keep();
  }
}

const SCHEMA_FLAGS = new Map([['noSpaces', SchemaFlags.NO_SPACES], ['oneSpace', SchemaFlags.ONE_SPACE],
  ['anyOrder', SchemaFlags.ANY_ORDER], ['namedOnly', SchemaFlags.NAMED_ONLY]]);

// The options and the text of a grammar.
export function written(scope, rondo, description) {
  const given = only(description, ['schema', 'pattern', 'gbnf', ...SCHEMA_FLAGS.keys(), 'memoryBytes']);
  const {schema, pattern, gbnf, memoryBytes} = given;
  if ([schema, pattern, gbnf].filter((one) => one !== undefined).length !== 1) {
    throw new TypeError('of schema, pattern and gbnf one is given');
  }
  const flags = [...SCHEMA_FLAGS].reduce(
      (sum, [name, bit]) => sum | (flag(given[name], name, false) ? bit : 0), 0);
  const kind = pattern !== undefined ? 'PATTERN' : gbnf !== undefined ? 'GBNF' : 'JSON_SCHEMA';
  const options = rondo.options(scope, 'rondo_grammar_options', {kind, flags, memoryBytes});
  const text = pattern ?? gbnf ?? (typeof schema === 'string' ? schema : JSON.stringify(schema));
  return {options, text: rondo.memory.encode(checkedText(text, 'a grammar'))};
}

export function createGrammar(model, handle, description) {
  const {memory, c} = model.rondo;
  return memory.with((scope) => {
    const {options, text} = written(scope, model.rondo, description);
    const at = scope.copy(text);
    const out = scope.room(4);
    model.rondo.checkMessage(scope, (...message) =>
      c.rondo_grammar_create(handle, options, at, text.length, 0, 0, out, ...message));
    return new Grammar(model, memory.view.getUint32(out, true));
  });
}
