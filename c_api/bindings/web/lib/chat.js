// What conversations are rendered from, and what calls that take it give.
import {ChatFlags, Status} from './layout.js';

const TYPE = 'rondo_chat_options';

// The struct, in the scope's memory.
export function chatOptions(scope, rondo, messages,
    {tools, variables, template, templateName, localTime, addGenerationPrompt = true,
      continueFinal = false, plainContent = true} = {}) {
  const {memory} = rondo;
  const prompt = continueFinal ? ChatFlags.CONTINUE_FINAL :
      addGenerationPrompt ? ChatFlags.ADD_GENERATION_PROMPT : 0;
  const options = rondo.options(scope, TYPE, {
    flags: prompt | (plainContent ? ChatFlags.PLAIN_CONTENT : 0),
    localTime: localTime && Math.floor(localTime / 1000) - localTime.getTimezoneOffset() * 60,
    templateName});
  for (const [field, bytes, value] of [['messages', 'messages_bytes', messages],
         ['tools', 'tools_bytes', tools], ['variables', 'variables_bytes', variables],
         ['template_text', 'template_bytes', template]]) {
    if (value === undefined) continue;
    const text = memory.encode(typeof value === 'string' ? value : JSON.stringify(value));
    memory.set(TYPE, options, field, scope.copy(text));
    memory.set(TYPE, options, bytes, text.length);
  }
  return options;
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
      return status === Status.BUFFER_TOO_SMALL ? Status.OK : status;
    });
    if (status === Status.OK) return counts().map((count, i) => [places[i], count]);
    capacities = counts().map((count) => count + 1);
  }
}
