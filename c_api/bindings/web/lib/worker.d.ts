/** The worker's script, which Rondo.start() runs. */
export {};
