// Continues a text: node generate.mjs model.rondo "Once upon a time"
// shown from here
import {Model} from 'rondo';

const [path, prompt] = process.argv.slice(2);
const model = new Model(path);
const engine = await model.engine();
const session = engine.session({maxTokens: 64});
for await (const event of session.stream(prompt)) process.stdout.write(event.text);
process.stdout.write('\n');
session.close();
engine.close();
model.close();
// shown to here
