/** Looks for regular expressions in a thread of its own, which is ended when one takes too long. */
import { parentPort } from 'node:worker_threads';
import { type PatternRequest, patternMatches } from './patterns.ts';

parentPort?.on('message', (request: PatternRequest) => parentPort?.postMessage(patternMatches(request)));
parentPort?.postMessage('ready');
