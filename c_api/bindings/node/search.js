// Which text is nearest to a question: node search.js embedder.rondo "question" "text"...
'use strict';

// shown from here
const rondo = require('rondo');

async function nearest(path, question, texts) {
  const model = new rondo.Model(path);
  const engine = await model.engine({maxSessions: 4});
  const sessions = [1, 2, 3, 4].map(() => engine.session());
  const read = (text, prompt) => model.tokenize(model.embeddingText(text, {prompt}));
  const [asked, ...found] = await engine.embed(sessions,
      [read(question, 'query'), ...texts.map((text) => read(text, 'document'))]);
  const similar = (vector) => vector.reduce((sum, x, i) => sum + x * asked[i], 0);
  const scores = found.map(similar);
  return texts[scores.indexOf(Math.max(...scores))];
}
// shown to here

const [path, question, ...texts] = process.argv.slice(2);
nearest(path, question, texts).then(console.log);
