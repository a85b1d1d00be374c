/** The same as a module. */
import * as rondo from './index.cjs';

export * from './index.cjs';
export default rondo;
