/** What settings do to trigger jobs, job tokens, variables and answers of other servers: before and after each is changed. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';
import { createOutbound } from '../src/kernel/outbound/index.ts';
import type { AccountEffect } from './account-effects.ts';
import { eventually, type ProtocolRunner, type World } from './ci.ts';
import { buildProject } from './factories.ts';

type Body = Record<string, unknown>;

/** `parts` is asked when a case runs. */
export function ciEffects(
  parts: () => { readonly world: World; readonly runner: ProtocolRunner },
): Readonly<Record<string, AccountEffect>> {
  const world = () => parts().world;
  const runner = () => parts().runner;
  const call = <T = Body>(method: 'GET' | 'POST' | 'PATCH', path: string, json?: Body) =>
    world().app.api<T>(method, path, { token: world().owner.token, ...(json ? { json } : {}) });

  /** The trigger jobs of a pipeline, once they all have started a pipeline or failed. */
  const settled = (project: number, pipeline: number) =>
    eventually('the trigger jobs', async () => {
      const { body } = await call<Body[]>('GET', `/projects/${project}/pipelines/${pipeline}/bridges`);
      const over = body.every((bridge) => bridge.downstream_pipeline || bridge.status === 'failed');
      return over && body.length > 0 && body;
    });
  const triggered = async () => {
    const project = await world().project({ shared_runners_enabled: false });
    const child = 'trigger: {include: [{local: child.yml}]}';
    const files = { 'child.yml': 'job: {script: [x]}\n' };
    const { id } = await project.push(`one: {${child}}\ntwo: {${child}}\n`, { files });
    await settled(project.id, id);
    const jobs = world().app.db.selectFrom('jobs').select('failure_reason').where('pipeline_id', '=', id);
    return (await jobs.execute()).map(({ failure_reason }) => failure_reason).sort();
  };
  const included = async () => {
    const project = await world().project();
    const { id } = await project.push(
      'make: {stage: build, script: [x], artifacts: {paths: [made.yml]}}\nrun: {trigger: {include: [{artifact: made.yml, job: make}]}}\n',
    );
    const zip = new yazl.ZipFile();
    zip.addBuffer(Buffer.from('made: {script: [x], rules: [{when: manual}]}\n'), 'made.yml');
    zip.end();
    const job = await runner().next();
    await runner().upload(job, { data: await buffer(zip.outputStream), name: 'a.zip', type: 'archive', format: 'zip' });
    await runner().update(job, 'success');
    const [bridge] = await settled(project.id, id);
    return (bridge?.downstream_pipeline as Body | undefined)?.status === 'failed';
  };

  /** Whether the allowlist of a project may be switched off, and whether it counts. */
  const open = async () => {
    const { id } = await buildProject(world().app, { owner: world().owner.user });
    const { status } = await call('PATCH', `/projects/${id}/job_token_scope`, { enabled: false });
    return [status, (await call('GET', `/projects/${id}/job_token_scope`)).body.inbound_enabled];
  };

  const configuration = (field: string) => async () =>
    (await call<{ ci: Body }>('GET', '/instance_configuration')).body.ci[field];

  const estimated = async () => {
    const { id } = await buildProject(world().app, { owner: world().owner.user });
    const { body: issue } = await call('POST', `/projects/${id}/issues`, { title: 'Dredge' });
    const path = `/projects/${id}/issues/${String(issue.iid)}/time_estimate?duration=1w2h30m`;
    return (await call('POST', path)).body.human_time_estimate;
  };

  /** How much of two megabytes is read. */
  const fetched = async () => {
    const server = createServer((_request, response) => void response.end(Buffer.alloc(2 * 1024 * 1024)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { send } = createOutbound({ settings: world().app.settings });
    const answer = await send({ url, kind: 'system_hook', maximumBytes: 4 * 1024 * 1024 });
    server.close();
    return answer.ok && [answer.body.length, answer.truncated];
  };

  return {
    downstream_pipeline_trigger_limit_per_project_user_sha: {
      value: 1,
      look: triggered,
      before: [null, null],
      after: [null, 'reached_downstream_pipeline_trigger_rate_limit'],
    },
    max_artifacts_content_include_size: {
      value: 10,
      look: included,
      before: false,
      after: true,
    },
    enforce_ci_inbound_job_token_scope_enabled: { value: true, look: open, before: [204, false], after: [400, true] },
    protected_ci_variables: { value: false, look: configuration('protected_variables'), before: true, after: false },
    shared_runners_text: {
      value: 'Ask **operations**.',
      look: async () => String(await configuration('runners_text_html')()).includes('<strong>operations</strong>'),
      before: false,
      after: true,
    },
    time_tracking_limit_to_hours: { value: true, look: estimated, before: '1w 2h 30m', after: '42h 30m' },
    max_http_response_size_limit: {
      value: 1,
      look: fetched,
      before: [2 * 1024 * 1024, false],
      after: [1024 * 1024, true],
    },
    prometheus_metrics_enabled: {
      value: false,
      look: async () => (await world().app.request('GET', '/-/metrics')).status,
      before: 401,
      after: 404,
    },
  };
}
