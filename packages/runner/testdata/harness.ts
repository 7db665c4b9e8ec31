/** What the runner's tests share: a fake server, a running runner, job payloads, repositories. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBuffer } from 'yauzl';
import type { JobPayload } from '../src/protocol.ts';
import { type RunnerOptions, runRunner } from '../src/runner.ts';
import { type FakeServer, fakeServer, type JobRecord } from './fake-server.ts';

let lastId = 1000;

export type Harness = {
  server: FakeServer;
  root: string;
  workDir: string;
  repositories: string;
  logs: string[];
  start(options?: Partial<RunnerOptions>): { stop(): Promise<void>; ended: Promise<void> };
  job(details?: Partial<JobPayload> & { script?: string[]; after?: string[] }): JobPayload;
  run(details?: Parameters<Harness['job']>[0]): JobRecord;
  /** Makes a bare repository with one commit of these files, and returns what a payload says about it. */
  repository(name: string, files: Record<string, string>): JobPayload['git_info'];
  close(): Promise<void>;
};

export async function harness(): Promise<Harness> {
  const root = mkdtempSync(join(tmpdir(), 'millrace-runner-'));
  chmodSync(root, 0o755);
  const repositories = join(root, 'repositories');
  mkdirSync(repositories);
  const server = await fakeServer(repositories);
  const workDir = join(root, 'work');
  const stops: (() => Promise<void>)[] = [];
  const logs: string[] = [];

  const job: Harness['job'] = ({ script = [], after, ...details } = {}) => {
    const id = ++lastId;
    return {
      id,
      token: `glcbt-job-token-${id}-abcdefghij`,
      job_info: { name: 'test', stage: 'test', project_id: 7, project_name: 'demo' },
      git_info: { repo_url: `${server.url}/git/none.git`, ref: 'main', sha: '0'.repeat(40), refspecs: [], depth: 0 },
      runner_info: { timeout: 60 },
      variables: [{ key: 'GIT_STRATEGY', value: 'none' }],
      steps: [
        { name: 'script', script, when: 'on_success' },
        ...(after ? [{ name: 'after_script', script: after, when: 'always', allow_failure: true }] : []),
      ],
      features: { failure_reasons: ['script_failure', 'runner_system_failure', 'job_execution_timeout', 'job_canceled'] },
      ...details,
    };
  };

  return {
    server,
    root,
    workDir,
    repositories,
    logs,
    job,
    run: (details) => server.enqueue(job(details)),
    start(options = {}) {
      const stop = new AbortController();
      const log = { info: (text: string) => void logs.push(text), warn: (text: string) => void logs.push(text) };
      const ended = runRunner({
        url: server.url, token: server.token, systemId: 'r_test', workDir, slots: 1, executor: 'shell',
        baseUid: 64400, touchMilliseconds: 500,
        signal: stop.signal, log, ...options,
      }); // prettier-ignore
      const finish = async () => {
        stop.abort();
        await ended;
      };
      stops.push(finish);
      return { stop: finish, ended };
    },
    repository(name, files) {
      const bare = join(repositories, `${name}.git`);
      const tree = join(root, `${name}-tree`);
      const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { encoding: 'utf8' }).trim();
      git('init', '-q', '-b', 'main', tree);
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(join(tree, path, '..'), { recursive: true });
        execFileSync('tee', [join(tree, path)], { input: content, stdio: ['pipe', 'ignore', 'inherit'] });
      }
      git('-C', tree, 'add', '-A');
      git('-C', tree, 'commit', '-q', '-m', 'first');
      git('clone', '-q', '--bare', tree, bare);
      git('-C', bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
      const sha = git('-C', bare, 'rev-parse', 'main');
      const url = new URL(`${server.url}/git/${name}.git`);
      return { repo_url: url.href, ref: 'main', sha, refspecs: ['+refs/heads/*:refs/remotes/origin/*'], depth: 20 };
    },
    async close() {
      await Promise.allSettled(stops.map((stop) => stop()));
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The credential goes into the URL as servers send it. */
export function withCredential(job: JobPayload): JobPayload {
  const url = new URL(job.git_info.repo_url);
  url.username = 'gitlab-ci-token';
  url.password = job.token;
  return { ...job, git_info: { ...job.git_info, repo_url: url.href } };
}

/** Names in an archive, in their order. */
export function zipNames(archive: Buffer): Promise<string[]> {
  return new Promise((resolve, reject) => {
    fromBuffer(archive, {}, (error, zip) => {
      if (error) return reject(error);
      const names: string[] = [];
      zip.on('entry', (entry: { fileName: string }) => names.push(entry.fileName));
      zip.on('end', () => resolve(names));
      zip.on('error', reject);
    });
  });
}
