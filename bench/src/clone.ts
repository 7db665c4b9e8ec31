/** A clone to push from. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git } from './process.ts';
import { createProject, type Project, type Target } from './target.ts';

/** A new project, and a clone of it below `parent` with one commit of these files that is not pushed yet. */
export async function newClone(
  target: Target,
  name: string,
  parent: string,
  files: Readonly<Record<string, string>>,
): Promise<{ readonly project: Project; readonly directory: string }> {
  const project = await createProject(target, name);
  const directory = mkdtempSync(join(parent, 'clone-'));
  await git(directory, ['init', '--quiet', '--initial-branch=main']);
  await git(directory, ['remote', 'add', 'origin', project.remote]);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  await git(directory, ['add', '.']);
  await git(directory, ['commit', '--quiet', '-m', 'Start']);
  return { project, directory };
}
