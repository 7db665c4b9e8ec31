/** Artifacts and reports of a finished script: which ones, packed how, under which name. */
import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { collect } from './archive/collect.ts';
import { writeGzip, writeRaw, writeZip } from './archive/zip.ts';
import type { ArtifactUpload } from './client.ts';
import { JobFailure } from './errors.ts';
import type { JobArtifact } from './protocol.ts';
import { expand, type Variables } from './variables.ts';

/** The artifacts that a job with this outcome uploads. */
export function artifactsFor(artifacts: JobArtifact[], success: boolean): JobArtifact[] {
  return artifacts.filter(({ when }) => when === 'always' || (when === 'on_failure' ? !success : success));
}

export type ArtifactContext = {
  workspace: string;
  spool: string;
  get: Variables['get'];
  untracked(): Promise<string[]>;
  say(message: string): void;
  upload(upload: ArtifactUpload): Promise<void>;
};

/** Packs and uploads one artifact. Nothing found is a warning; a refused upload throws JobFailure. */
export async function uploadArtifact(artifact: JobArtifact, index: number, context: ArtifactContext): Promise<void> {
  const { workspace, spool, get, say } = context;
  const type = artifact.artifact_type || 'archive';
  const format = artifact.artifact_format || (type === 'archive' ? 'zip' : 'gzip');
  const expanded = (list: string[] | null | undefined) => (list ?? []).map((text) => expand(text, get)).filter(Boolean);
  const selection = {
    paths: expanded(artifact.paths),
    exclude: expanded(artifact.exclude),
    untracked: artifact.untracked ? await context.untracked() : [],
  };
  say(type === 'archive' ? 'Uploading artifacts...' : `Uploading ${type} report...`);
  const entries = await collect(workspace, selection, (message) => say(`WARNING: ${message}`));
  const files = entries.filter((entry) => entry.kind === 'file');
  if (entries.length === 0 || (format !== 'zip' && files.length === 0)) {
    say('ERROR: No files to upload');
    return;
  }
  const target = join(spool, `artifact-${index}`);
  if (format === 'zip') await writeZip(workspace, entries, target);
  else if (format === 'gzip') await writeGzip(workspace, entries, target);
  else if (format === 'raw' && files.length === 1) await writeRaw(workspace, files[0]!, target);
  else throw new JobFailure('script_failure', `an artifact of the format ${format} takes exactly one file`);
  const given = artifact.name ? basename(expand(artifact.name, get)) : '';
  const name = nameOf(given, type, format, files[0]?.path ?? type);
  say(
    `Found ${entries.length} matching artifact files and directories (${(await stat(target)).size} bytes as ${name})`,
  );
  await context.upload({ file: target, name, type, format, expireIn: artifact.expire_in ?? undefined });
  await rm(target, { force: true });
}

function nameOf(given: string, type: string, format: string, file: string): string {
  if (format === 'zip') return `${given || 'artifacts'}.zip`;
  if (format === 'gzip') return `${given || type}.gz`;
  return given || basename(file);
}
