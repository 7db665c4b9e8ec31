/** Renders Markdown in a thread of its own, which is ended when a document takes too long. */
import { parentPort } from 'node:worker_threads';
import { type RenderRequest, renderPieces } from './render.ts';

parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(renderPieces(request)));
parentPort?.postMessage('ready');
