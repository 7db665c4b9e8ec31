/** Stories of attackers who go around what is checked: other spellings, paths that climb, addresses inside, second ways in, jobs that break out. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api, until } from '../support/api.ts';
import { run } from '../support/git.ts';
import { rootPassword, rootToken } from '../support/instance.ts';
import { startReceiver } from '../support/receiver.ts';
import { totpCode } from '../support/signing-in.ts';
import type { Cast } from './attackers.ts';

const basic = (name: string, word: string) => `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`;

/** A private project of Olga's with one secret line. */
async function hidden({ olga }: Cast, name: string): Promise<{ id: number; path: string }> {
  const made = await olga.expect<{ id: number; path_with_namespace: string }>(201, 'POST', '/projects', {
    ...{ name, visibility: 'private' },
  });
  await olga.expect(201, 'POST', `/projects/${made.id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Keep it' },
    actions: [{ action: 'create', file_path: 'ledger.txt', content: 'the takings of the week\n' }],
  });
  return { id: made.id, path: made.path_with_namespace };
}

/** Nobody reads or writes a project by spelling its addresses otherwise. */
async function otherSpellings(cast: Cast): Promise<void> {
  const { url, mallory } = cast;
  const { id } = await hidden(cast, 'Ledger');
  const at = (rest: string) => `/api/v4/projects/${id}/repository/${rest}`;
  const file = 'files/ledger.txt/raw?ref=main';
  const spellings = [
    ...[at('%63ommits'), at('commits/'), at('commits.json'), at('/commits'), at('COMMITS'), at('./commits')],
    ...[at(file), at(file.replace('raw', '%72aw')), at(file.replace('?', '/?')), at(file.replace('files', '%66iles'))],
    ...[`//api/v4/projects/${id}/repository/commits`, `/api//v4/projects/${id}`, `/api/v4/projects/${id}%2frepository`],
    ...[`/api/v4/projects/0${id}/repository/commits`, `/api/v4/projects/${id}.0/repository/commits`],
  ];
  const commit = { branch: 'main', commit_message: 'x', remote_url: 'file:///etc/passwd' };
  const body = JSON.stringify({
    ...commit,
    actions: [{ action: 'create', file_path: '/etc/passwd', content: 'marked' }],
  });
  for (const address of spellings)
    for (const token of ['', mallory.token])
      for (const method of ['GET', 'POST']) {
        const headers = { 'Content-Type': 'application/json', ...(token ? { 'PRIVATE-TOKEN': token } : {}) };
        const answer = await fetch(url + address, { method, headers, ...(method === 'POST' ? { body } : {}) });
        const text = await answer.text();
        const what = `${method} ${address}: ${answer.status}`;
        // Pages are the application itself, which holds nothing of anybody.
        const page = answer.headers.get('content-type')?.startsWith('text/html') ?? false;
        assert.ok(page || [401, 403, 404, 405].includes(answer.status), what);
        assert.doesNotMatch(text, /takings|marked|etc\/passwd|root:/, what);
      }
}

/** No address of a download climbs out of where the files are. */
async function climbingPaths({ url, path, project, dave }: Cast): Promise<void> {
  const ups = ['..%2f', '%2e%2e%2f', '..%252f', '..%5c', '%2e%2e/', '....//'];
  const places = [
    ...['/uploads/-/system/project/avatar/1/', '/assets/', '/help/', `/${path}/-/raw/main/`, `/${path}.git/`],
    ...[`/api/v4/projects/${project}/repository/files/`, `/api/v4/projects/${project}/jobs/1/artifacts/`],
    ...[`/api/v4/projects/${project}/uploads/1/`, `/api/v4/projects/${project}/packages/generic/a/1/`],
  ];
  for (const place of places)
    for (const up of ups)
      for (const depth of [0, 1, 3, 8, 20]) {
        const address = `${place}${up.repeat(depth)}etc%2fpasswd`;
        const answer = await fetch(`${url}${address}?ref=main`, { headers: { 'PRIVATE-TOKEN': dave.token } });
        assert.ok(answer.status < 500, `${address}: ${answer.status}`);
        assert.doesNotMatch(await answer.text(), /root:.*:0:0:/, address);
      }
}

/** Names of uploads reach no path; what they hold is served as a file, whatever else it could be. */
async function hostileUploads({ url, data, dave, olga, project }: Cast): Promise<void> {
  const script = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>';
  const djvu = `AT&TFORM\0\0\0\0DJVMDIRM(metadata "\\c\${system('id > /tmp/curtain')}")`;
  const inert = (answer: Response, what: string) => {
    assert.equal(answer.status, 200, what);
    const header = (name: string) => answer.headers.get(name) ?? '';
    assert.equal(header('x-content-type-options'), 'nosniff', what);
    const shut = /\bsandbox\b/.test(header('content-security-policy'));
    const saved = header('content-disposition').startsWith('attachment');
    assert.ok(saved || shut || /^text\/plain\b/.test(header('content-type')), `${what}: ${[...answer.headers]}`);
  };
  for (const [name, content] of [
    ['../../../../curtain-1.svg', script],
    ['..\\..\\curtain-2.html', `<html>${script}</html>`],
    ['/tmp/curtain-3.jpg', djvu],
    ['curtain-4\u202egpj.exe', 'MZ'],
    [`${'curtain-5'.repeat(60)}.txt`, 'long'],
  ] as const) {
    const form = new FormData();
    form.set('file', new Blob([content]), name);
    const headers = { 'PRIVATE-TOKEN': dave.token };
    const sent = await fetch(`${url}/api/v4/projects/${project}/uploads`, { method: 'POST', headers, body: form });
    const text = await sent.text();
    assert.ok(sent.status < 500, `${name}: ${sent.status}`);
    if (sent.status !== 201) continue;
    const { id, full_path: at } = JSON.parse(text) as { id: number; full_path: string };
    assert.doesNotMatch(at, /\.\.|\\|\0/);
    const owner = { 'PRIVATE-TOKEN': olga.token };
    inert(await fetch(`${url}/api/v4/projects/${project}/uploads/${id}`, { headers: owner }), `upload ${name}`);
    inert(await fetch(url + at, { headers: owner }), at);
  }
  await dave.expect(201, 'POST', `/projects/${project}/repository/commits`, {
    ...{ branch: 'polyglot', start_branch: 'main', commit_message: 'Draw [skip ci]' },
    actions: ['a.svg', 'a.html', 'a.xhtml'].map((file_path) => ({ action: 'create', file_path, content: script })),
  });
  for (const name of ['a.svg', 'a.html', 'a.xhtml']) {
    const raw = `${url}/api/v4/projects/${project}/repository/files/${name}/raw?ref=polyglot`;
    inert(await fetch(raw, { headers: { 'PRIVATE-TOKEN': dave.token } }), raw);
  }
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
  assert.ok(names.length > 10, 'the files of the instance');
  assert.deepEqual(
    names.filter((name) => name.includes('curtain')),
    [],
  );
  assert.ok(!readdirSync(tmpdir()).some((name) => name.startsWith('curtain')));
}

/** Whatever fetches for people reaches nothing inside. */
async function insideAddresses({ dave, olga, mallory, anonymous, project }: Cast): Promise<void> {
  const inside = await startReceiver();
  try {
    const port = new URL(inside.url).port;
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0']) {
      const address = `http://${host}:${port}/inside`;
      const lint = { content: `include: {remote: '${address}.yml'}\njob: {script: [x]}\n` };
      const linted = await dave.expect<{ valid: boolean }>(200, 'POST', `/projects/${project}/ci/lint`, lint);
      assert.equal(linted.valid, false, address);
      assert.equal((await anonymous.call('POST', `/projects/${project}/ci/lint`, lint)).status, 401);
      const mirror = { url: `${address}.git`, enabled: true };
      assert.ok((await olga.call('POST', `/projects/${project}/remote_mirrors`, mirror)).status >= 400, address);
      const made = await mallory.call<{ id: number }>('POST', '/projects', {
        ...{ name: `inside-${Buffer.from(host).toString('hex')}`, import_url: `${address}.git` },
      });
      if (made.status === 201)
        await until('the end of the import', 60, async () => {
          const { body } = await mallory.call<{ import_status: string }>('GET', `/projects/${made.body.id}/import`);
          return body.import_status === 'failed';
        });
    }
    assert.deepEqual(inside.received, []);
  } finally {
    await inside.close();
  }
}

/** Documents and configurations that are small to send and large to follow end with an answer. */
async function endlessDocuments({ mallory, dave, project }: Cast): Promise<void> {
  for (const text of [
    '['.repeat(400_000),
    '> '.repeat(50_000),
    `${'*a '.repeat(100_000)}`,
    `${'`'.repeat(300_000)}x`,
  ]) {
    const { status } = await mallory.call('POST', '/markdown', { text, gfm: true });
    assert.ok(status < 500, `${text.slice(0, 10)}: ${status}`);
  }
  const laughs = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
  for (let depth = 1; depth < 12; depth += 1) {
    const before = String.fromCharCode(96 + depth);
    const name = String.fromCharCode(97 + depth);
    laughs.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(', ')}]`);
  }
  const axis = (name: string) => `${name}: [${Array.from({ length: 20 }, (_, at) => at).join(', ')}]`;
  for (const content of [
    `${laughs.join('\n')}\njob: {script: [x]}\n`,
    `job: {script: [x], parallel: {matrix: [{${['A', 'B', 'C', 'D'].map(axis).join(', ')}}]}}\n`,
    "include: {local: '.gitlab-ci.yml'}\njob: {script: [x]}\n".repeat(1) + '#'.repeat(2_000_000),
    `job: ${'{a: '.repeat(20_000)}`,
  ]) {
    const { status, body } = await dave.call<{ valid?: boolean; errors?: string[] }>(
      ...(['POST', `/projects/${project}/ci/lint`, { content }] as const),
    );
    assert.ok([200, 400, 413].includes(status), `${content.slice(0, 30)}: ${status}`);
    if (status !== 200) continue;
    assert.equal(body.valid, false, content.slice(0, 30));
    assert.match((body.errors ?? []).join(' '), /\d/, 'the error names the limit');
  }
}

/** A password is asked for two addresses at once, and an address of somebody else is claimed. */
async function otherAddresses({ url, mallory }: Cast): Promise<void> {
  const emails = ['olga@example.com', 'mallory@example.com'];
  const reset = (body: string, type: string) =>
    fetch(`${url}/-/password-reset`, { method: 'POST', headers: { 'Content-Type': type }, body });
  for (const email of [emails, { 0: emails[0], 1: emails[1] }, [emails]])
    assert.equal((await reset(JSON.stringify({ email }), 'application/json')).status, 400);
  const form = emails.map((email) => `email[]=${encodeURIComponent(email)}`).join('&');
  assert.ok((await reset(form, 'application/x-www-form-urlencoded')).status >= 400);
  assert.equal((await mallory.call('POST', '/user/emails', { email: 'olga@example.com' })).status, 400);
  const added = await mallory.call<{ confirmed_at: string | null }>('POST', '/user/emails', {
    email: 'director@example.com',
  });
  if (added.status === 201) assert.equal(added.body.confirmed_at, null);
  // An address that nobody confirmed is no name to sign in with, and leads nobody to her.
  const signIn = await fetch(`${url}/-/session`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ login: 'director@example.com', password: 'anything at all' }),
  });
  assert.equal(signIn.status, 401);
  const found = await mallory.expect<unknown[]>(200, 'GET', '/users?search=director@example.com');
  assert.deepEqual(found, []);
}

/** With a second factor the password alone opens nothing: not git, not the API, not the grant of applications. */
async function secondFactor({ url, root, olga, project, path }: Cast): Promise<void> {
  const password = 'the ghost light stays on';
  const account = { username: 'tess', name: 'Tess', email: 'tess@example.com', password, skip_confirmation: true };
  const { id } = await root.expect<{ id: number }>(201, 'POST', '/users', account);
  await olga.expect(201, 'POST', `/projects/${project}/members`, { user_id: id, access_level: 30 });
  const post = (target: string, json: object, headers: Record<string, string> = {}) =>
    fetch(url + target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(json),
    });
  const service = `${url}/${path}.git/info/refs?service=git-receive-pack`;
  const git = async () => (await fetch(service, { headers: { Authorization: basic('tess', password) } })).status;
  assert.equal(await git(), 200);
  const signedIn = await post('/-/session', { login: 'tess', password });
  const { csrf_token: token } = (await signedIn.json()) as { csrf_token: string };
  const headers = { Cookie: (signedIn.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '', 'X-CSRF-Token': token };
  const begun = await post('/api/v4/user/two_factor/totp', { current_password: password }, headers);
  const { secret } = (await begun.json()) as { secret: string };
  const confirmed = await post('/api/v4/user/two_factor/totp/confirm', { code: totpCode(secret) }, headers);
  assert.equal(confirmed.status, 201, await confirmed.text());
  assert.equal(await git(), 401);
  const asked = await fetch(`${url}/api/v4/user`, { headers: { Authorization: basic('tess', password) } });
  assert.equal(asked.status, 401);
  const grant = { grant_type: 'password', username: 'tess', password };
  assert.ok([400, 401].includes((await post('/oauth/token', grant)).status));
  const again = await post('/-/session', { login: 'tess', password });
  assert.equal(((await again.json()) as { user: object | null }).user, null);
  assert.equal(again.headers.get('set-cookie'), null);
}

/** An application is sent to an address that was not registered; codes that nobody gave are tried. */
async function redirects({ url, root }: Cast): Promise<void> {
  const made = await root.expect<{ application_id: string }>(201, 'POST', '/applications', {
    ...{ name: 'Programme', redirect_uri: 'https://client.example/cb', scopes: 'read_user', confidential: false },
  });
  const authorize = (redirect_uri: string) => {
    const query = new URLSearchParams({ client_id: made.application_id, response_type: 'code', redirect_uri });
    return fetch(`${url}/oauth/authorize?${query}`, { redirect: 'manual' });
  };
  for (const address of [
    ...['https://client.example.evil/cb', 'https://client.example/cb/../open', 'https://client.example/cb?x=1'],
    ...['https://evil@client.example/cb', 'https://client.example/cb%2f..', 'javascript:alert(1)', '//evil/cb'],
  ]) {
    const location = (await authorize(address)).headers.get('location') ?? '';
    assert.ok(
      !location.startsWith(address) && !/^(https:\/\/client\.example|javascript:|\/\/)/.test(location),
      location,
    );
  }
  const token = (more: Record<string, string>) =>
    fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id: made.application_id, code: 'guessed' },
        ...{ redirect_uri: 'https://client.example/cb', ...more },
      }),
    });
  for (const more of [{}, { code_verifier: 'x'.repeat(43) }] as Record<string, string>[]) {
    const refused = await token(more);
    assert.ok([400, 401].includes(refused.status));
    assert.doesNotMatch(await refused.text(), /access_token"/);
  }
}

/** Dave writes as Olga and reaches for a schedule of Mike's: what runs is Dave's, or does not run. */
async function borrowedNames({ mike, dave, project, ids }: Cast): Promise<void> {
  const base = `/projects/${project}`;
  const { id: sha } = await dave.expect<{ id: string }>(201, 'POST', `${base}/repository/commits`, {
    ...{ branch: 'understudy', start_branch: 'main', commit_message: 'Stand in' },
    ...{ author_name: 'olga', author_email: 'olga@example.com' },
    actions: [{ action: 'create', file_path: 'stand-in.txt', content: 'x' }],
  });
  const pipeline = await until('the pipeline of the push', 60, async () => {
    const found = await mike.expect<{ id: number }[]>(200, 'GET', `${base}/pipelines?sha=${sha}`);
    return found[0];
  });
  const { user } = await mike.expect<{ user: { id: number } }>(200, 'GET', `${base}/pipelines/${pipeline.id}`);
  assert.equal(user.id, ids.dave);
  const schedule = await mike.expect<{ id: number }>(201, 'POST', `${base}/pipeline_schedules`, {
    ...{ description: 'nightly', ref: 'main', cron: '0 1 * * *' },
  });
  const at = `${base}/pipeline_schedules/${schedule.id}`;
  for (const [method, target, json] of [
    ['PUT', at, { ref: 'understudy' }],
    ['POST', `${at}/variables`, { key: 'A', value: 'b' }],
    ['DELETE', at, undefined],
  ] as const)
    assert.equal((await dave.call(method, target, json)).status, 403, `${method} ${target}`);
}

/** Secrets that the instance keeps are in no list, no page and no log, whoever asks and wherever they were sent. */
async function canaries(cast: Cast): Promise<void> {
  const { url, dave, mallory, anonymous, olga, project, path, log } = cast;
  const base = `/projects/${project}`;
  const trigger = await olga.expect<{ token: string }>(201, 'POST', `${base}/triggers`, { description: 'canary' });
  await olga.expect(201, 'POST', `${base}/variables`, { key: 'CANARY', value: 'canary-value-1909', protected: true });
  await olga.expect(201, 'POST', `${base}/hooks`, { url: 'https://hooks.example/', token: 'canary-hook-1909' });
  const secrets = [cast.runnerToken, trigger.token, 'canary-value-1909', 'canary-hook-1909', rootToken, olga.token];
  const lists = ['', '/runners', '/triggers', '/variables', '/hooks', '/pipelines', '/jobs', '/members/all', '/events'];
  for (const by of [dave, mallory, anonymous])
    for (const list of [...lists.map((rest) => base + rest), '/runners', '/user', '/users/1', '/metadata']) {
      const { status, body, headers } = await by.call('GET', list);
      const text = JSON.stringify([body, [...headers]]);
      for (const secret of secrets) assert.ok(!text.includes(secret), `${list} (${status}) holds ${secret}`);
    }
  // Sent in an address, they come back in none and stand in no log.
  for (const address of [
    ...[`/api/v4/user?private_token=${dave.token}`, `/api/v4/user?access_token=${dave.token}`],
    ...[`/${path}?private_token=${dave.token}`, `/api/v4/nowhere?job_token=${dave.token}`],
  ]) {
    const answer = await fetch(url + address);
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    assert.ok(!(await answer.text()).includes(dave.token), address);
  }
  for (const secret of [...secrets, dave.token, rootPassword])
    assert.ok(!log().includes(secret), `the log holds ${secret}`);
}

/** A job looks for the instance around it: its data, its database, its environment. */
async function escapingJob({ data, mallory, url }: Cast): Promise<void> {
  const script = [
    `ls ${data}/millrace/secrets.key ${data}/millrace/repositories ${data}/millrace/postgres 2>/dev/null && echo LEAK: data`,
    `cat ${data}/millrace/root-password ${data}/millrace/*.key 2>/dev/null && echo LEAK: keys`,
    `find ${data} -name "*.git" 2>/dev/null | grep . && echo LEAK: repositories`,
    'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep MILLRACE_ROOT && echo LEAK: environment',
    `find ${data} /tmp -name ".s.PGSQL*" -writable 2>/dev/null | grep . && echo LEAK: socket`,
    'echo nothing found',
  ];
  const made = await mallory.expect<{ id: number }>(201, 'POST', '/projects', { name: 'Trapdoor' });
  await mallory.expect(201, 'POST', `/projects/${made.id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Look around' },
    actions: [
      {
        ...{ action: 'create', file_path: '.gitlab-ci.yml' },
        content: JSON.stringify({
          look: { script: script.map((line) => (line.includes('&&') ? `${line}; true` : line)) },
        }),
      },
    ],
  });
  const job = await until('the end of the job', 120, async () => {
    type Found = { id: number; status: string; stuck?: boolean };
    const [found] = await mallory.expect<Found[]>(200, 'GET', `/projects/${made.id}/jobs`);
    if (!found) return null;
    // Where jobs cannot be kept apart nobody but administrators has any.
    const { stuck } = await mallory.expect<Found>(200, 'GET', `/projects/${made.id}/jobs/${found.id}`);
    return (stuck || ['success', 'failed'].includes(found.status)) && { ...found, stuck };
  });
  if (job.stuck) return;
  const headers = { 'PRIVATE-TOKEN': mallory.token };
  const trace = await (await fetch(`${url}/api/v4/projects/${made.id}/jobs/${job.id}/trace`, { headers })).text();
  assert.equal(job.status, 'success', trace);
  assert.match(trace, /^nothing found$/m);
  assert.doesNotMatch(trace.replace(/^.*\$ .*$/gm, ''), /LEAK|MILLRACE_ROOT/);
  for (const secret of [rootPassword, rootToken]) assert.ok(!trace.includes(secret));
}

/** A branch that is called like a commit cannot be pushed, made, imported or merged into being. */
async function lookalikes(cast: Cast): Promise<void> {
  const { url, dave, project, path } = cast;
  const sha = 'c'.repeat(40);
  const directory = mkdtempSync(join(tmpdir(), 'mr-attacker-'));
  try {
    const remote = `${url.replace('://', `://git:${dave.token}@`)}/${path}.git`;
    assert.equal((await run(directory, ['clone', '-q', remote, 'clone'])).code, 0);
    for (const ref of [`refs/heads/${sha}`, `refs/heads/${sha.toUpperCase()}`, `refs/tags/${sha}`])
      assert.notEqual((await run(join(directory, 'clone'), ['push', '-q', remote, `HEAD:${ref}`])).code, 0, ref);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  const base = `/projects/${project}/repository`;
  for (const branch of [sha, '-h', '--output=/tmp/x', 'a..b', 'refs/heads/x', 'HEAD', '@{1}', 'a\nb'])
    assert.ok((await dave.call('POST', `${base}/branches`, { branch, ref: 'main' })).status >= 400, branch);
  for (const ref of ['--upload-pack=x', '-h', '--output=/tmp/x'])
    for (const target of [
      `commits?ref_name=${ref}`,
      `tree?ref=${ref}`,
      `archive.tar?sha=${ref}`,
      `compare?from=${ref}&to=main`,
    ])
      assert.ok((await api(url, dave.token).call('GET', `${base}/${target}`)).status < 500, target);
}

export const wayStories: Readonly<Record<string, (cast: Cast) => Promise<void>>> = {
  'security 1: addresses of a private project are spelled otherwise': otherSpellings,
  'security 2: addresses of downloads climb': climbingPaths,
  'security 3, 5: uploads have names of other places, and are other things besides': hostileUploads,
  'security 4, 22: branches are called like options and commits': lookalikes,
  'security 8: lint, imports and mirrors are sent to addresses inside': insideAddresses,
  'security 10, 11: documents and configurations have no end': endlessDocuments,
  'security 12, 13: a password is asked for two people, an address is claimed': otherAddresses,
  'security 14: an application is sent elsewhere, codes are guessed': redirects,
  'security 15: a password is tried where no second factor is asked for': secondFactor,
  'security 19: commits and schedules are written in the name of others': borrowedNames,
  'security 21, 23: secrets are looked for in lists, pages and logs': canaries,
  'security 25: a job looks for the instance around it': escapingJob,
};
