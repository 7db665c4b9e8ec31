/** What a hook is tried with: something that is there, told as if it had just happened. */
import { ZERO_SHA } from '@millrace/git';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { toInstant } from '../../../kernel/events/index.ts';
import { newestNote } from '../../collaboration/notes/index.ts';
import { linksOfReleases } from '../../delivery/index.ts';
import type { Place } from '../../namespaces/index.ts';
import { findWiki } from '../../repository/index.ts';
import { mergeRequestPayload } from '../../review/messages/index.ts';
import { newestVulnerability } from '../../security/index.ts';
import type { HookEvent, HookMessage } from '../webhooks/index.ts';
import { emojiPayload } from './emoji.ts';
import { featureFlagPayload } from './feature-flag.ts';
import { messageOf, type WebhookDependencies } from './heard.ts';
import { issuePayload } from './issue.ts';
import { milestonePayload } from './milestone.ts';
import { commentedOn, notePayload } from './note.ts';
import { jobPayload, pipelinePayload } from './pipeline.ts';
import * as places from './places.ts';
import { pushPayload } from './push.ts';
import { releasePayload } from './release.ts';
import { vulnerabilityPayload } from './vulnerability.ts';
import * as queries from './webhooks.queries.ts';
import { wikiPagePayload } from './wiki-page.ts';

type Sample = HookMessage | string;

/** The message, or why there is none. */
export function webhookSamples(deps: Omit<WebhookDependencies, 'announce'>) {
  const { db, urls, repository } = deps;

  async function pushed(
    subject: ProjectSubject,
    user: User,
    event: 'push_events' | 'tag_push_events',
  ): Promise<object | null> {
    const branch = subject.project.default_branch;
    const head = branch === null ? null : await repository.resolve(subject, `refs/heads/${branch}`);
    if (head === null) return null;
    const tag = event === 'tag_push_events';
    const before = tag ? null : await repository.resolve(subject, `${head}~1`);
    const ref = tag ? 'refs/tags/v1.0.0' : `refs/heads/${branch}`;
    return await pushPayload(repository, urls, subject, user, {
      ref,
      before: before ?? ZERO_SHA,
      after: head,
      options: [],
    });
  }

  async function ofProject(subject: ProjectSubject, user: User, event: HookEvent): Promise<object | string> {
    switch (event) {
      case 'push_events':
      case 'tag_push_events':
        return (await pushed(subject, user, event)) ?? 'Ensure the project has at least one commit.';
      case 'merge_requests_events': {
        const row = await queries.newestMergeRequest(db, subject.project.id);
        if (!row) return 'Ensure the project has merge requests.';
        const [action, changes] = ['open', {}];
        const around = { target: subject, source: subject };
        return await mergeRequestPayload({ db, repository, urls }, around, row, user, { action, changes });
      }
      case 'issues_events':
      case 'confidential_issues_events': {
        const secret = event === 'confidential_issues_events';
        const row = await queries.newestIssue(db, subject.project.id, secret);
        if (!row) return `Ensure the project has ${secret ? 'confidential issues' : 'issues'}.`;
        return await issuePayload(deps, subject, row, user, { action: 'open', changes: {} });
      }
      case 'pipeline_events': {
        const row = await queries.newestPipeline(db, subject.project.id);
        if (!row) return 'Ensure the project has CI pipelines.';
        return await pipelinePayload({ db, repository, urls }, subject, row);
      }
      case 'job_events': {
        const row = await queries.newestBuild(db, subject.project.id);
        const payload = row ? await jobPayload({ db, repository, urls }, subject, row) : null;
        return payload ?? 'Ensure the project has CI jobs.';
      }
      case 'releases_events': {
        const row = await queries.newestRelease(db, subject.project.id);
        if (!row) return 'Ensure the project has releases.';
        const links = await linksOfReleases(db, [row.id]);
        return await releasePayload({ repository, urls }, subject, { ...row, links }, 'create');
      }
      case 'milestone_events': {
        const row = await queries.newestMilestone(db, subject.project.id);
        return row ? milestonePayload(urls, subject, row, 'create') : 'Ensure the project has milestones.';
      }
      case 'wiki_page_events': {
        const wiki = await findWiki(db, subject);
        const row = wiki && (await queries.newestWikiPage(db, wiki.id));
        const page = row ? await repository.wikiPage(subject, row.slug) : null;
        if (!wiki || !page) return 'Ensure the wiki is enabled and has pages.';
        const told = { page, branch: wiki.default_branch };
        return wikiPagePayload(urls, subject, told, user, 'create');
      }
      case 'feature_flag_events': {
        const row = await queries.newestFlag(db, subject.project.id);
        return row ? featureFlagPayload(urls, subject, row, user) : 'Ensure the project has feature flags.';
      }
      case 'emoji_events': {
        const note = await newestNote(db, subject.project.id);
        const about = note && (await commentedOn(deps, subject, note, async (id) => await deps.project(id)));
        if (!note || !about) return 'Ensure the project has notes.';
        const now = toInstant(new Date());
        const award = { id: 1, user_id: user.id, name: 'thumbsup', noteable_type: note.noteable_type };
        const payload = { ...award, noteable_id: note.noteable_id, note_id: note.id, created_at: now, updated_at: now };
        return await emojiPayload(urls, subject, { kind: 'award_emoji.awarded', payload }, about, note, user);
      }
      case 'vulnerability_events': {
        const told = await newestVulnerability(db, subject.project.id);
        return told ? vulnerabilityPayload(urls, subject, told) : 'Ensure the project has vulnerabilities.';
      }
      case 'note_events': {
        const note = await newestNote(db, subject.project.id);
        const about = note && (await commentedOn(deps, subject, note, async (id) => await deps.project(id)));
        return about ? await notePayload(deps, subject, note, about, user, 'create') : 'Ensure the project has notes.';
      }
      default:
        return 'There is nothing yet that this event tells of.';
    }
  }

  async function ofGroup(
    group: Extract<Place, { kind: 'group' }>['group'],
    user: User,
    event: HookEvent,
  ): Promise<object | string> {
    const below = await queries.someBelow(db, group.id);
    const subject = below.project === null ? null : await deps.project(below.project);
    if (event === 'member_events') {
      const grant = await queries.newestGrant(db, group.id);
      const [member] = grant?.user_id ? await queries.usersById(db, [grant.user_id]) : [];
      if (!grant || !member) return 'Ensure the group has a member.';
      return places.groupMemberPayload('user_add_to_group', group, member, grant);
    }
    if (event === 'subgroup_events') {
      const child = below.group === null ? undefined : await queries.namespaceById(db, below.group);
      return child ? places.subgroupPayload('subgroup_create', child, group) : 'Ensure the group has a subgroup.';
    }
    if (!subject) return 'Ensure the group has a project.';
    if (event !== 'project_events') return await ofProject(subject, user, event);
    const owners = await queries.ownersOf(db, subject.project.namespace_id);
    const {
      owner_email: _e,
      owner_name: _n,
      ...payload
    } = places.projectPayload('project_create', places.toldProject(subject), owners);
    return payload;
  }

  return async (place: Place, event: HookEvent, user: User): Promise<Sample> => {
    const payload =
      place.kind === 'group' ? await ofGroup(place.group, user, event) : await ofProject(place, user, event);
    if (typeof payload === 'string') return payload;
    return messageOf(event, payload) ?? 'There is nothing yet that this event tells of.';
  };
}
