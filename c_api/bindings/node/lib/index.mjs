// The same as a module: one copy of the classes, whoever loads them and how.
import rondo from './index.cjs';

export default rondo;
export const {
  // generated from here: names
  Adapter,
  ChatParser,
  Engine,
  Grammar,
  Media,
  Model,
  RondoError,
  Session,
  libraryVersion,
  query,
  version,
  ABI_VERSION,
  Status,
  GrammarKind,
  Policy,
  Kv,
  Log,
  Affinity,
  Segment,
  Speculation,
  GrammarBegin,
  Reason,
  Channel,
  Rows,
  Pixels,
  YuvRange,
  YuvMatrix,
  ChatPartKind,
  Calls,
  Pooling,
  // generated to here
} = rondo;
