/** Who may do what with a wiki, whether it is of a project or a group; and what may be pushed to it. */
import * as git from '@millrace/git';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import type { PushCheck, Refusal } from '../writes/push-check.ts';
import type { WikiSubject } from './wiki.ts';

export const seesPlace = (caller: Caller, place: Subject): boolean =>
  place.kind === 'project' ? canOnProject(caller, 'read_project', place) : canOnGroup(caller, 'read_group', place);

export const readsWiki = (caller: Caller, place: Subject): boolean =>
  place.kind === 'project' ? canOnProject(caller, 'read_wiki', place) : canOnGroup(caller, 'read_group_wiki', place);

export const writesWiki = (caller: Caller, place: Subject): boolean =>
  place.kind === 'project'
    ? canOnProject(caller, 'create_wiki', place)
    : canOnGroup(caller, 'create_group_wiki', place);

/** Branches and tags, well named, by who may write; the default branch stays. */
export const wikiCheck: PushCheck<WikiSubject> = async ({ subject: { wiki, place }, caller, changes }) => {
  const found = new Map<string, Refusal>();
  for (const { ref, after } of changes) {
    const refuse = (reason: string) => found.set(ref, { reason, kind: 'permission' });
    if (!writesWiki(caller, place)) refuse('You are not allowed to write to this wiki.');
    else if (!/^refs\/(heads|tags|notes)\//.test(ref))
      refuse(`You are not allowed to write to ${ref}: only branches and tags can be pushed.`);
    else if (after !== git.ZERO_SHA && !git.isCreatableRef(ref)) refuse('The name of the ref is not allowed.');
    else if (after === git.ZERO_SHA && ref === `refs/heads/${wiki.default_branch}`)
      refuse('The default branch of a wiki cannot be deleted.');
  }
  return found;
};
