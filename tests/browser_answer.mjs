// What the model says of raw pixels by the kernels that Chromium takes, in one thread of node: between
// the tokens of a random model rounding decides in the end, and other kernels round otherwise.
//   browser_answer.mjs PACKAGE MODEL RGBA_FILE WIDTH HEIGHT
import {readFile} from 'node:fs/promises';
import {resolve} from 'node:path';

const [folder, path, pixels, width, height] = process.argv.slice(2);
const {load} = await import(resolve(folder, 'lib/rondo.js'));
const rondo = await load(await readFile(resolve(folder, 'lib/rondo-relaxed.wasm')));
const model = await rondo.model(await readFile(path));
const engine = model.engine({maxMediaRows: model.imagePlan(Number(width), Number(height)).rows});
const media = await engine.media(
    {data: await readFile(pixels), width: Number(width), height: Number(height)});
const session = engine.session({temperature: 0, maxTokens: 48});
const messages = [{role: 'user', content: [{type: 'image'}, {type: 'text', text: 'What is this?'}]}];
console.log(session.chat(messages, {media: [media]}).text);
