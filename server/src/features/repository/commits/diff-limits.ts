/** How much of differences is shown: limits of the instance. */
import type * as git from '@millrace/git';
import type { Settings } from '../../../kernel/settings/index.ts';

export type DiffLimits = () => Promise<Pick<git.DiffLimits, 'maxFiles' | 'maxLines' | 'maxPatchBytes'>>;

export const diffLimits =
  (settings: Pick<Settings, 'read'>): DiffLimits =>
  async () => {
    const {
      diff_max_files: maxFiles,
      diff_max_lines: maxLines,
      diff_max_patch_bytes: maxPatchBytes,
    } = await settings.read();
    return { maxFiles, maxLines, maxPatchBytes };
  };
