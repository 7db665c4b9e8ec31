/** Renders Markdown in a thread of its own, which is ended when a document takes too long. */
import { parentPort } from 'node:worker_threads';
import { type RenderRequest, renderPieces } from './render.ts';

parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(renderPieces(request)));
// What is compiled and loaded when it is first used is not counted against the first document.
renderPieces({
  text: '# a\n\n| b |\n|---|\n\n```c\nd\n```\n',
  base: null,
  externalUrl: 'http://localhost',
  absolute: false,
  flavour: 'full',
});
parentPort?.postMessage('ready');
