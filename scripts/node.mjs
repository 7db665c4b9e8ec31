// @ts-check
/**
 * Runs a script (a path) or a package's command (a bare name) with the right Node and all dependencies installed:
 * `node scripts/node.mjs scripts/spec.ts`, `node scripts/node.mjs biome check .`
 * With `--product` the built command itself, with no more installed than it needs: `node scripts/node.mjs --product doctor`
 */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { become, bundle, ensureBuilt, ensureInstalled, ensureNode, root } from './lib/toolchain.mjs';

const [first, ...rest] = process.argv.slice(2);

function runProduct() {
  const node = ensureNode();
  ensureInstalled(node, 'start');
  ensureBuilt(node);
  become(node, [bundle, ...rest]);
}

function runTool() {
  const built = first === '--built';
  const [target = '', ...args] = built ? rest : process.argv.slice(2);
  if (!target) {
    console.error('usage: node scripts/node.mjs [--built] SCRIPT|COMMAND [ARGUMENT ...], or --product COMMAND ...');
    process.exit(2);
  }
  const node = ensureNode();
  ensureInstalled(node, 'all');
  // What runs the product from outside asks for the built one.
  if (built) ensureBuilt(node);
  const command = join(root, 'node_modules', '.bin', target);
  if (!target.includes('/') && !existsSync(command)) {
    console.error(`There is no command ${target} in node_modules/.bin.`);
    process.exit(2);
  }
  become(node, [target.includes('/') ? target : realpathSync(command), ...args]);
}

if (first === '--product') runProduct();
else runTool();
