/** What messages to other servers say about a project's addresses. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { projectPart, repositoryPart } from './parts.ts';

let app: TestApp;
let subject: ProjectSubject;
let fullPath: string;

beforeAll(async () => {
  app = await startTestApp();
  const owner = await buildToken(app);
  const project = await buildRepositoryProject(app, { owner, files: null });
  fullPath = project.fullPath;
  subject = (await findProjectSubject(app.db, fullPath, owner.user.id)) as ProjectSubject;
});
afterAll(async () => app.close());

const externalUrl = 'https://git.example.com';

it('the address is that of SSH', () => {
  const ssh = `git@git.example.com:${fullPath}.git`;
  const urls = { externalUrl, sshPrefix: () => 'git@git.example.com:' };
  expect(projectPart(subject, urls)).toMatchObject({ git_ssh_url: ssh, ssh_url: ssh, url: ssh });
  expect(repositoryPart(subject, urls).url).toBe(ssh);
});

it('where SSH is off it is that of HTTP, and there is none of SSH', () => {
  const http = `${externalUrl}/${fullPath}.git`;
  const urls = { externalUrl, sshPrefix: () => null };
  expect(projectPart(subject, urls)).toMatchObject({ git_ssh_url: '', ssh_url: '', url: http, git_http_url: http });
  expect(repositoryPart(subject, urls).url).toBe(http);
});
