// A model calls a function and answers with what it gave; `rondo` has a model open.
// shown from here
const tools = [{type: 'function', function: {name: 'weather', parameters: {
  type: 'object', properties: {city: {type: 'string', maxLength: 30}}, required: ['city'],
  additionalProperties: false}}}];

export async function answer(rondo, show) {
  const messages = [{role: 'user', content: 'How is the weather in Rome?'}];
  const [call] = (await rondo.chat(messages, {tools, calls: 'ONE'})).calls;
  messages.push(
      {role: 'assistant', content: '', tool_calls: [{type: 'function', function: {
        name: call.name, arguments: JSON.parse(call.arguments)}}]},
      {role: 'tool', name: 'weather', content: '{"sky": "clear"}'});
  for await (const part of rondo.chatStream(messages, {tools, maxTokens: 64})) {
    if (part.kind === 'CONTENT') show(part.text);
  }
}
// shown to here
