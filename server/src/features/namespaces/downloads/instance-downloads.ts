/** The limit of the instance on how many projects a person downloads: who passes it is told of, and banned where that is wanted. */
import { recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Download } from './downloads.queries.ts';
import {
  type Downloader,
  instanceAlerted,
  markInstanceTold,
  recordInstanceDownloads,
} from './instance-downloads.queries.ts';
import { manyInstanceDownloads } from './mail-templates.ts';

export interface InstanceDownloadDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly externalUrl: string;
  /** Bans an account. */
  readonly ban: (userId: number) => Promise<unknown>;
}

export function instanceDownloads({ db, settings, mail, externalUrl, ban }: InstanceDownloadDependencies) {
  return async (downloads: readonly Download[]): Promise<void> => {
    const values = await settings.read();
    const allowed = values.max_number_of_repository_downloads;
    const seconds = values.max_number_of_repository_downloads_within_time_period;
    if (allowed === 0 || seconds === 0) return;
    const except = values.git_rate_limit_users_allowlist.map((name) => name.toLowerCase());
    const bans = values.auto_ban_user_on_excessive_projects_download;
    const tell = async (tx: Db, excess: Downloader) => {
      if (!(await markInstanceTold(tx, excess.user_id, seconds))) return;
      await recordAudit(tx, {
        ...systemOrigin,
        entity: { type: 'User', id: excess.user_id, path: excess.username },
        event: 'project_download_limit_exceeded',
        details: { projects: excess.projects, allowed, seconds },
      });
      if (!mail.configured) return;
      for (const reader of await instanceAlerted(tx, values.git_rate_limit_users_alertlist))
        await mail.send(tx, manyInstanceDownloads(reader, { ...excess, allowed, seconds, bans }, externalUrl));
    };
    const passed = await transaction(db, async (tx) => {
      const found = await recordInstanceDownloads(tx, downloads, { allowed, seconds, except });
      for (const excess of found) await tell(tx, excess);
      return found;
    });
    if (!bans) return;
    // Whoever is banned or blocked already stays so, and administrators are told of only.
    for (const { user_id } of passed.filter(({ admin }) => !admin))
      await ban(user_id).catch((error: unknown) => {
        if (!(error instanceof HttpError)) throw error;
      });
  };
}
