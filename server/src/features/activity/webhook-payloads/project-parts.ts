/** Hooks of parts of projects without a switch in hooks of the instance: wiki pages, feature flags, reactions, vulnerabilities. */
import type {
  emojiFacts,
  featureFlagToggled,
  vulnerabilityFacts,
  wikiPageFacts,
} from '../../../kernel/events/index.ts';
import { noteById } from '../../collaboration/notes/index.ts';
import { findWiki } from '../../repository/index.ts';
import { toldVulnerability } from '../../security/index.ts';
import { emojiPayload } from './emoji.ts';
import { featureFlagPayload } from './feature-flag.ts';
import { around, messageOf, type OfProject, personOf, type WebhookDependencies } from './heard.ts';
import { commentedOn } from './note.ts';
import { vulnerabilityPayload } from './vulnerability.ts';
import { wikiPageActions, wikiPagePayload } from './wiki-page.ts';

type WikiPageFact = (typeof wikiPageFacts)[keyof typeof wikiPageFacts];

export function projectParts(deps: Pick<WebhookDependencies, 'db' | 'urls' | 'repository'>) {
  const { db, urls, repository } = deps;

  const wikiPage: OfProject<WikiPageFact> = async (fact, subject, delivery) => {
    const { slug, version } = fact.payload;
    if (slug === undefined || version === undefined) return null;
    const event = 'wiki_page_events';
    const message = async () => {
      const [found, wiki] = await Promise.all([repository.wikiPage(subject, slug, version), findWiki(db, subject)]);
      const user = await personOf(fact.actor_id, delivery);
      const told = found && { page: found, branch: wiki?.default_branch ?? null };
      return messageOf(event, told && wikiPagePayload(urls, subject, told, user, wikiPageActions[fact.kind]));
    };
    return { hooks: { event, ...around(subject), message } };
  };

  const flag: OfProject<typeof featureFlagToggled> = async ({ payload, actor_id }, subject, delivery) => {
    const event = 'feature_flag_events';
    const { flag_id: id, ...told } = payload;
    const message = async () =>
      messageOf(event, featureFlagPayload(urls, subject, { ...told, id }, await personOf(actor_id, delivery)));
    return { hooks: { event, ...around(subject), message } };
  };

  const emoji: OfProject<(typeof emojiFacts)[keyof typeof emojiFacts]> = async (fact, subject, delivery) => {
    const { note_id, noteable_type, noteable_id } = fact.payload;
    const note = note_id === null ? null : ((await noteById(db, note_id)) ?? null);
    if (note_id !== null && !note) return null;
    const on = note ?? { noteable_type, noteable_id, commit_id: null, internal: false };
    const about = await commentedOn(deps, subject, on, async (id) => await delivery.project(id));
    // There is no switch for what not everybody in the project sees.
    if (!about || about.secret) return null;
    const event = 'emoji_events';
    const message = async () => {
      const user = await personOf(fact.payload.user_id, delivery);
      return messageOf(event, await emojiPayload(urls, subject, fact, about, note, user));
    };
    return { hooks: { event, ...around(subject), message } };
  };

  const vulnerability: OfProject<(typeof vulnerabilityFacts)[keyof typeof vulnerabilityFacts]> = async (
    { payload },
    subject,
  ) => {
    const event = 'vulnerability_events';
    const message = async () => {
      const told = await toldVulnerability(db, payload.vulnerability_id);
      return messageOf(event, told && vulnerabilityPayload(urls, subject, told));
    };
    return { hooks: { event, ...around(subject), message } };
  };

  return { wikiPage, flag, emoji, vulnerability };
}
