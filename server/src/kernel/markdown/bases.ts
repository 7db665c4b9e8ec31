/** Which files are Markdown, and what relative addresses in the texts of a project or group are of. */
import type { Subject } from '../authz/subjects.ts';
import type { DocumentBase } from './addresses.ts';

export const isMarkdownFile = (path: string): boolean => /\.(?:md|markdown|mdown|mkdn?)$/i.test(path);

/** Descriptions and comments speak of files at the top of the default branch, or of another ref that they are about. */
export function baseOf(subject: Subject, ref?: string | null, folder = ''): DocumentBase {
  if (subject.kind === 'group') return { kind: 'group', group: subject.group.full_path };
  const { project, namespace } = subject;
  return {
    kind: 'repository',
    project: `${namespace.full_path}/${project.path}`,
    ref: ref ?? project.default_branch ?? 'HEAD',
    folder,
  };
}

/** A page of the wiki of a project or group. */
export const wikiBaseOf = (subject: Subject, page: string): DocumentBase =>
  subject.kind === 'project'
    ? { kind: 'wiki', of: 'project', path: `${subject.namespace.full_path}/${subject.project.path}`, page }
    : { kind: 'wiki', of: 'group', path: subject.group.full_path, page };
