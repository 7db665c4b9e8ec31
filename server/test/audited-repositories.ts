/** Changes of push rules and of what is protected, for the walk over everything that leaves an audit event. */
import type { TestApp } from './app.ts';
import { packageRule } from './conditional-bodies.ts';
import { unique } from './factories.ts';

/** The same below projects, groups and the instance: `noun` as the routes have it, `base` a fresh one. */
export function changesOfRepositories(app: TestApp, admin: string) {
  const ofRules = (noun: string, base: () => Promise<string>) => {
    const rule = { deny_delete_tag: true };
    const given = async () => {
      const url = `${await base()}/push_rule`;
      await app.api('POST', url, { token: admin, json: rule });
      return url;
    };
    return {
      [`POST ${noun}/push_rule`]: async () => {
        const url = `${await base()}/push_rule`;
        await app.api('DELETE', url, { token: admin });
        return { url, json: rule, leaves: 'push_rule_created' };
      },
      [`PUT ${noun}/push_rule`]: async () => ({
        url: await given(),
        json: { max_file_size: 7 },
        leaves: 'push_rule_updated',
      }),
      [`DELETE ${noun}/push_rule`]: async () => ({ url: await given(), leaves: 'push_rule_removed' }),
    };
  };
  const ofRefs = (noun: string, ref: 'branch' | 'tag', base: () => Promise<string>) => {
    const list = ref === 'branch' ? 'protected_branches' : 'protected_tags';
    const path = `${noun}/${list}`;
    const given = async () => {
      const [url, name] = [`${await base()}/${list}`, unique('kept')];
      await app.api('POST', url, { token: admin, json: { name } });
      return `${url}/${name}`;
    };
    const changed = {
      [`PATCH ${path}/:name`]: async () => ({
        url: await given(),
        json: { allow_force_push: true },
        leaves: 'protected_branch_updated',
      }),
    };
    return {
      [`POST ${path}`]: async () => ({
        url: `${await base()}/${list}`,
        json: { name: unique('kept') },
        leaves: `protected_${ref}_created`,
      }),
      ...(ref === 'branch' ? changed : {}),
      [`DELETE ${path}/:name`]: async () => ({ url: await given(), leaves: `protected_${ref}_removed` }),
    };
  };
  const ofReleases = () => {
    const base = async () => {
      const json = { name: unique('files'), initialize_with_readme: true };
      return `/projects/${(await app.api<{ id: number }>('POST', '/projects', { token: admin, json })).body.id}`;
    };
    const path = '/projects/:id/releases';
    const given = async () => {
      const [url, tag_name] = [`${await base()}/releases`, unique('v')];
      await app.api('POST', url, { token: admin, json: { tag_name, ref: 'main' } });
      return `${url}/${tag_name}`;
    };
    const linked = async () => {
      const url = `${await given()}/assets/links`;
      const link = { name: 'tool', url: 'https://files.example/tool' };
      const made = await app.api<{ id: number }>('POST', url, { token: admin, json: link });
      return `${url}/${made.body.id}`;
    };
    const updated = 'release_updated';
    const flag = async () => {
      const url = `${await base()}/feature_flags`;
      await app.api('POST', url, { token: admin, json: { name: 'flag' } });
      return `${url}/flag`;
    };
    const listed = { name: 'list', user_xids: 'a' };
    const userList = async () => {
      const url = `${await base()}/feature_flags_user_lists`;
      const { body } = await app.api<{ iid: number }>('POST', url, { token: admin, json: listed });
      return `${url}/${body.iid}`;
    };
    const mirrored = { url: 'https://robot:secret@example.com/a.git', enabled: false };
    const mirror = async () => {
      const url = `${await base()}/remote_mirrors`;
      const { body } = await app.api<{ id: number }>('POST', url, { token: admin, json: mirrored });
      return `${url}/${body.id}`;
    };
    const protection = async () => {
      const url = `${await base()}/packages/protection/rules`;
      const { body } = await app.api<{ id: number }>('POST', url, { token: admin, json: packageRule() });
      return `${url}/${body.id}`;
    };
    const packaged = async (inside: '' | '/package_files' = '') => {
      const url = `${await base()}/packages`;
      await app.api('PUT', `${url}/generic/tool/1.0/a.txt`, { token: admin, json: {} });
      const one = async (at: string) => {
        const { body } = await app.api<{ id: number }[]>('GET', at, { token: admin });
        return `${at}/${body[0]?.id}`;
      };
      const found = await one(url);
      return inside === '' ? found : await one(`${found}${inside}`);
    };
    const catalog = async () => {
      const url = await base();
      await app.api('PUT', `${url}/catalog`, { token: admin });
      return url;
    };
    return {
      'POST /projects/:id/feature_flags': async () => ({
        ...{ url: `${await base()}/feature_flags`, json: { name: 'flag' }, leaves: 'feature_flag_created' },
      }),
      'PUT /projects/:id/feature_flags/:feature_flag_name': async () => ({
        ...{ url: await flag(), json: { active: false }, leaves: 'feature_flag_updated' },
      }),
      'DELETE /projects/:id/feature_flags/:feature_flag_name': async () => ({
        ...{ url: await flag(), leaves: 'feature_flag_deleted' },
      }),
      'POST /projects/:id/feature_flags_user_lists': async () => ({
        ...{ url: `${await base()}/feature_flags_user_lists`, json: listed, leaves: 'feature_flag_user_list_created' },
      }),
      'PUT /projects/:id/feature_flags_user_lists/:iid': async () => ({
        ...{ url: await userList(), json: listed, leaves: 'feature_flag_user_list_updated' },
      }),
      'DELETE /projects/:id/feature_flags_user_lists/:iid': async () => ({
        ...{ url: await userList(), leaves: 'feature_flag_user_list_deleted' },
      }),
      'POST /projects/:id/feature_flags_client/reset_token': async () => ({
        ...{ url: `${await base()}/feature_flags_client/reset_token`, leaves: 'feature_flags_client_token_reset' },
      }),
      'POST /projects/:id/remote_mirrors': async () => ({
        ...{ url: `${await base()}/remote_mirrors`, json: mirrored, leaves: 'push_mirror_created' },
      }),
      'PUT /projects/:id/remote_mirrors/:mirror_id': async () => ({
        ...{ url: await mirror(), json: { keep_divergent_refs: true }, leaves: 'push_mirror_updated' },
      }),
      'DELETE /projects/:id/remote_mirrors/:mirror_id': async () => ({
        ...{ url: await mirror(), leaves: 'push_mirror_deleted' },
      }),
      'PUT /projects/:id/mirror/pull': async () => ({
        ...{ url: `${await base()}/mirror/pull`, json: mirrored, leaves: 'pull_mirror_created' },
      }),
      'PUT /projects/:id/packages/generic/:package_name/:package_version/*': async () => ({
        ...{ url: `${await base()}/packages/generic/tool/1.0/a.txt`, json: {}, leaves: 'package_file_published' },
      }),
      'POST /projects/:id/packages/protection/rules': async () => ({
        ...{ url: `${await base()}/packages/protection/rules`, json: packageRule() },
        leaves: 'package_protection_rule_created',
      }),
      'PATCH /projects/:id/packages/protection/rules/:package_protection_rule_id': async () => ({
        ...{ url: await protection(), json: { package_type: 'npm' }, leaves: 'package_protection_rule_updated' },
      }),
      'DELETE /projects/:id/packages/protection/rules/:package_protection_rule_id': async () => ({
        ...{ url: await protection(), leaves: 'package_protection_rule_deleted' },
      }),
      'DELETE /projects/:id/packages/:package_id': async () => ({
        ...{ url: await packaged(), leaves: 'package_deleted' },
      }),
      'DELETE /projects/:id/packages/:package_id/package_files/:package_file_id': async () => ({
        ...{ url: await packaged('/package_files'), leaves: 'package_file_deleted' },
      }),
      'PUT /projects/:id/catalog': async () => ({ url: `${await base()}/catalog`, leaves: 'catalog_resource_created' }),
      'DELETE /projects/:id/catalog': async () => ({
        url: `${await catalog()}/catalog`,
        leaves: 'catalog_resource_deleted',
      }),
      'POST /projects/:id/catalog/publish': async () => {
        const url = await catalog();
        await app.api('PUT', url, { token: admin, json: { description: 'Parts' } });
        const actions = [{ action: 'create', file_path: 'templates/a.yml', content: 'a: {script: [x]}\n' }];
        const commit = { branch: 'main', commit_message: 'Add a component', actions };
        await app.api('POST', `${url}/repository/commits`, { token: admin, json: commit });
        await app.api('POST', `${url}/releases`, { token: admin, json: { tag_name: '1.0.0', ref: 'main' } });
        return { url: `${url}/catalog/publish`, json: { version: '1.0.0' }, leaves: 'catalog_version_published' };
      },
      [`POST ${path}`]: async () => ({
        url: `${await base()}/releases`,
        json: { tag_name: unique('v'), ref: 'main' },
        leaves: 'release_created',
      }),
      [`PUT ${path}/:tag_name`]: async () => ({ url: await given(), json: { name: 'New' }, leaves: updated }),
      [`DELETE ${path}/:tag_name`]: async () => ({ url: await given(), leaves: 'release_deleted' }),
      [`POST ${path}/:tag_name/assets/links`]: async () => ({
        url: `${await given()}/assets/links`,
        json: { name: 'book', url: 'https://files.example/book' },
        leaves: updated,
      }),
      [`PUT ${path}/:tag_name/assets/links/:link_id`]: async () => ({
        url: await linked(),
        json: { name: 'other' },
        leaves: updated,
      }),
      [`DELETE ${path}/:tag_name/assets/links/:link_id`]: async () => ({ url: await linked(), leaves: updated }),
    };
  };
  /** Protected environments of a project or a group. */
  const ofEnvironments = (noun: '/projects/:id' | '/groups/:id', base: () => Promise<string>) => {
    const path = `${noun}/protected_environments`;
    const json = { name: 'production', deploy_access_levels: [{ access_level: 40 }] };
    const given = async () => {
      const url = `${await base()}/protected_environments`;
      await app.api('POST', url, { token: admin, json });
      return `${url}/production`;
    };
    return {
      [`POST ${path}`]: async () => ({
        url: `${await base()}/protected_environments`,
        json,
        leaves: 'protected_environment_created',
      }),
      [`PUT ${path}/:name`]: async () => ({
        url: await given(),
        json: { required_approval_count: 1 },
        leaves: 'protected_environment_updated',
      }),
      [`DELETE ${path}/:name`]: async () => ({ url: await given(), leaves: 'protected_environment_removed' }),
    };
  };
  const ofProtections = (noun: '/projects/:id' | '/groups/:id', base: () => Promise<string>) => ({
    ...ofRefs(noun, 'branch', base),
    ...(noun === '/projects/:id' ? ofRefs(noun, 'tag', base) : {}),
    ...ofEnvironments(noun, base),
  });
  return { ofRules, ofProtections, ofReleases };
}
