/** Commit data to its JSON. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { FileChange } from '../face.ts';
import type { CommitData, Stats } from '../reading/reader.ts';
import type { CommitJson } from './commits.entity.ts';

export const projectPath = (subject: ProjectSubject): string =>
  `${subject.namespace.full_path}/${subject.project.path}`;

/** The commit's JSON. With `trailers` the parsed trailers are included, else they are empty as in the ecosystem. */
export function commitJson(
  commit: CommitData,
  projectUrl: string,
  options: { stats?: Stats | undefined; trailers?: boolean | undefined } = {},
): CommitJson {
  const extended = options.trailers
    ? Object.fromEntries(Object.entries(commit.trailers).map(([key, values]) => [key, [...values]]))
    : {};
  return {
    id: commit.id,
    short_id: commit.id.slice(0, 8),
    created_at: commit.committer.date,
    parent_ids: [...commit.parents],
    title: commit.title,
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: commit.author.date,
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: commit.committer.date,
    trailers: Object.fromEntries(Object.entries(extended).map(([key, values]) => [key, values.at(-1) ?? ''])),
    extended_trailers: extended,
    web_url: `${projectUrl}/-/commit/${commit.id}`,
    ...(options.stats ? { stats: { ...options.stats } } : {}),
  };
}

/** A changed file with the two lines that name it in front of its hunks, as `patch` wants them. */
export function unified(file: FileChange): FileChange {
  if (!file.diff.startsWith('@@')) return file;
  const before = file.new_file ? '/dev/null' : `a/${file.old_path}`;
  const after = file.deleted_file ? '/dev/null' : `b/${file.new_path}`;
  return { ...file, diff: `--- ${before}\n+++ ${after}\n${file.diff}` };
}
