/** Vulnerabilities as scans leave them, and their links to issues. */
import type { TestApp } from './app.ts';

export async function buildVulnerability(app: TestApp, projectId: number, title = 'x'): Promise<number> {
  const about = { severity: 'high', confidence: 'unknown', report_type: 'sast', state: 'detected' as const };
  const row = await app.db
    .insertInto('vulnerabilities')
    .values({ project_id: projectId, title, ...about })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** The address of the link between a new vulnerability and a new issue of a project. */
export async function linkedVulnerability(app: TestApp, token: string, projectId: number): Promise<{ url: string }> {
  const links = `/vulnerabilities/${await buildVulnerability(app, projectId)}/issue_links`;
  const made = (url: string, json: object) => app.api<{ id: number; iid: number }>('POST', url, { token, json });
  const { body: issue } = await made(`/projects/${projectId}/issues`, { title: 'About it' });
  const { body: link } = await made(links, { target_issue_iid: issue.iid });
  return { url: `${links}/${link.id}` };
}

/** A vulnerability of a project that is linked to all its issues; answers its id. */
export async function vulnerabilityOfIssues(app: TestApp, projectId: number): Promise<number> {
  const vulnerability_id = await buildVulnerability(app, projectId);
  await app.db
    .insertInto('vulnerability_issue_links')
    .columns(['vulnerability_id', 'issue_id', 'link_type'])
    .expression((from) =>
      from
        .selectFrom('issues')
        .where('project_id', '=', projectId)
        .select((row) => [row.val(vulnerability_id).as('vulnerability_id'), 'id', row.val('related').as('link_type')]),
    )
    .execute();
  return vulnerability_id;
}
