/** Settings of terminals in running jobs: what is seen before they are changed, and after. */
import { eventually, type JobView, type World } from './ci.ts';

export function terminalEffects(world: () => World) {
  /** How long a terminal may be open in a job whose runner accepts one. */
  async function seconds(): Promise<number> {
    const { app, owner } = world();
    const project = await world().project();
    // A tag of its own: no other runner takes it.
    const tag = `terminal-${project.id}`;
    const runner = await world().runner({ tag_list: [tag] });
    await project.push(`a:\n  tags: [${tag}]\n  script: sleep 9\n`);
    const session = { url: 'https://runner.example.com/session/1', authorization: 'x' };
    const job = await eventually('the job', async () => {
      const answer = await runner.request('', { session });
      return answer.status === 201 && (JSON.parse(answer.text) as JobView);
    });
    const path = `/projects/${project.id}/jobs/${job.id}`;
    const { token } = owner;
    const { body } = await app.api<{ max_session_time: number }>('POST', `${path}/terminal`, { token });
    await app.api('POST', `${path}/cancel`, { token });
    return body.max_session_time;
  }

  return { terminal_max_session_time: { value: 60, look: seconds, before: 0, after: 60 } } as const;
}
