// A model calls a function and answers with what it gave; `rondo` has a model open.
import {Calls, ChatPartKind} from '../lib/client.js';

// shown from here
const tools = [{type: 'function', function: {name: 'weather', parameters: {
  type: 'object', properties: {city: {type: 'string', maxLength: 30}}, required: ['city'],
  additionalProperties: false}}}];

export async function answer(rondo, show) {
  const messages = [{role: 'user', content: 'How is the weather in Rome?'}];
  let call;
  for await (const part of rondo.chatParts(messages, {chat: {tools}, calls: {calls: Calls.ONE}})) {
    if (part.kind !== ChatPartKind.CALL_END) continue;
    call = {name: part.name, arguments: JSON.parse(part.arguments)};
  }
  messages.push({role: 'assistant', content: '', tool_calls: [{type: 'function', function: call}]},
      {role: 'tool', name: 'weather', content: '{"sky": "clear"}'});
  for await (const part of rondo.chatParts(messages, {chat: {tools}, maxTokens: 64})) {
    if (part.kind === ChatPartKind.CONTENT) show(part.text);
  }
}
// shown to here
