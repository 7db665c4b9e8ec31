/** Title and text that a merge request starts with when nobody says them: what the form shows, and what a push makes. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { firstDescription } from './messages.ts';

/** Commits that titles and texts are made from, the newest ones. */
const mostCommits = 100;

export interface DefaultText {
  readonly title: string;
  readonly description: string | null;
}

interface Ends {
  readonly source: ProjectSubject;
  readonly target: ProjectSubject;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  /** The commit of the source branch. */
  readonly head: string;
}

export function defaultText({ repository }: Pick<MergeRequestDependencies, 'repository'>) {
  /** The project's own text comes before files named `Default`. */
  async function templateOf(target: ProjectSubject, caller: Caller): Promise<string | null> {
    const text = target.project.merge_requests_template;
    if (text?.trim()) return text;
    return canOnProject(caller, 'read_code', target) ? repository.defaultTemplate(target, 'merge_requests') : null;
  }

  /** Without a template, of the only commit; else the name of the branch in words. */
  return async function wordsFor(caller: Caller, ends: Ends): Promise<DefaultText> {
    const { source, target, sourceBranch, head } = ends;
    const base = await repository.branch(target.project, ends.targetBranch);
    const from = base && { project: target.project, sha: base };
    const commits = from ? await repository.commitsBeyond(source, from, head, mostCommits) : [];
    const only = commits.length === 1 ? commits[0] : undefined;
    const name = sourceBranch.replaceAll(/[-_/]+/g, ' ').trim();
    const title = only?.title ?? (name ? `${name[0]?.toUpperCase()}${name.slice(1)}` : sourceBranch);
    const template = await templateOf(target, caller);
    const body = only?.message.split('\n').slice(1).join('\n').trim();
    if (template === null) return { title, description: body || null };
    const { user } = caller;
    const authorEmails = user ? [user.email, user.commit_email ?? user.email] : [];
    const description = firstDescription(template, { ...ends, title, authorEmails, commits: commits.toReversed() });
    return { title, description };
  };
}
