/** Making, changing and removing releases: with their tag, with what is noted of them, and with what is told of it. */

import { createHash } from 'node:crypto';
import Type from 'typebox';
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Release, ReleaseLink } from '../../../kernel/db/rows.ts';
import { recordFact, releaseDeleted, releaseFacts } from '../../../kernel/events/index.ts';
import { forbidden, type HttpError, notFound, plainError } from '../../../kernel/http/errors.ts';
import { addJob, defineTask } from '../../../kernel/queue/index.ts';
import { type TaskChange, withTask } from '../../collaboration/index.ts';
import { mayCreateTag, type RefService, type RepositoryReader, tagRules } from '../../repository/index.ts';
import { checkedLink, checkLinks, type LinkValues, takenLink } from './links.ts';
import { milestonesOf, setMilestones } from './milestones.queries.ts';
import { type WishedMilestones, wishedMilestones } from './milestones.ts';
import * as queries from './releases.queries.ts';
import { snapshotOf } from './tags.ts';

export interface ReleaseServiceDependencies {
  readonly db: Db;
  readonly reader: RepositoryReader;
  readonly refs: RefService;
}

interface Request {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
}

export interface NewRelease extends WishedMilestones {
  readonly tag_name: string;
  readonly tag_message?: string;
  readonly ref?: string;
  readonly name?: string;
  readonly description?: string;
  readonly released_at?: Date;
  readonly links: readonly LinkValues[];
}

export interface ReleaseChanges extends WishedMilestones {
  readonly name?: string;
  readonly description?: string;
  /** One check box of the description. */
  readonly update_task?: TaskChange;
  readonly released_at?: Date;
}

const evidenceTask = { name: 'releases.evidence', maxAttempts: 10 };

const alreadyExists = () => plainError(409, 'Release already exists');
const protectedTag = () => plainError(403, 'You are not allowed to create this tag as it is protected.');

export function releaseService(deps: ReleaseServiceDependencies) {
  const { db, reader, refs } = deps;

  /** Whoever may not make a protected tag has no say in its release. */
  async function mayTag({ subject, caller }: Request, tag: string): Promise<boolean> {
    return mayCreateTag(await tagRules(db, subject.project.id, caller), tag, caller, subject);
  }

  async function told(
    tx: Db,
    { subject, caller }: Request,
    change: 'created' | 'updated' | 'deleted',
    release: Release,
    links: readonly ReleaseLink[] = [],
  ): Promise<void> {
    const context = { project_id: subject.project.id, actor_id: caller.user?.id ?? null };
    if (change === 'deleted') await recordFact(tx, releaseDeleted, snapshotOf(release, links), context);
    else await recordFact(tx, releaseFacts[change], { id: release.id }, context);
    await recordAudit(tx, {
      ...originOfCaller(caller),
      entity: entityOfPlace(subject),
      event: `release_${change}`,
      details: { tag: release.tag, name: release.name ?? release.tag },
      target: { type: 'Release', id: release.id, details: release.tag },
    });
  }

  /** Notes what the release is now. The text is kept as it is told, so that its hash can be checked. */
  async function collect(tx: Db, release: Release): Promise<void> {
    const project = await queries.projectOfRelease(tx, release.project_id);
    const { id, tag, name, description, created_at } = release;
    const milestones = (await milestonesOf(tx, [id])).get(id) ?? [];
    const summary = JSON.stringify({
      release: {
        ...{ id, tag_name: tag, name: name ?? tag, description, created_at, project },
        milestones: milestones.map((each) => ({
          id: each.id,
          title: each.title,
          description: each.description,
          state: each.state,
          iid: each.iid,
          created_at: each.created_at,
          due_date: each.due_date,
        })),
      },
    });
    await queries.insertEvidence(tx, id, createHash('sha256').update(summary).digest('hex'), summary);
  }

  const collectAt = (tx: Db, release: Release) =>
    addJob(
      tx,
      evidenceTask,
      { release_id: release.id },
      {
        jobKey: `${evidenceTask.name}:${release.id}`,
        runAt: release.released_at,
      },
    );

  async function insert(
    tx: Db,
    request: Request,
    given: NewRelease,
    milestones: readonly number[],
    sha: string,
  ): Promise<Release> {
    const { subject, caller } = request;
    const now = new Date();
    const made = await queries.insertRelease(tx, {
      project_id: subject.project.id,
      tag: given.tag_name,
      sha,
      name: given.name ?? null,
      description: given.description ?? null,
      author_id: caller.user?.id ?? null,
      created_at: now,
      updated_at: now,
      released_at: given.released_at ?? now,
    });
    await queries.insertLinks(
      tx,
      given.links.map((link) => ({ ...link, release_id: made.id })),
    );
    await setMilestones(tx, made.id, milestones);
    // Nobody noted anything when a release of the past was made; one of the future is not there yet.
    if (made.released_at > now) await collectAt(tx, made);
    else if (made.released_at.getTime() === now.getTime()) await collect(tx, made);
    await told(tx, request, 'created', made);
    return made;
  }

  async function create(request: Request, given: NewRelease): Promise<Release> {
    const { subject, caller } = request;
    const { project } = subject;
    const tag = given.tag_name;
    if (!(await mayTag(request, tag))) throw protectedTag();
    if (await queries.findRelease(db, project.id, tag)) throw alreadyExists();
    const milestones = (await wishedMilestones(db, request, given)) ?? [];
    checkLinks(given.links);
    const existing = await reader.tag(project, tag);
    try {
      if (existing) return await transaction(db, (tx) => insert(tx, request, given, milestones, existing.commit));
      if (!given.ref) throw plainError(422, 'Ref is not specified');
      let made: Release | undefined;
      await refs.createTag(subject, caller, tag, given.ref, given.tag_message, async (tx, commit) => {
        made = await insert(tx, request, given, milestones, commit);
      });
      if (!made) throw new Error('a tag was made without its release');
      return made;
    } catch (error) {
      if (isUniqueViolation(error, 'releases_tag')) throw alreadyExists();
      throw error;
    }
  }

  /** The release, as one that the caller may change. */
  async function changeable(request: Request, tag: string, missing: () => HttpError = notFound): Promise<Release> {
    const found = await queries.findRelease(db, request.subject.project.id, tag);
    if (!found) throw missing();
    if (!(await mayTag(request, tag))) throw forbidden();
    return found;
  }

  async function update(request: Request, release: Release, given: ReleaseChanges): Promise<Release> {
    if (Object.values(given).every((value) => value === undefined)) throw plainError(400, 'params is empty');
    const milestones = await wishedMilestones(db, request, given);
    return await transaction(db, async (tx) => {
      const { name, released_at } = given;
      const description = given.update_task
        ? withTask((await queries.lockRelease(tx, release.id))?.description ?? null, given.update_task)
        : given.description;
      const changed = await queries.updateRelease(tx, release.id, {
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(released_at === undefined ? {} : { released_at }),
      });
      if (!changed) throw notFound();
      if (milestones) await setMilestones(tx, release.id, milestones);
      if (released_at !== undefined && released_at > new Date()) await collectAt(tx, changed);
      await told(tx, request, 'updated', changed);
      return changed;
    });
  }

  async function remove(request: Request, release: Release): Promise<void> {
    await transaction(db, async (tx) => {
      const links = await queries.linksOf(tx, [release.id]);
      if (!(await queries.deleteRelease(tx, release.id))) throw notFound();
      await told(tx, request, 'deleted', release, links);
    });
  }

  /** Changes links; the release has changed with them. */
  async function linked<T>(request: Request, release: Release, change: (tx: Db) => Promise<T>): Promise<T> {
    try {
      return await transaction(db, async (tx) => {
        const done = await change(tx);
        const changed = await queries.updateRelease(tx, release.id, {});
        if (!changed) throw notFound();
        await told(tx, request, 'updated', changed);
        return done;
      });
    } catch (error) {
      throw takenLink(error) ?? error;
    }
  }

  const links = {
    create: (request: Request, release: Release, values: LinkValues) =>
      linked(request, release, (tx) => queries.insertLink(tx, { ...checkedLink(values), release_id: release.id })),
    update: (request: Request, release: Release, link: ReleaseLink, values: Partial<LinkValues>) =>
      linked(request, release, async (tx) => {
        const changed = await queries.updateLink(tx, link.id, checkedLink(values));
        if (!changed) throw notFound();
        return changed;
      }),
    remove: (request: Request, release: Release, link: ReleaseLink) =>
      linked(request, release, async (tx) => {
        if (!(await queries.deleteLink(tx, link.id))) throw notFound();
      }),
  };

  const task = defineTask(
    evidenceTask.name,
    Type.Object({ release_id: Type.Integer() }),
    async ({ release_id }) =>
      await transaction(db, async (tx) => {
        const release = await queries.lockRelease(tx, release_id);
        if (!release) return;
        // Put off meanwhile: another of this task waits for the new date.
        if (release.released_at > new Date()) return;
        const known = await queries.evidencesOf(tx, [release.id]);
        if (known.every(({ collected_at }) => collected_at < release.released_at)) await collect(tx, release);
      }),
    { maxAttempts: evidenceTask.maxAttempts },
  );

  return {
    create,
    update,
    remove,
    changeable,
    links,
    async collect(release: Release): Promise<void> {
      await transaction(db, async (tx) => {
        const found = await queries.lockRelease(tx, release.id);
        if (!found) throw notFound();
        await collect(tx, found);
      });
    },
    tasks: [task],
  };
}

export type ReleaseService = ReturnType<typeof releaseService>;
