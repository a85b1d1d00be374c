// Conversations and answers taken apart: see index.d.ts for what each does.
'use strict';

const koffi = require('koffi');
const raw = require('./raw.js');
const {Handle} = require('./handle.js');
const {check, checkMessage, library, optionsOf, sized} = require('./library.js');

const {ChatFlags, ChatPartKind, Reason, Status} = raw;
const bytesOf = (value) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'utf8');

function chatOptions(messages,
    {tools, variables, template, templateName, localTime, addGenerationPrompt = true,
      continueFinal = false, plainContent = true} = {}) {
  const prompt = continueFinal ? ChatFlags.CONTINUE_FINAL :
      addGenerationPrompt ? ChatFlags.ADD_GENERATION_PROMPT : 0;
  const options = optionsOf('rondo_chat_options', {
    flags: prompt | (plainContent ? ChatFlags.PLAIN_CONTENT : 0),
    // What the clock on the wall shows.
    localTime: localTime && Math.floor(localTime / 1000) - localTime.getTimezoneOffset() * 60,
    templateName});
  for (const [field, bytes, value] of [['messages', 'messages_bytes', messages],
         ['tools', 'tools_bytes', tools], ['variables', 'variables_bytes', variables],
         ['template_text', 'template_bytes', template]]) {
    if (value === undefined) continue;
    options[field] = bytesOf(value);
    options[bytes] = options[field].length;
  }
  return options;
}

// For calls that end in (message, message_bytes): false: there was no room for an output.
function fits(call) {
  let status;
  checkMessage((...message) => {
    status = call(...message);
    return status === Status.BUFFER_TOO_SMALL ? Status.OK : status;
  });
  return status === Status.OK;
}

// What a call with `n` text outputs and a message gives.
function texts(n, call) {
  const lengths = Array.from({length: n}, () => [0]);
  for (let buffers = lengths.map(() => Buffer.alloc(4096));;) {
    const out = buffers.flatMap((buffer, i) => [buffer, buffer.length, lengths[i]]);
    if (fits((...message) => call(...out, ...message))) {
      return buffers.map((buffer, i) => buffer.toString('utf8', 0, lengths[i][0]));
    }
    buffers = lengths.map(([length]) => Buffer.alloc(length + 1));
  }
}

function renderChat(model, messages, options) {
  const struct = chatOptions(messages, options);
  return texts(1, (text, capacity, length, ...message) => library.rondo_chat_render(
      model, struct, text, capacity, length, null, 0, null, ...message))[0];
}

function chatIds(model, messages, options) {
  const struct = chatOptions(messages, options);
  const count = [0];
  for (let ids = new Int32Array(1024);;) {
    if (fits((...message) => library.rondo_chat_render(
        model, struct, null, 0, null, ids, ids.length, count, ...message))) {
      return ids.slice(0, count[0]);
    }
    ids = new Int32Array(count[0]);
  }
}

function chatGrammar(model, messages, {calls = raw.Calls.AUTO, function: only = null, ...options} = {}) {
  const struct = chatOptions(messages, options);
  return texts(1, (...out) => library.rondo_chat_grammar(model, struct, calls, only, ...out))[0];
}

function chatThinking(model, messages, options) {
  const struct = chatOptions(messages, options);
  const [begin, end] = texts(2, (...out) => library.rondo_chat_thinking(model, struct, ...out));
  return {begin, end};
}

class ChatParser extends Handle {
  #call;  // that is being written

  constructor(model, messages, options) {
    const struct = chatOptions(messages, options);
    const parser = [null];
    checkMessage((...message) =>
      library.rondo_chat_parser_create(model, struct, parser, ...message));
    super(parser[0], library.rondo_chat_parser_close);
  }

  push(bytes, {last = false} = {}) {
    check(library.rondo_chat_parser_push(this.handle, bytes, bytes.length, Number(last)));
  }

  // What an event of the answer brings.
  pushEvent({bytes, reason}) {
    this.push(reason === Reason.EOS ? new Uint8Array() : bytes, {last: reason !== Reason.NONE});
  }

  * parts() {
    for (;;) {
      const part = sized('rondo_chat_part');
      check(library.rondo_chat_parser_next(this.handle, part));
      if (part.kind === ChatPartKind.NONE) return;
      yield this.#told(part);
    }
  }

  #told({kind, call, ...struct}) {
    const [text, name, id] = ['text', 'name', 'id'].map((field) => Buffer.from(
        koffi.decode(struct[field], 'uint8_t', Number(struct[`${field}_bytes`]))).toString('utf8'));
    switch (kind) {
      case ChatPartKind.CALL:
        this.#call = {call, name, id, arguments: ''};
        return {kind, call, name, id};
      case ChatPartKind.ARGUMENTS:
        this.#call.arguments += text;
        return {kind, call, text};
      case ChatPartKind.CALL_END:
        return {kind, ...this.#call};
      default:
        return {kind, text};
    }
  }

  reset() {
    check(library.rondo_chat_parser_reset(this.handle));
  }
}

module.exports = {ChatParser, chatGrammar, chatIds, chatThinking, renderChat};
