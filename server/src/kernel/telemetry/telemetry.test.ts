/** Logs and metrics: what they say, and what never gets into them. */
import { expect, it } from 'vitest';
import { createLogger, scrubUrl } from './index.ts';
import { noMetrics, openMetrics } from './metrics.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(createLogger('debug', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

it('[security 23] cuts credentials out of URLs', () => {
  const secret = 'glpat-aaaaaaaaaaaaaaaaaaaa';
  for (const name of ['private_token', 'access_token', 'job_token', 'token', 'password', 'feed_token']) {
    expect(scrubUrl(`/api/v4/user?a=1&${name}=${secret}&b=2`)).toBe(`/api/v4/user?a=1&${name}=[FILTERED]&b=2`);
    expect(scrubUrl(`/x?${name.toUpperCase()}=${secret}`)).not.toContain(secret);
    expect(scrubUrl(`/x?${name}[]=${secret}`)).not.toContain(secret);
  }
  for (const name of [
    'private%5Ftoken',
    '%70rivate_token',
    'oauth_token',
    'refresh_token',
    'registration_token',
    'client_secret',
    'user[password]',
    'user%5Bpassword%5D',
    'variables[KEY]',
    'code',
    'runner_token',
  ])
    expect(scrubUrl(`/x?b=2&${name}=${secret}`)).toBe(`/x?b=2&${name}=[FILTERED]`);
  expect(scrubUrl('/x?%ff=1&private_token=a')).toBe('/x?%ff=1&private_token=[FILTERED]');
  expect(scrubUrl('/x?postcode=8&sha=abc#L3')).toBe('/x?postcode=8&sha=abc#L3');
  expect(scrubUrl(`https://oauth2:${secret}@host/a.git`)).toBe('https://[FILTERED]@host/a.git');
  expect(scrubUrl('/projects?search=token&page=2')).toBe('/projects?search=token&page=2');
});

it('[security 21] cuts credentials out of what is logged', () => {
  const secret = 'glpat-bbbbbbbbbbbbbbbbbbbb';
  const headers = {
    authorization: `Bearer ${secret}`,
    'private-token': secret,
    cookie: secret,
    'job-token': secret,
    host: 'h',
  };
  const text = logged((log) => {
    log.info({ headers, token: secret, user: { password: secret } }, 'request');
    log.info({ request: { headers } }, 'nested');
    log.info({ params: { private_token: secret, name: 'x' }, url: `/a?private_token=${secret}` }, 'params');
    log.warn({ list: [{ a: 1 }, { call: { headers } }], buffer: Buffer.from('x') }, 'in a list');
    log.error({ err: Object.assign(new Error('refused'), { token: secret, answer: { headers } }) }, 'failed');
    log.error(Object.assign(new Error('refused'), { config: { headers } }));
    log.child({ reqId: 'r1' }).info({ deep: { password: secret } }, 'of a request');
  });
  expect(text.match(/\n/g)).toHaveLength(7);
  // What was passed is as it was.
  expect(headers.cookie).toBe(secret);
  expect(text).not.toContain(secret);
  expect(text).toContain('"name":"x"');
});

it('writes one JSON object a line, with the level by name and the time in UTC', () => {
  const line = JSON.parse(logged((log) => log.warn({ err: new Error('boom\nline') }, 'failed'))) as Record<
    string,
    unknown
  >;
  expect(line).toMatchObject({ level: 'warn', msg: 'failed', err: { message: 'boom\nline' } });
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

it('measures exchanges, tasks and gauges', async () => {
  expect(await noMetrics.render()).toBeNull();
  const metrics = await openMetrics();
  metrics.observeRequest({ method: 'GET', route: '/api/v4/user', status: 200 }, 0.003);
  metrics.observeTask('facts.retry', 0.2, 'failure');
  metrics.gauge('millrace_database_connections', 'Open', () => 7);
  const text = (await metrics.render())?.text;
  expect(text).toContain(
    'millrace_http_request_duration_seconds_count{method="GET",route="/api/v4/user",status="200"} 1',
  );
  expect(text).toContain('millrace_task_duration_seconds_count{task="facts.retry",outcome="failure"} 1');
  expect(text).toContain('millrace_database_connections 7');
  expect(text).toContain('nodejs_eventloop_lag_seconds');
});
