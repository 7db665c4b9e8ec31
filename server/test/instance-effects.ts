/** What settings do to texts of the instance, to runners and to differences: before and after each is changed. */
import type { AccountEffect } from './account-effects.ts';
import type { World } from './ci.ts';
import { buildGroup, buildProject } from './factories.ts';

type Body = Record<string, unknown>;
type Kind = 'instance_type' | 'group_type' | 'project_type';

/** `world` is asked when a case runs. */
export function instanceEffects(world: () => World): Readonly<Record<string, AccountEffect>> {
  const help = (field: string) => async () =>
    (await world().app.api<{ help: Body }>('GET', '/instance_configuration')).body.help[field];
  const signIn = async () => (await world().app.request<Body>('GET', '/-/registration')).body.sign_in_html;

  const place = async (kind: Kind): Promise<Body> => {
    const { app, owner } = world();
    if (kind === 'group_type') return { group_id: (await buildGroup(app, { owner: owner.user })).id };
    if (kind === 'project_type') return { project_id: (await buildProject(app, { owner: owner.user })).id };
    return {};
  };
  const runner = async (kind: Kind, token = world().owner.token) =>
    await world().app.api<Body>('POST', '/user/runners', {
      token,
      json: { runner_type: kind, ...(await place(kind)) },
    });
  /** Seconds until the token of a new runner ends, and until the one that replaces it does. */
  const tokenEnds = (kind: Kind) => async () => {
    const { app, admin } = world();
    const { body: made } = await runner(kind, admin.token);
    const { body: renewed } = await app.api<Body>('POST', '/runners/reset_authentication_token', {
      json: { token: made.token },
    });
    return [made, renewed].map(({ token_expires_at: at }) =>
      at === null ? null : Math.round((Date.parse(String(at)) - Date.now()) / 60_000),
    );
  };
  /** Added by an Owner to a project, by its registration token, to a group, and by an administrator. */
  const registered = async () => {
    const { app, admin, owner } = world();
    const { project_id: id } = await place('project_type');
    const { body } = await app.api<Body>('POST', `/projects/${String(id)}/runners/reset_registration_token`, {
      token: owner.token,
    });
    return [
      (await runner('project_type')).status,
      (await app.api('POST', '/runners', { json: { token: body.token } })).status,
      (await runner('group_type')).status,
      (await runner('project_type', admin.token)).status,
    ];
  };

  /** Of a commit with three files of ten lines and one of a hundred: which differences are shown. */
  const shown = async () => {
    const project = await world().project();
    const lines = (count: number) => 'a line of text\n'.repeat(count);
    const files = { 'a.txt': lines(10), 'b.txt': lines(10), 'c.txt': lines(10), 'd.txt': lines(100) };
    await project.commit(null, { files });
    const asked = { token: world().owner.token };
    const { body } = await world().app.api<Body[]>(
      'GET',
      `/projects/${project.id}/repository/commits/main/diff`,
      asked,
    );
    return body
      .filter(({ new_path: path }) => /^[a-d]\.txt$/.test(String(path)))
      .map((file) => (file.too_large ? 'too large' : file.collapsed ? 'collapsed' : 'shown'));
  };

  const pages = (field: string) => async () =>
    (await world().app.request<{ pages: Body }>('GET', '/-/session')).body.pages[field];
  /** The beginnings of new tokens. */
  const tokens = async () => {
    const { app, owner } = world();
    const project = await buildProject(app, { owner: owner.user });
    const at = { token: owner.token };
    const made = async (path: string, json: Body) =>
      String((await app.api<Body>('POST', path, { ...at, json })).body.token).replace(
        /-[\w-]{27}$|-[0-9a-f]{64}$/,
        '-',
      );
    return [
      await made(`/projects/${project.id}/deploy_tokens`, { name: 'd', scopes: ['read_repository'] }),
      await made(`/projects/${project.id}/triggers`, { description: 't' }),
      await made(`/projects/${project.id}/access_tokens`, { name: 'a', scopes: ['api'], access_level: 30 }),
    ];
  };

  const everything = ['shown', 'shown', 'shown', 'shown'];
  return {
    polling_interval_multiplier: { value: 2.5, look: pages('polling_interval_multiplier'), before: 1, after: 2.5 },
    jobs_per_stage_page_size: { value: 20, look: pages('jobs_per_stage'), before: 200, after: 20 },
    suggest_pipeline_enabled: { value: false, look: pages('suggest_pipeline'), before: true, after: false },
    root_moved_permanently_redirection_enabled: {
      value: true,
      look: async () => {
        const { url } = world().app;
        const { status, headers } = await fetch(url, { redirect: 'manual' });
        return status === 301 ? headers.get('location')?.replace(url, '') : null;
      },
      before: null,
      after: '/users/sign_in',
    },
    instance_token_prefix: {
      value: 'acme',
      look: tokens,
      before: ['gldt-', 'glptt-', 'glpat-'],
      after: ['acme-gldt-', 'acme-glptt-', 'acme-glpat-'],
    },
    user_show_add_ssh_key_message: {
      value: false,
      look: async () => {
        const { app, owner } = world();
        const project = await buildProject(app, { owner: owner.user });
        const { body } = await app.api<Body>('GET', `/projects/${project.id}/git_addresses`, { token: owner.token });
        return body.ssh_key_missing;
      },
      before: true,
      after: false,
    },
    first_day_of_week: {
      value: 1,
      look: async () => (await world().app.api<Body>('GET', '/instance_configuration')).body.first_day_of_week,
      before: 0,
      after: 1,
    },
    security_txt_content: {
      value: 'Contact: mailto:security@example.com',
      look: async () => {
        const { status, body } = await world().app.request('GET', '/.well-known/security.txt');
        return status === 200 ? body : status;
      },
      before: 404,
      after: 'Contact: mailto:security@example.com',
    },
    sign_in_text: {
      value: 'Use your **work** account',
      look: signIn,
      before: '',
      after: '<p>Use your <strong>work</strong> account</p>\n',
    },
    help_page_text: { value: 'Ask *us*', look: help('text_html'), before: '', after: '<p>Ask <em>us</em></p>\n' },
    help_page_support_url: {
      value: 'https://support.example.com/',
      look: help('support_url'),
      before: null,
      after: 'https://support.example.com/',
    },
    help_page_documentation_base_url: {
      value: 'https://docs.example.com/',
      look: help('documentation_url'),
      before: null,
      after: 'https://docs.example.com/',
    },
    runner_token_expiration_interval: {
      value: 7_200,
      look: tokenEnds('instance_type'),
      before: [null, null],
      after: [120, 120],
    },
    group_runner_token_expiration_interval: {
      value: 14_400,
      look: tokenEnds('group_type'),
      before: [null, null],
      after: [240, 240],
    },
    project_runner_token_expiration_interval: {
      value: 21_600,
      look: tokenEnds('project_type'),
      before: [null, null],
      after: [360, 360],
    },
    valid_runner_registrars: {
      value: ['group'],
      look: registered,
      before: [201, 201, 201, 201],
      after: [403, 403, 201, 201],
    },
    diff_max_files: { value: 2, look: async () => (await shown()).length, before: 4, after: 2 },
    diff_max_lines: { value: 25, look: shown, before: everything, after: ['shown', 'shown', 'collapsed', 'collapsed'] },
    diff_max_patch_bytes: {
      value: 1_000,
      look: shown,
      before: everything,
      after: ['shown', 'shown', 'shown', 'too large'],
    },
  };
}
