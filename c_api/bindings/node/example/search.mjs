// Which text is nearest to a question: node search.mjs embedder.rondo "question" "text"...
// shown from here
import {Model} from 'rondo';

async function nearest(path, question, texts) {
  const engine = await new Model(path).engine({maxSessions: 4});
  const [asked] = await engine.embed([question], {prompt: 'query'});
  const vectors = await engine.embed(texts, {prompt: 'document'});
  const scores = vectors.map((vector) => vector.reduce((sum, x, i) => sum + x * asked[i], 0));
  return texts[scores.indexOf(Math.max(...scores))];
}
// shown to here

const [path, question, ...texts] = process.argv.slice(2);
console.log(await nearest(path, question, texts));
