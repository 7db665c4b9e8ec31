/** Pipelines as the API tells them, and waiting for one to end. */
import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import { type Api, until } from './api.ts';

export interface Project {
  id: number;
  http_url_to_repo: string;
  web_url: string;
  default_branch: string;
}
export interface Pipeline {
  id: number;
  status: string;
  source: string;
  ref: string;
  sha: string;
  web_url: string;
}
export interface Job {
  id: number;
  name: string;
  status: string;
  stage: string;
  failure_reason?: string;
  duration: number | null;
  queued_duration: number | null;
  artifacts: { file_type: string; filename: string; size: number }[];
}

const finished = new Set(['success', 'failed', 'canceled', 'skipped', 'manual']);

/** The end of a log as text: without colours and section marks, long lines cut. */
function lastLines(log: string): string {
  const lines = stripVTControlCharacters(log)
    .split('\n')
    .filter((line) => line.trim() && !line.startsWith('section_'));
  return lines
    .slice(-25)
    .map((line) => line.slice(0, 200))
    .join('\n');
}

/** Waits for a pipeline to end and tells what failed, with the end of its log. */
export async function passes(ada: Api, project: Project, pipeline: Pipeline, seconds: number): Promise<Job[]> {
  const ended = await until(`pipeline ${pipeline.id}`, seconds, async () => {
    const now = await ada.expect<Pipeline>(200, 'GET', `/projects/${project.id}/pipelines/${pipeline.id}`);
    return finished.has(now.status) ? now : null;
  });
  const jobs = await ada.expect<Job[]>(200, 'GET', `/projects/${project.id}/pipelines/${pipeline.id}/jobs`);
  if (ended.status !== 'success') {
    const logs = await Promise.all(
      jobs
        .filter((job) => job.status !== 'success')
        .map(async (job) => {
          const trace = await ada.call<string>('GET', `/projects/${project.id}/jobs/${job.id}/trace`);
          return `--- ${job.name}: ${job.status} ${job.failure_reason ?? ''}\n${lastLines(String(trace.body))}`;
        }),
    );
    assert.fail(`pipeline is ${ended.status}\n${logs.join('\n')}`);
  }
  return jobs;
}
