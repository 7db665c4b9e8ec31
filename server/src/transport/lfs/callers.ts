/** Who sends an LFS request, and whether they may: the same rules as for git itself, by one more kind of password. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anonymous, type Caller, type ProjectSubject } from '../../kernel/authz/subjects.ts';
import { plainError } from '../../kernel/http/errors.ts';
import type { RateLimits } from '../../kernel/rate-limits/index.ts';
import type { GitAccess, OpenGit } from '../git/access.ts';
import { basicCredentials } from '../git/requests.ts';
import { askForPassword, missing } from './answers.ts';

/** What a credential that was handed out over SSH is for. */
export interface SshGrant {
  readonly keyId: number;
  readonly projectId: number;
  readonly operation: 'download' | 'upload';
  readonly secondsLeft: number;
}

export interface LfsCallersDependencies {
  readonly open: OpenGit;
  readonly authenticate: (username: string, password: string, clientAddress: string) => Promise<Caller | null>;
  /** What a password stands for that SSH handed out; null for all others. */
  readonly granted: (password: string) => SshGrant | null;
  /** Who acts with a key now; null where nobody does any more. */
  readonly keyHolder: (keyId: number, clientAddress: string) => Promise<Caller | null>;
  readonly rates: Pick<RateLimits, 'identified'>;
}

export interface LfsCaller {
  readonly caller: Caller;
  readonly grant: SshGrant | null;
}

export interface LfsTarget {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  /** `group/project` where it is now. */
  readonly fullPath: string;
}

export function lfsCallers(deps: LfsCallersDependencies) {
  /** The caller of a request, before anything of it is read; counted in the general limits. */
  async function identify(request: FastifyRequest, reply: FastifyReply): Promise<LfsCaller> {
    let grant: SshGrant | null = null;
    const found = await deps.rates.identified(request, reply, 'git_lfs', async () => {
      const given = basicCredentials(request);
      if (!given) return null;
      grant = deps.granted(given.password);
      const caller = grant
        ? await deps.keyHolder(grant.keyId, request.ip)
        : await deps.authenticate(given.username, given.password, request.ip);
      if (!caller) throw askForPassword();
      return caller;
    });
    return { caller: { ...(found ?? anonymous), address: request.ip }, grant };
  }

  /** The project at a path, for one who may read or write there. */
  async function authorise({ caller: known, grant }: LfsCaller, path: string, access: GitAccess): Promise<LfsTarget> {
    // What was asked for over SSH is a part of that session, although it travels over HTTP.
    const found = await deps.open(path, known, access, grant ? 'ssh' : 'http');
    if (found.refusal !== null) {
      if (known.credential.kind === 'none' && found.refusal !== 'protocol') throw askForPassword();
      throw found.refusal === 'missing' || found.refusal === 'empty'
        ? missing(found.text)
        : plainError(403, found.text);
    }
    if (access === 'write' && known.credential.kind === 'none') throw askForPassword();
    const { subject, caller, fullPath } = found;
    if (found.kind !== 'code' || subject?.kind !== 'project')
      throw missing(`Git LFS is not available for ${found.kind}s.`);
    if (grant && grant.projectId !== subject.project.id)
      throw plainError(403, 'This credential is for another project.');
    if (!subject.project.lfs_enabled) throw plainError(501, 'Git LFS is switched off in this project.');
    return { subject, caller, fullPath };
  }

  /** Refuses what a credential from SSH was not handed out for. */
  function requireDirection({ grant }: LfsCaller, operation: SshGrant['operation']): void {
    if (grant && grant.operation !== operation)
      throw plainError(403, `This credential is for ${grant.operation === 'upload' ? 'uploads' : 'downloads'} only.`);
  }

  return { identify, authorise, requireDirection };
}
export type LfsCallers = ReturnType<typeof lfsCallers>;
