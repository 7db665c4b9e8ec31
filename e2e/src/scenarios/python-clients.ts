/** python-gitlab as a library and as a command, where the machine has them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { Instance } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';
import { pythonUsers } from './python-users.ts';

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function command(name: string, args: readonly string[], input: string, home: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, {
      env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', NO_PROXY: '127.0.0.1,localhost' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    // One that ends before it has read its input says why by its code and stderr.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

const script = `
import sys, time
import gitlab
url, token, root_token = sys.argv[1:4]
gl = gitlab.Gitlab(url, private_token=token)
root = gitlab.Gitlab(url, private_token=root_token)
gl.auth()
assert gl.user.username == 'clara', gl.user
assert gl.version()[0][0].isdigit(), gl.version()

user = root.users.create({'username': 'hopper', 'name': 'H', 'email': 'hopper@example.com',
                          'password': 'nanosecond-wire-1952', 'skip_confirmation': True})
assert [u.id for u in gl.users.list(username='hopper')] == [user.id]

group = gl.groups.create({'name': 'Snakes', 'path': 'snakes'})
member = group.members.create({'user_id': user.id, 'access_level': gitlab.const.REPORTER_ACCESS})
member.access_level = gitlab.const.DEVELOPER_ACCESS
member.save()
assert group.members.get(user.id).access_level == 30
member.delete()
group.description = 'described'
group.save()
assert gl.groups.get('snakes').description == 'described'
gvar = group.variables.create({'key': 'SHARED', 'value': 'yes'})
gvar.value = 'no'
gvar.save()
assert group.variables.get('SHARED').value == 'no'
gvar.delete()

settings = root.settings.get()
before = settings.max_login_attempts
settings.max_login_attempts = before + 1
settings.asset_proxy_allowlist = ['a.example', 'b.example']
settings.save()
assert root.settings.get().max_login_attempts == before + 1
assert root.settings.get().asset_proxy_whitelist == ['a.example', 'b.example']
whole = {k: v for k, v in root.settings.get().attributes.items() if k not in ('created_at', 'updated_at')}
root.settings.update(None, {**whole, 'max_login_attempts': before})
after = root.settings.get().attributes
assert {k: after[k] for k in whole} == {**whole, 'max_login_attempts': before}
try:
    gl.settings.get()
    raise SystemExit('settings were shown to everybody')
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 403, error

project = gl.projects.create({'name': 'py', 'namespace_id': group.id, 'initialize_with_readme': True})
assert gl.projects.get('snakes/py').id == project.id
project.description = 'new'
project.save()
assert gl.projects.get(project.id).description == 'new'

commit = project.commits.create({'branch': 'main', 'commit_message': 'data', 'actions': [
    {'action': 'create', 'file_path': 'a dir/file.txt', 'content': 'text'},
    {'action': 'create', 'file_path': '.gitlab-ci.yml', 'content': 'job:\\n  script: [echo from-python]\\n'}]})
assert project.commits.get(commit.id).title == 'data'
assert len(commit.diff()) == 2
assert commit.refs()[0]['name'] == 'main'
assert project.files.get('a dir/file.txt', ref='main').decode() == b'text'
assert project.files.raw('a dir/file.txt', ref='main') == b'text'
assert sorted(e['path'] for e in project.repository_tree(recursive=True, iterator=True) if e['type'] == 'blob') \\
    == ['.gitlab-ci.yml', 'README.md', 'a dir/file.txt']
assert project.repository_archive()[:2] == b'\\x1f\\x8b'

for name in ('b1', 'b2', 'b3'):
    project.branches.create({'branch': name, 'ref': 'main'})
listed = project.branches.list(iterator=True, per_page=2)
assert listed.total == 4 and len(list(listed)) == 4, listed.total
assert len(project.branches.list(get_all=True, per_page=1)) == 4
keyed = project.branches.list(iterator=True, pagination='keyset', per_page=1)
assert [b.name for b in keyed] == ['b1', 'b2', 'b3', 'main']
project.branches.delete('b3')
tag = project.tags.create({'tag_name': 'v1.0', 'ref': 'main', 'message': 'one'})
assert project.tags.get('v1.0').message == 'one'
tag.delete()
try:
    project.branches.get('absent')
    raise SystemExit('a missing branch was found')
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404, error
assert project.repository_compare('main', 'b1')['commits'] == []

var = project.variables.create({'key': 'GREETING', 'value': 'one'})
project.variables.create({'key': 'GREETING', 'value': 'two', 'environment_scope': 'live'})
assert project.variables.get('GREETING', filter={'environment_scope': 'live'}).value == 'two'
project.variables.update('GREETING', {'value': 'three'}, filter={'environment_scope': 'live'})
project.variables.delete('GREETING', filter={'environment_scope': 'live'})
assert [v.value for v in project.variables.list()] == ['one']

project.commits.create({'branch': 'b1', 'commit_message': 'change', 'actions': [
    {'action': 'update', 'file_path': 'a dir/file.txt', 'content': 'changed'}]})
mr = project.mergerequests.create({'source_branch': 'b1', 'target_branch': 'main', 'title': 'From Python'})
mr.title = 'From python-gitlab'
mr.save()
assert [c.title for c in mr.commits()] == ['change']
assert mr.changes()['changes'][0]['new_path'] == 'a dir/file.txt'
assert len(mr.diffs.list()) == 1
assert [m.iid for m in project.mergerequests.list(state='opened')] == [mr.iid]

pipeline = project.pipelines.create({'ref': 'main', 'variables': [{'key': 'X', 'value': 'y'}]})
for _ in range(600):
    pipeline.refresh()
    if pipeline.finished_at:
        break
    time.sleep(0.1)
assert pipeline.status == 'success', pipeline.status
job = project.jobs.get(pipeline.jobs.list()[0].id)
assert b'from-python' in job.trace()
assert [v.key for v in pipeline.variables.list()] == ['X']
again = job.retry()
assert again['id'] != job.id
keyed = [j.id for j in project.jobs.list(iterator=True, pagination='keyset', order_by='id', per_page=1)]
assert keyed == [j.id for j in project.jobs.list(get_all=True, per_page=1)] and len(keyed) > 1, keyed
latest = gl.http_get(f'/projects/{project.id}/pipelines/latest', query_data={'ref': 'main'})
assert latest['id'] >= pipeline.id

for _ in range(600):
    mr = project.mergerequests.get(mr.iid)
    if mr.detailed_merge_status == 'mergeable' and mr.head_pipeline and mr.head_pipeline['status'] == 'success':
        break
    time.sleep(0.1)
mr.merge(merge_commit_message='Merged by Python')
assert project.mergerequests.get(mr.iid).state == 'merged'

runner = root.runners.all()[0]
assert root.runners.get(runner.id).id == runner.id
lint = project.ci_lint.create({'content': 'a:\\n  script: [x]\\n'})
assert lint.valid is True, lint

walked = [p.id for p in gl.projects.list(iterator=True, pagination='keyset', order_by='id', per_page=1, owned=True)]
assert project.id in walked and len(walked) == len(set(walked))
assert sorted(walked) == sorted(p.id for p in gl.projects.list(get_all=True, per_page=1, owned=True))
accounts = [u.id for u in root.users.list(iterator=True, per_page=1)]
assert user.id in accounts and len(accounts) == len(set(accounts))
assert accounts == [u.id for u in root.users.list(get_all=True, pagination='keyset', order_by='id', per_page=2)]
project.archive()
assert gl.projects.get(project.id).archived is True
project.unarchive()
project.delete()
print('done')
`;

/** The interpreter that has the library; undefined where none has. `home` is the directory in which it runs. */
export async function findPython(home: string): Promise<string | undefined> {
  for (const each of ['python3', '/usr/bin/python3'])
    if ((await command(each, ['-c', 'import gitlab'], '', home).catch(() => null))?.code === 0) return each;
  return undefined;
}

export async function pythonClients(
  suite: Suite,
  instance: Instance,
  world: { token: string; rootToken: string; project: { id: number; path: string } | undefined },
): Promise<void> {
  const project = world.project ?? assert.fail('no project');
  const python = await findPython(instance.data);
  if (python === undefined) {
    console.log('  not run: python-gitlab is not on this machine');
    return;
  }
  const interpreter = python;
  await suite.step('python-gitlab: the library drives the whole API of this product', async () => {
    const args = ['-', instance.url, world.token, world.rootToken];
    const ran = await command(interpreter, args, script, instance.data);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^done$/m);
  });

  await pythonUsers(suite, instance.url, world.rootToken, (args, input) =>
    command(interpreter, args, input, instance.data),
  );

  const cli = async (...args: string[]) => {
    const all = ['-m', 'gitlab', '--server-url', instance.url, '--private-token', world.token, '-o', 'json', ...args];
    const ran = await command(interpreter, all, '', instance.data);
    assert.equal(ran.code, 0, ran.stderr);
    return ran.stdout.trim() === '' ? null : (JSON.parse(ran.stdout) as unknown);
  };
  await suite.step("python-gitlab's command: projects, branches, variables, pipelines", async () => {
    const id = String(project.id);
    const shown = (await cli('project', 'get', '--id', project.path)) as { id: number };
    assert.equal(shown.id, project.id);
    await cli('project-branch', 'create', '--project-id', id, '--branch', 'from-cli', '--ref', 'main');
    const branches = (await cli('project-branch', 'list', '--project-id', id)) as { name: string }[];
    assert.ok(branches.some((each) => each.name === 'from-cli'));
    await cli('project-branch', 'delete', '--project-id', id, '--name', 'from-cli');
    await cli('project-variable', 'create', '--project-id', id, '--key', 'CLI', '--value', 'set');
    const variable = (await cli('project-variable', 'get', '--project-id', id, '--key', 'CLI')) as { value: string };
    assert.equal(variable.value, 'set');
    const pipelines = (await cli('project-pipeline', 'list', '--project-id', id)) as { id: number }[];
    assert.ok(pipelines.length > 0);
  });
}
