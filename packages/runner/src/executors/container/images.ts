/** Images of jobs: which names are allowed, where they come from, with whose password. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure, messageOf } from '../../errors.ts';
import type { Engine, EngineResult } from './engine.ts';
import { reasonOf } from './engine.ts';
import { PULL_POLICIES, PULL_TIMEOUT, type PullPolicy } from './settings.ts';

// [host[:port]/]path[:tag][@digest], as registries spell it. Anything else could be an option or, for podman, a file of this host.
const HOST = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\\[[0-9a-fA-F:]+\\])(?::[0-9]{1,5})?';
const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${PART}(?:/${PART})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`,
);
// What podman takes for a way to an image, and not for the host of a registry.
const TRANSPORT = /^(?:containers-storage|dir|docker|docker-archive|docker-daemon|oci|oci-archive|ostree|sif|tarball):/;

/** Throws where the name is none of an image in a registry. */
export function checkImageName(name: string): string {
  if (name.length > 500 || !REFERENCE.test(name) || (TRANSPORT.test(name) && /[/]/.test(name)))
    throw new JobFailure('image_pull_failure', `"${name.slice(0, 200)}" is not the name of an image`, 1);
  return name;
}

/** The name with its registry; podman asks for one where docker has its own. */
export function qualified(name: string): string {
  const [first = '', ...rest] = name.split('/');
  if (rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')) return name;
  return rest.length > 0 ? `docker.io/${name}` : `docker.io/library/${name}`;
}

/** The policies to try in order. Throws where the operator does not allow what the job wants. */
export function policiesOf(wanted: unknown, allowed: readonly PullPolicy[] = ['always']): PullPolicy[] {
  const list = (Array.isArray(wanted) ? wanted : wanted ? [wanted] : []) as unknown[];
  if (list.length === 0) return [allowed[0] ?? 'always'];
  const usable = PULL_POLICIES.filter((policy) => allowed.includes(policy) && list.includes(policy));
  if (usable.length > 0) return list.filter((policy): policy is PullPolicy => usable.includes(policy as PullPolicy));
  const message = `pull_policy ${list.join(', ')} is not allowed here; allowed: ${allowed.join(', ')}`;
  throw new JobFailure('image_pull_failure', message, 1);
}

/**
 * Writes the passwords of registries where only the runner reads them, and returns the options that name the place; none
 * where there are none. Helper programs that the text may name are left out: they would run as the runner.
 */
export async function writeCredentials(
  engine: Engine,
  directory: string,
  sources: { readonly given: readonly unknown[]; readonly config: string | undefined },
): Promise<{ before: string[]; pull: string[] }> {
  const auths: Record<string, unknown> = {};
  for (const entry of sources.given) {
    const { type, url, username, password } = entry as Record<string, unknown>;
    if (type !== 'registry' || typeof url !== 'string') continue;
    auths[url] = { auth: Buffer.from(`${String(username)}:${String(password)}`).toString('base64') };
  }
  if (sources.config) {
    try {
      const { auths: more } = JSON.parse(sources.config) as { auths?: Record<string, unknown> };
      Object.assign(auths, more);
    } catch (error) {
      throw new JobFailure('image_pull_failure', `DOCKER_AUTH_CONFIG is not JSON: ${messageOf(error)}`, 1);
    }
  }
  if (Object.keys(auths).length === 0) return { before: [], pull: [] };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'config.json'), JSON.stringify({ auths }), { mode: 0o600 });
  return engine.kind === 'docker'
    ? { before: ['--config', directory], pull: [] }
    : { before: [], pull: ['--authfile', join(directory, 'config.json')] };
}

export type ImageRequest = {
  name: string;
  policies: readonly PullPolicy[];
  platform: string | undefined;
  credentials: { before: string[]; pull: string[] };
  signal: AbortSignal;
  say(text: string): void;
  warn(text: string): void;
};

/** Makes sure that the image is here, and returns its id and the name by which containers are made of it. */
export async function provideImage(engine: Engine, request: ImageRequest): Promise<{ id: string; user: string }> {
  const { name, policies, say, warn } = request;
  let last = 'it is not here';
  for (const policy of policies) {
    say(`Using image ${name} with pull policy ${policy}`);
    if (policy !== 'always') {
      const found = await inspectImage(engine, name, request.signal);
      if (found) return found;
    }
    if (policy !== 'never') {
      const result = await pull(engine, request);
      if (result.code === 0) {
        const found = await inspectImage(engine, name, request.signal);
        if (found) return found;
      }
      last = reasonOf(result);
    }
    if (policy !== policies.at(-1)) warn(`WARNING: ${name} could not be used with pull policy ${policy}: ${last}`);
  }
  throw new JobFailure('image_pull_failure', `the image ${name} could not be pulled: ${last}`, 1);
}

async function pull(engine: Engine, { name, platform, credentials, signal }: ImageRequest): Promise<EngineResult> {
  const { before, pull: options } = credentials;
  const platforms = platform ? [`--platform=${platform}`] : [];
  const from = engine.kind === 'podman' ? qualified(name) : name;
  return await engine.call([...before, 'pull', '--quiet', ...options, ...platforms, from], {
    signal,
    milliseconds: PULL_TIMEOUT,
  });
}

async function inspectImage(engine: Engine, name: string, signal: AbortSignal) {
  for (const spelling of new Set([name, qualified(name)])) {
    const args = ['image', 'inspect', '--format', '{{.Id}}|{{.Config.User}}', spelling];
    const { code, stdout } = await engine.call(args, { signal, milliseconds: 60_000 });
    const [id, user = ''] = stdout.trim().split('|');
    if (code === 0 && id) return { id, user };
  }
  return undefined;
}
