/** Type checks every project of the checkout, side by side. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const compiler = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
const projects = ['tsconfig.json', 'web/tsconfig.json'].filter((path) => existsSync(join(root, path)));

const codes = await Promise.all(
  projects.map((project) => {
    const child = spawn(process.execPath, [compiler, '-p', project], { cwd: root, stdio: 'inherit' });
    return new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
  }),
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
