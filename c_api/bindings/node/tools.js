// A model calls a function and answers with what it gave: node tools.js model.rondo
'use strict';

// shown from here
const rondo = require('rondo');

const tools = [{type: 'function', function: {name: 'weather', parameters: {
  type: 'object', properties: {city: {type: 'string', maxLength: 30}}, required: ['city'],
  additionalProperties: false}}}];

async function main(path) {
  const model = new rondo.Model(path);
  const engine = await model.engine({maxSessions: 2});
  const messages = [{role: 'user', content: 'How is the weather in Rome?'}];
  const gbnf = model.chatGrammar(messages, {tools, calls: rondo.Calls.ONE});
  const calling = engine.session({grammar: model.grammar({gbnf})});
  let call;
  for await (const part of calling.chatParts(messages, {tools})) {
    if (part.kind !== rondo.ChatPartKind.CALL_END) continue;
    call = {name: part.name, arguments: JSON.parse(part.arguments)};
  }
  messages.push({role: 'assistant', content: '', tool_calls: [{type: 'function', function: call}]},
      {role: 'tool', name: 'weather', content: '{"sky": "clear"}'});
  const answering = engine.session({maxTokens: 64});
  for await (const part of answering.chatParts(messages, {tools})) process.stdout.write(part.text);
}
// shown to here

main(process.argv[2]).then(() => console.log());
