/** Secure files over HTTP: who may have them, what is stored of them, and what certificates in them say. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import forge from 'node-forge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../../../test/ci.ts';
import { type BuiltToken, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { currentKeystore, legacyKeystore, lockedKeystore, slowKeystore } from '../../../../test/keystores.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { metadataOf } from './metadata.ts';

interface SecureFile {
  readonly id: number;
  readonly name: string;
  readonly checksum: string;
  readonly expires_at: string | null;
  readonly metadata: Record<string, unknown> | null;
}

let world: World;
let project: Project;
let maintainer: BuiltToken;
let developer: BuiltToken;
let reporter: BuiltToken;
let stranger: BuiltToken;

const content = Buffer.from([0, 255, 1, 254, ...Buffer.from('keystore password canary-4711')]);
const form = (name: string | null, data: Buffer | null, filename = 'upload.bin') => {
  const body = new FormData();
  if (name !== null) body.set('name', name);
  if (data !== null) body.set('file', new Blob([new Uint8Array(data)]), filename);
  return body;
};
const filesOf = (id: number) => `/projects/${id}/secure_files`;
const create = (name: string, data: Buffer, token = maintainer.secret, of = project.id) =>
  world.app.api<SecureFile>('POST', filesOf(of), { token, form: form(name, data) });

beforeAll(async () => {
  world = await startWorld();
  const { app } = world;
  maintainer = await buildToken(app);
  project = await buildProject(app, { owner: maintainer.user });
  const member = async (level: Level) => {
    const built = await buildToken(app);
    await buildMember(app, { user: built.user, of: project, level });
    return built;
  };
  developer = await member(Level.developer);
  reporter = await member(Level.reporter);
  stranger = await buildToken(app);
});
afterAll(() => world.close());

/** A certificate and its key, made here: no private key of anybody lies in the repository. */
function certificate() {
  const keys = forge.pki.rsa.generateKeyPair(1024);
  const made = forge.pki.createCertificate();
  made.publicKey = keys.publicKey;
  made.serialNumber = '01ff';
  made.validity.notBefore = new Date('2026-01-01T00:00:00Z');
  made.validity.notAfter = new Date('2031-02-03T04:05:06Z');
  const names = (cn: string, more: forge.pki.CertificateField[] = []) => [
    { shortName: 'C', value: 'US' },
    { shortName: 'O', value: 'Example, Inc.' },
    { shortName: 'CN', value: cn },
    { shortName: 'OU', value: 'Team' },
    ...more,
  ];
  made.setSubject(names('Distribution: Example', [{ type: '0.9.2342.19200300.100.1.1', value: 'ABC123' }]));
  made.setIssuer(names('Developer Relations'));
  made.sign(keys.privateKey, forge.md.sha256.create());
  return { made, keys };
}
const { made, keys } = certificate();
const der = Buffer.from(forge.asn1.toDer(forge.pki.certificateToAsn1(made)).getBytes(), 'binary');
function profile(list: string): Buffer {
  const message = forge.pkcs7.createSignedData();
  message.content = forge.util.createBuffer(list, 'utf8');
  message.addCertificate(made);
  message.addSigner({ key: keys.privateKey, certificate: made, digestAlgorithm: forge.pki.oids.sha256 as string });
  message.sign();
  return Buffer.from(forge.asn1.toDer(message.toAsn1()).getBytes(), 'binary');
}
const says = {
  id: '511',
  issuer: { C: 'US', O: 'Example, Inc.', CN: 'Developer Relations', OU: 'Team' },
  subject: { C: 'US', O: 'Example, Inc.', CN: 'Distribution: Example', OU: 'Team', UID: 'ABC123' },
  expires_at: '2031-02-03T04:05:06.000Z',
};

describe('secure files', () => {
  test('are made, listed, read, downloaded and removed [2/api.secure-files/1] [2/api.secure-files/2] [2/api.secure-files/3 name, file] [2/api.secure-files/4] [2/api.secure-files/5] [2/fields.secure-file/1 id, name, checksum, checksum_algorithm, sha256, created_at, expires_at, metadata]', async () => {
    const { app } = world;
    const answer = await create('release.jks', content);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'release.jks',
        checksum: createHash('sha256').update(content).digest('hex'),
        checksum_algorithm: 'sha256',
        created_at: expect.stringMatching(/Z$/),
        expires_at: null,
        metadata: null,
      },
    ]);
    const url = `${filesOf(project.id)}/${answer.body.id}`;
    const token = developer.secret;
    expect((await app.api('GET', filesOf(project.id), { token })).body).toEqual([answer.body]);
    expect((await app.api('GET', url, { token })).body).toEqual(answer.body);
    const got = await fetch(`${app.url}/api/v4${url}/download`, { headers: { 'PRIVATE-TOKEN': token } });
    expect(Buffer.from(await got.arrayBuffer()).equals(content)).toBe(true);
    expect(got.headers.get('content-disposition')).toContain('attachment; filename="release.jks"');
    expect((await app.api('DELETE', url, { token: maintainer.secret })).status).toBe(204);
    for (const [method, path] of [
      ['GET', url],
      ['GET', `${url}/download`],
      ['DELETE', url],
    ] as const)
      expect((await app.api(method, path, { token: maintainer.secret })).body).toEqual({ message: '404 Not Found' });
    expect((await app.api('GET', filesOf(project.id), { token })).body).toEqual([]);
    const left = await app.db
      .selectFrom('audit_events')
      .select('event')
      .where('target_type', '=', 'SecureFile')
      .orderBy('id')
      .execute();
    expect(left.map(({ event }) => event)).toEqual(['secure_file_created', 'secure_file_deleted']);
  });

  test('are for developers to read and for maintainers to change', async () => {
    const { app } = world;
    const { body } = await create('roles.jks', content);
    const url = `${filesOf(project.id)}/${body.id}`;
    const statuses = async (token: string | undefined) => [
      (await app.api('GET', filesOf(project.id), { token })).status,
      (await app.api('GET', url, { token })).status,
      (await app.api('GET', `${url}/download`, { token })).status,
      (await app.api('POST', filesOf(project.id), { token, form: form('more.jks', content) })).status,
      (await app.api('DELETE', url, { token })).status,
    ];
    expect(await statuses(undefined)).toEqual([401, 401, 401, 401, 401]);
    expect(await statuses('glpat-wrong')).toEqual([401, 401, 401, 401, 401]);
    expect(await statuses(stranger.secret)).toEqual([404, 404, 404, 404, 404]);
    expect(await statuses(reporter.secret)).toEqual([403, 403, 403, 403, 403]);
    expect(await statuses(developer.secret)).toEqual([200, 200, 200, 403, 403]);
    const other = await buildProject(app, { owner: maintainer.user });
    expect(
      (await app.api('GET', `${filesOf(other.id)}/${body.id}/download`, { token: maintainer.secret })).status,
    ).toBe(404);
  });

  test('need a name of their own and a file [2/api.secure-files/3 name, file]', async () => {
    const { app } = world;
    const token = maintainer.secret;
    const send = (body: FormData) => app.api('POST', filesOf(project.id), { token, form: body });
    expect((await send(form(null, content))).body).toEqual({ error: 'name is missing' });
    expect((await send(form('x', null))).body).toEqual({ error: 'file is missing' });
    expect((await send(form(' ', content))).body).toEqual({ message: { name: ["can't be blank"] } });
    expect((await send(form('x'.repeat(256), content))).status).toBe(400);
    expect((await app.api('POST', filesOf(project.id), { token, json: { name: 'x', file: 'y' } })).status).toBe(400);
    expect((await create('once.jks', content)).status).toBe(201);
    const again = await create('once.jks', Buffer.from('other'));
    expect([again.status, again.body]).toEqual([400, { message: { name: ['has already been taken'] } }]);
    // At the same time one of them counts.
    const both = await Promise.all([create('race.jks', content), create('race.jks', content)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
    const elsewhere = await buildProject(app, { owner: maintainer.user });
    expect((await create('once.jks', content, token, elsewhere.id)).status).toBe(201);
  });

  test('[security 3] are stored encrypted and under generated names', async () => {
    const { app } = world;
    expect((await create('../../escape.jks', content)).status).toBe(201);
    const objects = path.join(app.directory, 'objects');
    const found = (await readdir(objects, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(found.length).toBeGreaterThan(0);
    for (const entry of found) {
      expect(entry.name).toMatch(/^[0-9a-f]{32}$/);
      expect((await readFile(path.join(entry.parentPath, entry.name))).includes('canary-4711')).toBe(false);
    }
  });

  test('have at most 5 MB, and a project has at most 100 [1/limits.other-limits/1] [2/api.secure-files/3]', async () => {
    const { app } = world;
    const full = await buildProject(app, { owner: maintainer.user });
    const limit = 5 * 1024 * 1024;
    const tooLarge = await create('large.bin', Buffer.alloc(limit + 1), maintainer.secret, full.id);
    expect(tooLarge.status).toBe(413);
    expect((await create('largest.bin', Buffer.alloc(limit, 7), maintainer.secret, full.id)).status).toBe(201);
    const rest = Array.from({ length: 98 }, (_, index) => ({
      project_id: full.id,
      name: `file ${index}`,
      sha256: Buffer.alloc(32),
      size: 1,
      object_key: index.toString(16).padStart(32, '0'),
    }));
    await app.db.insertInto('secure_files').values(rest).execute();
    // The last place is given once.
    const last = await Promise.all(['a', 'b', 'c'].map((name) => create(name, content, maintainer.secret, full.id)));
    expect(last.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(last.find(({ status }) => status === 400)?.body).toEqual({
      message: { base: ['Maximum number of ci secure files (100) exceeded'] },
    });
    const listed = await app.api<SecureFile[]>('GET', `${filesOf(full.id)}?per_page=100`, { token: maintainer.secret });
    expect([listed.body.length, listed.headers.get('x-total')]).toEqual([100, '100']);
  });

  test('are read by the jobs of the project, and changed by no job [2/api.secure-files/4]', async () => {
    const { app } = world;
    const mine = await world.project();
    const runner = await world.runner();
    await mine.push('build: {script: [x]}');
    const job = await runner.next();
    const { body } = await create('job.jks', content, world.owner.token, mine.id);
    const headers = { 'JOB-TOKEN': job.token };
    const base = `${app.url}/api/v4${filesOf(mine.id)}`;
    expect(await (await fetch(base, { headers })).json()).toEqual([body]);
    const got = await fetch(`${base}/${body.id}/download`, { headers });
    expect(Buffer.from(await got.arrayBuffer()).equals(content)).toBe(true);
    expect((await fetch(`${base}/${body.id}`, { method: 'DELETE', headers })).status).toBe(401);
    // Of another project, too, only with what the job's user may do there.
    expect((await fetch(`${app.url}/api/v4${filesOf(project.id)}`, { headers })).status).toBe(404);
    await runner.update(job, 'success');
    expect((await fetch(`${base}/${body.id}/download`, { headers })).status).toBe(401);
  });
});

describe('what certificates and profiles say of themselves', () => {
  test('certificates [2/fields.secure-file/1 id, issuer, C, O, CN, OU, subject, UID, expires_at, metadata]', async () => {
    const answer = await create('team.cer', der);
    expect(answer.body).toMatchObject({ expires_at: says.expires_at, metadata: says });
    const pem = await create('team.CER', Buffer.from(forge.pki.certificateToPem(made)));
    expect(pem.body.metadata).toEqual(says);
  });

  test.each([
    ['AES', currentKeystore],
    ['RC2', legacyKeystore],
  ])('keystores without a password, encrypted with %s [2/fields.secure-file/1 metadata]', async (algorithm, file) => {
    const expires_at = '2031-10-28T15:31:39.000Z';
    const answer = await create(`${algorithm}.p12`, file);
    expect(answer.body).toMatchObject({ expires_at, metadata: { ...says, expires_at } });
  });

  test('provisioning profiles', async () => {
    const list = `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>UUID</key><string>6b9fcce1-b9a9-4b37-b2ce-ec4da2044abf</string>
      <key>ExpirationDate</key><date>2027-08-01T23:15:13Z</date>
      <key>Platform</key><array><string>iOS</string></array>
      <key>TeamName</key><string>Example</string>
      <key>Entitlements</key><dict><key>get-task-allow</key><true/></dict>
      <key>DeveloperCertificates</key><array><data>${der.toString('base64')}</data></array>
      </dict></plist>`;
    const answer = await create('app.mobileprovision', profile(list));
    expect(answer.body).toMatchObject({
      expires_at: '2027-08-01T23:15:13.000Z',
      metadata: {
        id: '6b9fcce1-b9a9-4b37-b2ce-ec4da2044abf',
        expires_at: '2027-08-01T23:15:13.000Z',
        issuer: says.issuer,
        subject: says.subject,
        platforms: ['iOS'],
        team_name: 'Example',
        devices: null,
        entitlements: { 'get-task-allow': true },
        certificate_ids: ['511'],
      },
    });
  });

  test('[security 5] what cannot be read says nothing, soon', () => {
    const bomb = `<!DOCTYPE p [<!ENTITY a "${'x'.repeat(1000)}">]><plist><dict><key>UUID</key><string>${'&a;'.repeat(1000)}</string></dict></plist>`;
    const nested = Buffer.concat(Array.from({ length: 50_000 }, () => Buffer.from([0x30, 0x80])));
    const files: Readonly<Record<string, Buffer>> = {
      'locked.p12': lockedKeystore,
      'slow.p12': slowKeystore,
      'random.cer': Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      'empty.p12': Buffer.alloc(0),
      'nested.p12': nested,
      'nested.mobileprovision': nested,
      'deep.mobileprovision': profile(`<plist>${'<array>'.repeat(100_000)}</plist>`),
      'large.mobileprovision': profile(`<plist><string>${'x'.repeat(2_000_000)}</string></plist>`),
      'certificate.mobileprovision': der,
      'bomb.mobileprovision': profile(bomb),
      'text.txt': der,
    };
    // Of the processor: how busy the machine is does not matter.
    const begun = process.cpuUsage();
    for (const [name, data] of Object.entries(files)) expect([name, metadataOf(name, data)]).toEqual([name, null]);
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(5_000);
  });
});
