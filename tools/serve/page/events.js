// Server-sent events of a reply, one by one, as they come.

async function piece(reader) {
  try {
    const {value} = await reader.read();
    if (value !== undefined) return value;
  } catch (error) {
    if (error.name === 'AbortError') throw error;
  }
  throw new Error('The answer broke off: the server closed the connection.');
}

/** The data of each event, parsed. Throws where the reply ends without its last event. */
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const lines = (rest + await piece(reader)).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const data = line.slice('data: '.length).trimEnd();
      if (data === '[DONE]') return;
      yield JSON.parse(data);
    }
  }
}
