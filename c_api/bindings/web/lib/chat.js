// What conversations are rendered from, and what calls that take it give.
import {flag, only, text, typeOf} from './arguments.js';
import {ChatFlags, numbers} from './layout.js';

const TYPE = 'rondo_chat_options';

export const CHAT_OPTIONS = ['tools', 'variables', 'template', 'templateName', 'localTime',
  'addGenerationPrompt', 'continueFinal', 'plainContent'];

// A text is JSON already.
function json(value, name) {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${name} is a value of JSON or its text, not ${typeOf(value)}`);
  }
  return JSON.stringify(value);
}

// What the clock on the wall shows.
function seconds(time) {
  if (time === undefined) return undefined;
  if (typeof time?.getTimezoneOffset !== 'function' || Number.isNaN(Number(time))) {
    throw new TypeError(`localTime is a Date, not ${typeOf(time)}`);
  }
  return Math.floor(time / 1000) - time.getTimezoneOffset() * 60;
}

// The struct, in the scope's memory.
export function chatOptions(scope, rondo, messages, options) {
  const given = only(options, CHAT_OPTIONS);
  const {memory} = rondo;
  const prompt = flag(given.continueFinal, 'continueFinal', false) ? ChatFlags.CONTINUE_FINAL :
    flag(given.addGenerationPrompt, 'addGenerationPrompt', true) ? ChatFlags.ADD_GENERATION_PROMPT : 0;
  const plain = flag(given.plainContent, 'plainContent', true) ? ChatFlags.PLAIN_CONTENT : 0;
  const at = rondo.options(scope, TYPE,
      {flags: prompt | plain, localTime: seconds(given.localTime), templateName: given.templateName});
  const template = given.template === undefined ? undefined : text(given.template, 'template');
  for (const [field, bytes, value] of [['messages', 'messages_bytes', json(messages, 'messages')],
    ['tools', 'tools_bytes', given.tools], ['variables', 'variables_bytes', given.variables],
    ['template_text', 'template_bytes', template]]) {
    if (value === undefined) continue;
    const encoded = memory.encode(field === 'template_text' ? value : json(value, field));
    memory.fill(TYPE, at, {[field]: scope.copy(encoded), [bytes]: encoded.length});
  }
  return at;
}

/** The parts of an answer put together. */
export function replyOf(parts) {
  const reply = {text: '', thinking: '', calls: []};
  for (const part of parts) addPart(reply, part);
  return reply;
}

export function addPart(reply, part) {
  if (part.kind === 'CONTENT') reply.text += part.text;
  if (part.kind === 'THINKING') reply.thinking += part.text;
  if (part.kind === 'CALL_END') {
    reply.calls.push({id: part.id, name: part.name, arguments: part.arguments});
  }
}

// Calls call(outputs, ...message) with n outputs of (buffer, capacity, length), until each has room:
// [[place, count], ...].
export function outputs(scope, rondo, n, call) {
  const lengths = Array.from({length: n}, () => scope.room(4));
  const counts = () => lengths.map((at) => rondo.memory.view.getUint32(at, true));
  for (let capacities = lengths.map(() => 4096);;) {
    const places = capacities.map((capacity) => scope.room(capacity * 4));
    const out = places.flatMap((place, i) => [place, capacities[i], lengths[i]]);
    let status;
    rondo.checkMessage(scope, (...message) => {
      status = call(out, ...message);
      return status === numbers.Status.BUFFER_TOO_SMALL ? numbers.Status.OK : status;
    });
    if (status === numbers.Status.OK) return counts().map((count, i) => [places[i], count]);
    capacities = counts().map((count) => count + 1);
  }
}
