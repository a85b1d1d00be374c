// A worker's thread in the module, beside the one that calls it: it waits there for tasks. It must
// not allocate, for the module's C library knows of no threads.
import {instantiate} from './instance.js';

self.onmessage = async ({data: {module, memory, stackEnd}}) => {
  let c;
  try {
    c = await instantiate(module, memory);
  } catch ({message}) {
    return self.postMessage({error: message});
  }
  c.__stack_pointer.value = stackEnd;
  const number = c.rondo_worker_join();
  self.postMessage({});
  try {
    c.rondo_worker_run(number);
  } catch (error) {
    c.rondo_worker_fail();  // the call that the task is of fails, too
    throw error;
  }
};
