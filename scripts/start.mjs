// @ts-check
/** `npm start`: fetch, install and build what is missing, then serve. Unchanged checkouts go straight to serving. */
import { pathToFileURL } from 'node:url';
import { become, bundle, ensureBuilt, ensureInstalled, ensureNode } from './lib/toolchain.mjs';

const node = ensureNode();
ensureInstalled(node, 'start');
ensureBuilt(node);

const args = [bundle, 'serve', ...process.argv.slice(2)];
if (node === process.execPath) {
  // The right Node is already running: one process less.
  process.argv = [node, ...args];
  await import(pathToFileURL(bundle).href);
} else {
  become(node, args);
}
