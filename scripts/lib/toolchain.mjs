// @ts-check
/**
 * Node, dependencies and build of this checkout, each made only when needed. Plain JavaScript without dependencies that
 * Node 18 understands: it runs before the right Node and the first package are here.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const cache = join(root, '.cache');

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The parsed file; undefined when it is missing or damaged. @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readText(path));
  } catch {
    return undefined;
  }
}

/** Node 22.18 is the first that runs TypeScript sources without a flag. @param {string} version */
function runsTheSources(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 18);
}

// --- one at a time -------------------------------------------------------------------------------------------------

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Two starts of one checkout must not install or build over each other. The lock is a file with the owner's pid; one
 * whose owner is gone is taken over.
 * @template T @param {() => T} work @returns {T}
 */
function alone(work) {
  const lock = join(cache, 'launcher.lock');
  mkdirSync(cache, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch {
      const owner = Number(readText(lock));
      if (owner > 0 && !isAlive(owner)) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

// --- Node ----------------------------------------------------------------------------------------------------------

/** npm's own script: the npm that started us, else the one beside this Node, else the one on PATH. */
function npmCli() {
  const fromNpm = process.env.npm_execpath;
  if (fromNpm?.endsWith('npm-cli.js') && existsSync(fromNpm)) return fromNpm;
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  if (existsSync(beside)) return beside;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'npm');
    if (existsSync(path)) {
      const real = realpathSync(path);
      if (real.endsWith('.js')) return real;
    }
  }
  return fail('npm was not found: start with "npm start", or put npm on the PATH.');
}

/** The places where a fetched Node of this version can be, the platform's own package first. @param {string} version */
function fetchedNode(version) {
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const name of [platform, 'node']) {
    const folder = join(root, '.node', 'node_modules', name);
    const path = join(folder, 'bin', executable);
    if (readJson(join(folder, 'package.json'))?.version?.replace(/^v/, '') === version && existsSync(path)) return path;
  }
  return undefined;
}

/** @param {string} version */
function fetchNode(version) {
  const folder = join(root, '.node');
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  console.error(`Fetching Node ${version} (this is Node ${process.versions.node}) ...`);
  for (const name of [platform, 'node']) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    // The "node" package installs its platform package from a script; the platform packages have none.
    const args = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
    args.push(
      '--loglevel=error',
      name === 'node' ? '--ignore-scripts=false' : '--ignore-scripts',
      `${name}@${version}`,
    );
    const install = spawnSync(process.execPath, [npmCli(), ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const path = fetchedNode(version);
    if (install.status === 0 && path && spawnSync(path, ['--version']).stdout?.toString().trim() === `v${version}`)
      return path;
    if (name === 'node') process.stderr.write(install.stderr);
  }
  rmSync(folder, { recursive: true, force: true });
  return fail(`Node ${version} could not be fetched or does not run here. Install Node 22.18 or later and try again.`);
}

/** Path of a Node that runs the product: this one if it is new enough, else the pinned one, fetched from npm once. */
export function ensureNode() {
  if (runsTheSources(process.versions.node)) return process.execPath;
  const version = readFileSync(join(root, '.node-version'), 'utf8').trim();
  return fetchedNode(version) ?? alone(() => fetchedNode(version) ?? fetchNode(version));
}

/** The environment in which nested scripts find the same Node. @param {string} node */
function environment(node) {
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  return node === process.execPath ? process.env : { ...process.env, PATH };
}

// --- dependencies --------------------------------------------------------------------------------------------------

/** @typedef {'start' | 'all'} Scope what `npm start` needs, or everything */

const installStamp = join(root, 'node_modules', '.millrace-install.json');

/** Whether node_modules holds what the lock file names, whoever installed it. @param {string} lockText */
function everythingInstalled(lockText) {
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!installed) return false;
  return Object.entries(JSON.parse(lockText).packages).every(([path, wanted]) => {
    if (!path.includes('node_modules/') || wanted.link) return true;
    const found = installed[path];
    return found ? found.version === wanted.version : Boolean(wanted.optional || wanted.devOptional);
  });
}

/** @param {string} node @param {Scope} scope */
export function ensureInstalled(node, scope) {
  const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const lock = createHash('sha256').update(lockText).digest('hex');
  /** @returns {boolean} */
  const upToDate = () => {
    const stamp = readJson(installStamp);
    if (stamp?.lock === lock && (stamp.scope === 'all' || scope === 'start')) return true;
    if (!everythingInstalled(lockText)) return false;
    writeFileSync(installStamp, JSON.stringify({ lock, scope: 'all' }));
    return true;
  };
  if (upToDate()) return;
  alone(() => {
    if (upToDate()) return;
    // A checkout that once had everything belongs to somebody who develops: keep it so.
    const wanted = readJson(installStamp)?.scope === 'all' ? 'all' : scope;
    console.error(wanted === 'all' ? 'Installing all dependencies ...' : 'Installing dependencies ...');
    const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    if (wanted === 'start') args.push('--omit=dev', '--include-workspace-root', '--workspace=cli', '--workspace=web');
    // npm runs under the Node that the packages will run under: an older one leaves optional packages out.
    const options = { cwd: root, env: npmEnvironment(node) };
    const { status } = spawnSync(node, [npmCli(), ...args], { ...options, stdio: ['ignore', 2, 2] });
    if (status !== 0) fail('The dependencies could not be installed.');
    writeFileSync(installStamp, JSON.stringify({ lock, scope: wanted }));
  });
}

/** An outer npm hands its own options down as npm_config_*; one asked of `npm start` must not change what is installed. */
/** @param {string} node */
function npmEnvironment(node) {
  const env = { ...environment(node) };
  for (const name of Object.keys(env)) {
    if (/^npm_config_(omit|include|workspace|workspaces|include_workspace_root|prefix|local_prefix)$/i.test(name))
      delete env[name];
  }
  return env;
}

// --- build ---------------------------------------------------------------------------------------------------------

/** Everything that the product is made from, by output. */
const sources = {
  bundle: ['packages', 'server', 'cli', 'scripts/build.ts', 'scripts/lib/entry.ts', 'package-lock.json'],
  page: ['web', 'packages/api-client', 'scripts/build.ts', 'scripts/lib/entry.ts', 'package-lock.json'],
};
const ignored = new Set(['node_modules', 'dist', 'test', 'testdata', '.cache']);

/** @param {string} path @param {string[]} into */
function collect(path, into) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    into.push(`${path}:${stat.size}:${stat.mtimeMs}`);
    return;
  }
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    if (ignored.has(entry.name) || /\.test\.tsx?$/.test(entry.name)) continue;
    collect(`${path}/${entry.name}`, into);
  }
}

/** @param {readonly string[]} paths */
function fingerprint(paths) {
  /** @type {string[]} */
  const files = [];
  for (const path of paths) collect(path, files);
  return createHash('sha256').update(files.sort().join('\n')).digest('hex');
}

/** The command's entry, built. */
export const bundle = join(root, 'dist', 'millrace.mjs');
const buildStamp = join(cache, 'build.json');

/** Brings dist/ and web/dist/ up to date with the sources. @param {string} node */
export function ensureBuilt(node) {
  const wanted = { bundle: fingerprint(sources.bundle), page: fingerprint(sources.page) };
  const stale = () => {
    const built = readJson(buildStamp);
    const outputs = { bundle, page: join(root, 'web', 'dist', 'index.html') };
    const parts = /** @type {('bundle' | 'page')[]} */ (['bundle', 'page']);
    return parts.filter((part) => built?.[part] !== wanted[part] || (built[part] && !existsSync(outputs[part])));
  };
  if (stale().length === 0) return;
  alone(() => {
    const parts = stale();
    if (parts.length === 0) return;
    console.error(`Building ${parts.join(' and ')} ...`);
    const args = [join(root, 'scripts', 'build.ts'), ...parts];
    const { status } = spawnSync(node, args, { cwd: root, env: environment(node), stdio: ['ignore', 2, 2] });
    if (status !== 0) fail('The build failed.');
    writeFileSync(buildStamp, JSON.stringify(wanted));
  });
}

// --- running -------------------------------------------------------------------------------------------------------

/**
 * Runs one Node process in our place: same terminal, signals handed on, and its end is our end.
 * @param {string} node @param {string[]} args
 */
export function become(node, args) {
  const child = spawn(node, args, { stdio: 'inherit', env: environment(node) });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => fail(error.message));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}
