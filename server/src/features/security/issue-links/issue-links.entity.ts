/** Links between vulnerabilities and issues as the API shows them. */
import type { Static } from 'typebox';
import { Entity, Id, Word } from '../../../kernel/http/entity.ts';
import { IssueEntity } from '../../planning/index.ts';
import { VulnerabilityEntity } from '../vulnerabilities/vulnerabilities.entity.ts';
import { type IssueLinkRow, linkTypes } from './issue-links.queries.ts';

const link_type = Word(linkTypes, { description: '`created` for the issue that was created from the vulnerability' });

const { subscribed: _, ...shown } = IssueEntity.properties;
export const VulnerabilityRelatedIssueEntity = Entity('VulnerabilityRelatedIssue', {
  ...shown,
  vulnerability_link_id: Id(),
  vulnerability_link_type: link_type,
});
export type RelatedIssueJson = Static<typeof VulnerabilityRelatedIssueEntity>;

type IssueJson = Static<typeof IssueEntity>;

export const relatedIssueJson = (issue: IssueJson, link: IssueLinkRow): RelatedIssueJson => ({
  ...issue,
  vulnerability_link_id: link.id,
  vulnerability_link_type: link.link_type,
});

export const VulnerabilityIssueLinkEntity = Entity('VulnerabilityIssueLink', {
  id: Id(),
  vulnerability: VulnerabilityEntity,
  issue: IssueEntity,
  link_type,
});

export const issueLinkJson = (
  link: IssueLinkRow,
  vulnerability: Static<typeof VulnerabilityEntity>,
  issue: IssueJson,
): Static<typeof VulnerabilityIssueLinkEntity> => ({ id: link.id, vulnerability, issue, link_type: link.link_type });
