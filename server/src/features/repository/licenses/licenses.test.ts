/** The licence of a project: found in the default branch, told where it is asked for. */
import { rename } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildRepositoryProject, type Json } from '../../../../test/repositories.ts';
import { filled, licenses, licenseText } from '../templates/licenses.data.ts';
import { licenseFile, recognise } from './recognise.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ background: true });
});
afterAll(() => app.close());

const textOf = async (key: string): Promise<string> => {
  const found = licenses.find((license) => license.key === key);
  return found ? await licenseText(found) : expect.fail(`no licence ${key}`);
};

describe('recognising', () => {
  it('knows each licence filled in, with other lines, indented, as Markdown, and without what follows the terms', async () => {
    for (const license of licenses) {
      const text = filled(await licenseText(license), { fullname: 'Ada Lovelace and others', project: 'Engine' });
      const wrapped = text.replace(/(.{40,60}) /g, '$1\n   ');
      const markdown = `# ${license.name}\n\nCopyright © 2001-2024, 2025 Somebody <a@example.com>. All rights reserved.\n\n${text}`;
      for (const given of [text, wrapped, markdown, text.toUpperCase()])
        expect([license.key, (await recognise(given))?.key]).toEqual([license.key, license.key]);
    }
    const gpl = await textOf('gpl-3.0');
    expect((await recognise(gpl.replace(/END OF TERMS AND CONDITIONS.*/s, '')))?.key).toBe('gpl-3.0');
    expect(await recognise('You may use this on Sundays.')).toBeNull();
    expect(await recognise('')).toBeNull();
    const mit = await textOf('mit');
    expect(
      await recognise(`${mit} It must not be used for evil, nor by those who are. ${'No. '.repeat(20)}`),
    ).toBeNull();
  });

  it('security 10: is quick with hostile text', async () => {
    for (const text of ['copyright '.repeat(100_000), '\n'.repeat(1_000_000), `${'a '.repeat(500_000)}`]) {
      const before = process.cpuUsage();
      expect(await recognise(text)).toBeNull();
      expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
    }
  });

  it('takes the file with the plainest name', () => {
    expect(licenseFile(['LICENSE-APACHE', 'LICENSE.md', 'COPYING'])).toBe('LICENSE.md');
    expect(licenseFile(['COPYING.LESSER', 'COPYING'])).toBe('COPYING');
    expect(licenseFile(['licence'])).toBe('licence');
    expect(licenseFile(['README.md', 'license_check.rb', 'unlicensed'])).toBeNull();
  });
});

describe('license=true', () => {
  it('shows a project without it whose repository vanished', async () => {
    const project = await buildRepositoryProject(app, { files: { LICENSE: await textOf('mit') } });
    await rename(project.directory, `${project.directory}.away`);
    // Nothing of it is known by now.
    const anew = { refs_generation: sql<number>`refs_generation + 1`, license_commit: null };
    await app.db.updateTable('projects').set(anew).where('id', '=', project.id).execute();
    const { status, body } = await project.api('GET', '', { query: { license: 'true' } });
    expect([status, (body as Json).license]).toEqual([200, null]);
  });

  it('tells the licence of the default branch, kept by the push', async () => {
    const text = await textOf('mit');
    const project = await buildRepositoryProject(app, { visibility: 'public', files: { LICENSE: text } });
    const get = async (token?: string | null) =>
      (await project.api('GET', '', { query: { license: 'true' }, ...(token === undefined ? {} : { token }) })).body;
    await eventually('the licence of the push', async () => (await project.row()).license_key === 'mit');
    expect(await get()).toMatchObject({
      license_url: `${app.url}/${project.fullPath}/-/blob/main/LICENSE`,
      license: {
        key: 'mit',
        name: 'MIT License',
        nickname: null,
        html_url: 'https://choosealicense.com/licenses/mit/',
        source_url: 'https://opensource.org/license/mit',
      },
    });
    expect(await get(null)).toMatchObject({ license: { key: 'mit' } });
    expect((await project.api('GET', '')).body).not.toHaveProperty('license');
    await project.commit('main', [{ action: 'update', file_path: 'LICENSE', content: 'Ask me.\n' }]);
    expect(await get()).toMatchObject({ license: { key: 'other', name: 'Other', html_url: null } });
    await project.commit('main', [
      { action: 'delete', file_path: 'LICENSE' },
      { action: 'create', file_path: 'a', content: '' },
    ]);
    expect(await get()).toMatchObject({ license: null, license_url: null });
    const empty = await buildRepositoryProject(app, { files: null });
    const answer = await empty.api<Json>('GET', '', { query: { license: 'true' } });
    expect(answer.body).toMatchObject({ license: null, license_url: null });
  });

  it('is part of the code: who may not read it is told nothing', async () => {
    const text = await textOf('isc');
    const project = await buildRepositoryProject(app, { files: { 'COPYING.md': text } });
    const guest = await project.member(10);
    const { body } = await project.api('GET', '', { query: { license: 'true' }, token: guest.secret });
    expect(body).toMatchObject({ license: null, license_url: null });
    expect((await project.api('GET', '', { query: { license: 'true' } })).body).toMatchObject({
      license: { key: 'isc' },
    });
    expect((await project.api('GET', '', { query: { license: 'perhaps' } })).status).toBe(400);
  });
});
