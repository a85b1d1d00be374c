// Turns, each a question {text, pictures} and its answer, and the request that they make.

export function newAnswer(model) {
  return {model, text: '', thoughts: '', note: '', wrong: '', ended: false};
}

function asked({text, pictures}) {
  if (pictures.length === 0) return text;
  const parts = pictures.map(({url}) => ({type: 'image_url', image_url: {url}}));
  if (text) parts.push({type: 'text', text});
  return parts;
}

function answered({text, thoughts}) {
  const message = {role: 'assistant', content: text};
  if (thoughts) message.reasoning_content = thoughts;
  return message;
}

/** The messages before the last turn's answer. A question that nothing was said to is left out. */
export function messagesOf(turns, system) {
  const messages = system ? [{role: 'system', content: system}] : [];
  turns.forEach(({question, answer}, i) => {
    const isLast = i === turns.length - 1;
    if (!isLast && !answer.text) return;
    messages.push({role: 'user', content: asked(question)});
    if (!isLast) messages.push(answered(answer));
  });
  return messages;
}
