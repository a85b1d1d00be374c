// A model calls a function and answers with what it gave: node tools.mjs model.rondo
// shown from here
import {Model} from 'rondo';

const tools = [{type: 'function', function: {name: 'weather', parameters: {
  type: 'object', properties: {city: {type: 'string', maxLength: 30}}, required: ['city'],
  additionalProperties: false}}}];

async function answer(path) {
  const model = new Model(path);
  const engine = await model.engine({maxSessions: 2});
  const messages = [{role: 'user', content: 'How is the weather in Rome?'}];
  const gbnf = model.chatGrammar(messages, {tools, calls: 'ONE'});
  const calling = engine.session({grammar: model.grammar({gbnf})});
  const [call] = (await calling.chat(messages, {tools})).calls;
  messages.push(
      {role: 'assistant', content: '', tool_calls: [{type: 'function', function: {
        name: call.name, arguments: JSON.parse(call.arguments)}}]},
      {role: 'tool', name: 'weather', content: '{"sky": "clear"}'});
  const answering = engine.session({maxTokens: 64});
  return (await answering.chat(messages, {tools})).text;
}
// shown to here

console.log(await answer(process.argv[2]));
