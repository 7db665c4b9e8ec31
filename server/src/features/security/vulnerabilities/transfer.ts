/** What scanners found in a project and what people made of it, in archives. */
import Type from 'typebox';
import {
  Bool,
  DateParam,
  DateTimeParam,
  Int,
  JsonObject,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { type Relation, relation } from '../../namespaces/index.ts';
import { linkTypes } from '../issue-links/issue-links.queries.ts';
import { cleanedValue, confidences, findingUuid, reportTypes, severities } from '../reports/report.ts';
import { identifierKey, saveFindings, saveIdentifiers, saveScanners } from '../reports/reports.queries.ts';
import {
  archivedFindingsOf,
  insertArchivedVulnerability,
  removeFindings,
  setFindingTimes,
} from './transfer.queries.ts';

const title = Str({ minLength: 1, maxLength: 255 });
const text = Optional(OrNull(Str({ maxLength: 1_048_576 })));
const url = Str({ maxLength: 2048, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' });
const fingerprint = Str({ pattern: '^[0-9a-f]{40}$' });
const person = Optional(OrNull(Str({ maxLength: 255 })));
const time = Optional(OrNull(DateTimeParam()));
const day = Optional(OrNull(DateParam()));

const vulnerability = Type.Object({
  title,
  description: text,
  state: OneOf(['opened', 'detected', 'confirmed', 'resolved', 'dismissed']),
  severity: OneOf(severities),
  confidence: OneOf(confidences),
  resolved_on_default_branch: Bool(),
  start_date: day,
  due_date: day,
  ...{ confirmed_at: time, resolved_at: time, dismissed_at: time, last_edited_at: time },
  ...{ author: person, confirmed_by: person, resolved_by: person, dismissed_by: person },
  ...{ last_edited_by: person, updated_by: person },
  issue_links: Optional(
    List(Type.Object({ issue: Int({ minimum: 1 }), link_type: OneOf(linkTypes), created_at: DateTimeParam() }), {
      maxItems: 1000,
    }),
  ),
  created_at: DateTimeParam(),
  updated_at: DateTimeParam(),
});

export const findingRelation: Relation = relation({
  name: 'vulnerability_findings',
  schema: Type.Object({
    report_type: OneOf(reportTypes),
    name: title,
    description: text,
    solution: text,
    severity: OneOf(severities),
    confidence: OneOf(confidences),
    location: JsonObject(),
    links: List(Type.Object({ name: Optional(OrNull(title)), url }), { maxItems: 1000 }),
    location_fingerprint: fingerprint,
    project_fingerprint: fingerprint,
    metadata_version: Str({ maxLength: 255 }),
    raw_metadata: Str({ maxLength: 1_500_000 }),
    scanner: Type.Object({ external_id: title, name: title, vendor: Optional(OrNull(title)) }),
    /** The first is the one that counts. */
    identifiers: List(
      Type.Object({ external_type: title, external_id: title, name: title, url: Optional(OrNull(url)) }),
      { maxItems: 100 },
    ),
    /** Of those that somebody has taken for one. */
    vulnerability: Optional(OrNull(vulnerability)),
    created_at: DateTimeParam(),
    updated_at: DateTimeParam(),
  }),
  rows: archivedFindingsOf,
  insert: async (tx, row, target) => {
    const { vulnerability: made, created_at, updated_at, report_type: type, ...found } = row;
    const { projectId } = target;
    const [primary, ...others] = found.identifiers.map((each) => ({ ...each, url: each.url ?? null }));
    if (!primary) return 'has no identifier';
    const scanner = { ...found.scanner, vendor: found.scanner.vendor ?? null };
    const scanners = await saveScanners(tx, projectId, [scanner]);
    const distinct = new Map([primary, ...others].map((each) => [identifierKey(each), each]));
    const ids = await saveIdentifiers(tx, projectId, [...distinct.values()]);
    const idOf = (identifier: typeof primary) => ids.get(identifierKey(identifier)) as number;
    const finding = {
      ...found,
      // Later scans of this project know it again.
      uuid: findingUuid(type, projectId, primary, found.location_fingerprint),
      description: found.description ?? null,
      solution: found.solution ?? null,
      location: cleanedValue(found.location) as Record<string, unknown>,
      links: found.links.map((link) => ({ name: link.name ?? null, url: link.url })),
      scanner,
      scannerId: scanners.get(scanner.external_id) as number,
      identifiers: [primary, ...others] as const,
      identifierIds: [idOf(primary), ...others.map(idOf)] as const,
    };
    const [saved] = await saveFindings(tx, projectId, type, [finding]);
    if (!saved || saved.vulnerability_id !== null) return 'is there already';
    await setFindingTimes(tx, saved.id, { created_at, updated_at });
    if (!made) return null;
    const { author, confirmed_by, resolved_by, dismissed_by, last_edited_by, updated_by, ...rest } = made;
    const { issue_links: links = [], ...state } = rest;
    const values = {
      ...state,
      project_id: projectId,
      report_type: type,
      author_id: (await target.person(author)) ?? target.importerId,
      confirmed_by_id: await target.person(confirmed_by),
      resolved_by_id: await target.person(resolved_by),
      dismissed_by_id: await target.person(dismissed_by),
      last_edited_by_id: await target.person(last_edited_by),
      updated_by_id: await target.person(updated_by),
    };
    await insertArchivedVulnerability(tx, saved.id, values, links);
    return null;
  },
  remove: removeFindings,
});
