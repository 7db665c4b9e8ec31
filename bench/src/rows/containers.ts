/** What a container costs a job beside what it does: from the claim to its first command, with an image that is there. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { startInstance, token } from '../process.ts';
import { connect } from '../target.ts';
import { overhead } from './jobs.ts';

const image = 'localhost/millrace-bench:1';
const goal = 700;

const firstOf = (paths: readonly string[]) => paths.find((path) => existsSync(path));

/** A podman with an image of its own, below a directory; null where none works. */
function ownEngine(directory: string): string | null {
  const podman = firstOf(['/usr/bin/podman', '/usr/local/bin/podman']);
  const busybox = firstOf(['/usr/bin/busybox', '/bin/busybox']);
  if (!podman || !busybox) return null;
  const conf = join(directory, 'containers.conf');
  // Sandboxes refuse crun, and limits above their own.
  const runc = '[engine]\nruntime="runc"\ncgroup_manager="cgroupfs"\nevents_logger="file"\n';
  const limits = '[containers]\ndefault_ulimits=["nproc=1000:1000","nofile=1024:1024"]\n';
  writeFileSync(conf, `${limits}${existsSync('/usr/sbin/runc') ? runc : ''}`);
  const program = join(directory, 'podman');
  const store = `--root ${directory}/storage --runroot ${directory}/run --storage-driver vfs`;
  writeFileSync(program, `#!/bin/sh\nexport CONTAINERS_CONF=${conf}\nexec ${podman} ${store} "$@"\n`, { mode: 0o755 });
  const tree = join(directory, 'image');
  for (const name of ['bin', 'tmp', 'etc']) mkdirSync(join(tree, name), { recursive: true });
  copyFileSync(busybox, join(tree, 'bin/busybox'));
  for (const name of ['sh', 'cat', 'echo', 'env', 'grep', 'id', 'ls', 'mkdir', 'rm', 'sleep', 'touch', 'true'])
    symlinkSync('busybox', join(tree, 'bin', name));
  writeFileSync(join(tree, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n');
  chmodSync(join(tree, 'tmp'), 0o1777);
  execFileSync('tar', ['-C', tree, '-cf', join(directory, 'image.tar'), '.']);
  try {
    execFileSync(program, ['import', '--change', 'ENV PATH=/bin', join(directory, 'image.tar'), image], {
      stdio: 'pipe',
    });
    execFileSync(program, ['run', '--rm', '--network=host', image, 'true'], { stdio: 'pipe' });
    return program;
  } catch {
    return null;
  }
}

/** When the machine started, by the clock that containers see, too. */
const startOfMachine = () => Date.now() - Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;

export async function containers(context: Context): Promise<void> {
  const directory = join(context.directory, 'containers');
  mkdirSync(directory, { mode: 0o755 });
  const engine = ownEngine(directory);
  if (!engine) {
    console.log('containers: no podman with a static busybox works here');
    return;
  }
  const instance = await startInstance(join(directory, 'instance'), {
    MILLRACE_RUNNER: 'container',
    MILLRACE_RUNNER_ENGINE: engine,
    MILLRACE_RUNNER_IMAGE: image,
    MILLRACE_RUNNER_PULL_POLICIES: 'never',
  });
  try {
    const started = startOfMachine();
    await overhead(context, connect('ours', instance.url, token), {
      rounds: 8,
      name: 'claim of a job to its first command in a container, image there',
      script: 'cat /proc/uptime',
      timeOf: (log) => started + Number(/^(\d+\.\d\d) \d+\.\d\d\r?$/m.exec(log)?.[1]) * 1000,
      goal,
    });
  } finally {
    await instance.stop();
    execFileSync(engine, ['rm', '--all', '--force'], { stdio: 'pipe' });
  }
}
