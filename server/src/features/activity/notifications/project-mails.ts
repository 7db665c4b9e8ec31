/** From facts to mails about projects: pipelines that ended, for whoever started them, new releases, and new addresses. */
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import {
  type Fact,
  type FactConsumer,
  type FactDefinition,
  type FactDelivery,
  on,
  pipelineFacts,
  projectFacts,
  releaseFacts,
} from '../../../kernel/events/index.ts';
import type { MailText } from '../../../kernel/mail/index.ts';
import { baseOf } from '../../../kernel/markdown/index.ts';
import { mailHeaderPrefix } from '../../../kernel/names.ts';
import { membersOf } from '../../collaboration/index.ts';
import { mailAddressOf } from '../../identity/index.ts';
import { sendsMail } from '../../namespaces/index.ts';
import { placeHeaders } from './mail-template.ts';
import type { NotificationDependencies } from './notifications.ts';
import { endedPipeline, toldRelease } from './project-mails.queries.ts';
import * as queries from './recipients.queries.ts';
import { type ProjectEvent, settingFor, wantsOfProject } from './recipients.ts';

type Written = Omit<MailText, 'to'>;
type Dependencies = Pick<NotificationDependencies, 'db' | 'mail' | 'externalUrl' | 'markdown'>;
/** Somebody who gets a mail, and the project as they see it. */
interface MailReader {
  readonly caller: Caller;
  readonly subject: ProjectSubject;
}
type Handled = Pick<Fact<FactDefinition>, 'id' | 'project_id'>;

const words = { failed: 'Failed', fixed: 'Fixed', success: 'Successful' } as const;
const sentences = { failed: 'has failed', fixed: 'has passed again', success: 'has passed' } as const;

export function projectMails(deps: Dependencies): FactConsumer {
  const { db, mail, externalUrl } = deps;

  /** Tells those of the people who want it and may see it. */
  async function tell(
    fact: Handled,
    event: ProjectEvent,
    ability: ProjectAbility,
    people: (project: ProjectSubject) => readonly number[] | Promise<readonly number[]>,
    write: (reader: MailReader) => Written | Promise<Written>,
    delivery: FactDelivery,
  ): Promise<void> {
    const project = fact.project_id === null ? null : await delivery.project(fact.project_id);
    if (!project || fact.project_id === null) return;
    const place = { projectId: fact.project_id, namespaceIds: project.namespace.traversal_ids };
    if (!(await sendsMail(db, { kind: 'project', id: place.projectId, namespaceIds: place.namespaceIds }))) return;
    const asked = await people(project);
    const settings = Map.groupBy(await queries.settingsOf(db, asked, place), ({ user_id }) => user_id);
    for (const userId of asked) {
      delivery.signal.throwIfAborted();
      if (!wantsOfProject(event, settingFor(settings.get(userId) ?? [], place))) continue;
      const reader = await delivery.actingAs(userId, place.projectId);
      const address = reader?.caller.user && mailAddressOf(reader.caller.user);
      if (!reader || !address || !canOnProject(reader.caller, ability, reader.subject)) continue;
      const { headers, ...text } = await write(reader);
      const { project: row, namespace } = reader.subject;
      const about = { id: row.id, name: row.name, path: `${namespace.full_path}/${row.path}` };
      const message = { ...text, to: address, headers: { ...placeHeaders(about, externalUrl), ...headers } };
      await transaction(db, async (tx) => {
        if (await queries.claimMail(tx, fact.id, userId)) await mail.send(tx, message);
      });
    }
  }

  const urlOf = ({ project, namespace }: ProjectSubject) => `${externalUrl}/${namespace.full_path}/${project.path}`;

  async function ended(fact: Fact<typeof pipelineFacts.finished>, delivery: FactDelivery): Promise<void> {
    const { status, pipeline_id: id } = fact.payload;
    if (!mail.configured || (status !== 'failed' && status !== 'success')) return;
    const pipeline = await endedPipeline(db, id);
    // What is below another pipeline is told with that one.
    if (!pipeline || pipeline.user_id === null || pipeline.source === 'parent_pipeline') return;
    const { user_id: userId, ref, sha, failed_jobs: failed } = pipeline;
    const outcome = status === 'success' && pipeline.before === 'failed' ? 'fixed' : status;
    const short = sha.slice(0, 8);
    const write = ({ subject }: MailReader): Written => ({
      subject: `${subject.project.name} | ${words[outcome]} pipeline for ${ref} | ${short}`,
      paragraphs: [
        `Pipeline #${id} ${sentences[outcome]}.`,
        ...(outcome === 'failed' && failed.length > 0 ? [`Failed jobs: ${failed.join(', ')}`] : []),
      ],
      details: [
        ['Project', `${subject.namespace.full_path}/${subject.project.path}`],
        [pipeline.tag ? 'Tag' : 'Branch', ref],
        ['Commit', short],
        ...(pipeline.name ? [['Name', pipeline.name] as const] : []),
      ],
      action: { label: `View pipeline #${id}`, url: `${urlOf(subject)}/-/pipelines/${id}` },
      headers: {
        [`${mailHeaderPrefix}Pipeline-Id`]: String(id),
        [`${mailHeaderPrefix}Pipeline-Ref`]: ref.replace(/[^\x20-\x7e]/g, '?'),
        [`${mailHeaderPrefix}Pipeline-Status`]: status,
      },
    });
    await tell(fact, `${outcome}_pipeline`, 'read_pipeline', () => [userId], write, delivery);
  }

  async function released(fact: Fact<typeof releaseFacts.created>, delivery: FactDelivery): Promise<void> {
    const release = mail.configured ? await toldRelease(db, fact.payload.id) : undefined;
    if (!release) return;
    const { tag, description } = release;
    const people = async ({ project, namespace }: ProjectSubject) => {
      const watching = await queries.watchersOf(db, { projectId: project.id, namespaceIds: namespace.traversal_ids });
      return watching.filter((id) => id !== fact.actor_id);
    };
    const write = async ({ caller, subject }: MailReader): Promise<Written> => {
      const html = description?.trim()
        ? await deps.markdown.html(description, { caller, base: baseOf(subject), absolute: true })
        : null;
      return {
        subject: `${subject.project.name} | New release: ${release.name ?? tag}`,
        paragraphs: [`Release ${release.name ?? tag} of ${subject.project.name} is available.`],
        ...(html && description ? { body: { text: description, html } } : {}),
        action: { label: 'View release', url: `${urlOf(subject)}/-/releases/${encodeURIComponent(tag)}` },
      };
    };
    await tell(fact, 'new_release', 'read_release', people, write, delivery);
  }

  async function transferred(fact: Fact<typeof projectFacts.transferred>, delivery: FactDelivery): Promise<void> {
    const { old_path: before } = fact.payload;
    if (!mail.configured || before === undefined) return;
    const people = async ({ project, namespace }: ProjectSubject) =>
      (await membersOf(db, namespace.traversal_ids, project.id)).filter((id) => id !== fact.actor_id);
    const write = ({ subject }: MailReader): Written => ({
      subject: `${subject.project.name} | Project was moved`,
      paragraphs: [
        `Project ${before} was moved to ${subject.namespace.full_path}/${subject.project.path}.`,
        `To update a local clone: git remote set-url origin ${urlOf(subject)}.git`,
      ],
      action: { label: 'View project', url: urlOf(subject) },
    });
    await tell(fact, 'moved_project', 'read_project', people, write, delivery);
  }

  return {
    name: 'project-notifications',
    handlers: [
      on(pipelineFacts.finished, ended),
      on(releaseFacts.created, released),
      on(projectFacts.transferred, transferred),
    ],
  };
}
