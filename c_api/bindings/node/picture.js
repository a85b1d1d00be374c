// Answers a question about a picture of raw RGBA, as a canvas or sharp's raw() gives it:
// node picture.js model.rondo photo.rgba width height
'use strict';

const {readFile} = require('node:fs/promises');

// shown from here
const rondo = require('rondo');

const messages = [{role: 'user', content: [
  {type: 'image'}, {type: 'text', text: 'What is in the picture?'}]}];

async function answer(path, {data, width, height}) {
  const model = new rondo.Model(path);
  const engine = await model.engine({maxMediaRows: model.imagePlan(width, height).rows});
  const media = await engine.media({data, width, height});
  const session = engine.session({maxTokens: 64});
  session.appendMedia(model.chatIds(messages), [media]);
  for await (const event of session.stream()) process.stdout.write(event.text);
}
// shown to here

async function main(path, photo, width, height) {
  // Of a JPEG file: sharp(photo).rotate().raw().toBuffer({resolveWithObject: true})
  await answer(path, {data: await readFile(photo), width: Number(width), height: Number(height)});
  console.log();
}

main(...process.argv.slice(2));
