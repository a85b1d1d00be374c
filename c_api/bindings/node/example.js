// Continues a text: node example.js model.rondo "Once upon a time"
'use strict';

const rondo = require('rondo');

async function main(path, prompt) {
  const model = new rondo.Model(path);
  const engine = await model.engine();
  const session = engine.session({maxTokens: 64});
  await session.prefill(model.tokenize(prompt));
  for await (const event of session.stream()) process.stdout.write(event.text);
  process.stdout.write('\n');
  session.close();
  engine.close();
  model.close();
}

main(...process.argv.slice(2));
