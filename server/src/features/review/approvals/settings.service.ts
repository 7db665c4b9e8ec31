/** Changing what projects and groups require of approvals. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { setApprovalsBeforeMerge } from '../../namespaces/index.ts';
import {
  type ApprovalSettings,
  type GroupApprovalSettings,
  readApprovalSettings,
  readGroupSettings,
  writeApprovalSettings,
  writeGroupSettings,
} from './settings.queries.ts';

type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The settings as they are to be. */
const merged = <T extends object>(before: T, changes: Changes<T>): T => ({
  ...before,
  ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
});

/** To reset approvals on every push leaves nothing to remove selectively. */
function wanted(before: ApprovalSettings, changes: Changes<ApprovalSettings>): ApprovalSettings {
  const after = merged(before, changes);
  if (!after.reset_approvals_on_push || !after.selective_code_owner_removals) return after;
  if (changes.selective_code_owner_removals !== true) return { ...after, selective_code_owner_removals: false };
  throw invalidRecord({
    selective_code_owner_removals: ['can only be enabled when reset_approvals_on_push is disabled'],
  });
}

const differences = <T extends object>(before: T, after: T) =>
  Object.fromEntries(
    Object.entries(before).flatMap(([name, from]) => {
      const to = after[name as keyof T];
      return from === to ? [] : [[name, { from, to }] as const];
    }),
  );

export function approvalSettingsService({ db }: { readonly db: Db }) {
  return {
    async configureProject(
      { project, namespace }: Pick<ProjectSubject, 'project' | 'namespace'>,
      changes: Changes<ApprovalSettings>,
      origin: AuditOrigin,
      before?: number,
    ): Promise<void> {
      await transaction(db, async (tx) => {
        const known = await readApprovalSettings(tx, project.id);
        const settings = wanted(known, changes);
        await writeApprovalSettings(tx, project.id, settings);
        if (before !== undefined) await setApprovalsBeforeMerge(tx, project.id, before);
        const numbers =
          before === undefined || before === project.approvals_before_merge
            ? {}
            : { approvals_before_merge: { from: project.approvals_before_merge, to: before } };
        const details = { ...differences(known, settings), ...numbers };
        if (Object.keys(details).length === 0) return;
        await recordAudit(tx, {
          ...origin,
          entity: entityOfPlace({ kind: 'project', project, namespace }),
          event: 'merge_request_approval_settings_updated',
          details,
          target: { type: 'Project', id: project.id, details: project.name },
        });
      });
    },

    async configureGroup(
      { group }: Pick<GroupSubject, 'group'>,
      changes: Changes<GroupApprovalSettings>,
      origin: AuditOrigin,
    ): Promise<void> {
      await transaction(db, async (tx) => {
        const known = await readGroupSettings(tx, group.id);
        const settings = merged(known, changes);
        const details = differences(known, settings);
        if (Object.keys(details).length === 0) return;
        await writeGroupSettings(tx, group.id, settings);
        await recordAudit(tx, {
          ...origin,
          entity: entityOfPlace({ kind: 'group', group }),
          event: 'merge_request_approval_settings_updated',
          details,
          target: { type: 'Group', id: group.id, details: group.name },
        });
      });
    },
  };
}

export type ApprovalSettingsService = ReturnType<typeof approvalSettingsService>;
