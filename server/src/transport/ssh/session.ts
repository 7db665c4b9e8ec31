/** One command on a connection: who gives it now, whether they may, and its run. */
import type { SshSignIn } from '../../features/identity/index.ts';
import type { Caller } from '../../kernel/authz/subjects.ts';
import { asRequest } from '../../kernel/http/current-request.ts';
import { HttpError } from '../../kernel/http/errors.ts';
import { maintenanceText, type ReadMaintenance } from '../../kernel/http/maintenance.ts';
import type { RateLimits } from '../../kernel/rate-limits/index.ts';
import type { GitTarget, OpenGit } from '../git/access.ts';
import { type AccountDependencies, runAccountCommand } from './account.ts';
import type { SshAddress } from './address.ts';
import { parseCommand, type SshCommand } from './command.ts';
import type { CommandStream } from './stream.ts';

export interface SessionDependencies extends AccountDependencies {
  readonly signIn: SshSignIn;
  readonly open: OpenGit;
  readonly maintenance: ReadMaintenance;
  readonly rates: Pick<RateLimits, 'within'>;
  readonly address: SshAddress;
  /** Answers `git-lfs-authenticate`. */
  readonly lfs: (target: GitTarget, projectId: number, operation: 'download' | 'upload') => LfsAnswer;
  readonly log: { error(details: object, message: string): void; info(details: object, message: string): void };
}

export interface LfsAnswer {
  readonly href: string;
  readonly header: Readonly<Record<string, string>>;
  readonly expires_in: number;
}

export interface SessionRequest {
  readonly keyId: number;
  readonly clientAddress: string;
  /** Null where a shell was asked for. */
  readonly command: string | null;
  /** What the client set `GIT_PROTOCOL` to. */
  readonly protocol: string | undefined;
}

/** The highest protocol version that is asked for. */
function versionOf(protocol: string | undefined): 0 | 1 | 2 {
  const versions = (protocol ?? '').split(':').map((part) => /^version=([012])$/.exec(part)?.[1]);
  if (versions.includes('2')) return 2;
  return versions.includes('1') ? 1 : 0;
}

/** What a refused person reads; the same words over HTTP. */
const refusalText = (error: HttpError): string => {
  const { body } = error;
  const shown = 'message' in body ? body.message : body.error;
  return (error.text ?? (typeof shown === 'string' ? shown : JSON.stringify(shown))).trim();
};

const nouns = { code: 'Project', wiki: 'Wiki', snippet: 'Snippet' } as const;

export function sshSession(deps: SessionDependencies) {
  /** Lines as git shows what a server says. */
  const remark = (stream: CommandStream, lines: readonly string[]) =>
    stream.tell(['', ...lines, ''].map((line) => `remote: ${line}`.trimEnd()).join('\n'));
  const refuse = (stream: CommandStream, text: string): number => {
    remark(stream, [`ERROR: ${text}`]);
    return 1;
  };

  async function openGit(
    stream: CommandStream,
    caller: Caller,
    path: string,
    access: 'read' | 'write',
    operation: string,
  ): Promise<GitTarget | null> {
    const first = operation === 'git-receive-pack' ? 'first' : null;
    const target = await deps.open(path, caller, access, 'ssh', first);
    if (target.refusal !== null) {
      refuse(stream, target.text);
      return null;
    }
    const { subject } = target;
    const limited = await deps.rates.within('gitlab_shell_operation', {
      caller,
      ...(subject ? { subject } : {}),
      params: { operation },
    });
    if (limited) throw limited;
    if (target.moved)
      remark(stream, [
        `${nouns[target.kind]} '${path}' was moved to '${target.fullPath}'. Tell git its new address:`,
        '',
        `  git remote set-url origin ${deps.address.prefix}${target.fullPath}.git`,
      ]);
    return target;
  }

  async function run(stream: CommandStream, request: SessionRequest): Promise<number> {
    const who = await deps.signIn.caller(request.keyId, request.clientAddress);
    if ('refusal' in who) return refuse(stream, who.refusal);
    const command: SshCommand = request.command === null ? { kind: 'discover' } : parseCommand(request.command);
    const print = (text: string) => stream.send(Buffer.from(text));
    switch (command.kind) {
      case 'invalid':
        return refuse(stream, command.text);
      case 'discover':
        await print(`Welcome to Millrace, ${who.name}!\n`);
        return 0;
      case 'git':
      case 'lfs': {
        if (who.needsSecondFactor)
          return refuse(
            stream,
            `Git asks for your second factor. Prove it with: ssh -p ${deps.address.port} ${deps.address.user}@${deps.address.host} 2fa_verify`,
          );
        const writes = command.kind === 'git' ? command.program === 'git-receive-pack' : command.operation === 'upload';
        const operation = command.kind === 'git' ? command.program : 'git-lfs-authenticate';
        const target = await openGit(stream, who.caller, command.path, writes ? 'write' : 'read', operation);
        if (!target) return 1;
        if (command.kind === 'lfs') {
          const { subject } = target;
          if (target.kind !== 'code' || subject?.kind !== 'project')
            return refuse(stream, `Git LFS is not available for ${target.kind}s.`);
          if (!subject.project.lfs_enabled) return refuse(stream, 'Git LFS is not enabled for this project.');
          await print(`${JSON.stringify(deps.lfs(target, subject.project.id, command.operation))}\n`);
          return 0;
        }
        const { input, send, signal } = stream;
        const version = versionOf(request.protocol);
        // Half of a push would have to be repaired: it is not ended with its client.
        const work = { anonymous: false, signal: writes ? null : signal, clientAddress: request.clientAddress };
        await asRequest(work, () => target.repository.session(command.program, { input, send, version, signal }));
        return 0;
      }
      default: {
        const { person } = who;
        // Proving a second factor is signing in; new codes and tokens are changes.
        const maintenance = command.kind === 'verify' ? null : await deps.maintenance();
        if (maintenance)
          return refuse(
            stream,
            maintenanceText('This Millrace instance is in (read-only) maintenance mode', maintenance),
          );
        if (!person) return refuse(stream, 'This command is for people: deploy keys have no account.');
        return await runAccountCommand(deps, command, { ...who, person }, request.keyId, {
          input: stream.input,
          print,
        });
      }
    }
  }

  /** Runs the command to its end; every failure becomes words and an exit code. */
  return async function session(stream: CommandStream, request: SessionRequest): Promise<void> {
    let code = 1;
    try {
      code = await run(stream, request);
    } catch (error) {
      if (stream.signal.aborted) return;
      if (error instanceof HttpError && error.status < 500) refuse(stream, refusalText(error));
      else {
        deps.log.error({ err: error }, 'an SSH command failed');
        refuse(stream, error instanceof HttpError ? refusalText(error) : 'Something went wrong on our side.');
      }
    }
    stream.end(code);
  };
}
