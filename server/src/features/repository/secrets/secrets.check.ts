/** Secret push protection: what new commits add is looked through for secrets before anybody can fetch it. */
import * as git from '@millrace/git';
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { readPushOptions } from '../push-options/push-options.ts';
import { knownSha } from '../reading/git-reader.ts';
import { type Push, type PushCheck, refuseAll } from '../writes/push-check.ts';
import { secretScanner } from './scanner.ts';
import { securitySettingsOf } from './secrets.queries.ts';

const skipMark = /\[skip secret push protection\]/i;
/** More than any push has. */
const boundless = 1_000_000_000;
const chunk = 200;
const bytesPerMegabyte = 1024 ** 2;
/** Findings that are told; the others are found when these are gone. */
const mostTold = 20;

interface Finding {
  readonly commit: string;
  readonly path: string;
  readonly line: number;
  readonly kind: string;
}

function refusalOf(findings: readonly Finding[]): string {
  const commits = [...new Set(findings.map(({ commit }) => commit))];
  return [
    'PUSH BLOCKED: secrets were found in what is new',
    ...commits.flatMap((commit) => [
      '',
      `In commit ${commit}:`,
      ...findings.flatMap((found) =>
        found.commit === commit ? [`-- ${found.path}:${found.line} | ${found.kind}`] : [],
      ),
    ]),
    '',
    'Take them out of these commits and push again. What was real may be known to others: replace it.',
    'To push nevertheless: git push -o secret_push_protection.skip_all',
  ].join('\n');
}

export function secretsCheck(deps: { readonly db: Db; readonly settings: Pick<Settings, 'read'> }): PushCheck {
  const { db } = deps;

  /** How the person said that the push is fine as it is; null when they did not. */
  async function skipped(push: Push, tips: readonly git.Sha[]): Promise<string | null> {
    if (readPushOptions(push.pushOptions).skipSecretPushProtection) return 'push option';
    const { repo } = push.quarantine;
    const ids = await git.newCommits(repo, tips, { limit: boundless, reverse: true });
    for (let at = 0; at < ids.length; at += chunk)
      for (const { message } of await git.readCommits(repo, ids.slice(at, at + chunk)))
        if (skipMark.test(message)) return 'commit message';
    return null;
  }

  async function scan(push: Push, tips: readonly git.Sha[]): Promise<string | null> {
    const values = await deps.settings.read();
    const megabytes = values.secret_push_protection_size_limit;
    const seconds = values.secret_push_protection_seconds_limit;
    const secretIn = secretScanner(values.personal_access_token_prefix ?? '');
    const findings: Finding[] = [];
    const ends = seconds === 0 ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000;
    const maxBytes = megabytes === 0 ? Number.POSITIVE_INFINITY : megabytes * bytesPerMegabyte;
    const tooMuch = (what: string) =>
      `Secret push protection could not look through all that is new: ${what}. Push less at once, or skip it: git push -o secret_push_protection.skip_all`;
    try {
      for await (const { commit, path, line, text } of git.introducedLines(push.quarantine.repo, tips, { maxBytes })) {
        if (performance.now() > ends)
          return tooMuch(`it took more than ${seconds} s (secret_push_protection_seconds_limit)`);
        const kind = secretIn(text);
        if (kind !== null) findings.push({ commit, path, line, kind });
        if (findings.length >= mostTold) break;
      }
    } catch (error) {
      if (!git.isGitError(error, 'limit')) throw error;
      return tooMuch(`it is more than ${megabytes} MiB (secret_push_protection_size_limit)`);
    }
    return findings.length === 0 ? null : refusalOf(findings);
  }

  return async (push) => {
    const { project } = push.subject;
    const none = new Map<string, never>();
    if (!(await deps.settings.read()).secret_push_protection_available) return none;
    if (!(await securitySettingsOf(db, project.id))?.secret_push_protection_enabled) return none;
    const tips = push.changes.flatMap(({ after }) => (after === git.ZERO_SHA ? [] : [knownSha(after)]));
    if (tips.length === 0) return none;
    const how = await skipped(push, tips);
    if (how === null) {
      const reason = await scan(push, tips);
      const adding = push.changes.filter(({ after }) => after !== git.ZERO_SHA);
      return reason === null ? none : refuseAll({ ...push, changes: adding }, { reason, kind: 'content' });
    }
    await recordAudit(db, {
      ...originOfCaller(push.caller),
      entity: entityOfPlace(push.subject),
      event: 'skip_secret_push_protection',
      details: { by: how, refs: push.changes.slice(0, 20).map(({ ref, after }) => `${ref} ${after}`) },
      target: { type: 'Project', id: project.id, details: 'secret push protection' },
    });
    return none;
  };
}
