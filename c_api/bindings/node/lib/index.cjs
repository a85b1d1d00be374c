// Rondo for Node: see index.d.cts for what each does.
'use strict';

const {version} = require('../package.json');
const {Adapter} = require('./adapter.cjs');
const {native} = require('./addon.cjs');
const {text} = require('./arguments.cjs');
const {ChatParser} = require('./chat.cjs');
const constants = require('./constants.cjs');
const {Engine} = require('./engine.cjs');
const {RondoError} = require('./errors.cjs');
const {Grammar} = require('./grammar.cjs');
const {Media} = require('./media.cjs');
const {Model} = require('./model.cjs');
const {Session} = require('./session.cjs');

exports.Adapter = Adapter;
exports.ChatParser = ChatParser;
exports.Engine = Engine;
exports.Grammar = Grammar;
exports.Media = Media;
exports.Model = Model;
exports.RondoError = RondoError;
exports.Session = Session;
exports.version = version;
exports.libraryVersion = native.rondo_version_string();
exports.query = (name) => native.rondo_query(text(name, 'name'));
// generated from here: constants
exports.ABI_VERSION = constants.ABI_VERSION;
exports.Status = constants.Status;
exports.GrammarKind = constants.GrammarKind;
exports.Policy = constants.Policy;
exports.Kv = constants.Kv;
exports.Log = constants.Log;
exports.Affinity = constants.Affinity;
exports.Segment = constants.Segment;
exports.Speculation = constants.Speculation;
exports.GrammarBegin = constants.GrammarBegin;
exports.Reason = constants.Reason;
exports.Channel = constants.Channel;
exports.Rows = constants.Rows;
exports.Pixels = constants.Pixels;
exports.YuvRange = constants.YuvRange;
exports.YuvMatrix = constants.YuvMatrix;
exports.ChatPartKind = constants.ChatPartKind;
exports.Calls = constants.Calls;
exports.Pooling = constants.Pooling;
// generated to here
