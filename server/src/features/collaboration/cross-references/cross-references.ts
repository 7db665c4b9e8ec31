/**
 * Writes a note under everything that a text refers to: `mentioned in issue #1`. As whoever wrote the text, who has to see
 * what it names; those who do not see the text do not see the note (`notes/references.queries.ts`).
 */
import { inPerson } from '../../../kernel/authz/acting.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import {
  epicFacts,
  type Fact,
  type FactConsumer,
  type FactDelivery,
  issueFacts,
  mergeRequestFacts,
  noteFacts,
  on,
  pushed,
} from '../../../kernel/events/index.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { referencesIn } from '../../../kernel/markdown/index.ts';
import {
  insertReference,
  may,
  type NoteableKinds,
  newDiscussionId,
  noteById,
  type Place,
  type ReferenceSource,
} from '../notes/index.ts';
import type { PushedCommits } from '../ports.ts';
import { isSourceBranch, type SourceText, textOf } from './cross-references.queries.ts';

interface Dependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly parents: Pick<ParentLoader, 'project' | 'group'>;
  readonly kinds: NoteableKinds;
  readonly pushedCommits: PushedCommits;
}

type Subject = ProjectSubject | GroupSubject;
type SourceType = SourceText['type'];
/** Commits and snippets are named, but their texts are followed elsewhere or not at all. */
type TargetType = SourceType | 'commit' | 'snippet';

/** A text, where it is, and who wrote it. */
interface Written {
  readonly source: ReferenceSource;
  readonly subject: Subject;
  readonly text: string;
  readonly caller: Caller;
  /** How the place is called in notes of its own project or group: `issue #1`. */
  readonly short: string;
  readonly sign: string;
  /** Where a commit was pushed to. */
  readonly ref?: string;
}

/** Commits of a push that are read, and things that one text refers to. */
const mostCommits = 100;
const mostTargets = 100;

const signs = { issue: '#', merge_request: '!', epic: '&' } as const;
const words = { issue: 'issue', merge_request: 'merge request', epic: 'epic', commit: 'commit' } as const;
const pages = { issues: '#', merge_requests: '!', epics: '&' } as const;

const pathOf = (subject: Subject) =>
  subject.kind === 'project' ? `${subject.namespace.full_path}/${subject.project.path}` : subject.group.full_path;
const groupOf = (subject: Subject) =>
  subject.kind === 'project' ? subject.namespace.full_path : subject.group.full_path;
const isSource = (kind: string): kind is SourceType => Object.hasOwn(signs, kind);
const isTarget = (kind: string): kind is TargetType => isSource(kind) || kind === 'commit' || kind === 'snippet';

export function crossReferences(deps: Dependencies): FactConsumer {
  const { db, parents, kinds } = deps;
  const origin = deps.externalUrl.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const address = new RegExp(
    `${origin}/(?:groups/)?([\\w./-]{1,1000}?)/-/(issues|merge_requests|epics)/(\\d{1,9})(?![\\w/])[^\\s)]*`,
    'g',
  );
  /** Addresses of this instance as references, so that both are found in one way. */
  const shortened = (text: string) =>
    text.replace(
      address,
      (_whole, path: string, page: keyof typeof pages, iid: string) => ` ${path}${pages[page]}${iid} `,
    );

  async function placeNamed(type: TargetType, path: string | null, { subject, caller }: Written) {
    if (type === 'epic') return await parents.group(path ?? groupOf(subject), caller);
    if (path === null) return subject.kind === 'project' ? subject : null;
    return await parents.project(path.includes('/') ? path : `${groupOf(subject)}/${path}`, caller);
  }

  /** Null for what is not there, or not for whoever wrote the text. */
  async function targetOf(
    type: TargetType,
    path: string | null,
    value: string,
    written: Written,
  ): Promise<Place | null> {
    const subject = await placeNamed(type, path, written);
    if (!subject) return null;
    const kind = kinds.of(type);
    const { params, load } = kind.reactions ?? kind;
    const [name = ''] = Object.keys(params);
    try {
      const place = await load(subject, { [name]: type === 'commit' ? value : Number(value) }, written.caller);
      return may(written.caller, kind, 'read', place) ? place : null;
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return null;
      throw error;
    }
  }

  async function tell(target: Place, written: Written): Promise<void> {
    const { source, subject, caller, short, sign, ref } = written;
    const { noteable } = target;
    if (caller.user === null || (noteable.id === null && noteable.commitId === null)) return;
    if ('id' in source && source.type === noteable.type && source.id === noteable.id) return;
    if (source.type === 'commit' && noteable.commitId === source.sha) return;
    // A merge request shows the commits of its branch as its own.
    if (source.type === 'commit' && noteable.type === 'merge_request' && noteable.id !== null && ref !== undefined)
      if (await isSourceBranch(db, noteable.id, source.projectId, ref)) return;
    const here = pathOf(subject) === pathOf(target.subject);
    const body = `mentioned in ${words[source.type]} ${here ? short : `${pathOf(subject)}${sign}${short.replace(sign, '')}`}`;
    const note = { author_id: caller.user.id, body, discussion_id: newDiscussionId() };
    await transaction(db, async (tx) => {
      const made = await insertReference(tx, noteable, source, note);
      if (made) await kinds.of(noteable.type).commented?.(tx, [target]);
    });
  }

  async function follow(written: Written): Promise<void> {
    const seen = new Set<string>();
    for (const { kind, place, value } of referencesIn(shortened(written.text))) {
      const named = `${kind} ${place ?? ''} ${value}`;
      if (!isTarget(kind) || seen.has(named)) continue;
      if (seen.size === mostTargets) return;
      seen.add(named);
      const target = await targetOf(kind, place, value, written);
      if (target) await tell(target, written);
    }
  }

  /** Who acted, as a caller; null for nobody, and for those who may not act. */
  async function callerOf(actorId: number | null, delivery: FactDelivery): Promise<Caller | null> {
    const user = actorId === null ? null : await delivery.user(actorId);
    return user?.state === 'active' ? inPerson(user) : null;
  }
  const subjectOf = async (row: Pick<SourceText, 'project_id' | 'namespace_id'>, caller: Caller) =>
    row.project_id !== null
      ? await parents.project(String(row.project_id), caller)
      : row.namespace_id === null
        ? null
        : await parents.group(String(row.namespace_id), caller);

  async function followText(
    type: SourceType,
    id: number,
    actorId: number | null,
    delivery: FactDelivery,
    text?: string,
  ): Promise<void> {
    const [caller, row] = [await callerOf(actorId, delivery), await textOf(db, type, id)];
    const subject = caller && row && (await subjectOf(row, caller));
    if (!caller || !row || !subject) return;
    const sign = signs[type];
    await follow({ source: { type, id }, subject, caller, text: text ?? row.text, short: `${sign}${row.iid}`, sign });
  }

  const changedText = ({ changes }: { readonly changes?: Readonly<Record<string, unknown>> | undefined }) =>
    changes === undefined || 'title' in changes || 'description' in changes;

  async function ofNote(fact: Fact<(typeof noteFacts)[keyof typeof noteFacts]>, delivery: FactDelivery): Promise<void> {
    if (fact.payload.names_nothing) return;
    const note = await noteById(db, fact.payload.note_id);
    // Nothing outside tells of what was said to members alone.
    if (!note || note.system || note.internal) return;
    const { noteable_type: type, noteable_id: id, commit_id: sha, project_id: projectId, body } = note;
    if (isSource(type) && id !== null) await followText(type, id, fact.actor_id, delivery, body);
    if (type !== 'commit' || sha === null || projectId === null || fact.actor_id === null) return;
    const acting = await delivery.actingAs(fact.actor_id, projectId);
    if (acting) await follow({ ...acting, ...ofCommit(projectId, sha), text: body });
  }

  const ofCommit = (projectId: number, sha: string) => ({
    source: { type: 'commit' as const, projectId, sha },
    short: sha,
    sign: '@',
  });

  async function ofPush({ payload, actor_id, project_id }: Fact<typeof pushed>, delivery: FactDelivery): Promise<void> {
    const acting = actor_id === null || project_id === null ? null : await delivery.actingAs(actor_id, project_id);
    if (!acting || project_id === null) return;
    for (const { id, message } of await deps.pushedCommits.brought(acting.subject, payload, mostCommits))
      await follow({ ...acting, ...ofCommit(project_id, id), text: message, ref: payload.ref });
  }

  return {
    name: 'cross-references',
    handlers: [
      on([issueFacts.opened, issueFacts.updated], async ({ payload, actor_id }, delivery) => {
        if (!payload.names_nothing && changedText(payload))
          await followText('issue', payload.issue_id, actor_id, delivery);
      }),
      on([mergeRequestFacts.opened, mergeRequestFacts.updated], async ({ payload, actor_id }, delivery) => {
        if (changedText(payload)) await followText('merge_request', payload.merge_request_id, actor_id, delivery);
      }),
      on([epicFacts.opened, epicFacts.updated], async ({ payload, actor_id }, delivery) => {
        await followText('epic', payload.epic_id, actor_id, delivery);
      }),
      on(Object.values(noteFacts), ofNote),
      on(pushed, ofPush),
    ],
  };
}
