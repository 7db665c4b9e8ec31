/**
 * Watching who downloads how many projects, of a group and of the instance: collected in memory and written twice a second, so that a fetch
 * costs no statement.
 */
import Type from 'typebox';
import { recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Logger } from '../../../kernel/telemetry/index.ts';
import { longestDownloadInterval } from '../groups/attributes.params.ts';
import {
  type Download,
  type Excess,
  excessesOf,
  forgetDownloads,
  markTold,
  recordDownloads,
  toldOf,
} from './downloads.queries.ts';
import { forgetInstanceDownloads } from './instance-downloads.queries.ts';
import { type InstanceDownloadDependencies, instanceDownloads } from './instance-downloads.ts';
import { manyDownloads } from './mail-templates.ts';

const interval = 500;
/** More than this is written at once. */
const mostPending = 5_000;

export interface DownloadDependencies extends InstanceDownloadDependencies {
  readonly log: Logger;
}

export interface DownloadWatch {
  /** Somebody is sent the code of a project. */
  note(projectId: number, caller: Caller): void;
  /** Writes what is pending. */
  flush(): Promise<void>;
  readonly task: Task;
  readonly cron: CronItem;
}

export function downloadWatch(deps: DownloadDependencies): DownloadWatch {
  const { db, mail, externalUrl, log } = deps;
  const ofInstance = instanceDownloads(deps);
  let pending = new Map<string, Download>();
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  async function tell(tx: Db, excess: Excess): Promise<void> {
    if (!(await markTold(tx, excess))) return;
    await recordAudit(tx, {
      ...systemOrigin,
      entity: { type: 'Group', id: excess.namespace_id, path: excess.group_path },
      event: 'project_download_limit_exceeded',
      details: { projects: excess.projects, allowed: excess.allowed, seconds: excess.seconds },
      target: { type: 'User', id: excess.user_id, details: excess.username },
    });
    if (!mail.configured) return;
    for (const reader of await toldOf(tx, excess.namespace_id))
      await mail.send(tx, manyDownloads(reader, excess, externalUrl));
  }

  async function write(): Promise<void> {
    const downloads = [...pending.values()];
    pending = new Map();
    if (downloads.length === 0) return;
    const uncounted = (error: unknown) => log.warn({ err: error }, 'downloads could not be counted');
    await transaction(db, async (tx) => {
      const counted = await recordDownloads(tx, downloads);
      if (counted.length === 0) return;
      for (const excess of await excessesOf(tx, counted)) await tell(tx, excess);
    }).catch(uncounted);
    await ofInstance(downloads).catch(uncounted);
  }
  const flush = (): Promise<void> => {
    if (timer) clearTimeout(timer);
    timer = null;
    writing = writing.then(write);
    return writing;
  };

  const task = defineTask('namespaces.forget_downloads', Type.Object({}), async () => {
    await forgetDownloads(db, longestDownloadInterval);
    await forgetInstanceDownloads(db, longestDownloadInterval);
  });
  return {
    note(projectId, { user, credential }) {
      // Nobody stands behind a deploy token, and a deploy key is for one project.
      if (user === null || credential.kind === 'deploy' || credential.kind === 'deploy_key') return;
      pending.set(`${user.id}:${projectId}`, { userId: user.id, projectId });
      if (pending.size >= mostPending) void flush();
      else timer ??= setTimeout(() => void flush(), interval).unref();
    },
    flush,
    task,
    cron: { task: task.name, schedule: '41 2 * * *' },
  };
}
