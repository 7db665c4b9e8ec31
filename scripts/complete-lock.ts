/**
 * Completes package-lock.json: a registry mirror that lacks a package for some other platform makes npm leave it out of
 * the lock file, and `npm ci` then refuses the file everywhere. The missing entries are known without the registry: the
 * version from the package that names it, the platform from its name. Run after adding a dependency: `npm run lock`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type LockEntry = {
  version?: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};
type Lock = { packages: Record<string, LockEntry> };

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

/** What a platform package's name says about the machines it is for; undefined when it names none. */
function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> | undefined {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (!os || !cpu) return undefined;
  if (os !== 'linux') return { cpu: [cpu], os: [os] };
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc';
  return { cpu: [cpu], libc: [libc], os: [os] };
}

const path = join(import.meta.dirname, '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock;
const added: string[] = [];

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    const platform = platformOf(name);
    if (lock.packages[key] || !platform || !/^\d/.test(version)) continue;
    const { cpu, libc, os } = platform;
    const dev = parent.dev ? { dev: true } : {};
    lock.packages[key] = { version, cpu, ...dev, ...(libc ? { libc } : {}), optional: true, os };
    added.push(name);
  }
}

if (added.length > 0) {
  // npm's own order, so that its next write moves nothing.
  const ordered = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(ordered) }, null, 2)}\n`);
}
console.log(`${added.length} entries added to package-lock.json`);
