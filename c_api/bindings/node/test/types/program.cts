// The same for a program that requires it.
import rondo = require('rondo');

export const open = (path: string): rondo.Model => new rondo.Model(path);
export const reason: rondo.Reason = rondo.Reason.STOP_STRING;
