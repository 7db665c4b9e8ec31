/** Changes of what jobs use, for the walk over everything that leaves an audit event. */
import { randomUUID } from 'node:crypto';
import type { TestApp } from './app.ts';
import type { Change } from './audited.ts';
import { unique } from './factories.ts';
import { buildVulnerability, linkedVulnerability } from './vulnerabilities.ts';

function changesOfSecureFiles(
  app: TestApp,
  admin: string,
  project: () => Promise<string>,
): Record<string, () => Promise<Change>> {
  const form = () => {
    const body = new FormData();
    body.set('name', unique('keystore'));
    body.set('file', new Blob(['content']), 'keystore');
    return body;
  };
  const path = '/projects/:id/secure_files';
  return {
    [`POST ${path}`]: async () => ({
      url: `${await project()}/secure_files`,
      form: form(),
      leaves: 'secure_file_created',
    }),
    [`DELETE ${path}/:secure_file_id`]: async () => {
      const url = `${await project()}/secure_files`;
      const { id } = (await app.api<{ id: number }>('POST', url, { token: admin, form: form() })).body;
      return { url: `${url}/${id}`, leaves: 'secure_file_deleted' };
    },
  };
}

/** Caches of jobs: each deleted, and all. */
function changesOfCaches(app: TestApp, project: () => Promise<string>): Record<string, () => Promise<Change>> {
  const path = '/projects/:id/ci/caches';
  return {
    [`DELETE ${path}/:cache_id`]: async () => {
      const base = await project();
      const { id } = await app.db
        .insertInto('job_caches')
        .values({
          project_id: Number(base.split('/').at(-1)),
          key: unique('cache'),
          protected: false,
          object_key: randomUUID().replaceAll('-', ''),
          size: 1,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { url: `${base}/ci/caches/${id}`, leaves: 'job_cache_deleted' };
    },
    [`DELETE ${path}`]: async () => ({ url: `${await project()}/ci/caches`, leaves: 'job_caches_cleared' }),
  };
}

/** Secure files and caches. */
export const changesOfWhatJobsUse = (
  app: TestApp,
  admin: string,
  project: () => Promise<string>,
): Record<string, () => Promise<Change>> => ({
  ...changesOfSecureFiles(app, admin, project),
  ...changesOfCaches(app, project),
});

/** Vulnerabilities: made of a finding, and what people decide about them. */
export function changesOfVulnerabilities(
  app: TestApp,
  admin: string,
  project: () => Promise<string>,
): Record<string, () => Promise<Change>> {
  /** A finding of a project of its own, as a scanner leaves it; with a vulnerability, unless told. */
  async function found(made = true) {
    const base = await project();
    const project_id = Number(base.split('/').at(-1));
    const { id: scanner_id } = await app.db
      .insertInto('security_scanners')
      .values({ project_id, external_id: 'scanner', name: 'Scanner' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id: primary_identifier_id } = await app.db
      .insertInto('security_identifiers')
      .values({ project_id, external_type: 'cwe', external_id: '79', name: 'CWE-79' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const about = { project_id, severity: 'high' as const, confidence: 'unknown', report_type: 'sast' };
    const vulnerability = made
      ? await app.db
          .insertInto('vulnerabilities')
          .values({ ...about, title: 'x', state: 'opened' })
          .returning('id')
          .executeTakeFirstOrThrow()
      : null;
    const { id } = await app.db
      .insertInto('vulnerability_findings')
      .values({
        ...about,
        uuid: randomUUID(),
        vulnerability_id: vulnerability?.id ?? null,
        scanner_id,
        primary_identifier_id,
        name: 'x',
        location: '{}',
        location_fingerprint: 'x',
        project_fingerprint: 'x',
        metadata_version: '15.0.0',
        raw_metadata: '{}',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { base, id, vulnerability: vulnerability?.id ?? 0 };
  }
  const decided = ([action, leaves]: readonly [string, string]) => [
    `POST /vulnerabilities/:id/${action}`,
    async () => ({ url: `/vulnerabilities/${(await found()).vulnerability}/${action}`, leaves }),
  ];
  const inProject = async () => {
    const base = await project();
    return { base, id: Number(base.split('/').at(-1)) };
  };
  return {
    'POST /vulnerabilities/:id/issue_links': async () => {
      const { base, id } = await inProject();
      const json = { title: 'About it' };
      const { body } = await app.api<{ iid: number }>('POST', `${base}/issues`, { token: admin, json });
      const url = `/vulnerabilities/${await buildVulnerability(app, id)}/issue_links`;
      return { url, json: { target_issue_iid: body.iid }, leaves: 'vulnerability_issue_linked' };
    },
    'DELETE /vulnerabilities/:id/issue_links/:issue_link_id': async () => {
      const link = await linkedVulnerability(app, admin, (await inProject()).id);
      return { ...link, leaves: 'vulnerability_issue_unlinked' };
    },
    'POST /projects/:id/vulnerabilities': async () => {
      const { base, id } = await found(false);
      return { url: `${base}/vulnerabilities`, json: { finding_id: id }, leaves: 'vulnerability_created' };
    },
    ...Object.fromEntries(
      (
        [
          ['confirm', 'vulnerability_confirmed'],
          ['resolve', 'vulnerability_resolved'],
          ['dismiss', 'vulnerability_dismissed'],
          ['revert', 'vulnerability_detected'],
        ] as const
      ).map(decided),
    ),
  };
}
