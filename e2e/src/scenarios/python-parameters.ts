/** The same from python-gitlab: the library sends multipart uploads, its command sends numbers and booleans as text. */
import assert from 'node:assert/strict';
import type { Instance } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';
import { command } from './python-clients.ts';

const script = `
import base64, datetime, io, sys, time, zipfile
import gitlab
url, token, root_token, project_id, pipeline_id = sys.argv[1:6]
gl = gitlab.Gitlab(url, private_token=token)
root = gitlab.Gitlab(url, private_token=root_token)
project = gl.projects.get(int(project_id))

# Arrays, as the library writes them in a query: name[]=..., and comma-separated.
jobs = project.pipelines.get(int(pipeline_id)).jobs.list(**{'scope[]': ['failed', 'manual']})
assert sorted(job.name for job in jobs) == ['broken', 'upload'], jobs
assert [m.iid for m in project.mergerequests.list(iids=[2])] == [2]
assert [p.id for p in gl.projects.list(owned=True, topic='blue')] == [project.id]

# Hashes in a query.
project.variables.create({'key': 'PLACE', 'value': 'any'})
project.variables.create({'key': 'PLACE', 'value': 'live', 'environment_scope': 'live'})
assert project.variables.get('PLACE', filter={'environment_scope': 'live'}).value == 'live'
project.variables.update('PLACE', {'value': 'changed'}, filter={'environment_scope': 'live'})
assert project.variables.get('PLACE', filter={'environment_scope': 'live'}).value == 'changed'
assert project.variables.get('PLACE', filter={'environment_scope': '*'}).value == 'any'

# Arrays of hashes, base64.
data = bytes(range(256))
project.commits.create({'branch': 'main', 'commit_message': 'Bytes', 'actions': [
    {'action': 'create', 'file_path': 'dir/all bytes', 'content': base64.b64encode(data).decode(), 'encoding': 'base64'},
    {'action': 'create', 'file_path': 'empty', 'content': ''},
    {'action': 'delete', 'file_path': 'bytes'},
]})
assert project.files.get('dir/all bytes', ref='main').decode() == data

# Points in time, with an offset too.
now = datetime.datetime.now(datetime.timezone.utc)
hour = datetime.timedelta(hours=1)
assert len(project.commits.list(since=(now - hour).isoformat(), until=(now + hour).isoformat(), all=True)) >= 3
east = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
assert project.commits.list(since=(now + hour).astimezone(east).isoformat()) == []

# An upload, in the multipart form that the library makes, with the token of a running job.
made = root.http_post('/user/runners', post_data={
    'runner_type': 'instance_type', 'tag_list': ['upload-by-script'], 'run_untagged': False})
job = next(job for job in jobs if job.name == 'upload')
project.jobs.get(job.id).play()
payload = None
for _ in range(100):
    answer = gl.http_request('post', '/jobs/request', post_data={'token': made['token'], 'info': {'name': 'script'}})
    if answer.status_code == 201:
        payload = answer.json()
        break
    time.sleep(0.1)
assert payload and payload['id'] == job.id, payload
archive = io.BytesIO()
with zipfile.ZipFile(archive, 'w') as file:
    file.writestr('dir/result.txt', 'made by hand')
as_job = gitlab.Gitlab(url, job_token=payload['token'])
as_job.http_post(f"/jobs/{job.id}/artifacts", post_data={'expire_in': '1 day', 'public': True},
                 files={'file': ('../../../etc/name ünï.zip', archive.getvalue(), 'application/zip')})
try:
    as_job.http_post(f"/jobs/{job.id}/artifacts", post_data={'file.path': '/etc/passwd'}, files={'avatar': ('a', b'x')})
    raise AssertionError('an upload without its file is taken')
except gitlab.exceptions.GitlabHttpError as error:
    assert error.response_code == 400, error
gl.http_request('put', f"/jobs/{job.id}", post_data={'token': payload['token'], 'state': 'success'})
done = project.jobs.get(job.id)
assert done.status == 'success', done.status
assert done.artifact('dir/result.txt') == b'made by hand'
assert zipfile.ZipFile(io.BytesIO(done.artifacts())).namelist() == ['dir/result.txt']

# Refusals, in the words that the library shows.
def refused(code, call):
    try:
        call()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == code, error
        return str(error.error_message)
    raise AssertionError('not refused')
assert refused(400, lambda: gl.http_post(f'/projects/{project.id}/members', post_data={'access_level': 30})) == \\
    'user_id, username are missing, exactly one parameter must be provided'
assert refused(400, lambda: project.branches.create({'branch': ['a'], 'ref': 'main'})) == 'branch is invalid'
assert refused(400, lambda: gl.projects.list(visibility='odd')) == 'visibility does not have a valid value'
print('done')
`;

export async function parametersFromPython(
  suite: Suite,
  instance: Instance,
  world: { token: string; rootToken: string; project: number; pipeline: number; people: readonly number[] },
): Promise<void> {
  let python: string | undefined;
  for (const each of ['python3', '/usr/bin/python3']) {
    const ran =
      python === undefined && (await command(each, ['-c', 'import gitlab'], '', instance.data).catch(() => null));
    if (ran && ran.code === 0) python = each;
  }
  if (python === undefined) {
    console.log('  not run: python-gitlab is not on this machine');
    return;
  }
  const interpreter = python;
  await suite.step('python-gitlab: arrays, hashes, dates and an upload [1/what-the-service-does/6]', async () => {
    const args = ['-', instance.url, world.token, world.rootToken, String(world.project), String(world.pipeline)];
    const ran = await command(interpreter, args, script, instance.data);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^done$/m);
  });

  await suite.step("python-gitlab's command: numbers and booleans as text in JSON (ADR 0005)", async () => {
    const cli = async (...args: string[]) => {
      const all = ['-m', 'gitlab', '--server-url', instance.url, '--private-token', world.token, '-o', 'json', ...args];
      const ran = await command(interpreter, all, '', instance.data);
      assert.equal(ran.code, 0, ran.stderr);
      return ran.stdout.trim() === '' ? null : (JSON.parse(ran.stdout) as Record<string, unknown>);
    };
    const id = String(world.project);
    const person = String(world.people[2]);
    await cli('project-member', 'delete', '--project-id', id, '--id', person);
    await cli('project-member', 'create', '--project-id', id, '--user-id', person, '--access-level', '20');
    await cli('project-member', 'update', '--project-id', id, '--id', person, '--access-level', '40');
    const member = await cli('project-member', 'get', '--project-id', id, '--id', person);
    assert.equal(member?.access_level, 40);
    const made = await cli('project', 'create', '--name', 'From text', '--initialize-with-readme', 'true');
    assert.equal(made?.empty_repo, false);
    await cli('project-variable', 'create', '--project-id', id, '--key', 'TEXT', '--value', 'x', '--protected', 'true');
    const variable = await cli('project-variable', 'get', '--project-id', id, '--key', 'TEXT');
    assert.equal(variable?.protected, true);
  });
}
