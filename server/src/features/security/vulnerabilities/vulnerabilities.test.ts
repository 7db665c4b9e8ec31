/** Vulnerabilities over HTTP: reports of jobs become findings, findings vulnerabilities, and people decide about them. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  eventually,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { type BuiltToken, buildMember, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { readReport } from '../reports/report.ts';

type Json = Record<string, unknown> & { readonly id: number };

let world: World;
let runner: ProtocolRunner;
let project: TestProject;
let developer: BuiltToken;
let reporter: BuiltToken;
let stranger: BuiltToken;

const weakness = (name: string, line: number, more: object = {}) => ({
  id: `weakness-${line}`,
  category: 'sast',
  name,
  description: `What is wrong: ${name}`,
  severity: 'High',
  confidence: 'Medium',
  identifiers: [
    { type: 'cwe', name: 'CWE-79', value: String(line), url: 'https://cwe.example/79.html' },
    { type: 'cve', name: 'CVE-1', value: 'CVE-1', url: 'javascript:alert(1)' },
  ],
  location: { file: 'app.js', start_line: line, end_line: line },
  links: [{ url: 'https://docs.example/xss' }],
  solution: 'Escape it',
  ...more,
});
const report = (vulnerabilities: readonly object[], more: object = {}) =>
  JSON.stringify({
    version: '15.0.7',
    scan: { type: 'sast', scanner: { id: 'semgrep', name: 'Semgrep', version: '1', vendor: { name: 'Vendor' } } },
    vulnerabilities,
    ...more,
  });
const config = 'scan: {script: [x], artifacts: {reports: {sast: gl-sast-report.json}}}';
const get = (url: string, token = world.owner.token, query = {}) => world.app.api<Json[]>('GET', url, { token, query });

/** Runs a pipeline whose job leaves the report; the pipeline's id, when the report is read. */
async function scanned(text: string | Buffer, branch = 'main', file = 'x'): Promise<number> {
  const pipeline = await project.push(config, { branch, files: { 'change.txt': `${file} ${Math.random()}` } });
  const job: JobPayload = await runner.next();
  const data = Buffer.isBuffer(text) ? text : Buffer.from(text);
  const answer = await runner.upload(job, { data, name: 'gl-sast-report.json', type: 'sast', format: 'raw' });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  await runner.update(job, 'success');
  await eventually('the report is read', () =>
    world.app.db.selectFrom('security_scans').select('id').where('pipeline_id', '=', pipeline.id).executeTakeFirst(),
  );
  return pipeline.id;
}
const vulnerabilities = () => `/projects/${project.id}/vulnerabilities`;
const findings = async (pipeline_id: number | undefined, query: object = {}) =>
  (await get(`/projects/${project.id}/vulnerability_findings`, world.owner.token, { pipeline_id, ...query })).body;

beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project({ description: 'Scanned' });
  const place = { id: project.id, namespace_id: 0 } as never;
  const member = async (level: Level) => {
    const built = await buildToken(world.app);
    await buildMember(world.app, { user: built.user, of: place, level });
    return built;
  };
  developer = await member(Level.developer);
  reporter = await member(Level.reporter);
  stranger = await buildToken(world.app);
});
afterAll(() => world.close());

describe('vulnerabilities', () => {
  test('the runner is told which report to upload, and how', async () => {
    await project.push(config, { files: { 'payload.txt': 'x' } });
    const job = await runner.next();
    expect(job.artifacts).toMatchObject([
      {
        name: 'gl-sast-report.json',
        paths: ['gl-sast-report.json'],
        artifact_type: 'sast',
        artifact_format: 'raw',
        when: 'always',
      },
    ]);
    await runner.update(job, 'success');
  });

  test('reports of the default branch become vulnerabilities [3/api.project-vulnerabilities/2] [3/fields.vulnerability/1 id, author_id, confidence, severity, state, detected, title, description, report_type, project_default_branch, resolved_on_default_branch, created_at, updated_at, start_date, due_date, dismissed_at, resolved_at, last_edited_at, dismissed_by_id, resolved_by_id, last_edited_by_id, updated_by_id, project, name, name_with_namespace, path, path_with_namespace, finding, scanner_id, primary_identifier_id, project_id, vulnerability_id, location_fingerprint, project_fingerprint, metadata_version, raw_metadata, uuid] [3/states.vulnerability-state/1 detected]', async () => {
    const pipeline = await scanned(report([weakness('Stored XSS', 3), weakness('Weak hash', 9, { severity: 'Low' })]));
    const { body, headers } = await get(vulnerabilities());
    expect([body.length, headers.get('x-total')]).toEqual([2, '2']);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const stored = body.find(({ title }) => title === 'Stored XSS');
    expect(stored).toEqual({
      id: expect.any(Number),
      author_id: world.owner.user.id,
      confidence: 'medium',
      severity: 'high',
      state: 'detected',
      title: 'Stored XSS',
      description: 'What is wrong: Stored XSS',
      report_type: 'sast',
      project_default_branch: 'main',
      resolved_on_default_branch: false,
      created_at: time,
      updated_at: time,
      start_date: null,
      due_date: null,
      confirmed_at: null,
      dismissed_at: null,
      resolved_at: null,
      last_edited_at: null,
      confirmed_by_id: null,
      dismissed_by_id: null,
      resolved_by_id: null,
      last_edited_by_id: null,
      updated_by_id: null,
      project: {
        id: project.id,
        name: expect.any(String),
        name_with_namespace: expect.stringContaining(' / '),
        path: expect.any(String),
        path_with_namespace: project.path,
        description: 'Scanned',
        created_at: time,
      },
      finding: {
        id: expect.any(Number),
        name: 'Stored XSS',
        confidence: 'medium',
        severity: 'high',
        report_type: 'sast',
        scanner_id: expect.any(Number),
        primary_identifier_id: expect.any(Number),
        project_id: project.id,
        vulnerability_id: stored?.id,
        location_fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/),
        project_fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/),
        metadata_version: '15.0.7',
        raw_metadata: expect.any(String),
        uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        created_at: time,
        updated_at: time,
      },
    });
    expect(JSON.parse(String((stored as { finding?: { raw_metadata?: string } }).finding?.raw_metadata))).toEqual(
      weakness('Stored XSS', 3),
    );
    const one = await world.app.api('GET', `/vulnerabilities/${stored?.id}`, { token: developer.secret });
    expect([one.status, one.body]).toEqual([200, stored]);

    // The worst first, and filtered.
    const found = await findings(pipeline);
    expect(found.map(({ name }) => name)).toEqual(['Stored XSS', 'Weak hash']);
    expect(found[0]).toMatchObject({
      state: 'detected',
      vulnerability_id: stored?.id,
      scanner: { external_id: 'semgrep', name: 'Semgrep', vendor: 'Vendor' },
      identifiers: [
        { external_type: 'cwe', external_id: '3', name: 'CWE-79', url: 'https://cwe.example/79.html' },
        { external_type: 'cve', external_id: 'CVE-1', name: 'CVE-1', url: null },
      ],
      location: { file: 'app.js', start_line: 3, end_line: 3 },
      links: [{ name: null, url: 'https://docs.example/xss' }],
      solution: 'Escape it',
      project: { id: project.id, full_path: `/${project.path}` },
    });
    expect(await findings(undefined)).toEqual(found);
    expect((await findings(pipeline, { severity: ['low'] })).map(({ name }) => name)).toEqual(['Weak hash']);
    expect(await findings(pipeline, { report_type: 'dast,sast', confidence: 'high' })).toEqual([]);

    // Compressed, as some upload it. What is no longer there is resolved on the branch, and comes back.
    await scanned(gzipSync(report([weakness('Weak hash', 9)])));
    const now = async () => Object.fromEntries((await get(vulnerabilities())).body.map((each) => [each.title, each]));
    expect((await now())['Stored XSS']).toMatchObject({ state: 'detected', resolved_on_default_branch: true });
    expect((await now())['Weak hash']).toMatchObject({
      resolved_on_default_branch: false,
      finding: { severity: 'high' },
    });
    await scanned(report([weakness('Stored XSS', 3), weakness('Weak hash', 9)]));
    expect((await now())['Stored XSS']).toMatchObject({ id: stored?.id, resolved_on_default_branch: false });
    expect((await get(vulnerabilities())).body.length).toBe(2);
  });

  test('a finding of another branch becomes one when somebody says so, once [3/api.project-vulnerabilities/3 finding_id, author, title, name, state, opened, severity, confidence, 403, 400, message, base] [1/errors/21 message, base, 400] [3/states.vulnerability-state/1 opened]', async () => {
    const pipeline = await scanned(report([weakness('Open redirect', 30), weakness('Path traversal', 31)]), 'feature');
    const before = (await get(vulnerabilities())).body.length;
    const [first, second] = await findings(pipeline);
    expect(first).toMatchObject({ state: 'detected', vulnerability_id: null });
    const token = world.owner.token;
    const create = (query: object, by = token) =>
      world.app.api<Json>('POST', vulnerabilities(), { token: by, query: { ...query } });
    const made = await create({ finding_id: first?.id });
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        author_id: world.owner.user.id,
        title: first?.name,
        state: 'opened',
        severity: 'high',
        confidence: 'medium',
        report_type: 'sast',
        finding: { id: first?.id, vulnerability_id: made.body.id },
      },
    ]);
    const refused = { message: { base: ['finding is not found or is already attached to another vulnerability'] } };
    for (const finding_id of [first?.id, 987_654_321, 'nonsense', '0', '9'.repeat(30)]) {
      const again = await create({ finding_id });
      expect([again.status, again.body]).toEqual([400, refused]);
    }
    expect((await create({})).body).toEqual({ error: 'finding_id is missing' });
    // By its UUID, and of two at the same time one.
    const both = await Promise.all([create({ finding_id: second?.uuid }), create({ finding_id: second?.id })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect((await get(vulnerabilities())).body.length).toBe(before + 2);
    // Of another project it is not there.
    const other = await world.project();
    const elsewhere = await world.app.api('POST', `/projects/${other.id}/vulnerabilities`, {
      token,
      json: { finding_id: second?.id },
    });
    expect([elsewhere.status, elsewhere.body]).toEqual([400, refused]);
    expect((await create({ finding_id: first?.id }, developer.secret)).status).toBe(403);
  });

  test('they are confirmed, resolved, dismissed and reverted by maintainers [3/states.vulnerability-state/1]', async () => {
    const [first] = (await get(vulnerabilities())).body;
    const decide = (action: string, token = world.owner.token) =>
      world.app.api<Json>('POST', `/vulnerabilities/${first?.id}/${action}`, { token });
    const user = world.owner.user.id;
    const time = expect.stringMatching(/Z$/);
    const nothing = { confirmed_at: null, resolved_at: null, dismissed_at: null };
    const steps = [
      ['confirm', { ...nothing, state: 'confirmed', confirmed_at: time, confirmed_by_id: user }],
      ['resolve', { ...nothing, state: 'resolved', resolved_at: time, resolved_by_id: user, confirmed_by_id: null }],
      ['dismiss', { ...nothing, state: 'dismissed', dismissed_at: time, dismissed_by_id: user, resolved_by_id: null }],
      ['revert', { ...nothing, state: 'detected', dismissed_by_id: null, updated_by_id: user }],
    ] as const;
    for (const [action, expected] of steps) {
      const answer = await decide(action);
      expect([answer.status, answer.body]).toMatchObject([201, expected]);
      const again = await decide(action);
      expect([again.status, again.body]).toEqual([304, null]);
    }
    expect((await decide('confirm', developer.secret)).status).toBe(403);
    expect((await decide('confirm', stranger.secret)).status).toBe(404);
    // Who lists findings sees no dismissed ones without asking.
    const latest = (await findings(undefined)).find((each) => each.vulnerability_id !== null);
    await world.app.api('POST', `/vulnerabilities/${latest?.vulnerability_id}/dismiss`, { token: world.owner.token });
    expect((await findings(undefined)).map(({ id }) => id)).not.toContain(latest?.id);
    expect(await findings(undefined, { scope: 'all' })).toContainEqual({
      ...latest,
      state: 'dismissed',
      updated_at: expect.anything(),
    });
    const events = await world.app.db.selectFrom('audit_events').select('event').execute();
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['vulnerability_created', 'vulnerability_confirmed', 'vulnerability_detected']),
    );
  });

  test('only members from the role of a developer see them [3/api.project-vulnerabilities/1] [3/api.project-vulnerabilities/2]', async () => {
    const statuses = async (token: string | undefined) => {
      const [first] = (await get(vulnerabilities())).body;
      return [
        (await world.app.api('GET', vulnerabilities(), { token })).status,
        (await world.app.api('GET', `/projects/${project.id}/vulnerability_findings`, { token })).status,
        (await world.app.api('GET', `/vulnerabilities/${first?.id}`, { token })).status,
        (await world.app.api('POST', `${vulnerabilities()}?finding_id=1`, { token })).status,
      ];
    };
    expect(await statuses(undefined)).toEqual([401, 401, 401, 401]);
    expect(await statuses(stranger.secret)).toEqual([404, 404, 404, 404]);
    expect(await statuses(reporter.secret)).toEqual([403, 403, 403, 403]);
    expect(await statuses(developer.secret)).toEqual([200, 200, 200, 403]);
    expect((await world.app.api('GET', '/vulnerabilities/987654321', { token: developer.secret })).status).toBe(404);
  });

  test('a report that breaks the format counts for nothing, and says why', async () => {
    const before = (await get(vulnerabilities())).body.length;
    const pipeline = await scanned(report([{ ...weakness('Nothing', 50), identifiers: [] }]));
    expect(await findings(pipeline)).toEqual([]);
    expect((await get(vulnerabilities())).body.length).toBe(before);
    const scan = await world.app.db
      .selectFrom('security_scans')
      .select('errors')
      .where('pipeline_id', '=', pipeline)
      .executeTakeFirstOrThrow();
    expect(scan.errors).toEqual(['[Schema] /vulnerabilities/0/identifiers must have at least 1 item']);
  });

  test('the list is filtered by state, severity and kind, and ordered by severity', async () => {
    const list = async (query: object) => (await get(vulnerabilities(), world.owner.token, query)).body;
    const all = await list({ per_page: 100 });
    expect(all.length).toBeGreaterThan(1);
    const low = await list({ severity: 'low' });
    expect(low.map(({ severity }) => severity)).toEqual(
      all.filter(({ severity }) => severity === 'low').map(() => 'low'),
    );
    expect(low.length).toBeGreaterThan(0);
    expect(await list({ report_type: 'dast' })).toEqual([]);
    expect((await list({ report_type: 'dast,sast', per_page: 100 })).length).toBe(all.length);
    const states = [...new Set(all.map(({ state }) => String(state)))];
    expect((await list({ state: states.join(','), per_page: 100 })).length).toBe(all.length);
    const ranks = ['critical', 'high', 'medium', 'low', 'unknown', 'info'];
    const order = (await list({ order_by: 'severity', per_page: 100 })).map(({ severity }) =>
      ranks.indexOf(String(severity)),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect((await get(vulnerabilities(), world.owner.token, { state: 'odd' })).status).toBe(400);
  });

  test('a merge request tells what it adds to its target branch, and what it fixes', async () => {
    await scanned(report([weakness('Stays', 21), weakness('Goes', 22)]));
    const head = await scanned(report([weakness('Stays', 21), weakness('Comes', 23)]), 'compared');
    const made = await world.app.api<Json & { iid: number }>('POST', `/projects/${project.id}/merge_requests`, {
      token: world.owner.token,
      json: { source_branch: 'compared', target_branch: 'main', title: 'Compared' },
    });
    expect(made.status).toBe(201);
    const at = `/projects/${project.id}/merge_requests/${made.body.iid}/vulnerability_comparison`;
    const compare = (token: string) =>
      world.app.api<Record<'added' | 'fixed', { name: string }[]>>('GET', at, { token });
    const { status, body } = await compare(world.owner.token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ head_pipeline_id: head, added_count: 1, fixed_count: 1 });
    expect([body.added.map(({ name }) => name), body.fixed.map(({ name }) => name)]).toEqual([['Comes'], ['Goes']]);
    expect((await compare(developer.secret)).status).toBe(200);
    expect((await compare(reporter.secret)).status).toBe(403);
    expect((await get(at.replace(/\d+\/vuln/, '9999/vuln'))).status).toBe(404);
  });
});

describe('reports', () => {
  const errors = (text: string) => {
    const read = readReport('sast', 1, text);
    return read.ok ? [] : read.errors;
  };
  test('are refused with the place of the fault', () => {
    expect(errors('{')).toEqual(['[Schema] the report is not JSON']);
    expect(errors('[]')).toEqual(['[Schema] the report is not an object']);
    expect(errors('{}')).toEqual(['[Schema] /version must be a text', '[Schema] /vulnerabilities must be a list']);
    expect(errors(report([], { version: '99.1.0' }))).toEqual(['[Schema] /version 99.1.0 is not supported']);
    expect(errors(report([], { scan: { type: 'dast' } }))).toEqual(['[Schema] /scan/type must be sast']);
    expect(errors(report([weakness('x', 1, { severity: 'Awful', location: 'here' })]))).toEqual([
      '[Schema] /vulnerabilities/0/location must be an object',
      '[Schema] /vulnerabilities/0/severity must be one of info, unknown, low, medium, high, critical',
    ]);
    expect(errors(report([null as never])).length).toBe(1);
    expect(errors(report(Array.from({ length: 6000 }, (_, line) => weakness('x', line))))[0]).toContain('at most 5000');
  });

  test('make no more vulnerabilities than the instance allows a project (max_number_of_vulnerabilities_per_project)', async () => {
    const { body: before } = await get(vulnerabilities(), world.owner.token, { per_page: 100 });
    const most = before.length + 1;
    const set = (number: number | null) =>
      world.app.api('PUT', '/application/settings', {
        token: world.admin.token,
        json: { max_number_of_vulnerabilities_per_project: number },
      });
    await set(most);
    const pipeline = await scanned(report([weakness('One more', 901), weakness('One too many', 902)]));
    expect((await get(vulnerabilities(), world.owner.token, { per_page: 100 })).body).toHaveLength(most);
    // The finding is there, and becomes one when there is room.
    const free = (await findings(pipeline)).filter(({ name }) => /^One /.test(String(name)));
    expect(free).toHaveLength(2);
    const create = async () => {
      const answers = [];
      for (const { id } of free)
        answers.push(
          await world.app.api<Json>('POST', vulnerabilities(), { token: world.owner.token, query: { finding_id: id } }),
        );
      return answers.find(({ status, body }) => status === 201 || JSON.stringify(body).includes('maximum'));
    };
    expect(await create()).toMatchObject({
      status: 400,
      body: { message: { base: [expect.stringContaining(`max_number_of_vulnerabilities_per_project: ${most}`)] } },
    });
    await set(null);
    expect(await create()).toMatchObject({ status: 201 });
  });

  test('name a weakness once for each place, of each kind', () => {
    const read = readReport('sast', 1, report([weakness('x', 1), weakness('same', 1), weakness('y', 2)]));
    expect(read.ok && read.findings.map(({ name }) => name)).toEqual(['x', 'y']);
    const package_ = (image: string) =>
      JSON.stringify({
        version: '14.1.2',
        vulnerabilities: [
          {
            scanner: { id: 'trivy', name: 'Trivy' },
            message: 'In openssl',
            identifiers: [{ type: 'cve', name: 'CVE-2', value: 'CVE-2' }],
            location: { image, dependency: { package: { name: 'openssl' } } },
          },
        ],
      });
    const uuids = ['registry:5000/app:1.0', 'registry:5000/app:1.1', 'registry:5000/other:1.1'].map((image) => {
      const found = readReport('container_scanning', 1, package_(image));
      return found.ok ? found.findings[0]?.uuid : null;
    });
    expect(uuids[0]).toBe(uuids[1]);
    expect(uuids[2]).not.toBe(uuids[0]);
    // Characters that the database has no place for.
    const odd = readReport('sast', 1, report([weakness('a\u0000b\ud800', 4, { location: { file: 'x\u0000y' } })]));
    expect(odd.ok && odd.findings[0]).toMatchObject({ name: 'ab\ufffd', location: { file: 'xy' } });
  });
});
