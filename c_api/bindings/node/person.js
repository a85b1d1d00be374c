// An answer as an object of zod's: node person.js model.rondo
'use strict';

// shown from here
const rondo = require('rondo');
const {z} = require('zod');

const Person = z.strictObject({
  name: z.string().max(20),
  age: z.int().min(0).max(130),
});

async function personOf(path) {
  const model = new rondo.Model(path);
  const engine = await model.engine();
  const session = engine.session({jsonSchema: z.toJSONSchema(Person)});
  return Person.parse(JSON.parse(await session.generate(model.tokenize('A person as JSON: '))));
}
// shown to here

personOf(process.argv[2]).then(console.log);
