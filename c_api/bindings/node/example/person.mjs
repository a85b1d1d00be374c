// An answer as an object of zod's: node person.mjs model.rondo
// shown from here
import {Model} from 'rondo';
import {z} from 'zod';

const Person = z.strictObject({
  name: z.string().max(20),
  age: z.int().min(0).max(130),
});

async function personOf(path) {
  const engine = await new Model(path).engine();
  const session = engine.session({jsonSchema: z.toJSONSchema(Person)});
  return Person.parse(JSON.parse(await session.generate('A person as JSON: ')));
}
// shown to here

console.log(await personOf(process.argv[2]));
