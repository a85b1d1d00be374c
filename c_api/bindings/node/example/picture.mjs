// Answers a question about a picture of raw RGBA, as a canvas or sharp's raw() gives it:
// node picture.mjs model.rondo photo.rgba width height
import {readFile} from 'node:fs/promises';

// shown from here
import {Model} from 'rondo';

const messages = [{role: 'user', content: [
  {type: 'image'}, {type: 'text', text: 'What is in the picture?'}]}];

async function answer(path, {data, width, height}) {
  const model = new Model(path);
  const engine = await model.engine({maxMediaRows: model.imagePlan(width, height).rows});
  const media = [await engine.media({data, width, height})];
  const session = engine.session({maxTokens: 64});
  return (await session.chat(messages, {media})).text;
}
// shown to here

// Of a JPEG file: sharp(photo).rotate().raw().toBuffer({resolveWithObject: true})
const [path, photo, width, height] = process.argv.slice(2);
console.log(await answer(path, {data: await readFile(photo), width: Number(width), height: Number(height)}));
