// Conversations and answers taken apart: see index.d.cts for what each does.
'use strict';

const {native} = require('./addon.cjs');
const {flag, object, only, text, typeOf} = require('./arguments.cjs');
const {ChatFlags} = require('./constants.cjs');
const {Handle} = require('./handle.cjs');

const OPTIONS = ['tools', 'variables', 'template', 'templateName', 'localTime', 'addGenerationPrompt',
                 'continueFinal', 'plainContent'];

// A text is JSON already.
function json(value, name) {
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${name} is a value of JSON or its text, not ${typeOf(value)}`);
  }
  return JSON.stringify(Array.isArray(value) ? value : object(value, name));
}

// What the clock on the wall shows.
function seconds(time) {
  if (time === undefined) return undefined;
  if (typeof time?.getTimezoneOffset !== 'function' || Number.isNaN(Number(time))) {
    throw new TypeError(`localTime is a Date, not ${typeOf(time)}`);
  }
  return Math.floor(time / 1000) - time.getTimezoneOffset() * 60;
}

function chatOptions(messages, options, ...more) {
  const given = only(options, [...OPTIONS, ...more]);
  if (messages === undefined) throw new TypeError('messages is an array of messages, not undefined');
  const prompt = flag(given.continueFinal, 'continueFinal', false) ? ChatFlags.CONTINUE_FINAL :
    flag(given.addGenerationPrompt, 'addGenerationPrompt', true) ? ChatFlags.ADD_GENERATION_PROMPT : 0;
  const plain = flag(given.plainContent, 'plainContent', true) ? ChatFlags.PLAIN_CONTENT : 0;
  return {flags: prompt | plain, localTime: seconds(given.localTime), messages: json(messages, 'messages'),
          tools: json(given.tools, 'tools'), variables: json(given.variables, 'variables'),
          template: given.template, templateName: given.templateName};
}

const renderChat = (model, messages, options) =>
  native.rondo_chat_render(model, chatOptions(messages, options), true, false);

const chatIds = (model, messages, options) =>
  native.rondo_chat_render(model, chatOptions(messages, options), false, true);

function chatGrammar(model, messages, options) {
  const struct = chatOptions(messages, options, 'calls', 'function');
  const {calls = 'AUTO', function: called} = options ?? {};
  return native.rondo_chat_grammar(
      model, struct, calls, called === undefined ? undefined : text(called, 'function'));
}

function chatThinking(model, messages, options) {
  const [begin, end] = native.rondo_chat_thinking(model, chatOptions(messages, options));
  return {begin, end};
}

class ChatParser extends Handle {
  #call;  // that is being written

  constructor(model, messages, options) {
    super(native.rondo_chat_parser_create(model, chatOptions(messages, options)),
          native.rondo_chat_parser_close);
  }

  push(bytes, options) {
    const last = flag(only(options, ['last']).last, 'last', false);
    native.rondo_chat_parser_push(this.handle, bytes, Number(last));
  }

  /** What an event of the answer brings; what ended it is none of it: of the token that completes a stop
   * string, what is before that. */
  pushEvent({bytes, text = '', reason}) {
    let said = reason === 'EOS' ? new Uint8Array() : bytes;
    if (reason === 'STOP_STRING') {
      const before = Buffer.from(text);
      said = before.equals(bytes.subarray(0, before.length)) ? before : new Uint8Array();
    }
    this.push(said, {last: reason !== 'NONE'});
  }

  * parts() {
    for (;;) {
      const part = native.rondo_chat_parser_next(this.handle);
      if (part.kind === 'NONE') return;
      yield this.#told(part);
    }
  }

  #told({kind, call, text, name, id}) {
    switch (kind) {
      case 'CALL':
        this.#call = {call, name, id, arguments: ''};
        return {kind, call, name, id};
      case 'ARGUMENTS':
        this.#call.arguments += text;
        return {kind, call, text};
      case 'CALL_END':
        return {kind, ...this.#call};
      default:
        return {kind, text};
    }
  }

  reset() {
    native.rondo_chat_parser_reset(this.handle);
  }
}

/** The parts of an answer, as its events come; `told` is given each event. */
async function* partsOf(parser, events, told = () => {}) {
  try {
    for await (const event of events) {
      told(event);
      parser.pushEvent(event);
      yield* parser.parts();
    }
  } finally {
    parser.close();
  }
}

/** The parts put together. */
async function replyOf(parts) {
  const reply = {text: '', thinking: '', calls: []};
  for await (const part of parts) {
    if (part.kind === 'CONTENT') reply.text += part.text;
    if (part.kind === 'THINKING') reply.thinking += part.text;
    if (part.kind === 'CALL_END') {
      reply.calls.push({id: part.id, name: part.name, arguments: part.arguments});
    }
  }
  return reply;
}

module.exports = {ChatParser, OPTIONS, chatGrammar, chatIds, chatThinking, partsOf, renderChat, replyOf};
